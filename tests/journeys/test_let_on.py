"""What waited behind a snapshot is taken at once when nothing is in the way any more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from firstline.documents.jobs import changes_of, let_on
from firstline.domain import EVERYONE, DocumentKind, Job, Level, RawChange, RawDocument, RegisteredSource
from firstline.engines.memory.changes import MemoryChangeLedger
from firstline.engines.memory.sources import MemorySourceLedger
from firstline.ports import JobQueue


class Jobs:
    def __init__(self) -> None:
        self.put_: list[tuple[Job, bool]] = []

    async def put(self, job: Job, *, news: bool = False, **_: Any) -> None:
        self.put_.append((job, news))


async def test_a_job_is_put_when_something_was_held_back_and_else_none() -> None:
    sources, jobs = MemorySourceLedger(), Jobs()
    changes = MemoryChangeLedger(sources=sources)
    everyone = frozenset({EVERYONE})
    await sources.add_source(
        RegisteredSource(
            tenant="acme",
            kb="docs",
            name="push",
            kind="push",
            config={},
            document_kind=DocumentKind.TICKET,
            acl=everyone,
            level=Level.PUBLIC,
            added_at=datetime.now(UTC),
        )
    )
    document = RawDocument(
        kind=DocumentKind.TICKET,
        media_type="text/markdown",
        text="A page.",
        title="A page",
        url=None,
        metadata={},
        acl=everyone,
        level=Level.PUBLIC,
        content_hash="1",
    )
    accepted = RawChange(item_id="push/a", document=document, version=None)
    await changes.accept([accepted], tenant="acme", kb="docs", source="push", event_id="")

    async def go() -> None:
        await let_on("acme", "docs", changes=changes, jobs=cast("JobQueue", jobs))

    await go()
    assert jobs.put_ == [], "it is due already, and has its job"
    await changes.hold_back(tenant="acme", kb="docs", problem="Snapshot 2 waits.", again_in_s=60)
    await go()
    assert jobs.put_ == [(changes_of("acme", "docs"), True)]
    assert len(await changes.due(tenant="acme", kb="docs", limit=9)) == 1
