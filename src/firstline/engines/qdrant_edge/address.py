"""Where the worker of a folder listens, and how to reach or start it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Final

from firstline.errors import Broken, Unavailable

CONNECT_S_MAX: Final = 30.0
_POLL_S: Final = 0.01
_PATH_BYTES_MAX: Final = 100  # the kernel takes 107 with the final zero, BSD 103
_LOG_BYTES_MAX: Final = 1024 * 1024


def socket_path(folder: Path) -> Path:
    """`index.sock` in the folder; a short name in a private temporary folder when that would be too long."""
    resolved = folder.resolve()
    path = resolved / "index.sock"
    if len(os.fsencode(path)) <= _PATH_BYTES_MAX:
        return path
    private = Path(tempfile.gettempdir()) / f"firstline-{os.getuid()}"
    private.mkdir(mode=0o700, exist_ok=True)
    status = private.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise Broken(
            f"{private} belongs to somebody else or is open to others.",
            remedy="Remove it, or use a data folder with a shorter path.",
        )
    return private / f"{hashlib.sha256(os.fsencode(resolved)).hexdigest()[:24]}.sock"


def bind(folder: Path) -> tuple[Path, socket.socket]:
    """A listening socket that only this user may connect to. The caller holds the folder's lock."""
    path = socket_path(folder)
    path.unlink(missing_ok=True)  # left by a worker that was killed
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listening.bind(str(path))
    finally:
        os.umask(mask)
    listening.listen(64)
    return path, listening


async def connect(folder: Path, dimensions: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the folder's worker, which is started when there is none. Unavailable when that fails."""
    path = await asyncio.to_thread(_prepare, folder)
    process: subprocess.Popen[bytes] | None = None
    deadline = asyncio.get_running_loop().time() + CONNECT_S_MAX
    while asyncio.get_running_loop().time() < deadline:
        with contextlib.suppress(FileNotFoundError, ConnectionError):
            return await asyncio.open_unix_connection(str(path))
        if process is None:
            process = await asyncio.to_thread(_start, folder, dimensions)
        elif process.returncode:
            break
        await asyncio.sleep(_POLL_S)
    code = (
        "did not answer in time" if process is None or process.returncode is None else f"ended ({process.returncode})"
    )
    raise Unavailable(
        f"The process that serves the chunk index {code}.", remedy=f"The reason stands in {_log(folder)}."
    )


def _prepare(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return socket_path(folder)
    except OSError as error:
        raise Broken(
            f"The folder of the chunk index, {folder}, is not usable: {error.strerror}.",
            remedy="Correct its permissions, or use another data folder.",
        ) from error


def _start(folder: Path, dimensions: int) -> subprocess.Popen[bytes]:
    log_path = _log(folder)
    try:
        grown = log_path.exists() and log_path.stat().st_size > _LOG_BYTES_MAX
        with log_path.open("wb" if grown else "ab") as log:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and module, no shell
                # -P: the current folder is no place to import from.
                [sys.executable, "-P", "-m", "firstline.engines.qdrant_edge.worker", str(folder), str(dimensions)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A session of its own: Ctrl-C in the terminal is for the client alone.
                start_new_session=True,
                env={**os.environ, "RUST_BACKTRACE": "0"},
            )
    except OSError as error:
        raise Unavailable(
            f"The process that serves the chunk index cannot be started: {error}.", remedy="Free memory or disk space."
        ) from error
    # Somebody has to take note of its end, or it stays in the process table until this process leaves.
    threading.Thread(target=process.wait, name="index-worker-reaper", daemon=True).start()
    return process


def _log(folder: Path) -> Path:
    return folder / "worker.log"
