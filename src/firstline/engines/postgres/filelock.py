"""Locks on files that the kernel frees when their holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from firstline.errors import Unavailable

POLL_S = 0.02


class FileLock:
    """A flock on one file, shared or exclusive. Every instance holds its own, even inside one process."""

    def __init__(self, path: Path) -> None:
        """Create the file when it is missing. Raises OSError."""
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def share(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def try_exclusive(self) -> bool:
        """Take or upgrade to exclusive without waiting. False: somebody else holds the file."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_exclusive(self, *, wait_s_max: float) -> None:
        """Take it exclusively. Unavailable when it is not free in time."""
        deadline = time.monotonic() + wait_s_max
        while not self.try_exclusive():
            if time.monotonic() >= deadline:
                raise Unavailable(
                    f"Another process holds {self._path} for more than {wait_s_max:.0f} s.",
                    remedy="Wait for it to finish, or stop it.",
                )
            time.sleep(POLL_S)

    def close(self) -> None:
        """Free the lock. Calling it again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
