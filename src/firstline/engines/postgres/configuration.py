"""How the embedded server is set up. The file is written afresh at every start, so an upgrade brings its settings."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

from firstline.engines.postgres.account import Account
from firstline.errors import Broken

ROLE: Final = "firstline"
DATABASE: Final = "postgres"
PORT: Final = 5432

SOCKET_PATH_BYTES_MAX: Final = 107
"""The kernel's limit for the path of a Unix socket."""

OPERATORS_FILE: Final = "operator.conf"

SETTINGS: Final = """\
# Written by firstline at every start: changes here are lost. Put yours into operator.conf beside this file.
listen_addresses = ''
port = {port}
unix_socket_directories = '{socket_folder}'
unix_socket_permissions = 0700
max_connections = 50
shared_buffers = 64MB
work_mem = 8MB
maintenance_work_mem = 64MB
effective_cache_size = 1GB
random_page_cost = 1.1
# Two cores, short queries: compiling and parallel workers cost more than they bring.
jit = off
max_parallel_workers_per_gather = 0
# Acknowledged means on disk.
fsync = on
synchronous_commit = on
full_page_writes = on
min_wal_size = 80MB
max_wal_size = 1GB
checkpoint_timeout = 15min
wal_compression = pglz
timezone = 'UTC'
log_timezone = 'UTC'
log_min_messages = warning
# Statements and the details of errors can quote what a customer wrote: they stay out of the log.
log_statement = none
log_min_error_statement = panic
log_error_verbosity = terse
"""


def write_configuration(cluster: Path, sockets: Path, account: Account) -> None:
    """Raises OSError."""
    path = cluster / "postgresql.conf"
    quoted = str(sockets).replace("'", "''")
    text = SETTINGS.format(port=PORT, socket_folder=quoted)
    if (cluster / OPERATORS_FILE).exists():
        text += f"include '{OPERATORS_FILE}'\n"
    path.write_text(text, encoding="utf-8")
    if account.switch:
        os.chown(path, account.uid, account.gid)


def socket_folder(home: Path, account: Account) -> Path:
    """The folder of the socket, created, closed to all but the account: in the data folder, or in the folder for
    temporary files when that path would be too long (or hold a comma, which separates folders in the setting)."""
    inside = home / "run"
    socket = f"{inside}/.s.PGSQL.{PORT}"
    fits = len(os.fsencode(socket)) <= SOCKET_PATH_BYTES_MAX and "," not in socket
    folder = inside if fits else _short_folder(home)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if account.switch and found.st_uid == 0 and not folder.is_symlink():
        os.chown(folder, account.uid, account.gid)
        found = folder.lstat()
    # The folder for temporary files is everybody's: somebody else may have put a trap there.
    if folder.is_symlink() or found.st_uid != account.uid or found.st_mode & 0o077:
        raise Broken(
            f"{folder} should be a folder that only the user {account.name} may use, and is not.",
            remedy=f"Remove {folder}, or set TMPDIR to a folder of your own.",
        )
    return folder


def _short_folder(home: Path) -> Path:
    name = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"firstline-{name}")
