"""When are graphs built, and how does the built shard take the place of the one that is served?

Past INDEXING_VECTORS_MIN chunks an exact search takes too long, and building graphs blocks a process for minutes. So
the worker lets a process of its own (`builder`) do it on a copy, writes down what is written meanwhile, and swaps:

1. hold writes; flush; the builder copies the shard; release writes, which from here also go to the journal,
2. the builder builds and catches up with the journal,
3. in one go: open the copy, catch up with the rest, move the pointer of `index.json`, drop the old shard.

Searches wait for step 3 alone. A crash before the pointer has moved leaves the old shard, which has everything.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firstline.engines.qdrant_edge import wire
from firstline.engines.qdrant_edge.journal import Journal, replay
from firstline.engines.qdrant_edge.note import JOURNAL, write_note
from firstline.engines.qdrant_edge.shard import FREE_BYTES_MIN, Shard
from firstline.errors import FirstlineError, Unavailable

REBUILD_POINTS_MIN: Final = 55_000
REBUILD_SHARE_MIN: Final = 0.1
"""Built when so many points came since the last time, and this share of all: the work stays in proportion."""
REBUILD_QUIET_S: Final = 10.0
COPY_S_MAX: Final = 50.0
"""Writes wait this long at most; clients give up after 60 s."""
BUILD_S_MAX: Final = 4 * 3600.0
ROOM_FACTOR: Final = 3
"""Free disk that a rebuild needs, in sizes of the shard: the copy, and old and new segments side by side in it."""

logger = logging.getLogger("firstline.index_worker")


class Rebuild:
    """At most one rebuild at a time, for the worker's event loop. `swap` is told the shard to serve from then on."""

    def __init__(self, folder: Path, *, dimensions: int, swap: Callable[[Shard], None]) -> None:
        self._folder = folder
        self._dimensions = dimensions
        self._swap = swap
        self._journal: Journal | None = None
        self._task: asyncio.Task[bool] | None = None
        self._not_below = REBUILD_POINTS_MIN
        self.writable = asyncio.Event()
        self.writable.set()

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def consider(self, shard: Shard) -> None:
        """Begin one when enough has come since the last one."""
        fresh = shard.fresh_points()
        if not self.is_running and fresh >= max(self._not_below, REBUILD_SHARE_MIN * shard.points()):
            self.begin(shard)

    def begin(self, shard: Shard) -> asyncio.Task[bool]:
        """The running rebuild, or a new one; its result says whether a shard with more graphs is served now."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._guarded(shard), name="index-rebuild")
        return self._task

    def wrote(self, request: wire.Message) -> None:
        """Every write that the shard has taken passes here."""
        if self._journal is not None:
            try:
                self._journal.add(request)
            except FirstlineError as error:
                self._give_up(error)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _give_up(self, error: FirstlineError) -> None:
        logger.warning("gave up a rebuild: %s", error)
        self._drop_journal()
        if self._task is not None:
            self._task.cancel()

    def _drop_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    async def _guarded(self, shard: Shard) -> bool:
        built = False
        try:
            built = await self._run(shard)
        except (FirstlineError, OSError, TimeoutError) as error:
            logger.warning("a rebuild of the chunk index failed: %s", error or type(error).__name__)
        except Exception:
            # A garbled journal, say. The shard that is served has everything, so this too only costs the rebuild.
            logger.exception("a rebuild of the chunk index failed")
        finally:
            self._drop_journal()
            self.writable.set()
            # What did not work now will hardly work in a second: wait until more has come.
            self._not_below = REBUILD_POINTS_MIN if built else shard.fresh_points() + REBUILD_POINTS_MIN // 2
        return built

    async def _run(self, shard: Shard) -> bool:
        needed = ROOM_FACTOR * shard.size_bytes() + FREE_BYTES_MIN
        if shutil.disk_usage(self._folder).free < needed:
            raise Unavailable(f"It needs {needed // 2**20} MB of free disk.", remedy="Free as much disk space.")
        target = self._folder / shard.note.next_shard
        await asyncio.to_thread(shutil.rmtree, target, ignore_errors=True)
        # No await from here to the flush: a write in between would be on disk in part when the builder copies.
        self.writable.clear()
        shard.flush()
        points, unneeded = shard.points(), target
        process = await self._start(shard, target)
        try:
            async with asyncio.timeout(COPY_S_MAX):
                await _expect(process, "copied")
            # No await between these two: what is written from here on is in the journal, and not in the copy.
            self._journal = Journal(self._folder / JOURNAL)
            self.writable.set()
            async with asyncio.timeout(BUILD_S_MAX):
                said = await _expect(process, "built", "nothing")
                await process.wait()
            if said[0] == "built":
                self._take_over(shard, target, points=points, offset=int(said[1]))
                unneeded = self._folder / shard.note.shard
        finally:
            self.writable.set()
            await _end(process)
            await asyncio.to_thread(shutil.rmtree, unneeded, ignore_errors=True)
        return said[0] == "built"

    async def _start(self, shard: Shard, target: Path) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "firstline.engines.qdrant_edge.builder"),
            *(str(self._folder), shard.note.shard, target.name, str(self._dimensions)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )

    def _take_over(self, old: Shard, target: Path, *, points: int, offset: int) -> None:
        """Not async: nothing is written or searched in between."""
        built = Shard.open_copy(target, dimensions=self._dimensions, exact_max=old.exact_max)
        try:
            replay(self._folder / JOURNAL, built, offset=offset)
            built.make_current(built=points)
        except BaseException:
            # The note may have been replaced before this failed, and must name the shard that is served.
            write_note(self._folder, old.note)
            built.close()
            raise
        self._swap(built)
        try:
            old.close()
        except FirstlineError:
            logger.exception("could not close the shard that was replaced")


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _expect(process: asyncio.subprocess.Process, *words: str) -> list[str]:
    """What the builder says next, as words. Unavailable when it says something else or ends."""
    line = await process.stdout.readline() if process.stdout is not None else b""
    said = line.decode("utf-8", "replace").split()
    if not said or said[0] not in words:
        raise Unavailable("The process that builds graphs ended early.", remedy="Its reason stands above.")
    return said
