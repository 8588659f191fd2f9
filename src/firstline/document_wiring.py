"""How do documents come in: sources, announced changes, and the jobs that take them?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from firstline.connectors.hashing import content_hash
from firstline.connectors.kinds import open_source
from firstline.connectors.roots import origin_of_name
from firstline.documents.announcing import Announcing
from firstline.documents.behind import behind
from firstline.documents.changes import ChangeTaking
from firstline.documents.communities.build import CommunityBuilder
from firstline.documents.journey import DocumentJourney
from firstline.documents.purge import Purger
from firstline.documents.sync import SourceSync
from firstline.documents.sync_turns import SyncTurns
from firstline.documents.working import Working
from firstline.domain import RegisteredSource
from firstline.engines.postgres import PostgresLedgers
from firstline.ports import Incremental, Redactor
from firstline.settings import Settings


def sync_of(settings: Settings, ledgers: PostgresLedgers, documents: DocumentJourney) -> SourceSync:
    folder = settings.data_folder.resolve() / "sources"

    def opened(source: RegisteredSource) -> Incremental:
        return open_source(source, bytes_max=settings.file_bytes_max, folder=folder)

    return SourceSync(
        sources=ledgers.sources,
        changes=ledgers.changes,
        knowledge=ledgers.knowledge,
        snapshots=ledgers.snapshots,
        quarantine=ledgers.quarantine,
        documents=documents,
        open_source=opened,
        origin_of=origin_of_name,
    )


async def changes_wait(ledgers: PostgresLedgers, tenant: str, kb: str) -> bool:
    return await ledgers.changes.waiting(tenant=tenant, kb=kb)


def announcing_of(ledgers: PostgresLedgers, purger: Purger, redactor: Redactor) -> Announcing:
    return Announcing(
        changes=ledgers.changes,
        jobs=ledgers.jobs,
        bury=partial(bury, purger),
        redactor=redactor,
        hashed=content_hash,
    )


def working_of(
    ledgers: PostgresLedgers,
    documents: DocumentJourney,
    sync: SourceSync,
    purger: Purger,
    communities: CommunityBuilder | None,
) -> Working:
    return Working(
        jobs=ledgers.jobs,
        changes=ledgers.changes,
        sources=ledgers.sources,
        taking=ChangeTaking(
            changes=ledgers.changes,
            documents=documents,
            bury=partial(bury, purger),
            origin_of=origin_of_name,
            behind=partial(behind, ledgers.snapshots),
        ),
        sync=SyncTurns(lambda name, tenant, kb: sync.sync(name, tenant=tenant, kb=kb)),
        purge=lambda tenant: purger.finish(tenant=tenant),
        communities=communities,
    )


async def bury(purger: Purger, doc_ids: Sequence[str], tenant: str, kb: str) -> object:
    return await purger.bury(doc_ids, tenant=tenant, kb=kb, by="a hook")
