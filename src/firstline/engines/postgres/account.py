"""Which system user the embedded server runs as, and whether that user can reach what it needs.

Postgres refuses to run as root. So root runs it as an unprivileged user of its own; everybody else runs it as
themselves. Folders above the data folder are never changed: when one of them bars the way, the error names it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firstline.errors import Broken

SYSTEM_USER = "firstline-pg"
USERADD_S_MAX = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """The user that the server runs as. `switch` is true when that is another user than the one we are."""

    uid: int
    gid: int
    name: str
    switch: bool


def account_for(folder: Path) -> Account:
    """The account that runs the server on `folder` (which may not exist yet).

    Root takes the folder's owner when that is an ordinary user: a folder that a user made stays theirs. Otherwise
    root takes `firstline-pg`, creating it when it is missing. Broken when it cannot be created.
    """
    if os.geteuid() != 0:
        return Account(uid=os.geteuid(), gid=os.getegid(), name=str(os.geteuid()), switch=False)
    owner = _owner(folder)
    entry = owner or _lookup(SYSTEM_USER) or _create(SYSTEM_USER)
    return Account(uid=entry.pw_uid, gid=entry.pw_gid, name=entry.pw_name, switch=True)


def _owner(folder: Path) -> pwd.struct_passwd | None:
    try:
        uid = folder.stat().st_uid
        return pwd.getpwuid(uid) if uid != 0 else None
    except (FileNotFoundError, KeyError):
        return None


def _lookup(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create(name: str) -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    said = "useradd is missing"
    if useradd is not None:
        command = [useradd, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
        result = subprocess.run(  # noqa: S603  (a fixed command with a constant name)
            command, capture_output=True, text=True, timeout=USERADD_S_MAX, check=False
        )
        said = result.stderr.strip()
    # Another process may have created it in the same moment, so the lookup decides and not the exit code.
    entry = _lookup(name)
    if entry is None:
        raise Broken(
            f"Postgres does not run as root, and its user {name!r} could not be created ({said}).",
            remedy=f"Create it with `useradd --system {name}`, run firstline as an ordinary user, or set "
            "FIRSTLINE_DATABASE_URL.",
        )
    return entry


def check_reachable(path: Path, account: Account, *, what: str) -> None:
    """Broken, naming the folder, when the account may not pass through a folder on the way to `path`."""
    if not account.switch:
        return
    barrier = _barrier(path, account)
    if barrier is not None:
        raise Broken(
            f"Run by root, Postgres works as the user {account.name!r}, and that user cannot reach {what}: the folder "
            f"{barrier} is closed to it.",
            remedy=f"Allow passing through with `chmod o+x {barrier}`, choose another place with --data or "
            "FIRSTLINE_DATA_FOLDER, or run firstline as an ordinary user.",
        )


def _barrier(path: Path, account: Account) -> Path | None:
    for folder in (*reversed(path.parents), path):
        try:
            found = folder.stat()
        except FileNotFoundError:
            return None
        if not _may_execute(found, account):
            return folder
    return None


def _may_execute(found: os.stat_result, account: Account) -> bool:
    if found.st_uid == account.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def hand_over(folder: Path, account: Account) -> None:
    """Make the folder and all in it the account's own, closed to others. Does nothing when it already is."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if not account.switch or folder.stat().st_uid == account.uid:
        return
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(root, name), account.uid, account.gid, follow_symlinks=False)
    # Last, so that a hand-over that was interrupted is repeated.
    os.chown(folder, account.uid, account.gid)
