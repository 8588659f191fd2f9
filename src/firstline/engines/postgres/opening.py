"""Open the ledgers: start the embedded server or take a URL, migrate, connect."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from firstline.engines.postgres.audit import PostgresAuditLedger
from firstline.engines.postgres.care import PostgresCareLedger
from firstline.engines.postgres.changes import PostgresChangeLedger
from firstline.engines.postgres.communities import PostgresCommunities
from firstline.engines.postgres.conversations import PostgresConversationLedger
from firstline.engines.postgres.deliveries import PostgresDeliveryLedger, PostgresOutbox
from firstline.engines.postgres.faults import translated
from firstline.engines.postgres.feedback import PostgresFeedbackLedger
from firstline.engines.postgres.gates import PostgresGateLedger
from firstline.engines.postgres.graph import PostgresGraph
from firstline.engines.postgres.graph_rules import PostgresGraphRules
from firstline.engines.postgres.handoffs import PostgresHandoffLedger
from firstline.engines.postgres.jobs import PostgresJobs
from firstline.engines.postgres.keys import PostgresKeyLedger
from firstline.engines.postgres.knowledge import PostgresKnowledgeLedger
from firstline.engines.postgres.migrate import migrate, read_migrations
from firstline.engines.postgres.pool import Database, connect
from firstline.engines.postgres.quarantine import PostgresQuarantineLedger
from firstline.engines.postgres.records import PostgresRecordLedger
from firstline.engines.postgres.revisions import PostgresRevisions
from firstline.engines.postgres.server import EmbeddedServer, mark_data_folder
from firstline.engines.postgres.snapshots import PostgresSnapshotLedger
from firstline.engines.postgres.sources import PostgresSourceLedger
from firstline.engines.postgres.tombstones import PostgresTombstoneLedger
from firstline.errors import FirstlineError

logger = logging.getLogger(__name__)

WATCH_S = 1.0
"""How often a running process looks whether the embedded server is still there."""

WATCH_AFTER_FAILURE_S = 15.0


@dataclass(frozen=True, kw_only=True, slots=True)
class PostgresLedgers:
    """The ledgers of one database, sharing one pool."""

    database: Database
    knowledge: PostgresKnowledgeLedger
    conversations: PostgresConversationLedger
    deliveries: PostgresDeliveryLedger
    handoffs: PostgresHandoffLedger
    keys: PostgresKeyLedger
    gates: PostgresGateLedger
    feedback: PostgresFeedbackLedger
    quarantine: PostgresQuarantineLedger
    audit: PostgresAuditLedger
    snapshots: PostgresSnapshotLedger
    tombstones: PostgresTombstoneLedger
    records: PostgresRecordLedger
    sources: PostgresSourceLedger
    changes: PostgresChangeLedger
    jobs: PostgresJobs
    care: PostgresCareLedger
    graph: PostgresGraph
    communities: PostgresCommunities
    graph_rules: PostgresGraphRules
    revisions: PostgresRevisions

    async def database_size_bytes(self) -> int:
        """Tables and indexes on disk, without the write-ahead log."""
        row = await self.database.row("SELECT pg_database_size(current_database()) AS size_bytes")
        return row["size_bytes"] if row else 0


@asynccontextmanager
async def open_postgres(
    *, data_folder: Path, database_url: str, channels: Sequence[str] = ()
) -> AsyncGenerator[PostgresLedgers]:
    """The ledgers, migrated and connected, until the block ends.

    `database_url` names any Postgres; when it is empty the embedded one in `data_folder` is started if need be. The
    data folder is created and marked in both cases. `channels`: names of those that hand-overs are delivered by.
    Unavailable, Broken, DataTooNew or InvalidInput say what to do.
    """
    if database_url:
        await asyncio.to_thread(mark_data_folder, data_folder)
        async with _connected(database_url, channels) as ledgers:
            yield ledgers
        return
    async with _embedded(data_folder) as server, _connected(server.conninfo, channels) as ledgers:
        yield ledgers


@asynccontextmanager
async def _embedded(data_folder: Path) -> AsyncGenerator[EmbeddedServer]:
    server = EmbeddedServer(data_folder)
    await asyncio.to_thread(server.open)
    watch = asyncio.create_task(_watch(server))
    try:
        yield server
    finally:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch
        await asyncio.to_thread(server.close)


async def _watch(server: EmbeddedServer) -> None:
    """A server that crashed under us is started again; the pool reconnects by itself."""
    pause_s = WATCH_S
    while True:
        await asyncio.sleep(pause_s)
        pause_s = WATCH_S
        if server.is_alive():
            continue
        try:
            logger.warning("the embedded Postgres is gone: starting it again")
            await asyncio.to_thread(server.revive)
        except FirstlineError as error:
            pause_s = WATCH_AFTER_FAILURE_S
            logger.error("the embedded Postgres could not be started again: %s", error)


@asynccontextmanager
async def _connected(conninfo: str, channels: Sequence[str]) -> AsyncGenerator[PostgresLedgers]:
    connection = await connect(conninfo, application_name="firstline migrations")
    async with connection:
        with translated():
            await migrate(connection, read_migrations())
    database = Database(conninfo)
    outbox, jobs = PostgresOutbox(channels), PostgresJobs(database)
    try:
        await database.open()
        yield PostgresLedgers(
            database=database,
            knowledge=PostgresKnowledgeLedger(database),
            conversations=PostgresConversationLedger(database, outbox=outbox),
            deliveries=PostgresDeliveryLedger(database),
            handoffs=PostgresHandoffLedger(database, outbox=outbox),
            keys=PostgresKeyLedger(database),
            gates=PostgresGateLedger(database),
            feedback=PostgresFeedbackLedger(database),
            quarantine=PostgresQuarantineLedger(database),
            audit=PostgresAuditLedger(database),
            snapshots=PostgresSnapshotLedger(database),
            tombstones=PostgresTombstoneLedger(database),
            records=PostgresRecordLedger(database),
            sources=PostgresSourceLedger(database),
            changes=PostgresChangeLedger(database),
            jobs=jobs,
            care=PostgresCareLedger(database),
            graph=PostgresGraph(database),
            communities=PostgresCommunities(database),
            graph_rules=PostgresGraphRules(database),
            revisions=PostgresRevisions(database),
        )
    finally:
        await jobs.close()
        await database.close()
