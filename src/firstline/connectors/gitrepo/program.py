"""One run of the `git` program: bounded in time and size, with no settings but ours, asking nobody."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import re
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from firstline.errors import Broken, Forbidden, Unauthenticated, Unavailable

STDERR_BYTES_MAX: Final = 16_384
_DENIED: Final = (
    "authentication failed",
    "could not read username",
    "invalid username or password",
    "error: 403",
    "error: 401",
)
_VERSION: Final = re.compile(rb"(\d{1,4})\.(\d{1,4})")
VERSION_S_MAX: Final = 20.0
LIST_BYTES_MAX: Final = 512 * 1024 * 1024
READ_BYTES: Final = 64 * 1024


PINS_SINCE: Final = (2, 37)
"""Older programs know no `http.curloptResolve`, and would look the host up once more by themselves."""
WATCH_S: Final = 0.2
FREE_BYTES_MIN: Final = 256 * 1024 * 1024
MIB: Final = 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """How much a folder may hold while a program writes into it."""

    folder: Path
    bytes_max: int
    free_min: int = FREE_BYTES_MIN

    async def watch(self, where: str) -> None:
        """Returns never; Broken once there is no room left."""
        while True:
            await self.check(where)
            await asyncio.sleep(WATCH_S)

    async def check(self, where: str) -> None:
        taken = await asyncio.to_thread(size_of, self.folder)
        if taken > self.bytes_max:
            raise Broken(
                f"{where or 'The repository'} takes more than {self.bytes_max // MIB:,} MiB on disk.",
                remedy="Raise `mib_max` of the source, or read another branch or a smaller repository.",
            )
        if (await asyncio.to_thread(shutil.disk_usage, self.folder)).free < self.free_min:
            raise Broken(
                f"There is no room on the disk for {where or 'the repository'}.",
                remedy=f"Free more than {self.free_min // MIB:,} MiB where the data folder lies.",
            )


def size_of(folder: Path) -> int:
    """What a folder takes on disk, in bytes. What vanishes meanwhile counts nothing."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(root) / name).lstat().st_blocks * 512
    return total


@dataclass(frozen=True, kw_only=True, slots=True)
class Git:
    """`settings` are git's own, by name; they go by the environment, which other users of the machine cannot read."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict[str, str])

    async def version(self) -> tuple[int, int]:
        """Major and minor number; (0, 0) when it names none."""
        found = _VERSION.search(await self.run("version", timeout_s=VERSION_S_MAX))
        return (int(found[1]), int(found[2])) if found else (0, 0)

    async def run(self, *arguments: str, timeout_s: float, where: str = "", room: Room | None = None) -> bytes:
        """What it printed. Unavailable, Unauthenticated or Broken say what to do; `where` names the other side. It is
        stopped when it takes more than the `room` there is."""
        process = await self.start(*arguments)
        try:
            async with asyncio.timeout(timeout_s):
                said, complained = await (_within(process, room, where) if room else _heard(process))
        except TimeoutError:
            raise Unavailable(
                f"git did not finish within {timeout_s:,.0f} s" + (f" with {where}." if where else "."),
                remedy="The next sync begins again; check the network, or raise `timeout_s` of the source.",
            ) from None
        finally:
            await stop(process)
        if process.returncode:
            raise _trouble(complained.decode("utf-8", "replace"), where)
        return said

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                "git",
                *arguments,
                cwd=self.folder,
                env=self._environment(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Broken(
                "There is no `git` program on this machine.", remedy="Install git, or sync the folder of a clone."
            ) from error

    def _environment(self) -> dict[str, str]:
        given = {name: os.environ[name] for name in ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR") if name in os.environ}
        settings = {
            "gc.auto": "0",
            "core.hooksPath": os.devnull,
            "protocol.allow": "never",
            "protocol.https.allow": "always",
            "protocol.http.allow": "always",
            "protocol.file.allow": "always",
            "http.followRedirects": "false",
            "http.lowSpeedLimit": "1000",
            "http.lowSpeedTime": "60",
            "credential.helper": "",
            "safe.directory": "*",
            "transfer.fsckObjects": "false",
            **self.settings,
        }
        numbered = {"GIT_CONFIG_COUNT": str(len(settings))}
        for number, (name, value) in enumerate(settings.items()):
            numbered[f"GIT_CONFIG_KEY_{number}"] = name
            numbered[f"GIT_CONFIG_VALUE_{number}"] = value
        return {
            **given,
            **numbered,
            "HOME": str(self.folder),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "GIT_OPTIONAL_LOCKS": "0",
        }


async def _heard(process: asyncio.subprocess.Process) -> tuple[bytes, bytes]:
    """What it says and complains, once it has ended. Broken as soon as it says too much: a repository of a few bytes
    may list more files than any machine can hold."""
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None  # noqa: S101 (pipes)
    process.stdin.close()
    complaining = asyncio.create_task(_beginning(process.stderr, STDERR_BYTES_MAX))
    try:
        said = bytearray()
        while part := await process.stdout.read(READ_BYTES):
            said += part
            if len(said) > LIST_BYTES_MAX:
                raise Broken("The repository lists too many files.", remedy="Name a `subfolder` of it.")
        complained = await complaining
        await process.wait()
        return bytes(said), complained
    finally:
        complaining.cancel()
        await asyncio.gather(complaining, return_exceptions=True)


async def _beginning(stream: asyncio.StreamReader, size: int) -> bytes:
    """Read to its end, so that nobody waits to be read; the rest is let go."""
    kept = bytearray()
    while part := await stream.read(READ_BYTES):
        kept += part[: size - len(kept)]
    return bytes(kept)


async def _within(process: asyncio.subprocess.Process, room: Room, where: str) -> tuple[bytes, bytes]:
    working = asyncio.create_task(_heard(process))
    watching = asyncio.create_task(room.watch(where))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if watching.done():
            watching.result()
        said = await working
        # It may have been quicker than who watches it.
        await room.check(where)
        return said
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def stop(process: asyncio.subprocess.Process) -> None:
    """End a run that is not wanted any more, with the programs that it started."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def token_setting(url: str, user: str, token: str) -> dict[str, str]:
    """The setting that sends a token to this address alone."""
    basic = base64.b64encode(f"{user}:{token}".encode()).decode()
    return {f"http.{url}.extraHeader": f"Authorization: Basic {basic}"}


def _trouble(said: str, where: str) -> Exception:
    lowered = said.lower()
    name = where or "the repository"
    if "could not find remote branch" in lowered or "couldn't find remote ref" in lowered:
        return Broken(f"{name} has no such branch.", remedy="Name one with `--set branch=NAME`.")
    if any(word in lowered for word in _DENIED):
        return Unauthenticated(f"{name} refuses us.", remedy="Name a token that may read it: token=env:NAME.")
    if "unable to update url base from redirection" in lowered or "redirect" in lowered:
        return Forbidden(f"{name} has moved.", remedy="Give its new address.")
    if "not found" in lowered or "does not appear to be a git repository" in lowered or "not exist" in lowered:
        return Broken(f"There is no repository at {name}.", remedy="Check its address, and that the token may read it.")
    return Unavailable(f"{name} cannot be read by git.", remedy="Check the address and the network; sync again later.")
