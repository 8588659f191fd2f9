"""How long does publishing take, and going back, at 200,000 chunks, while questions run?

    python -m benchmarks.snapshot_speed [--chunks 200000]

A knowledge base of real documents is ingested and then blown up in the ledger by SQL: every revision is copied under
other ids until it holds that many chunks. Their vectors are NOT written to the index: building it takes longer than the
figure is worth, and moving the pointer touches no index. Then, while questions run one after the other, a small change
is made a snapshot and published, taken back, and published again, ROUNDS times; in every fourth it stays taken back, so
that the next one undoes it before its candidate is opened. What is timed is the call of the
ledger. Every question must come to an outcome that is no failure.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.workbench import ingest_demo
from firstline.connectors.files import FilesSource
from firstline.documents.journey import Publish
from firstline.domain import EVERYONE, DocumentKind, Escalated, Level, Principal, Reason, Session
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

CHUNKS: Final = 200_000
ROUNDS: Final = 12
UNDONE_EVERY: Final = 4
KB: Final = "speed"
QUESTIONS: Final = (
    "How do I rotate the log files?",
    "How do I take a backup?",
    "What does the replica do on failover?",
)


@dataclass(kw_only=True)
class SnapshotSpeed:
    """Times in ms of each round; `failed` counts questions that came to a failure."""

    chunks: int
    documents: int
    publish_ms: list[float] = field(default_factory=list[float])
    rollback_ms: list[float] = field(default_factory=list[float])
    asked: int = 0
    failed: int = 0

    @property
    def publish_p95_ms(self) -> float:
        return p95(self.publish_ms)

    @property
    def rollback_p95_ms(self) -> float:
        return p95(self.rollback_ms)


def p95(values: list[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)]


async def measure_snapshots(*, chunks: int = CHUNKS) -> SnapshotSpeed:
    scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="firstline-snapshots-"))
    try:
        # The embedded Postgres may run as a user of its own, who must be able to enter.
        await asyncio.to_thread(scratch.chmod, 0o711)
        flags = {"data_folder": scratch / "data", "kb": KB}
        async with open_firstline(load_settings(flags=flags), serves=True) as opened:
            await ingest_demo(opened, kb=KB)
            await blow_up(opened, chunks)
            return await _trial(opened, scratch / "page.md")
    finally:
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)


async def blow_up(opened: Firstline, chunks: int) -> None:
    """Copy every document, its chunks and words, under other ids until there are this many chunks."""
    tenant = opened.settings.tenant
    published = await opened.knowledge.published(tenant=tenant, kb=KB)
    copies = max(1, -(-chunks // published.chunks))
    where = {"tenant": tenant, "kb": KB, "copies": copies}
    async with opened.ledgers.database.connection() as connection:
        await connection.execute("SET statement_timeout = 0")
        try:
            await connection.execute(
                """INSERT INTO firstline.documents
                SELECT tenant, kb, doc_id || '#' || copy, since, until, kind, title, url, blob, size_bytes,
                    content_hash, acl, level, metadata, chunks
                FROM firstline.documents CROSS JOIN generate_series(2, %(copies)s) AS copy
                WHERE tenant = %(tenant)s AND kb = %(kb)s""",
                where,
            )
            # Without it every chunk's document is looked for in the whole table.
            await connection.execute("ANALYZE firstline.documents")
            await connection.execute(
                """INSERT INTO firstline.chunks
                SELECT gen_random_uuid(), tenant, kb, doc_id || '#' || copy, since, until, ordinal, blob, span_start,
                    span_end, lead_start, lead_end, kind, title, section_path, url, acl, level, metadata
                FROM firstline.chunks CROSS JOIN generate_series(2, %(copies)s) AS copy
                WHERE tenant = %(tenant)s AND kb = %(kb)s""",
                where,
            )
            await connection.execute(
                """UPDATE firstline.snapshots SET (documents, chunks) = (
                    SELECT count(*), sum(chunks) FROM firstline.documents
                    WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= number AND until > number)
                WHERE tenant = %(tenant)s AND kb = %(kb)s""",
                where,
            )
            # What was written at once is flushed at once: it is not what is measured.
            await connection.execute("VACUUM (ANALYZE) firstline.documents, firstline.chunks")
            await connection.execute("CHECKPOINT")
        finally:
            await connection.execute("RESET statement_timeout")


async def _trial(opened: Firstline, page: Path) -> SnapshotSpeed:
    where = {"tenant": opened.settings.tenant, "kb": KB}
    snapshot = await opened.knowledge.published(**where)
    found = SnapshotSpeed(chunks=snapshot.chunks, documents=snapshot.documents)
    stop = asyncio.Event()
    questions = asyncio.create_task(_ask(opened, found, stop))
    for number in range(ROUNDS):
        await asyncio.to_thread(page.write_text, f"# Round {number}\n\nSet round_{number} to {number}.\n", "utf-8")
        source = FilesSource(
            [page],
            kind=DocumentKind.DOCUMENTATION,
            acl=frozenset({EVERYONE}),
            level=Level.PUBLIC,
            map={},
            bytes_max=opened.settings.file_bytes_max,
        )
        report = await opened.documents.ingest(source, tenant=where["tenant"], kb=where["kb"], publish=Publish.NEVER)
        found.publish_ms.append(await _timed(opened.snapshots.point_on(report.snapshot, **where)))
        found.rollback_ms.append(await _timed(opened.snapshots.point_back(None, **where)))
        if number % UNDONE_EVERY:
            found.publish_ms.append(await _timed(opened.snapshots.point_on(report.snapshot, **where)))
    stop.set()
    await questions
    return found


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000


async def _ask(opened: Firstline, found: SnapshotSpeed, stop: asyncio.Event) -> None:
    asker = Principal(tenant=opened.settings.tenant, user="speed", acl_tags=frozenset({EVERYONE}), level=Level.INTERNAL)
    while not stop.is_set():
        session = Session(
            session_id=f"speed-{found.asked}", tenant=asker.tenant, kb=KB, user=asker.user, created_at=datetime.now(UTC)
        )
        await opened.conversations.create_session(session)
        turn = await opened.questions.ask(
            session=session, principal=asker, question=QUESTIONS[found.asked % len(QUESTIONS)]
        )
        found.asked += 1
        outcome = turn.outcome
        if isinstance(outcome, Escalated) and outcome.handoff.reason is Reason.PROVIDER_FAILURE:
            found.failed += 1
            print(f"failed: {dict(turn.degraded)} {dict(turn.timings_ms)}", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.snapshot_speed", description="Time the pointer.")
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    found = asyncio.run(measure_snapshots(chunks=parser.parse_args().chunks))
    print(
        f"{found.documents} documents, {found.chunks} chunks in the ledger; publish p95 {found.publish_p95_ms:.1f} ms "
        f"(median {statistics.median(found.publish_ms):.1f}), roll back p95 {found.rollback_p95_ms:.1f} ms "
        f"(median {statistics.median(found.rollback_ms):.1f}); {found.asked} questions meanwhile, {found.failed} failed"
    )
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(main())
