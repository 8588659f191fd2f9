"""Random histories: Postgres and the memory reference agree on every answer, errors included."""

from __future__ import annotations

import random
import uuid
from pathlib import Path
from typing import Any

import pytest
from ledger_samples import KB, scope, stored

from firstline.domain import DocumentKind, Failure, Level
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import FirstlineError
from firstline.ports import KnowledgeLedger, StoredDocument

STEPS = 60
DOC_IDS = [f"d{number}" for number in range(6)]
WORDS = ["restart", "replica", "e11000", "shard", "mistral"]
TAGS = ["everyone", "staff", "partners"]


class History:
    """Draws one step after the other; the same for both ledgers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  (not a secret)
        self.tenant = f"congruence-{uuid.uuid4().hex}"
        self.written: list[StoredDocument] = []

    def step(self, candidate: int) -> tuple[str, dict[str, Any]]:
        where = {"tenant": self.tenant, "kb": KB}
        chosen = self.random.choices(
            ["write", "end", "unend", "plan", "publish", "record_failures", "open_candidate"],
            weights=[8, 4, 3, 2, 2, 1, 1],
        )[0]
        number = candidate if self.random.random() < 0.95 else candidate + self.random.choice([-1, 1])
        some = self.random.sample(DOC_IDS, k=self.random.randint(0, 3))
        match chosen:
            case "write":
                documents = [self.document(doc_id, number) for doc_id in some]
                self.written += documents
                return chosen, {"documents": documents}
            case "open_candidate":
                return chosen, {**where, "embedder_id": self.random.choice(["embedder", "another"])}
            case "publish":
                return chosen, {**where, "candidate": number}
            case "record_failures":
                failures = [Failure(item_id=doc_id, reason="broken") for doc_id in some]
                return chosen, {**where, "candidate": number, "failures": failures}
            case _:
                return chosen, {**where, "candidate": number, "doc_ids": some}

    def document(self, doc_id: str, since: int) -> StoredDocument:
        draw = self.random
        return stored(
            self.tenant,
            doc_id,
            since=since,
            chunks=draw.randint(1, 4),
            text=draw.choice(["", "x", "y"]),
            acl=frozenset(draw.sample(TAGS, k=draw.randint(0, 2))),
            level=draw.choice(list(Level)),
            kind=draw.choice([DocumentKind.FAQ, DocumentKind.TICKET]),
            metadata={"question_key": draw.choice(["q1", "q2"])},
            words=frozenset(draw.sample(WORDS, k=draw.randint(0, 4))),
        )


async def outcome(ledger: KnowledgeLedger, name: str, arguments: dict[str, Any]) -> Any:
    try:
        result = await getattr(ledger, name)(**arguments)
    except FirstlineError as error:
        return type(error), error.message
    if isinstance(result, list):
        return sorted(result)
    return result.number if name == "publish" else result


async def view(ledger: KnowledgeLedger, history: History, snapshot: int) -> list[Any]:
    """Everything that can be read, from a random principal's place."""
    where = {"tenant": history.tenant, "kb": KB}
    draw = random.Random(f"{snapshot}-{len(history.written)}")  # noqa: S311  (not a secret)
    seen = scope(
        history.tenant,
        snapshot,
        acl_tags=frozenset(draw.sample(TAGS, k=draw.randint(0, 3))),
        level_max=draw.choice(list(Level)),
    )
    chunks = [chunk for document in history.written for chunk in document.chunks]
    picked = draw.sample(chunks, k=min(len(chunks), 30))
    status = await ledger.status(**where)
    return [
        await ledger.current(**where),
        await ledger.planned(**where, candidate=snapshot + 1),
        sorted(await ledger.ended(**where, candidate=snapshot + 1)),
        await ledger.failures(**where),
        (status.snapshot, status.documents, status.chunks, status.candidate, status.candidate_documents),
        (status.failures, dict(status.by_kind), status.embedder_id),
        await ledger.chunks([chunk.chunk_id for chunk in picked], seen),
        [await ledger.document(doc_id, seen) for doc_id in DOC_IDS],
        [await ledger.document_chunks(doc_id, seen) for doc_id in DOC_IDS],
        [await ledger.neighbours(chunk, seen, before=1, after=1) for chunk in picked[:3]],
        [await ledger.faq(key, seen) for key in ("q1", "q2", "q3")],
    ]


@pytest.mark.parametrize("seed", range(6))
async def test_random_histories_agree(seed: int, postgres_url: str, tmp_path: Path) -> None:
    history = History(seed)
    memory = MemoryKnowledgeLedger()
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        postgres = ledgers.knowledge
        for ledger in (memory, postgres):
            await ledger.open_candidate(tenant=history.tenant, kb=KB, embedder_id="embedder")
        for _ in range(STEPS):
            published = (await memory.published(tenant=history.tenant, kb=KB)).number
            name, arguments = history.step(published + 1)
            assert await outcome(memory, name, arguments) == await outcome(postgres, name, arguments), name
            published = (await memory.published(tenant=history.tenant, kb=KB)).number
            every = scope(history.tenant, published, acl_tags=frozenset(TAGS), level_max=Level.RESTRICTED)
            few = scope(history.tenant, published, acl_tags=frozenset(TAGS[:1]), level_max=Level.CUSTOMER)
            for seen in (every, few):
                assert await memory.word_counts(WORDS, seen) == await postgres.word_counts(WORDS, seen), name
            for snapshot in {published, max(0, published - 1), published + 1}:
                assert await view(memory, history, snapshot) == await view(postgres, history, snapshot), name
