"""Graphs are built beside the index that is served: nothing acknowledged is lost, whatever dies and whenever."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from index_client import DIMENSIONS, chunk

from firstline.domain import EVERYONE, Level
from firstline.engines.qdrant_edge import QdrantEdgeIndex, layout, wire
from firstline.engines.qdrant_edge import rebuild as rebuild_module
from firstline.engines.qdrant_edge.builder import copy_sparse
from firstline.engines.qdrant_edge.journal import Journal, apply, replay
from firstline.engines.qdrant_edge.note import JOURNAL, Note, read_note, write_note
from firstline.engines.qdrant_edge.rebuild import REBUILD_POINTS_MIN, Rebuild
from firstline.engines.qdrant_edge.shard import Shard
from firstline.engines.qdrant_edge.worker import Worker
from firstline.errors import Broken, Unavailable
from firstline.ports import IndexEntry, IndexQuery, Scope, SparseVector

WRITE = wire.Message(header={"op": "set_until", "chunk_ids": [chunk(3).chunk_id], "until": 2})


def upserts(numbers: range) -> wire.Message:
    message = wire.entries_to_message([chunk(number) for number in numbers])
    return wire.Message(header={**message.header, "op": "upsert"}, arrays=message.arrays)


def open_shard(folder: Path) -> Shard:
    return Shard.open(folder, dimensions=DIMENSIONS)


# --- parts ----------------------------------------------------------------------------------------------------------


def test_a_copy_holds_what_the_shard_holds_and_its_holes_stay_holes(tmp_path: Path) -> None:
    shard = open_shard(tmp_path)
    shard.upsert([chunk(number) for number in range(40)])
    shard.flush()
    copy_sparse(tmp_path / "shard", tmp_path / "shard-1")
    copy = Shard.open_copy(tmp_path / "shard-1", dimensions=DIMENSIONS)
    assert copy.count(tenant="t", kb="k") == 40
    assert copy.search(asked(7)) == shard.search(asked(7))
    assert copy.size_bytes() <= 2 * shard.size_bytes()
    copy.close()
    shard.close()


def test_the_journal_brings_a_copy_up_to_date_and_leaves_what_is_half_written(tmp_path: Path) -> None:
    journal, shard = Journal(tmp_path / JOURNAL), open_shard(tmp_path / "index")
    journal.add(upserts(range(5)))
    first = replay(tmp_path / JOURNAL, shard, offset=0)
    journal.add(WRITE)
    whole = (tmp_path / JOURNAL).stat().st_size
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(wire.encode(upserts(range(5, 9)))[:-3])
    assert shard.count(tenant="t", kb="k") == 5
    assert replay(tmp_path / JOURNAL, shard, offset=first) == whole
    assert {hit.doc_id for hit in shard.search(asked(1, limit=9, snapshot=2))} == {"d0", "d1", "d2", "d4"}
    shard.close()
    journal.close()
    assert not (tmp_path / JOURNAL).exists()


def test_a_journal_that_is_full_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firstline.engines.qdrant_edge import journal as module

    monkeypatch.setattr(module, "JOURNAL_BYTES_MAX", 100)
    journal = Journal(tmp_path / JOURNAL)
    with pytest.raises(Unavailable, match="More was written"):
        journal.add(upserts(range(5)))
    journal.close()


def test_an_entry_that_is_not_written_whole_ends_the_rebuild(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NearlyFull:
        def write(self, frame: bytes) -> int:
            return len(frame) // 2

    journal = Journal(tmp_path / JOURNAL)
    journal.add(WRITE)
    with monkeypatch.context() as full:
        full.setattr(journal, "_file", NearlyFull())
        with pytest.raises(Unavailable, match="not written whole"):
            journal.add(WRITE)
    journal.close()


def test_the_note_names_the_shard_and_knows_the_first_format(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text('{"format": 1, "dimensions": 8}')
    note = read_note(tmp_path, dimensions=8)
    assert (note.shard, note.built, note.next_shard) == ("shard", 0, "shard-1")
    write_note(tmp_path, Note(dimensions=8, shard="shard-1", built=9))
    assert read_note(tmp_path, dimensions=8).next_shard == "shard-2"
    (tmp_path / "index.json").write_text('{"format": 2, "dimensions": 8, "shard": "../elsewhere"}')
    with pytest.raises(Broken, match="is damaged"):
        read_note(tmp_path, dimensions=8)


def test_what_a_rebuild_that_died_has_left_is_removed(tmp_path: Path) -> None:
    shard = open_shard(tmp_path)
    shard.upsert([chunk(1)])
    shard.close()
    copy_sparse(tmp_path / "shard", tmp_path / "shard-1")
    (tmp_path / JOURNAL).write_bytes(b"rest")
    opened = open_shard(tmp_path)
    assert opened.count(tenant="t", kb="k") == 1
    opened.close()
    assert not (tmp_path / "shard-1").exists()
    assert not (tmp_path / JOURNAL).exists()


class Counted:
    """As much of a shard as deciding takes."""

    def __init__(self, points: int, built: int) -> None:
        self._points, self._built = points, built

    def points(self) -> int:
        return self._points

    def fresh_points(self) -> int:
        return self._points - self._built


@pytest.mark.parametrize(
    ("points", "built", "begins"),
    [
        (REBUILD_POINTS_MIN - 1, 0, False),
        (REBUILD_POINTS_MIN, 0, True),
        (1_000_000, 940_000, False),
        (1_000_000, 890_000, True),
    ],
)
def test_a_rebuild_begins_when_enough_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: int, built: int, begins: bool
) -> None:
    begun: list[object] = []
    rebuild = Rebuild(tmp_path, dimensions=DIMENSIONS, swap=lambda _: None)
    monkeypatch.setattr(rebuild, "begin", begun.append)
    rebuild.consider(Counted(points, built))  # pyright: ignore[reportArgumentType]  (a stand-in)
    assert bool(begun) is begins


def test_an_operation_that_is_no_write_is_refused(tmp_path: Path) -> None:
    shard = open_shard(tmp_path)
    with pytest.raises(ValueError, match="no write"):
        apply(shard, wire.Message(header={"op": "search"}))
    shard.close()


async def test_nothing_to_build_leaves_everything_as_it_is(tmp_path: Path) -> None:
    shard = open_shard(tmp_path)
    shard.upsert([chunk(number) for number in range(20)])
    rebuild = Rebuild(tmp_path, dimensions=DIMENSIONS, swap=lambda _: pytest.fail("nothing was built"))
    assert not await rebuild.begin(shard)
    assert shard.count(tenant="t", kb="k") == 20
    assert [path.name for path in tmp_path.glob("shard*")] == ["shard"]
    shard.close()


async def test_what_is_written_before_the_copy_is_flushed_when_the_copy_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what is served while the remains of an earlier copy are removed."""
    shard, unflushed = open_shard(tmp_path), 0
    rebuild = Rebuild(tmp_path, dimensions=DIMENSIONS, swap=lambda _: None)
    remove, flush = shutil.rmtree, shard.flush

    def write_and_remove(path: Path, **options: Any) -> None:
        nonlocal unflushed
        if rebuild.writable.is_set():
            unflushed += 1
        remove(path, **options)

    def flush_all() -> None:
        nonlocal unflushed
        unflushed = 0
        flush()

    async def start(*_: object) -> None:
        assert not rebuild.writable.is_set()
        seen.append(unflushed)
        raise Unavailable("as far as this test goes")

    seen: list[int] = []
    monkeypatch.setattr(rebuild_module.shutil, "rmtree", write_and_remove)
    monkeypatch.setattr(shard, "flush", flush_all)
    monkeypatch.setattr(rebuild, "_start", start)
    assert not await rebuild.begin(shard)
    assert seen == [0]
    assert rebuild.writable.is_set()
    monkeypatch.undo()
    shard.close()


async def test_a_rebuild_that_trips_over_its_journal_says_that_nothing_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shard = open_shard(tmp_path)
    rebuild = Rebuild(tmp_path, dimensions=DIMENSIONS, swap=lambda _: None)

    async def garbled(*_: object) -> bool:
        raise wire.Garbled("an entry that makes no sense")

    monkeypatch.setattr(rebuild, "_run", garbled)
    with caplog.at_level(logging.ERROR):
        assert not await rebuild.begin(shard)
    assert "makes no sense" in caplog.text
    assert rebuild.writable.is_set()
    shard.close()


@pytest.mark.parametrize(("copying", "flushes"), [(True, 0), (False, 1)])
async def test_the_worker_leaves_the_files_as_they_are_while_they_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copying: bool, flushes: int
) -> None:
    shard, flushed = open_shard(tmp_path), list[int]()
    monkeypatch.setattr(shard, "flush", lambda: flushed.append(1))
    worker = Worker(shard, folder=tmp_path, dimensions=DIMENSIONS)
    if copying:
        worker._rebuild.writable.clear()  # pyright: ignore[reportPrivateUsage]  (as a rebuild does at its copy)
    worker._written_at = time.monotonic() - 60  # pyright: ignore[reportPrivateUsage]  (a write a minute ago)
    waiting = asyncio.create_task(worker.until_idle())
    await asyncio.sleep(0.4)
    worker.stop()
    await waiting
    assert len(flushed) == flushes
    monkeypatch.undo()
    await worker.close()


# --- at size --------------------------------------------------------------------------------------------------------

CHUNKS = 56_000
STEP = 100


def big_chunk(number: int) -> IndexEntry:
    entry = chunk(number)
    tags = frozenset({EVERYONE, "hundredth"} if number % STEP == 0 else {EVERYONE})
    return IndexEntry(
        chunk_id=entry.chunk_id,
        tenant="t",
        kb="k",
        doc_id=entry.doc_id,
        acl=tags,
        level=Level.PUBLIC,
        since=1,
        dense=entry.dense,
        words=entry.words,
    )


def asked(number: int, *, limit: int = 3, snapshot: int = 1, tag: str = EVERYONE) -> IndexQuery:
    return IndexQuery(
        scope=Scope(tenant="t", kb="k", acl_tags=frozenset({tag}), level_max=Level.PUBLIC, snapshot=snapshot),
        dense=chunk(number).dense,
        words=SparseVector(indices=(number,), values=(1.0,)),
        limit=limit,
    )


@asynccontextmanager
async def building_at_once(folder: Path) -> AsyncGenerator[tuple[QdrantEdgeIndex, asyncio.Task[None]]]:
    """An index whose worker rebuilds without a pause first, with the graphs just beginning to be built; the task ends
    with the swap."""
    script = Path(__file__).with_name("index_worker.py")
    worker = await asyncio.to_thread(subprocess.Popen[bytes], [sys.executable, str(script), str(folder)])
    index = QdrantEdgeIndex(folder=folder, dimensions=DIMENSIONS)
    try:
        async with asyncio.timeout(60):
            while not (folder / "shard-1").exists():  # noqa: ASYNC110  # another process does it, and tells nobody
                await asyncio.sleep(0.01)
        building = asyncio.create_task(swapped(folder))
        try:
            yield index, building
        finally:
            building.cancel()
            await asyncio.wait([building])
    finally:
        await index.close()
        worker.terminate()
        worker.wait()


async def swapped(folder: Path) -> None:
    while read_note(folder, dimensions=DIMENSIONS).shard != "shard-1":  # noqa: ASYNC110  # another process does it, and tells nobody
        await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with enough chunks for graphs, none of which are built."""
    folder = tmp_path_factory.mktemp("big") / "index"
    shard = Shard.open(folder, dimensions=DIMENSIONS)
    assert layout.INDEXING_VECTORS_MIN < CHUNKS
    for start in range(0, CHUNKS, 1000):
        shard.upsert([big_chunk(number) for number in range(start, start + 1000)])
    shard.close()
    return folder


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_searches_counts_filters_and_writes_hold_during_and_after_the_swap(big: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    copy_sparse(big, folder)
    written, longest = 0, 0.0
    async with building_at_once(folder) as (index, building):
        while not building.done():
            number = CHUNKS + written
            await index.upsert([big_chunk(number)])
            written += 1
            await index.set_until([chunk(written).chunk_id], 2)
            began = time.monotonic()
            found = await index.search(asked(number))
            longest = max(longest, time.monotonic() - began)
            assert number in {int(hit.chunk_id[-12:]) for hit in found}
            assert await index.count(tenant="t", kb="k") == CHUNKS + written
            hits = await index.search(asked(5, limit=2 * CHUNKS // STEP, tag="hundredth"))
            assert len(hits) == len([n for n in range(CHUNKS + written) if n % STEP == 0])
        await building
        assert await index.count(tenant="t", kb="k") == CHUNKS + written
        for number in [*range(CHUNKS, CHUNKS + written, max(1, written // 50)), 77, 999]:
            assert number in {int(hit.chunk_id[-12:]) for hit in await index.search(asked(number))}
        ended = await index.search(asked(1, snapshot=2, limit=10))
        assert chunk(1).chunk_id not in {hit.chunk_id for hit in ended}, "an end set meanwhile holds"
    assert longest < 5, "no search waited for the build"


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_killing_the_worker_during_a_rebuild_loses_nothing_acknowledged(big: Path, tmp_path: Path) -> None:
    """Killed at instants from the copy to past the swap; the builder dies with its worker."""
    whole_s = 0.0
    for instant in (1.0, 0.02, 0.1, 0.5, 0.9, 0.97):
        folder = tmp_path / f"index-{instant}"
        copy_sparse(big, folder)
        async with building_at_once(folder) as (index, building):
            began, written = time.monotonic(), 0
            # The first one is not killed before its end, and tells how long one takes.
            while not building.done() and (not whole_s or time.monotonic() - began < instant * whole_s):
                await index.upsert([big_chunk(CHUNKS + written)])
                written += 1
            whole_s = whole_s or time.monotonic() - began
            os.kill(await index.ready(), signal.SIGKILL)
            assert await index.count(tenant="t", kb="k") == CHUNKS + written, f"killed at {instant} of {whole_s:.1f} s"
            for number in range(CHUNKS, CHUNKS + written, max(1, written // 20)):
                assert number in {int(hit.chunk_id[-12:]) for hit in await index.search(asked(number))}
            assert len(list(folder.glob("shard*"))) == 1, "what died half-way is gone"
