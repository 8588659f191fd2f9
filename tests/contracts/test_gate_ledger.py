"""What every GateLedger promises."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from ledger_samples import KB, NOON, Ledgers, gates, published, session, stored, turn

from firstline.domain import GateReading
from firstline.errors import NotFound


async def test_gates_come_back_as_they_were_added_and_are_in_force(ledgers: Ledgers, tenant: str) -> None:
    where = {"tenant": tenant, "kb": KB}
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1))
    assert await ledgers.gates.gates_in_force(**where) is None
    assert (await ledgers.elsewhere.published(**where)).gates_version == 0
    added = await ledgers.gates.add_gates(gates(tenant))
    assert added == replace(gates(tenant), version=added.version) and added.version > 0
    assert await ledgers.gates.gates_in_force(**where) == added
    assert await ledgers.gates.gates(added.version, **where) == added
    # Another process sees it with the snapshot that it reads for every question.
    assert (await ledgers.elsewhere.published(**where)).gates_version == added.version


async def test_the_pointer_outlives_a_publication(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1))
    added = await ledgers.gates.add_gates(gates(tenant))
    candidate = await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")
    snapshot = await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=candidate)
    assert snapshot.gates_version == added.version
    assert snapshot == await ledgers.elsewhere.published(tenant=tenant, kb=KB)


async def test_history_is_kept_and_any_of_it_can_be_in_force_again(ledgers: Ledgers, tenant: str) -> None:
    where = {"tenant": tenant, "kb": KB}
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1))
    old = await ledgers.gates.add_gates(gates(tenant))
    new = await ledgers.gates.add_gates(gates(tenant, minutes=5))
    assert new.version > old.version
    assert await ledgers.gates.gates_history(**where, limit=10) == [new, old]
    assert await ledgers.gates.gates_history(**where, limit=1) == [new]
    await ledgers.gates.put_in_force(old.version, **where)
    assert await ledgers.gates.gates_in_force(**where) == old
    await ledgers.gates.put_in_force(0, **where)
    await ledgers.gates.put_in_force(0, **where)
    assert await ledgers.gates.gates_in_force(**where) is None
    assert (await ledgers.knowledge.published(**where)).gates_version == 0
    assert await ledgers.gates.gates_history(**where, limit=10) == [new, old]
    await ledgers.gates.put_in_force(new.version, **where)
    assert await ledgers.gates.gates_in_force(**where) == new


async def test_gates_belong_to_one_knowledge_base(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1))
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1, kb="other"), kb="other")
    added = await ledgers.gates.add_gates(gates(tenant))
    for elsewhere in ({"tenant": tenant, "kb": "other"}, {"tenant": f"{tenant}-2", "kb": KB}):
        assert await ledgers.gates.gates(added.version, **elsewhere) is None
        assert await ledgers.gates.gates_history(**elsewhere, limit=10) == []
        with pytest.raises(NotFound):
            await ledgers.gates.put_in_force(added.version, **elsewhere)
        assert await ledgers.gates.gates_in_force(**elsewhere) is None
    with pytest.raises(NotFound):
        await ledgers.gates.put_in_force(added.version + 1_000, tenant=tenant, kb=KB)
    with pytest.raises(NotFound):
        await ledgers.gates.add_gates(gates(tenant, kb="nowhere"))
    assert await ledgers.gates.gates_in_force(tenant=tenant, kb=KB) == added


async def test_two_calibrations_at_once_are_two_versions(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1))
    made = await asyncio.gather(*(ledgers.gates.add_gates(gates(tenant, minutes=n)) for n in range(4)))
    assert len({one.version for one in made}) == 4
    history = await ledgers.gates.gates_history(tenant=tenant, kb=KB, limit=10)
    assert {one.version for one in history} == {one.version for one in made}
    assert await ledgers.gates.gates_in_force(tenant=tenant, kb=KB) in made


async def test_live_values_are_those_that_the_gates_decided(ledgers: Ledgers, tenant: str) -> None:
    where = {"tenant": tenant, "kb": KB}
    await published(ledgers.knowledge, tenant, stored(tenant, "d", since=1))
    version = (await ledgers.gates.add_gates(gates(tenant))).version
    customer, evaluation = session(tenant), session(tenant, user="evaluation")
    foreign = replace(session(tenant), kb="other")
    for one in (customer, evaluation, foreign):
        await ledgers.conversations.create_session(one)

    async def record(of: str, number: int, value: float | None, *, decided_by: int) -> None:
        seen = () if value is None else (GateReading(name="relevance", value=value, threshold=0.2),)
        other = GateReading(name="confidence", value=0.99, threshold=0.2)
        made = replace(
            turn(of, number),
            gates=(*seen, other),
            gates_version=decided_by,
            asked_at=NOON + timedelta(minutes=10 - number),
        )
        await ledgers.conversations.append_turn(made, None)

    await record(customer.session_id, 1, 0.1, decided_by=version)
    await record(customer.session_id, 2, 0.2, decided_by=version)
    await record(customer.session_id, 3, 0.3, decided_by=0)
    await record(customer.session_id, 4, None, decided_by=version)
    await record(customer.session_id, 5, 1 / 3, decided_by=version)
    await record(evaluation.session_id, 1, 0.6, decided_by=version)
    await record(foreign.session_id, 1, 0.7, decided_by=version)
    asked = {**where, "gate": "relevance", "without_user": "evaluation"}
    # Newest first by the clock: the numbers count the other way here.
    assert await ledgers.gates.live_values(version, **asked, limit=10) == [0.1, 0.2, 1 / 3]
    assert await ledgers.gates.live_values(version, **asked, limit=2) == [0.1, 0.2]
    assert await ledgers.gates.live_values(version + 1_000, **asked, limit=10) == []
