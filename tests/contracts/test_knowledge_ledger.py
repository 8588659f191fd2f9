"""What every KnowledgeLedger promises: ingestion and publishing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from ledger_samples import KB, Ledgers, ids, published, scope, stored
from psycopg import AsyncConnection

from firstline.domain import FOREVER, DocumentKind, Failure, Snapshot
from firstline.errors import Conflict, InvalidInput, NotFound


async def candidate_of(ledgers: Ledgers, tenant: str) -> int:
    return await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")


async def test_an_unknown_knowledge_base_is_empty(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    assert await ledger.published(tenant=tenant, kb=KB) == Snapshot(
        tenant=tenant, kb=KB, number=0, documents=0, chunks=0, published_at=None
    )
    assert await ledger.current(tenant=tenant, kb=KB) == {}
    assert await ledger.planned(tenant=tenant, kb=KB, candidate=1) == []
    assert await ledger.ended(tenant=tenant, kb=KB, candidate=1) == []
    assert await ledger.failures(tenant=tenant, kb=KB) == []
    assert await ledger.knowledge_bases(tenant=tenant) == []
    status = await ledger.status(tenant=tenant, kb=KB)
    assert (status.snapshot, status.documents, status.candidate, status.embedder_id) == (0, 0, None, None)


async def test_publishing_moves_the_pointer_and_counts(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    assert await candidate_of(ledgers, tenant) == 1
    assert await ledger.write([stored(tenant, "a", since=1), stored(tenant, "b", since=1, chunks=2)]) == []
    assert (await ledger.published(tenant=tenant, kb=KB)).number == 0
    snapshot = await ledger.publish(tenant=tenant, kb=KB, candidate=1)
    assert (snapshot.number, snapshot.documents, snapshot.chunks) == (1, 2, 5)
    assert snapshot.published_at is not None and snapshot.published_at.tzinfo is not None
    assert snapshot.embedder_id == "embedder"
    assert await ledgers.elsewhere.published(tenant=tenant, kb=KB) == snapshot
    assert await candidate_of(ledgers, tenant) == 2
    assert await ledger.knowledge_bases(tenant=tenant) == [KB]


async def test_only_the_next_snapshot_can_be_published_and_only_once(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await candidate_of(ledgers, tenant)
    with pytest.raises(Conflict):
        await ledger.publish(tenant=tenant, kb=KB, candidate=2)
    await ledger.publish(tenant=tenant, kb=KB, candidate=1)
    with pytest.raises(Conflict):
        await ledgers.elsewhere.publish(tenant=tenant, kb=KB, candidate=1)
    assert (await ledger.published(tenant=tenant, kb=KB)).number == 1


async def test_what_is_published_never_changes(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await published(ledger, tenant, stored(tenant, "a", since=1))
    with pytest.raises(Conflict):
        await ledger.write([stored(tenant, "b", since=1)])
    with pytest.raises(Conflict):
        await ledger.end(tenant=tenant, kb=KB, candidate=1, doc_ids=["a"])
    with pytest.raises(Conflict):
        await ledger.plan(tenant=tenant, kb=KB, candidate=1, doc_ids=["b"])
    assert await ledger.document("a", scope(tenant, 1)) is not None


async def test_an_interrupted_candidate_is_opened_again(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await candidate_of(ledgers, tenant)
    await ledger.plan(tenant=tenant, kb=KB, candidate=1, doc_ids=["a", "b"])
    await ledger.plan(tenant=tenant, kb=KB, candidate=1, doc_ids=["b", "c"])
    await ledger.write([stored(tenant, "a", since=1)])
    # The run dies here; another process goes on.
    again = ledgers.elsewhere
    assert await again.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder") == 1
    assert await again.planned(tenant=tenant, kb=KB, candidate=1) == ["b", "c"]
    assert (await again.current(tenant=tenant, kb=KB))["a"].since == 1
    status = await again.status(tenant=tenant, kb=KB)
    assert (status.candidate, status.candidate_documents, status.documents) == (1, 1, 0)
    await again.publish(tenant=tenant, kb=KB, candidate=1)
    assert await again.planned(tenant=tenant, kb=KB, candidate=1) == []
    assert (await again.status(tenant=tenant, kb=KB)).candidate is None


async def test_a_knowledge_base_belongs_to_one_embedder(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await ledger.open_candidate(tenant=tenant, kb=KB, embedder_id="first")
    assert await ledger.open_candidate(tenant=tenant, kb=KB, embedder_id="second") == 1, "no vectors yet"
    await ledger.write([stored(tenant, "a", since=1)])
    with pytest.raises(InvalidInput, match="second"):
        await ledger.open_candidate(tenant=tenant, kb=KB, embedder_id="first")
    assert await ledger.open_candidate(tenant=tenant, kb=KB, embedder_id="second") == 1
    assert await ledger.open_candidate(tenant=tenant, kb="another", embedder_id="first") == 1
    assert (await ledger.status(tenant=tenant, kb=KB)).embedder_id == "second"


async def test_documents_come_back_as_they_were_written(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    written = stored(tenant, "Ordner/ä b'\"\\.md", since=1, metadata={"version": "5.0", "quote": 'it\'s "so"'})
    await published(ledger, tenant, written)
    assert await ledger.document(written.document.doc_id, scope(tenant, 1)) == written.document
    assert await ledger.document_chunks(written.document.doc_id, scope(tenant, 1)) == list(written.chunks)
    assert await ledger.current(tenant=tenant, kb=KB) == {written.document.doc_id: written.document}


async def test_a_new_revision_ends_the_older_one_at_the_candidate(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    old, other = stored(tenant, "a", since=1), stored(tenant, "b", since=1)
    await published(ledger, tenant, old, other)
    await candidate_of(ledgers, tenant)
    new = stored(tenant, "a", since=2, text="new", chunks=5)
    assert sorted(await ledger.write([new])) == sorted(ids(old))
    assert sorted(await ledger.ended(tenant=tenant, kb=KB, candidate=2)) == sorted(ids(old))
    assert (await ledger.current(tenant=tenant, kb=KB))["a"] == new.document
    before = await ledger.document("a", scope(tenant, 1))
    assert before is not None and (before.blob, before.until) == (old.document.blob, 2)
    snapshot = await ledger.publish(tenant=tenant, kb=KB, candidate=2)
    assert (snapshot.documents, snapshot.chunks) == (2, 8)
    assert await ledger.document("a", scope(tenant, 2)) == new.document
    assert await ledger.chunks(ids(new, other), scope(tenant, 1)) == list(other.chunks)
    old_chunks = await ledger.chunks(ids(old), scope(tenant, 1))
    assert [chunk.chunk_id for chunk in old_chunks] == ids(old)
    assert {chunk.until for chunk in old_chunks} == {2}


async def test_writing_again_replaces_what_the_same_candidate_wrote(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await published(ledger, tenant, old := stored(tenant, "a", since=1))
    await candidate_of(ledgers, tenant)
    first = stored(tenant, "a", since=2, text="first")
    second = stored(tenant, "a", since=2, text="second", chunks=1)
    assert sorted(await ledger.write([first])) == sorted(ids(old))
    assert await ledger.write([first]) == [], "nothing moved"
    assert sorted(await ledger.write([second])) == sorted(ids(first)), "gone from the candidate"
    assert (await ledger.current(tenant=tenant, kb=KB))["a"] == second.document
    await ledger.publish(tenant=tenant, kb=KB, candidate=2)
    assert await ledger.document_chunks("a", scope(tenant, 2)) == list(second.chunks)
    assert await ledger.chunks(ids(first), scope(tenant, 2)) == []


async def test_of_two_equal_ids_in_one_write_the_last_stands(ledgers: Ledgers, tenant: str) -> None:
    await candidate_of(ledgers, tenant)
    last = stored(tenant, "a", since=1, text="last")
    await ledgers.knowledge.write([stored(tenant, "a", since=1, text="first"), last])
    assert await ledgers.knowledge.current(tenant=tenant, kb=KB) == {"a": last.document}


async def test_a_write_that_fails_writes_nothing(ledgers: Ledgers, tenant: str) -> None:
    await candidate_of(ledgers, tenant)
    with pytest.raises(Conflict):
        await ledgers.knowledge.write([stored(tenant, "a", since=1), stored(tenant, "b", since=7)])
    assert await ledgers.knowledge.current(tenant=tenant, kb=KB) == {}


async def test_an_ended_document_is_current_until_published_and_can_return(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    kept, gone = stored(tenant, "kept", since=1), stored(tenant, "gone", since=1)
    await published(ledger, tenant, kept, gone)
    await candidate_of(ledgers, tenant)
    where = {"tenant": tenant, "kb": KB, "candidate": 2}
    assert sorted(await ledger.end(**where, doc_ids=["gone", "unknown"])) == sorted(ids(gone))
    assert sorted(await ledger.end(**where, doc_ids=["gone"])) == sorted(ids(gone)), "a repeat tells the index again"
    assert (await ledger.current(tenant=tenant, kb=KB))["gone"].until == 2
    assert (await ledger.status(tenant=tenant, kb=KB)).candidate == 2
    assert sorted(await ledger.unend(**where, doc_ids=["gone", "kept", "unknown"])) == sorted(ids(gone))
    assert (await ledger.current(tenant=tenant, kb=KB))["gone"].until == FOREVER
    assert await ledger.ended(**where) == []
    await ledger.end(**where, doc_ids=["gone"])
    assert (await ledger.publish(**where)).documents == 1
    assert list(await ledger.current(tenant=tenant, kb=KB)) == ["kept"]
    assert await ledger.document("gone", scope(tenant, 2)) is None
    assert await ledger.document("gone", scope(tenant, 1)) is not None


async def test_ending_takes_back_what_the_candidate_wrote(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await published(ledger, tenant, old := stored(tenant, "a", since=1))
    await candidate_of(ledgers, tenant)
    new, only = stored(tenant, "a", since=2, text="new"), stored(tenant, "only", since=2)
    await ledger.write([new, only])
    where = {"tenant": tenant, "kb": KB, "candidate": 2}
    assert await ledger.unend(**where, doc_ids=["a"]) == [], "its older revision ended for good"
    assert sorted(await ledger.end(**where, doc_ids=["a", "only"])) == sorted(ids(old, new, only))
    current = await ledger.current(tenant=tenant, kb=KB)
    assert {doc_id: (document.since, document.until) for doc_id, document in current.items()} == {"a": (1, 2)}
    assert sorted(await ledger.unend(**where, doc_ids=["a"])) == sorted(ids(old))
    assert (await ledger.publish(**where)).chunks == 3


async def test_the_ingest_lock_has_one_holder(ledgers: Ledgers, tenant: str) -> None:
    async with ledgers.knowledge.ingest_lock(tenant=tenant, kb=KB):
        with pytest.raises(Conflict, match=r"process.*") as refused:
            async with ledgers.elsewhere.ingest_lock(tenant=tenant, kb=KB):
                pytest.fail("two holders")
        assert refused.value.remedy
        async with ledgers.elsewhere.ingest_lock(tenant=tenant, kb="another"):
            pass
    async with ledgers.elsewhere.ingest_lock(tenant=tenant, kb=KB):
        pass


async def test_the_ingest_lock_is_free_once_its_block_has_ended(
    ledgers: Ledgers, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a moment later, when the server sees that a connection was closed: one command follows the other."""
    closed, closing = AsyncConnection.close, set[asyncio.Task[None]]()

    async def later(connection: AsyncConnection[Any]) -> None:
        async def wait() -> None:
            await asyncio.sleep(0.1)
            await closed(connection)

        closing.add(asyncio.create_task(wait()))

    with monkeypatch.context() as seen_late:
        seen_late.setattr(AsyncConnection, "close", later)
        async with ledgers.knowledge.ingest_lock(tenant=tenant, kb=KB):
            pass
        async with ledgers.elsewhere.ingest_lock(tenant=tenant, kb=KB):
            pass
    await asyncio.gather(*closing)


async def test_an_error_inside_the_ingest_lock_frees_it(ledgers: Ledgers, tenant: str) -> None:
    with pytest.raises(ValueError, match="inside"):
        async with ledgers.knowledge.ingest_lock(tenant=tenant, kb=KB):
            raise ValueError("inside")
    async with ledgers.knowledge.ingest_lock(tenant=tenant, kb=KB):
        pass


async def test_failures_are_those_of_the_newest_run(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    one, two = Failure(item_id="a.pdf", reason="locked"), Failure(item_id="b.md", reason="empty")
    await candidate_of(ledgers, tenant)
    where = {"tenant": tenant, "kb": KB}
    await ledger.record_failures(**where, candidate=1, failures=[one, two])
    await ledger.record_failures(**where, candidate=1, failures=[two])
    assert await ledger.failures(**where) == [two]
    await ledger.publish(**where, candidate=1)
    assert (await ledger.status(**where)).failures == 1
    await ledger.record_failures(**where, candidate=2, failures=[])
    assert await ledger.failures(**where) == []
    with pytest.raises(NotFound):
        await ledger.record_failures(tenant=tenant, kb="none", candidate=1, failures=[one])


async def test_status_counts_the_published_snapshot_by_kind(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await published(
        ledger,
        tenant,
        stored(tenant, "a", since=1),
        stored(tenant, "b", since=1),
        stored(tenant, "t", since=1, kind=DocumentKind.TICKET),
    )
    await candidate_of(ledgers, tenant)
    await ledger.write([stored(tenant, "c", since=2)])
    status = await ledger.status(tenant=tenant, kb=KB)
    assert status.by_kind == {DocumentKind.DOCUMENTATION: 2, DocumentKind.TICKET: 1}
    assert (status.documents, status.chunks, status.candidate_documents, status.snapshot) == (3, 9, 1, 1)


async def test_concurrent_calls_do_not_disturb_each_other(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await candidate_of(ledgers, tenant)
    documents = [stored(tenant, f"d{number}", since=1) for number in range(30)]
    await asyncio.gather(*(ledger.write([document]) for document in documents))
    snapshot = await ledger.publish(tenant=tenant, kb=KB, candidate=1)
    assert (snapshot.documents, snapshot.chunks) == (30, 90)
