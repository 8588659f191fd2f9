"""The jobs there are, by name."""

from __future__ import annotations

from typing import Final

from firstline.domain import Job, RegisteredSource
from firstline.ports import ChangeLedger, JobQueue

CHANGES: Final = "take_changes"
SYNC: Final = "sync_source"
PURGE: Final = "purge"
SWEEP: Final = "sweep"
COMMUNITIES: Final = "make_communities"


def changes_of(tenant: str, kb: str) -> Job:
    """One at a time per knowledge base: two workers never have the same document in hand."""
    return Job(name=CHANGES, args={"tenant": tenant, "kb": kb})


async def let_on(tenant: str, kb: str, *, changes: ChangeLedger, jobs: JobQueue) -> None:
    """Nothing is in the way any more of what was held back: it is taken now, not when it is looked for."""
    if await changes.let_on(tenant=tenant, kb=kb):
        await jobs.put(changes_of(tenant, kb), news=True)


def sync_of(source: RegisteredSource) -> Job:
    return Job(name=SYNC, args={"tenant": source.tenant, "kb": source.kb, "name": source.name})


def communities_of(tenant: str, kb: str) -> Job:
    """One at a time per knowledge base, whatever is published meanwhile."""
    return Job(name=COMMUNITIES, args={"tenant": tenant, "kb": kb})


def purge_of(tenant: str) -> Job:
    return Job(name=PURGE, args={"tenant": tenant})
