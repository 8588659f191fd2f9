"""The engines behind each ledger port. One embedded Postgres serves the whole run; tests keep apart by tenant."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from ledger_samples import Ledgers

from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKeyLedger, MemoryKnowledgeLedger
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.server import EmbeddedServer


@pytest.fixture(scope="session")
def postgres_folder() -> Generator[Path]:
    """pytest's own folders are closed to all but their owner, and Postgres run by root is another user."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_url(postgres_folder: Path) -> Generator[str]:
    server = EmbeddedServer(postgres_folder)
    server.open()
    yield server.conninfo
    server.close()


@pytest.fixture(params=["memory", "postgres"])
async def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Ledgers]:
    if request.param == "memory":
        knowledge, conversations = MemoryKnowledgeLedger(), MemoryConversationLedger()
        knowledge.gates.recorded = conversations.recorded
        yield Ledgers(
            knowledge=knowledge,
            elsewhere=knowledge,
            conversations=conversations,
            handoffs=MemoryHandoffLedger(conversations),
            keys=MemoryKeyLedger(),
            gates=knowledge.gates,
            snapshots=knowledge,
            tombstones=knowledge,
            records=MemoryRecordLedger(conversations),
            revisions=knowledge,
        )
        return
    url: str = request.getfixturevalue("postgres_url")
    async with (
        open_postgres(data_folder=tmp_path, database_url=url) as here,
        open_postgres(data_folder=tmp_path, database_url=url) as there,
    ):
        yield Ledgers(
            knowledge=here.knowledge,
            elsewhere=there.knowledge,
            conversations=here.conversations,
            handoffs=here.handoffs,
            keys=here.keys,
            gates=here.gates,
            snapshots=here.snapshots,
            tombstones=here.tombstones,
            records=here.records,
            revisions=here.revisions,
        )


@pytest.fixture
def tenant() -> str:
    return f"tenant-{uuid.uuid4().hex}"
