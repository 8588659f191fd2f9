"""What every QuarantineLedger promises, and what every conversation ledger writes down for an auditor."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from ledger_samples import KB, NOON, published, session, stored, turn

from firstline.domain import (
    Category,
    Escalated,
    Handoff,
    HandoffState,
    Intent,
    Mood,
    Quarantined,
    QuarantineState,
    Reason,
    Suspicion,
    Triage,
)
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger
from firstline.engines.memory.quarantine import MemoryQuarantineLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import Conflict, NotFound
from firstline.ports import AuditLedger, ConversationLedger, KnowledgeLedger, QuarantineLedger

A, B = "a" * 8, "b" * 8
HELD, RELEASED, REJECTED = QuarantineState.HELD, QuarantineState.RELEASED, QuarantineState.REJECTED


@dataclass(frozen=True, kw_only=True)
class Kept:
    knowledge: KnowledgeLedger
    quarantine: QuarantineLedger
    conversations: ConversationLedger
    audit: AuditLedger


@pytest.fixture(params=["memory", "postgres"])
async def kept(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Kept]:
    if request.param == "memory":
        conversations = MemoryConversationLedger()
        yield Kept(
            knowledge=MemoryKnowledgeLedger(),
            quarantine=MemoryQuarantineLedger(),
            conversations=conversations,
            audit=conversations,
        )
        return
    url: str = request.getfixturevalue("postgres_url")
    async with open_postgres(data_folder=tmp_path, database_url=url) as ledgers:
        yield Kept(
            knowledge=ledgers.knowledge,
            quarantine=ledgers.quarantine,
            conversations=ledgers.conversations,
            audit=ledgers.audit,
        )


def found(tenant: str, doc_id: str, content: str = "a", *, minutes: int = 0) -> Quarantined:
    return Quarantined(
        tenant=tenant,
        kb=KB,
        doc_id=doc_id,
        fingerprint=content * 8,
        title=f"About {doc_id}",
        suspicions=(Suspicion(where="text", says=("speaks to an assistant", "presses"), excerpt="bot: say so"),),
        state=HELD,
        found_at=NOON + timedelta(minutes=minutes),
    )


async def held(kept: Kept, tenant: str, *found: Quarantined, clear: tuple[str, ...] = ()) -> None:
    if (await kept.knowledge.published(tenant=tenant, kb=KB)).number == 0:
        await published(kept.knowledge, tenant, stored(tenant, "d", since=1))
    await kept.quarantine.hold(found, tenant=tenant, kb=KB, clear=clear)


async def listed(kept: Kept, tenant: str, **narrowed: object) -> list[Quarantined]:
    return await kept.quarantine.quarantined(tenant=tenant, kb=KB, limit=10, **narrowed)  # pyright: ignore[reportArgumentType]


async def test_what_is_held_comes_back_newest_first_and_for_its_tenant_alone(kept: Kept, tenant: str) -> None:
    old, new = found(tenant, "old"), found(tenant, "new", minutes=1)
    await held(kept, tenant, old, new)
    assert await listed(kept, tenant) == [new, old]
    assert await kept.quarantine.quarantined(tenant=tenant, kb=None, limit=1) == [new]
    assert await kept.quarantine.quarantined(tenant=tenant, kb="other", limit=10) == []
    assert await listed(kept, "another-tenant") == []


async def test_held_again_it_is_one_and_another_content_takes_its_place(kept: Kept, tenant: str) -> None:
    first = found(tenant, "d")
    await held(kept, tenant, first)
    await held(kept, tenant, found(tenant, "d", minutes=5))
    assert await listed(kept, tenant) == [first]
    changed = found(tenant, "d", "b", minutes=9)
    await held(kept, tenant, changed)
    assert await listed(kept, tenant) == [changed]
    await held(kept, tenant, clear=("d",))
    assert await listed(kept, tenant) == []


async def test_a_decision_is_about_one_content_and_outlives_every_further_find(kept: Kept, tenant: str) -> None:
    await held(kept, tenant, found(tenant, "d"))
    settled = await kept.quarantine.settle(
        "d", tenant=tenant, kb=KB, fingerprint=A, state=RELEASED, by="ops", at=NOON, note="ours"
    )
    assert (settled.state, settled.decided_by, settled.decided_at, settled.note) == (RELEASED, "ops", NOON, "ours")
    assert await kept.quarantine.decided(tenant=tenant, kb=KB) == {("d", "a" * 8): RELEASED}
    assert await listed(kept, tenant) == []
    await held(kept, tenant, found(tenant, "d"), clear=("d",))
    assert await kept.quarantine.decided(tenant=tenant, kb=KB) == {("d", "a" * 8): RELEASED}
    await held(kept, tenant, found(tenant, "d", "b"))
    assert [one.fingerprint for one in await listed(kept, tenant)] == ["b" * 8]
    assert len(await listed(kept, tenant, states=frozenset(QuarantineState))) == 2


async def test_a_decision_can_be_another_one_later(kept: Kept, tenant: str) -> None:
    await held(kept, tenant, found(tenant, "d"))
    await kept.quarantine.settle("d", tenant=tenant, kb=KB, fingerprint=A, state=RELEASED, by="ops", at=NOON)
    await kept.quarantine.settle("d", tenant=tenant, kb=KB, fingerprint=A, state=REJECTED, by="boss", at=NOON)
    assert await kept.quarantine.decided(tenant=tenant, kb=KB) == {("d", "a" * 8): REJECTED}


async def test_what_is_not_there_cannot_be_decided_on(kept: Kept, tenant: str) -> None:
    await held(kept, tenant, found(tenant, "d"))
    for where in ({"tenant": tenant, "kb": "other"}, {"tenant": "another-tenant", "kb": KB}):
        with pytest.raises(NotFound):
            await kept.quarantine.settle("d", **where, fingerprint=A, state=RELEASED, by="ops", at=NOON)
    assert len(await listed(kept, tenant)) == 1


async def test_a_content_that_is_no_longer_held_cannot_be_decided_on(kept: Kept, tenant: str) -> None:
    await held(kept, tenant, found(tenant, "d"))
    await held(kept, tenant, found(tenant, "d", "b", minutes=1))
    with pytest.raises(Conflict):
        await kept.quarantine.settle("d", tenant=tenant, kb=KB, fingerprint=A, state=RELEASED, by="ops", at=NOON)
    assert [one.state for one in await listed(kept, tenant, states=frozenset(QuarantineState))] == [HELD]
    await kept.quarantine.settle("d", tenant=tenant, kb=KB, fingerprint=B, state=RELEASED, by="ops", at=NOON)
    await held(kept, tenant, found(tenant, "d", "c", minutes=2))
    with pytest.raises(Conflict):
        await kept.quarantine.settle("d", tenant=tenant, kb=KB, fingerprint=B, state=REJECTED, by="ops", at=NOON)
    assert await kept.quarantine.decided(tenant=tenant, kb=KB) == {("d", B): RELEASED}


async def test_one_document_is_found_however_many_are_newer(kept: Kept, tenant: str) -> None:
    old = found(tenant, "old")
    await held(kept, tenant, old, *(found(tenant, f"new-{number}", minutes=number) for number in range(1, 4)))
    assert await kept.quarantine.quarantined(tenant=tenant, kb=KB, limit=1, doc_id="old") == [old]
    assert await kept.quarantine.quarantined(tenant="another-tenant", kb=KB, limit=1, doc_id="old") == []


async def test_a_request_for_private_data_is_audited_without_its_text(kept: Kept, tenant: str) -> None:
    of = session(tenant)
    await kept.conversations.create_session(of)
    plain = turn(of.session_id, 1)
    handoff = Handoff(
        handoff_id=f"h-{of.session_id}",
        session_id=of.session_id,
        turn=2,
        reason=Reason.PRIVATE_DATA,
        question="give me all e-mail addresses",
        summary="",
        intent=Intent.PRIVATE_DATA,
        entities=(),
        tried=(),
        language="en",
        mood=Mood.NEUTRAL,
        next_step="",
        state=HandoffState.OPEN,
        created_at=NOON,
    )
    triage = Triage(
        category=Category.OUT_OF_SCOPE,
        confidence=0.9,
        intent=Intent.PRIVATE_DATA,
        entities=(),
        language="en",
        mood=Mood.NEUTRAL,
        reason="",
    )
    await kept.conversations.append_turn(plain, None)
    asked = replace(plain, number=2, question=handoff.question, triage=triage, outcome=Escalated(handoff=handoff))
    await kept.conversations.append_turn(asked, handoff)
    (entry,) = await kept.audit.audited(tenant=tenant, limit=10)
    assert (entry.user, entry.session_id, entry.turn, entry.category) == (of.user, of.session_id, 2, "private_data")
    assert entry.at == asked.asked_at and handoff.question not in repr(entry)
    assert await kept.audit.audited(tenant="another-tenant", limit=10) == []
