"""kill -9 during ingestion, at random instants: is anything lost, is anything half-published?

    python -m benchmarks.crash_ingest [--kills 20] [--seed N]

Each round changes a folder of Markdown files (some changed, some new, some gone), starts `firstline ingest --prune`
and kills it twice before a third run may finish. Two kills in each round, so that a run is killed while it resumes,
too; every other kill takes the index worker and Postgres along, as a power cut does. After each kill:

- what was acknowledged before is still there, with the same text,
- the published snapshot is exactly the state before the round or, when the pointer moved, exactly the state after it,
- the index finds exactly the chunks that the ledger holds of that snapshot, and their texts are readable.

At the end the same folder is ingested into a fresh data folder, and both must hold the same documents and chunks.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.processes import firstline_command, kill_at_once, scratch_folder
from firstline.domain import EVERYONE, FOREVER, Chunk, Level, Principal
from firstline.ports import IndexQuery, Scope, SparseVector
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

KILLS: Final = 20
KILLS_PER_ROUND: Final = 2
MISSED_MAX: Final = 60
POLL_S: Final = 0.005
FILES: Final = 300
CHANGED_PER_ROUND: Final = 60
KB: Final = "crash"
RUN_S_MAX: Final = 300.0
FOLDER: Final = "corpus"

TOPICS: Final = ("replication", "backup", "index build", "login", "upgrade", "memory", "network", "invoice")


@dataclass(kw_only=True, slots=True)
class CrashReport:
    """`lost` counts every broken promise, `findings` says which. `kills` counts those that met a running process,
    `missed` those that came after its end."""

    kills: int = 0
    missed: int = 0
    published_by_killed: int = 0
    findings: list[str] = field(default_factory=list[str])

    @property
    def lost(self) -> int:
        return len(self.findings)


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """What a data folder holds: the published documents and acknowledged revisions as doc_id -> digest of the text,
    and how many chunks of the published snapshot are wrong in index or blobs."""

    snapshot: int
    published: dict[str, str]
    acknowledged: dict[str, str]
    chunks: dict[str, tuple[str, ...]]
    strays: list[str]


class Corpus:
    """A folder of Markdown files that changes from round to round, reproducibly."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)  # noqa: S311 - repeatable, no secret
        self._next = 0
        self.changed: frozenset[str] = frozenset()
        """Document ids whose text the latest change replaced."""
        folder.mkdir(parents=True)
        for _ in range(FILES):
            self._write_new()

    def change(self) -> None:
        names = sorted(path.name for path in self._folder.iterdir())
        changed = self._random.sample(names, CHANGED_PER_ROUND)
        for name in changed:
            (self._folder / name).write_text(self._page(name), encoding="utf-8")
        self.changed = frozenset(f"{FOLDER}/{name}" for name in changed)
        for name in self._random.sample(names, CHANGED_PER_ROUND // 6):
            (self._folder / name).unlink()
        for _ in range(CHANGED_PER_ROUND // 6):
            self._write_new()

    def names(self) -> frozenset[str]:
        return frozenset(f"{FOLDER}/{path.name}" for path in self._folder.iterdir())

    def _write_new(self) -> None:
        name = f"page-{self._next:04d}.md"
        self._next += 1
        (self._folder / name).write_text(self._page(name), encoding="utf-8")

    def _page(self, name: str) -> str:
        pick = self._random
        sections = "\n\n".join(
            f"## {pick.choice(TOPICS)} {place}\n\n"
            f"When {pick.choice(TOPICS)} fails with code E{pick.randrange(99999):05d}, "
            f"check {pick.choice(TOPICS)} and set limit_{pick.randrange(999)} to {pick.randrange(9999)}. "
            f"Then restart the {pick.choice(TOPICS)} service, and look at the log for line {pick.randrange(9999)}."
            for place in range(pick.randrange(1, 4))
        )
        return f"# {name} about {pick.choice(TOPICS)}\n\n{sections}\n"


async def crash_ingest(*, kills: int = KILLS, seed: int = 0) -> CrashReport:
    """Run the whole trial in a temporary folder."""
    async with scratch_folder("firstline-crash-") as scratch:
        return await _trial(scratch, kills=kills, seed=seed)


async def _trial(scratch: Path, *, kills: int, seed: int) -> CrashReport:
    report = CrashReport()
    pick = random.Random(seed)  # noqa: S311 - repeatable, no secret
    folder, corpus = scratch / "data", Corpus(scratch / FOLDER, seed)
    full_s = await _timed(folder, scratch)  # the first, uninterrupted one: 300 documents
    before = await read_state(folder)
    _check_final(report, before, corpus, "first ingest")
    corpus.change()
    round_s = await _timed(folder, scratch)
    print(f"first ingest {full_s:.1f} s, a round {round_s:.1f} s", file=sys.stderr)
    before = await read_state(folder)
    while report.kills < kills and report.missed < MISSED_MAX:
        corpus.change()
        acknowledged = before.acknowledged
        for _ in range(min(KILLS_PER_ROUND, kills - report.kills)):
            everything = report.kills % 2 == 1
            at_s = pick.uniform(0, round_s)
            ended_s = await asyncio.to_thread(_kill_at, at_s, folder, scratch, everything=everything)
            if ended_s is None:
                report.kills += 1
            else:
                report.missed += 1
                round_s = min(round_s, ended_s)  # the machine is less busy now: aim earlier
            after = await read_state(folder)
            _check_killed(report, before, after, acknowledged, corpus)
            acknowledged = after.acknowledged
            met = f"after {at_s:.2f} s" if ended_s is None else "came after its end"
            whom = "ingest, index worker and Postgres" if everything else "ingest"
            print(f"kill {report.kills} of {whom} {met}; findings {report.lost}", file=sys.stderr)
        await _timed(folder, scratch)
        after = await read_state(folder)
        _check_final(report, after, corpus, f"rerun after kill {report.kills}")
        before = after
    fresh = scratch / "fresh"
    await _timed(fresh, scratch)
    _check_equal(report, before, await read_state(fresh))
    return report


# --- runs -----------------------------------------------------------------------------------------------------------


def _command(folder: Path) -> list[str]:
    return firstline_command("--data", str(folder), "ingest", FOLDER, "--kb", KB, "--prune", "--quiet")


async def _timed(folder: Path, scratch: Path) -> float:
    began = time.perf_counter()
    await asyncio.to_thread(
        subprocess.run, _command(folder), cwd=scratch, check=True, capture_output=True, timeout=RUN_S_MAX
    )
    return time.perf_counter() - began


def _kill_at(after_s: float, folder: Path, scratch: Path, *, everything: bool) -> float | None:
    """None when the process was killed while it ran, else the seconds after which it had ended by itself."""
    process = subprocess.Popen(  # noqa: S603 - our own command
        _command(folder), cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < after_s:
        if process.poll() is not None:
            return passed
        time.sleep(min(POLL_S, after_s - passed))
    kill_at_once(process.pid, folder, everything=everything)
    return None if process.wait() == -signal.SIGKILL else after_s


# --- what is there --------------------------------------------------------------------------------------------------


async def read_state(folder: Path) -> State:
    async with open_firstline(load_settings(flags={"data_folder": folder, "kb": KB})) as opened:
        tenant = opened.settings.tenant
        snapshot = await opened.knowledge.published(tenant=tenant, kb=KB)
        current = await opened.knowledge.current(tenant=tenant, kb=KB)
        principal = Principal(tenant=tenant, user="trial", acl_tags=frozenset({EVERYONE}), level=Level.RESTRICTED)
        scope = Scope.of(principal, kb=KB, snapshot=snapshot.number)
        found = await _indexed(opened, scope)
        published: dict[str, str] = {}
        chunks: dict[str, tuple[str, ...]] = {}
        strays: list[str] = []
        known: set[str] = set()
        # Documents that ended are not `current`, but the published snapshot may still hold them: the index knows.
        for doc_id in sorted({*current, *found.values()}):
            document = await opened.knowledge.document(doc_id, scope)
            if document is None:
                continue
            own = await opened.knowledge.document_chunks(doc_id, scope)
            published[doc_id] = document.blob
            texts = [await _text(opened, chunk, strays) for chunk in own]
            chunks[doc_id] = tuple(hashlib.sha256(text).hexdigest() for text in texts)
            known |= {chunk.chunk_id for chunk in own}
        strays += [f"chunk {one} of the published snapshot is not in the index" for one in known - set(found)]
        # An index entry more than the ledger knows is harmless by design: it is looked up there before it is shown.
        visible = {chunk.chunk_id for chunk in await opened.knowledge.chunks(sorted(set(found) - known), scope)}
        strays += [f"chunk {one} is shown but belongs to no published document" for one in visible]
        if len(published) != snapshot.documents or len(known) != snapshot.chunks:
            strays.append(
                f"snapshot {snapshot.number} says {snapshot.documents} documents and {snapshot.chunks} chunks, "
                f"there are {len(published)} and {len(known)}"
            )
        return State(
            snapshot=snapshot.number,
            published=published,
            acknowledged={
                doc_id: one.blob for doc_id, one in current.items() if one.until == FOREVER or doc_id in published
            },
            chunks=chunks,
            strays=strays,
        )


async def _indexed(opened: Firstline, scope: Scope) -> dict[str, str]:
    """chunk id -> document id of everything the index finds in this scope."""
    limit = max(1, await opened.index.count(tenant=scope.tenant, kb=KB))
    vector = (await opened.embedder.embed(["anything at all"]))[0]
    hits = await opened.index.search(
        IndexQuery(scope=scope, dense=vector, words=SparseVector(indices=(), values=()), limit=limit)
    )
    return {hit.chunk_id: hit.doc_id for hit in hits}


async def _text(opened: Firstline, chunk: Chunk, strays: list[str]) -> bytes:
    try:
        return await opened.blobs.get_range(chunk.blob, chunk.start, chunk.end)
    except Exception as error:
        strays.append(f"the text of chunk {chunk.chunk_id} cannot be read: {error}")
        return b""


# --- checks ---------------------------------------------------------------------------------------------------------


def _check_killed(
    report: CrashReport, before: State, after: State, acknowledged: dict[str, str], corpus: Corpus
) -> None:
    where = f"kill {report.kills}"
    report.findings += [f"{where}: {stray}" for stray in after.strays]
    if after.snapshot == before.snapshot:
        if after.published != before.published:
            report.findings.append(f"{where}: the published snapshot {before.snapshot} changed")
        gone = [doc_id for doc_id in acknowledged if doc_id not in after.acknowledged]
        report.findings += [f"{where}: {doc_id} was acknowledged and is gone" for doc_id in gone]
        new = set(acknowledged) - set(before.acknowledged)
        changed = [one for one in acknowledged if before.acknowledged.get(one) != acknowledged[one] or one in new]
        report.findings += [
            f"{where}: the acknowledged revision of {doc_id} was lost"
            for doc_id in changed
            if after.acknowledged.get(doc_id) not in (None, acknowledged[doc_id])
        ]
    elif after.snapshot == before.snapshot + 1:
        report.published_by_killed += 1
        if frozenset(after.published) != corpus.names():
            report.findings.append(f"{where}: snapshot {after.snapshot} is published and not complete")
        report.findings += [
            f"{where}: snapshot {after.snapshot} still holds the old text of {doc_id}"
            for doc_id in sorted(corpus.changed & set(before.published) & set(after.published))
            if before.published[doc_id] == after.published[doc_id]
        ]
    else:
        report.findings.append(f"{where}: the pointer went from {before.snapshot} to {after.snapshot}")


def _check_final(report: CrashReport, state: State, corpus: Corpus, where: str) -> None:
    report.findings += [f"{where}: {stray}" for stray in state.strays]
    if frozenset(state.published) != corpus.names():
        missing = len(corpus.names() - set(state.published))
        report.findings.append(f"{where}: {missing} documents are missing, {len(state.published)} are there")


def _check_equal(report: CrashReport, worn: State, fresh: State) -> None:
    for doc_id in sorted({*worn.published, *fresh.published}):
        if worn.published.get(doc_id) != fresh.published.get(doc_id):
            report.findings.append(f"{doc_id} differs from a fresh ingest")
        elif worn.chunks.get(doc_id) != fresh.chunks.get(doc_id):
            report.findings.append(f"the chunks of {doc_id} differ from a fresh ingest")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crash_ingest", description="Kill ingestion at random.")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}", file=sys.stderr)
    report = asyncio.run(crash_ingest(kills=given.kills, seed=given.seed))
    print("\n".join(report.findings))
    print(
        f"{report.kills} kills of a running ingest ({report.missed} more came too late); "
        f"after {report.published_by_killed} of them the new snapshot was already published"
    )
    print(f"crash.ingest_lost = {report.lost} documents lost or states broken")
    return 1 if report.lost else 0


if __name__ == "__main__":
    sys.exit(main())
