"""Random histories: Postgres and the memory reference agree on every answer, errors included."""

from __future__ import annotations

import random
import uuid
from pathlib import Path
from typing import Any, Protocol, cast

import pytest
from ledger_samples import KB, scope, stored

from firstline.domain import DocumentKind, Failure, Level, Snapshot
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.errors import FirstlineError
from firstline.ports import KnowledgeLedger, SnapshotLedger, StoredDocument, TombstoneLedger

STEPS = 60
DOC_IDS = [f"d{number}" for number in range(6)]
WORDS = ["restart", "replica", "e11000", "shard", "mistral"]
TAGS = ["everyone", "staff", "partners"]
MOVES = ["seal", "facts", "point_on", "point_back", "try_out", "discard", "retire", "bury"]


class History:
    """Draws one step after the other; the same for both ledgers."""

    def __init__(self, seed: int, *, moves: bool) -> None:
        self.moves = moves
        self.random = random.Random(seed)  # noqa: S311  (not a secret)
        self.tenant = f"congruence-{uuid.uuid4().hex}"
        self.written: list[StoredDocument] = []

    def step(self, candidate: int) -> tuple[str, dict[str, Any]]:
        where = {"tenant": self.tenant, "kb": KB}
        chosen = self.random.choices(
            ["write", "end", "unend", "plan", "publish", "record_failures", "open_candidate", *MOVES],
            weights=[8, 4, 3, 2, 2, 1, 1, *([0.7] * len(MOVES) if self.moves else [0] * len(MOVES))],
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
            case "publish" | "facts":
                return chosen, {**where, "candidate": number}
            case "seal":
                return chosen, {**where, "candidate": number, "waits": "asked"}
            case "point_on" | "point_back":
                return chosen, {**where, "number": self.random.randint(1, max(1, candidate))}
            case "try_out":
                return chosen, {**where, "number": max(1, candidate - 1), "share": self.random.choice([0.0, 0.5])}
            case "discard":
                return chosen, where
            case "retire":
                return chosen, {**where, "keep": 2}
            case "bury":
                return chosen, {**where, "doc_ids": some, "by": "somebody"}
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


async def outcome(ledger: Ledger, name: str, arguments: dict[str, Any]) -> Any:
    try:
        result = await getattr(ledger, name)(**arguments)
    except FirstlineError as error:
        return type(error), error.message
    if isinstance(result, Snapshot):
        return result.number, result.documents, result.chunks, result.canary, result.embedder_id
    if name == "bury":
        return [(one.doc_id, one.upto) for one in result]
    return sorted(cast(list[Any], result)) if isinstance(result, list) else result


class Ledger(KnowledgeLedger, SnapshotLedger, TombstoneLedger, Protocol):
    """Documents, snapshots and tombstones of one knowledge base belong together."""


class Together:
    """The ledgers of one database as one, as the memory reference is."""

    def __init__(self, ledgers: PostgresLedgers) -> None:
        self._parts = (ledgers.knowledge, ledgers.snapshots, ledgers.tombstones)

    def __getattr__(self, name: str) -> Any:
        return next(getattr(part, name) for part in self._parts if hasattr(part, name))


async def go_on(ledger: Ledger, where: dict[str, str]) -> int:
    """As an ingest begins: purge what is buried, undo what was abandoned, open a candidate."""
    for stone in await ledger.buried(tenant=where["tenant"], limit=99):
        await ledger.purged(stone)
    while found := await ledger.abandoned(**where, limit=2):
        await ledger.undo(found, **where)
    return await ledger.open_candidate(**where, embedder_id="embedder")


async def view(ledger: Ledger, history: History, snapshot: int) -> list[Any]:
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
        (status.failures, dict(status.by_kind), status.embedder_id, status.waiting),
        [
            (one.number, one.state, one.documents, one.chunks, one.waits)
            for one in await ledger.snapshots(**where, limit=99)
        ],
        await ledger.changes(0, (await ledger.published(**where)).number, **where, limit=99),
        await ledger.retired(**where, limit=99),
        await ledger.chunks([chunk.chunk_id for chunk in picked], seen),
        [await ledger.document(doc_id, seen) for doc_id in DOC_IDS],
        [await ledger.document_chunks(doc_id, seen) for doc_id in DOC_IDS],
        [await ledger.neighbours(chunk, seen, before=1, after=1) for chunk in picked[:3]],
        [await ledger.faq(key, seen) for key in ("q1", "q2", "q3")],
    ]


@pytest.mark.parametrize("seed", range(9))
async def test_random_histories_agree(seed: int, postgres_url: str, tmp_path: Path) -> None:
    # Of what was gone back to, words are known roughly: they are compared in histories without that.
    history = History(seed, moves=seed >= 3)
    where = {"tenant": history.tenant, "kb": KB}
    memory: Ledger = MemoryKnowledgeLedger()
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        postgres = cast(Ledger, Together(ledgers))
        for _ in range(STEPS):
            candidate = await go_on(memory, where)
            assert await go_on(postgres, where) == candidate
            name, arguments = history.step(candidate)
            assert await outcome(memory, name, arguments) == await outcome(postgres, name, arguments), name
            published = (await memory.published(**where)).number
            every = scope(history.tenant, published, acl_tags=frozenset(TAGS), level_max=Level.RESTRICTED)
            few = scope(history.tenant, published, acl_tags=frozenset(TAGS[:1]), level_max=Level.CUSTOMER)
            for seen in (every, few) if not history.moves else ():
                assert await memory.word_counts(WORDS, seen) == await postgres.word_counts(WORDS, seen), name
            for snapshot in {published, max(0, published - 1), candidate}:
                assert await view(memory, history, snapshot) == await view(postgres, history, snapshot), name
