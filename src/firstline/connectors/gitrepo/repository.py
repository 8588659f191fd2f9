"""A bare copy of one branch: what is in it, what changed between two commits, and the contents."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from firstline.connectors.gitrepo.program import Git, Room, size_of, stop
from firstline.errors import Broken, FirstlineError, Unavailable

LOCAL_S_MAX: Final = 120.0
READ_S_MAX: Final = 60.0
HEAD: Final = "refs/firstline/head"
KNOWN: Final = "refs/firstline/known"
COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILE_MODES: Final = frozenset({b"100644", b"100755", b"100664"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A file of a commit. Links and submodules are none."""

    path: str
    blob: str
    size: int


class Repository:
    """One branch of one repository, kept in `folder` between syncs."""

    def __init__(
        self, folder: Path, *, git: Git, url: str, branch: str, where: str, timeout_s: float, bytes_max: int
    ) -> None:
        """`git` runs in `folder`. `where` names the other side for people, without secrets. `branch` "": its own. The
        folder never takes more than `bytes_max` on disk."""
        self._folder = folder
        self._git = git
        self._url = url
        self._branch = branch
        self._where = where
        self._timeout_s = timeout_s
        self._room = Room(folder=folder, bytes_max=bytes_max)

    async def fetch(self) -> str:
        """Get the newest commit of the branch, without its history. A copy that is damaged is made anew."""
        try:
            return await self._fetched()
        except Broken:
            # What did not fit must not stay: neither the copy nor the half of a pack.
            if await asyncio.to_thread(self._is_full):
                await self._forget()
            raise
        except Unavailable:
            if await self._works("fsck", "--connectivity-only", "--no-dangling", HEAD):
                raise
            await self._forget()
            return await self._fetched()

    async def _fetched(self) -> str:
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        if not await self._is_sound():
            await self._forget()
            await asyncio.to_thread(self._folder.mkdir, parents=True, mode=0o700)
            await self._git.run("init", "--bare", "--quiet", ".", timeout_s=LOCAL_S_MAX)
        await asyncio.to_thread(self._clear)
        wanted = f"+refs/heads/{self._branch}:{HEAD}" if self._branch else f"+HEAD:{HEAD}"
        await self._git.run(
            *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
            *("--", self._url, wanted),
            timeout_s=self._timeout_s,
            where=self._where,
            room=self._room,
        )
        said = await self._git.run("rev-parse", "--verify", f"{HEAD}^{{commit}}", timeout_s=LOCAL_S_MAX)
        commit = said.decode().strip()
        if not COMMIT.fullmatch(commit):
            raise Broken("git named no commit.", remedy="Check that the `git` program is a plain one.")
        return commit

    def _clear(self) -> None:
        """What a run left that was killed: the claim on the source says that nobody else is here."""
        for pattern in ("*.lock", "tmp_*", ".tmp-*"):
            for left in list(self._folder.rglob(pattern)):
                with contextlib.suppress(OSError):
                    left.unlink(missing_ok=True)

    def _is_full(self) -> bool:
        left = shutil.disk_usage(self._folder).free if self._folder.exists() else 0
        return size_of(self._folder) > self._room.bytes_max or left < self._room.free_min

    async def _is_sound(self) -> bool:
        try:
            said = await self._git.run("rev-parse", "--is-bare-repository", "--git-dir", timeout_s=LOCAL_S_MAX)
        except FirstlineError:
            return False
        return said.split() == [b"true", b"."]

    async def _works(self, *arguments: str) -> bool:
        try:
            await self._git.run(*arguments, timeout_s=LOCAL_S_MAX)
        except FirstlineError:
            return False
        return True

    async def _forget(self) -> None:
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def has(self, commit: str) -> bool:
        return bool(COMMIT.fullmatch(commit)) and await self._works("cat-file", "-e", f"{commit}^{{commit}}")

    async def holds(self, commit: str, subfolder: str) -> bool:
        try:
            said = await self._git.run("cat-file", "-t", _tree(commit, subfolder), timeout_s=LOCAL_S_MAX)
        except FirstlineError:
            return False
        return said.strip() == b"tree"

    async def keep_only(self, commit: str) -> None:
        """Hold on to this commit and the newest one; what else was fetched is thrown away now and then."""
        await self._git.run("update-ref", KNOWN, commit, timeout_s=LOCAL_S_MAX)
        packs = await asyncio.to_thread(lambda: len(list((self._folder / "objects" / "pack").glob("*.pack"))))
        if packs > 20:
            room = replace(self._room, bytes_max=2 * self._room.bytes_max)
            try:
                await self._git.run("gc", "--quiet", "--prune=now", timeout_s=self._timeout_s, room=room)
            except Broken:
                # No room to tidy up in: the next sync fetches it anew.
                await self._forget()

    async def files(self, commit: str, subfolder: str) -> list[Entry]:
        """Every file of the commit below the folder, by path. Broken when the commit has no such folder."""
        if subfolder and not await self.holds(commit, subfolder):
            raise Broken(
                f"{self._where} has no folder {subfolder!r} (any more).",
                remedy="Correct the option `subfolder`; nothing was removed.",
            )
        said = await self._git.run(
            "ls-tree", "-r", "-z", "-l", "--full-tree", _tree(commit, subfolder), timeout_s=LOCAL_S_MAX
        )
        entries: list[Entry] = []
        for line in said.split(b"\0"):
            head, _, path = line.partition(b"\t")
            parts = head.split()
            if len(parts) == 4 and parts[0] in _FILE_MODES and parts[3].isdigit():
                entries.append(Entry(path=_name(path), blob=parts[2].decode(), size=int(parts[3])))
        return entries

    async def changed(self, old: str, new: str, subfolder: str) -> tuple[set[str], set[str]]:
        """(paths with another content, paths that are gone) below the folder, from one commit to another."""
        said = await self._git.run(
            *("diff-tree", "-r", "-z", "--no-renames", "--name-status", _tree(old, subfolder), _tree(new, subfolder)),
            timeout_s=LOCAL_S_MAX,
        )
        parts = said.split(b"\0")
        changed: set[str] = set()
        gone: set[str] = set()
        for status, path in zip(parts[::2], parts[1::2], strict=False):
            (gone if status == b"D" else changed).add(_name(path))
        return changed, gone

    async def contents(self, entries: Sequence[Entry]) -> AsyncIterator[tuple[Entry, bytes]]:
        """In the order given, one at a time in memory."""
        if not entries:
            return
        process = await self._git.start("cat-file", "--batch", "--buffer")
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 (asked for as pipes)
        stdin, stdout = process.stdin, process.stdout

        async def ask() -> None:
            for entry in entries:
                stdin.write(f"{entry.blob}\n".encode())
                await stdin.drain()
            stdin.close()

        asking = asyncio.create_task(ask())
        try:
            for entry in entries:
                async with asyncio.timeout(READ_S_MAX):
                    head = (await stdout.readline()).split()
                    if len(head) != 3 or head[1] != b"blob":
                        await self._forget()
                        raise self._damaged()
                    raw = await stdout.readexactly(int(head[2]))
                    await stdout.readexactly(1)
                yield entry, raw
        except (TimeoutError, asyncio.IncompleteReadError) as error:
            await self._forget()
            raise self._damaged() from error
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await stop(process)

    def _damaged(self) -> Broken:
        return Broken(f"The copy of {self._where} was damaged.", remedy="Sync again: it is fetched anew.")


def _tree(commit: str, subfolder: str) -> str:
    return f"{commit}:{subfolder}" if subfolder else f"{commit}^{{tree}}"


def _name(path: bytes) -> str:
    """File names are bytes to git, too."""
    return path.decode("utf-8", "backslashreplace")
