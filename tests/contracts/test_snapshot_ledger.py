"""What every SnapshotLedger promises, and what a KnowledgeLedger does with numbers and rollbacks."""

from __future__ import annotations

import pytest
from ledger_samples import KB, Ledgers, gates, ids, published, scope, stored

from firstline.domain import FOREVER, ChangeKind, SnapshotState
from firstline.errors import Conflict, NotFound

STATES = [SnapshotState.AHEAD, SnapshotState.AHEAD, SnapshotState.PUBLISHED]


async def open_candidate(ledgers: Ledgers, tenant: str) -> int:
    return await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")


async def undo_all(ledgers: Ledgers, tenant: str, *, limit: int = 1) -> int:
    rounds = 0
    while found := await ledgers.knowledge.abandoned(tenant=tenant, kb=KB, limit=limit):
        await ledgers.knowledge.undo(found, tenant=tenant, kb=KB)
        # A crash before the index was told: the same once more.
        await ledgers.knowledge.undo(found, tenant=tenant, kb=KB)
        rounds += 1
    return rounds


async def three(ledgers: Ledgers, tenant: str) -> None:
    """a stays; b is replaced in 2 and ends in 3; c comes in 2 and is replaced in 3."""
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1), stored(tenant, "b", since=1))
    await published(
        ledgers.knowledge, tenant, stored(tenant, "b", since=2, text="2"), stored(tenant, "c", since=2, chunks=1)
    )
    await ledgers.knowledge.end(tenant=tenant, kb=KB, candidate=3, doc_ids=["b"])
    await ledgers.knowledge.write([stored(tenant, "c", since=3, text="3", chunks=2)])
    await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=3)


async def shown(ledgers: Ledgers, tenant: str, snapshot: int) -> dict[str, int]:
    found = [await ledgers.knowledge.document(one, scope(tenant, snapshot)) for one in "abcd"]
    return {one.doc_id: one.since for one in found if one is not None}


async def states(ledgers: Ledgers, tenant: str) -> list[tuple[int, SnapshotState]]:
    return [(one.number, one.state) for one in await ledgers.snapshots.snapshots(tenant=tenant, kb=KB, limit=10)]


async def test_going_back_and_on_moves_the_pointer_alone(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    back = await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
    assert (back.number, back.documents, back.chunks) == (1, 2, 6)
    assert await ledgers.knowledge.published(tenant=tenant, kb=KB) == back
    assert [state for _, state in await states(ledgers, tenant)] == STATES
    assert await shown(ledgers, tenant, 1) == {"a": 1, "b": 1}
    on = await ledgers.snapshots.point_on(3, tenant=tenant, kb=KB)
    assert (on.number, on.documents, on.chunks) == (3, 2, 5)
    assert await shown(ledgers, tenant, 3) == {"a": 1, "c": 3}
    assert (await ledgers.snapshots.point_back(None, tenant=tenant, kb=KB)).number == 2


async def test_the_next_candidate_undoes_what_was_abandoned_and_takes_a_new_number(
    ledgers: Ledgers, tenant: str
) -> None:
    await three(ledgers, tenant)
    await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
    with pytest.raises(Conflict, match="not undone"):
        await open_candidate(ledgers, tenant)
    assert await undo_all(ledgers, tenant) > 1
    assert await open_candidate(ledgers, tenant) == 4, "2 and 3 are never used again"
    assert {one: (d.since, d.until) for one, d in (await ledgers.knowledge.current(tenant=tenant, kb=KB)).items()} == {
        "a": (1, FOREVER),
        "b": (1, FOREVER),
    }
    for gone in (2, 3):
        with pytest.raises(NotFound):
            await ledgers.snapshots.point_on(gone, tenant=tenant, kb=KB)
    await ledgers.knowledge.write([stored(tenant, "d", since=4)])
    assert (await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=4)).documents == 3
    assert await shown(ledgers, tenant, 4) == {"a": 1, "b": 1, "d": 4}
    assert (await ledgers.snapshots.point_back(None, tenant=tenant, kb=KB)).number == 1


async def test_what_is_abandoned_names_what_the_index_must_hear(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    await ledgers.snapshots.point_back(2, tenant=tenant, kb=KB)
    found = await ledgers.knowledge.abandoned(tenant=tenant, kb=KB, limit=10)
    assert [(one.doc_id, one.since) for one in found.written] == [("c", 3)]
    assert [(one.doc_id, one.since) for one in found.ended] == [("b", 2), ("c", 2)]
    assert sorted(found.ended[0].chunk_ids) == sorted(ids(stored(tenant, "b", since=2, text="2")))


async def test_words_follow_the_undone(ledgers: Ledgers, tenant: str) -> None:
    first = stored(tenant, "a", since=1, words=frozenset({"old", "both"}))
    await published(ledgers.knowledge, tenant, first)
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=2, text="2", words=frozenset({"new", "both"})))
    await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
    await undo_all(ledgers, tenant)
    await open_candidate(ledgers, tenant)
    found = await ledgers.knowledge.word_counts(["old", "new", "both"], scope(tenant, 1))
    assert found == {"old": 1, "both": 1}


async def test_a_rollback_gives_up_an_open_candidate(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    assert await open_candidate(ledgers, tenant) == 4
    await ledgers.knowledge.plan(tenant=tenant, kb=KB, candidate=4, doc_ids=["d", "e"])
    await ledgers.knowledge.write([stored(tenant, "d", since=4)])
    await ledgers.snapshots.point_back(2, tenant=tenant, kb=KB)
    with pytest.raises(Conflict):
        await ledgers.knowledge.write([stored(tenant, "e", since=4)])
    await ledgers.snapshots.point_on(3, tenant=tenant, kb=KB)
    found = await ledgers.knowledge.abandoned(tenant=tenant, kb=KB, limit=10)
    assert ([one.doc_id for one in found.written], found.planned) == (["d"], (("e", 4),))
    await undo_all(ledgers, tenant)
    assert await open_candidate(ledgers, tenant) == 5
    assert set(await ledgers.knowledge.current(tenant=tenant, kb=KB)) == {"a", "c"}


async def test_a_sealed_snapshot_waits_and_the_next_candidate_builds_on_it(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1))
    await ledgers.knowledge.write([stored(tenant, "b", since=2)])
    waiting = await ledgers.knowledge.seal(tenant=tenant, kb=KB, candidate=2, waits="it is large")
    assert (waiting.number, waiting.documents, waiting.published_at) == (2, 2, None)
    assert (await ledgers.knowledge.published(tenant=tenant, kb=KB)).number == 1
    assert (await ledgers.knowledge.status(tenant=tenant, kb=KB)).waiting == (2,)
    with pytest.raises(Conflict):
        await ledgers.knowledge.write([stored(tenant, "z", since=2)])
    assert await open_candidate(ledgers, tenant) == 3
    assert set(await ledgers.knowledge.current(tenant=tenant, kb=KB)) == {"a", "b"}
    facts = await ledgers.knowledge.facts(tenant=tenant, kb=KB, candidate=3)
    assert (facts.builds_on_waiting, facts.documents_before) == (True, 2)
    assert [one.waits for one in await ledgers.snapshots.snapshots(tenant=tenant, kb=KB, limit=1)] == ["it is large"]
    moved = await ledgers.snapshots.point_on(2, tenant=tenant, kb=KB)
    assert moved.published_at is not None
    assert await open_candidate(ledgers, tenant) == 3, "publishing what it builds on leaves the candidate open"


async def test_discarding_gives_up_what_waits(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1))
    await ledgers.knowledge.write([stored(tenant, "b", since=2)])
    await ledgers.knowledge.seal(tenant=tenant, kb=KB, candidate=2, waits="it is large")
    assert await ledgers.snapshots.discard(tenant=tenant, kb=KB) == [2]
    await undo_all(ledgers, tenant)
    assert await open_candidate(ledgers, tenant) == 3
    assert set(await ledgers.knowledge.current(tenant=tenant, kb=KB)) == {"a"}


async def test_facts_tell_what_the_checks_need(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, *(stored(tenant, one, since=1) for one in "abc"))
    await ledgers.knowledge.write(
        [stored(tenant, "a", since=2, text="2", chunks=5, acl=frozenset()), stored(tenant, "d", since=2, chunks=1)]
    )
    await ledgers.knowledge.end(tenant=tenant, kb=KB, candidate=2, doc_ids=["b"])
    facts = await ledgers.knowledge.facts(tenant=tenant, kb=KB, candidate=2)
    assert (facts.added, facts.changed, facts.removed, facts.closed) == (1, 1, 1, ("a",))
    assert (facts.documents_before, facts.chunks_before, facts.chunks_after) == (3, 9, 9)


async def test_a_canary_is_asked_by_a_share_that_sticks(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1))
    with pytest.raises(NotFound):
        await ledgers.snapshots.try_out(1, tenant=tenant, kb=KB, share=0.5)
    await ledgers.knowledge.write([stored(tenant, "b", since=2)])
    await ledgers.knowledge.seal(tenant=tenant, kb=KB, candidate=2, waits="asked")
    await ledgers.snapshots.try_out(2, tenant=tenant, kb=KB, share=0.3)
    some = await ledgers.knowledge.published(tenant=tenant, kb=KB)
    sessions = [f"session {number}" for number in range(2_000)]
    taken = {one for one in sessions if some.number_for(one) == 2}
    assert some.number == 1 and 0.25 < len(taken) / len(sessions) < 0.35
    await ledgers.snapshots.try_out(2, tenant=tenant, kb=KB, share=0.6)
    more = await ledgers.knowledge.published(tenant=tenant, kb=KB)
    assert taken < {one for one in sessions if more.number_for(one) == 2}
    promoted = await ledgers.snapshots.point_on(2, tenant=tenant, kb=KB)
    assert (promoted.canary, {promoted.number_for(one) for one in sessions}) == (0, {2})


async def test_a_canary_ends_with_a_rollback_and_with_a_share_of_nothing(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    await open_candidate(ledgers, tenant)
    await ledgers.knowledge.seal(tenant=tenant, kb=KB, candidate=4, waits="asked")
    await ledgers.snapshots.try_out(4, tenant=tenant, kb=KB, share=0.5)
    assert (4, SnapshotState.CANARY) in await states(ledgers, tenant)
    await ledgers.snapshots.try_out(4, tenant=tenant, kb=KB, share=0)
    assert (await ledgers.knowledge.published(tenant=tenant, kb=KB)).canary == 0
    await ledgers.snapshots.try_out(4, tenant=tenant, kb=KB, share=0.5)
    assert (await ledgers.snapshots.point_back(None, tenant=tenant, kb=KB)).canary == 0


async def test_the_wrong_direction_and_unknown_numbers_are_errors(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    with pytest.raises(Conflict, match="rollback --to 1"):
        await ledgers.snapshots.point_on(1, tenant=tenant, kb=KB)
    with pytest.raises(Conflict):
        await ledgers.snapshots.point_back(3, tenant=tenant, kb=KB)
    for number in (0, 9):
        with pytest.raises(NotFound):
            await ledgers.snapshots.point_on(number, tenant=tenant, kb=KB)
    with pytest.raises(NotFound):
        await ledgers.snapshots.point_back(1, tenant=tenant, kb="another")
    with pytest.raises(NotFound):
        await ledgers.snapshots.snapshots(tenant="another", kb=KB, limit=1)
    assert (await ledgers.knowledge.published(tenant=tenant, kb=KB)).number == 3


async def test_without_an_earlier_snapshot_there_is_no_way_back(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1))
    with pytest.raises(Conflict):
        await ledgers.snapshots.point_back(None, tenant=tenant, kb=KB)


async def test_a_diff_names_what_was_added_changed_and_removed_in_both_directions(
    ledgers: Ledgers, tenant: str
) -> None:
    await three(ledgers, tenant)

    async def diff(before: int, after: int) -> list[tuple[str, ChangeKind]]:
        found = await ledgers.snapshots.changes(before, after, tenant=tenant, kb=KB, limit=10)
        return [(one.doc_id, one.change) for one in found]

    assert await diff(1, 2) == [("b", ChangeKind.CHANGED), ("c", ChangeKind.ADDED)]
    assert await diff(1, 3) == [("b", ChangeKind.REMOVED), ("c", ChangeKind.ADDED)]
    assert await diff(3, 1) == [("b", ChangeKind.ADDED), ("c", ChangeKind.REMOVED)]
    assert await diff(0, 1) == [("a", ChangeKind.ADDED), ("b", ChangeKind.ADDED)]
    assert await diff(2, 2) == []
    with pytest.raises(NotFound):
        await diff(1, 9)


async def test_pruning_removes_what_no_kept_snapshot_holds(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    assert await ledgers.snapshots.retired(tenant=tenant, kb=KB, limit=10) == []
    assert await ledgers.snapshots.retire(tenant=tenant, kb=KB, keep=2) == 2
    gone = await ledgers.snapshots.retired(tenant=tenant, kb=KB, limit=10)
    assert [(one.doc_id, one.since) for one in gone] == [("b", 1)]
    await ledgers.snapshots.remove(gone, tenant=tenant, kb=KB)
    await ledgers.snapshots.remove(gone, tenant=tenant, kb=KB)
    assert await ledgers.snapshots.retired(tenant=tenant, kb=KB, limit=10) == []
    with pytest.raises(NotFound):
        await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
    assert await shown(ledgers, tenant, 2) == {"a": 1, "b": 2, "c": 2}
    entry = (await ledgers.snapshots.snapshots(tenant=tenant, kb=KB, limit=10))[1]
    assert (entry.number, entry.documents, entry.chunks) == (2, 3, 7)


async def test_a_content_is_doomed_with_its_last_document_and_spared_while_another_uses_it(
    ledgers: Ledgers, tenant: str
) -> None:
    # A text of this tenant alone: contents are shared by everybody.
    await published(ledgers.knowledge, tenant, *(stored(tenant, one, since=1, text=tenant) for one in "ab"))
    await published(ledgers.knowledge, tenant, *(stored(tenant, one, since=2, text=f"{tenant}2") for one in "ab"))
    await ledgers.snapshots.retire(tenant=tenant, kb=KB, keep=1)
    gone = await ledgers.snapshots.retired(tenant=tenant, kb=KB, limit=10)
    blobs = {one.blob for one in gone}
    for blob in blobs:
        async with ledgers.snapshots.unused(blob) as unused:
            assert not unused
    await ledgers.snapshots.remove(gone, tenant=tenant, kb=KB)
    assert blobs <= set(await ledgers.snapshots.doomed(limit=10_000))
    first = sorted(blobs)[0]
    await open_candidate(ledgers, tenant)
    await ledgers.knowledge.plan(tenant=tenant, kb=KB, candidate=3, doc_ids=["new"], blobs=[first])
    for blob in blobs:
        async with ledgers.snapshots.unused(blob) as unused:
            assert unused == (blob != first), "a plan uses it as a document does"
        await ledgers.snapshots.spared(blob)
    assert not blobs & set(await ledgers.snapshots.doomed(limit=10_000))


async def test_gates_stay_in_force_over_rollbacks(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    kept = await ledgers.gates.add_gates(gates(tenant))
    back = await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
    assert back.gates_version == kept.version
    assert (await ledgers.snapshots.point_on(3, tenant=tenant, kb=KB)).gates_version == kept.version
