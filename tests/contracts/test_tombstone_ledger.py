"""What every TombstoneLedger promises: out of sight at once and everywhere, and back only when it is taken anew."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ledger_samples import KB, Ledgers, ids, published, scope, session, stored, turn

from firstline.domain import (
    Answered,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    DocumentKind,
    Failure,
    Level,
    RegisteredSource,
    Scores,
    Tombstone,
)
from firstline.engines.postgres import open_postgres
from firstline.errors import NotFound
from firstline.ports import Marks

PHONE = "Jane Roe"


async def two(ledgers: Ledgers, tenant: str) -> None:
    metadata = {"question_key": "q", "author": PHONE}
    await published(
        ledgers.knowledge,
        tenant,
        stored(tenant, "a", since=1, metadata=metadata, words=frozenset({"alone", "both"})),
        stored(tenant, "b", since=1, words=frozenset({"both"})),
    )
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=2, text="2", words=frozenset({"alone"})))


async def bury(ledgers: Ledgers, tenant: str, *doc_ids: str) -> list[Tombstone]:
    return await ledgers.tombstones.bury(doc_ids, tenant=tenant, kb=KB, by="somebody")


async def test_a_buried_document_is_shown_in_no_snapshot_by_no_look_up(ledgers: Ledgers, tenant: str) -> None:
    await two(ledgers, tenant)
    before = await ledgers.knowledge.published(tenant=tenant, kb=KB)
    (stone,) = await bury(ledgers, tenant, "a")
    assert (stone.doc_id, stone.upto, stone.by, stone.purged_at) == ("a", 3, "somebody", None)
    for number, text in ((1, ""), (2, "2")):
        seen = scope(tenant, number)
        chunks = stored(tenant, "a", since=number, text=text).chunks
        assert await ledgers.knowledge.document("a", seen) is None
        assert await ledgers.knowledge.documents(["a", "b"], seen) != []
        assert await ledgers.knowledge.document_chunks("a", seen) == []
        assert await ledgers.knowledge.chunks([one.chunk_id for one in chunks], seen) == []
        assert await ledgers.knowledge.neighbours(chunks[0], seen, before=1, after=1) == []
    assert set(await ledgers.knowledge.current(tenant=tenant, kb=KB)) == {"b"}
    assert (await ledgers.knowledge.published(tenant=tenant, kb=KB)).forgotten > before.forgotten
    assert await ledgers.knowledge.document("b", scope(tenant, 2)) is not None


async def test_an_unknown_id_is_an_error_and_nothing_is_buried(ledgers: Ledgers, tenant: str) -> None:
    await two(ledgers, tenant)
    with pytest.raises(NotFound, match="typo"):
        await bury(ledgers, tenant, "a", "typo")
    assert await ledgers.knowledge.document("a", scope(tenant, 2)) is not None
    with pytest.raises(NotFound):
        await ledgers.tombstones.bury(["a"], tenant="another", kb=KB, by="somebody")


async def test_a_run_that_read_it_before_does_not_bring_it_back(ledgers: Ledgers, tenant: str) -> None:
    await two(ledgers, tenant)
    await bury(ledgers, tenant, "a")
    fresh = stored(tenant, "c", since=3)
    await ledgers.knowledge.write([stored(tenant, "a", since=3, text="3"), fresh])
    assert await ledgers.knowledge.forgotten(tenant=tenant, kb=KB, doc_ids=["a", "c"]) == {"a"}
    await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=3)
    assert await ledgers.knowledge.document("a", scope(tenant, 3)) is None
    assert await ledgers.knowledge.document("c", scope(tenant, 3)) == fresh.document


@pytest.mark.parametrize("resumed", [True, False])
async def test_a_later_run_may_take_it_anew_and_the_old_revisions_stay_buried(
    ledgers: Ledgers, tenant: str, resumed: bool
) -> None:
    await two(ledgers, tenant)
    if resumed:
        await ledgers.knowledge.write([stored(tenant, "a", since=3, text="3")])
    await bury(ledgers, tenant, "a")
    candidate = await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")
    assert (candidate, await ledgers.knowledge.forgotten(tenant=tenant, kb=KB, doc_ids=["a"])) == (3, frozenset())
    again = stored(tenant, "a", since=3, text="again")
    await ledgers.knowledge.write([again])
    await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=3)
    assert await ledgers.knowledge.document("a", scope(tenant, 3)) == again.document
    for number in (1, 2):
        assert await ledgers.knowledge.document("a", scope(tenant, number)) is None
    (stone,) = await ledgers.tombstones.buried(tenant=tenant, limit=10)
    assert [one.since for one in await ledgers.tombstones.traces(stone)] == [1, 2]


async def test_purging_leaves_no_row_no_word_and_no_failure(ledgers: Ledgers, tenant: str) -> None:
    await two(ledgers, tenant)
    failures = [Failure(item_id="a", reason="broken"), Failure(item_id="b", reason="broken")]
    await ledgers.knowledge.record_failures(tenant=tenant, kb=KB, candidate=3, failures=failures)
    (stone,) = await bury(ledgers, tenant, "a")
    traces = await ledgers.tombstones.traces(stone)
    first = stored(tenant, "a", since=1)
    assert (traces[0].since, traces[0].blob) == (1, first.document.blob)
    assert list(traces[0].chunk_ids) == ids(first)
    await ledgers.tombstones.purged(stone)
    await ledgers.tombstones.purged(stone)
    assert await ledgers.tombstones.traces(stone) == []
    assert await ledgers.tombstones.buried(tenant=tenant, limit=10) == []
    (kept,) = await ledgers.tombstones.tombstones(["a"], tenant=tenant, kb=KB)
    assert kept.purged_at is not None
    assert await ledgers.knowledge.word_counts(["alone", "both"], scope(tenant, 2)) == {"both": 1}
    assert [one.item_id for one in await ledgers.knowledge.failures(tenant=tenant, kb=KB)] == ["b"]
    assert {one.blob for one in traces} <= set(await ledgers.snapshots.doomed(limit=10_000))
    counted = await ledgers.knowledge.published(tenant=tenant, kb=KB)
    assert (counted.documents, counted.chunks) == (1, 3)


async def test_documents_are_found_by_prefix_by_name_and_by_content(ledgers: Ledgers, tenant: str) -> None:
    await two(ledgers, tenant)
    known = ledgers.tombstones
    assert await known.known_documents("", tenant=tenant, kb=KB) == ["a", "b"]
    assert await known.known_documents("a%", tenant=tenant, kb=KB) == []
    assert await known.naming("jane roe", tenant=tenant, kb=KB) == ["a"]
    assert await known.naming("ABOUT B", tenant=tenant, kb=KB) == ["b"]
    assert await known.titles(["a"], tenant=tenant, kb=KB) == {"About a"}
    assert [(one, size) for one, _, size in await known.contents(tenant=tenant, kb=KB)] == [
        ("a", 300),
        ("a", 300),
        ("b", 300),
    ]
    await bury(ledgers, tenant, "a")
    assert await known.known_documents("", tenant=tenant, kb=KB) == ["b"]


def cited(doc_id: str, chunk_id: str, text: str) -> Claim:
    citation = Citation(
        chunk_id=chunk_id,
        doc_id=doc_id,
        blob="f" * 64,
        start=0,
        end=9,
        title=f"About {doc_id}",
        url="https://x.example/",
    )
    return Claim(text=text, kind=ClaimKind.SENTENCE, citations=(citation,))


async def test_records_lose_every_quotation_of_a_document_and_keep_the_rest(ledgers: Ledgers, tenant: str) -> None:
    own = session(tenant)
    await ledgers.conversations.create_session(own)
    chunk_a, chunk_b = "11111111-1111-5111-8111-111111111111", "22222222-2222-5222-8222-222222222222"
    answered = Answered(
        completeness=Completeness.FULL,
        claims=(cited("a", chunk_a, "Secret of a."), cited("b", chunk_b, "Fact of b.")),
        confidence=0.9,
    )
    scores = Scores(dense=0.5, words=1.0, document=0.5, fused=0.7)
    first = turn(own.session_id, 1, question="What of a?", outcome=answered)
    object.__setattr__(first, "evidence", ((chunk_a, scores), (chunk_b, scores)))
    await ledgers.conversations.append_turn(first, None)
    choice = Clarify(options=("About a", "About b"), pages=("a", "b"))
    await ledgers.conversations.append_turn(turn(own.session_id, 2, outcome=choice), None)
    marks = Marks(kb=KB, doc_ids=frozenset({"a"}), chunk_ids=frozenset({chunk_a}), titles=frozenset({"About a"}))
    assert (await ledgers.records.quoting(marks, tenant=tenant))["turns"] == 2
    assert (await ledgers.records.scrub(marks, tenant="another"))["turns"] == 0
    assert (await ledgers.records.scrub(marks, tenant=tenant))["turns"] == 2
    assert not any((await ledgers.records.quoting(marks, tenant=tenant)).values())
    one, two_ = await ledgers.conversations.turns(own.session_id, limit=2)
    assert isinstance(one.outcome, Answered) and isinstance(two_.outcome, Clarify)
    assert [claim.text for claim in one.outcome.claims] == ["[forgotten]", "Fact of b."]
    assert "Secret" not in repr(one) and chunk_a not in repr(one) and "About a" not in repr(one)
    assert one.outcome.claims[1].citations == answered.claims[1].citations
    assert one.evidence == ((chunk_b, scores),)
    assert (two_.outcome.options, two_.outcome.pages) == (("[forgotten]", "About b"), ("[forgotten]", "b"))


async def test_records_lose_a_persons_name_in_any_case(ledgers: Ledgers, tenant: str) -> None:
    own = session(tenant)
    await ledgers.conversations.create_session(own)
    await ledgers.conversations.append_turn(turn(own.session_id, 1, question="I am JANE roe, 100% sure"), None)
    await ledgers.conversations.append_turn(turn(own.session_id, 2, question="I am Janet."), None)
    marks = Marks(texts=frozenset({PHONE, "100%"}))
    assert (await ledgers.records.scrub(marks, tenant=tenant))["turns"] == 1
    kept = await ledgers.conversations.turns(own.session_id, limit=2)
    assert [one.question for one in kept] == ["I am [forgotten], [forgotten] sure", "I am Janet."]


async def test_a_tenant_loses_its_conversations_and_no_other_does(ledgers: Ledgers, tenant: str) -> None:
    for owner in (tenant, f"{tenant}-other"):
        own = session(owner)
        await ledgers.conversations.create_session(own)
        await ledgers.conversations.append_turn(turn(own.session_id, 1), None)
    assert any((await ledgers.records.forget_tenant(tenant)).values())
    assert not any((await ledgers.records.of_tenant(tenant)).values())
    assert any((await ledgers.records.of_tenant(f"{tenant}-other")).values())


async def test_a_tenant_loses_its_sources_which_would_bring_its_documents_back(
    postgres_url: str, tmp_path: Path, tenant: str
) -> None:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as opened:
        for owner in (tenant, f"{tenant}-other"):
            await opened.sources.add_source(
                RegisteredSource(
                    tenant=owner,
                    kb=KB,
                    name="wiki",
                    kind="website",
                    config={},
                    document_kind=DocumentKind.DOCUMENTATION,
                    acl=frozenset({"everyone"}),
                    level=Level.PUBLIC,
                    schedule="6h",
                    added_at=datetime.now(UTC),
                )
            )
        assert (await opened.records.forget_tenant(tenant))["registered sources"] == 1
        assert (await opened.records.of_tenant(tenant))["registered sources"] == 0
        assert await opened.sources.sources(tenant=tenant) == []
        assert len(await opened.sources.sources(tenant=f"{tenant}-other")) == 1


async def test_a_tombstone_is_removed_as_it_is_by_now(ledgers: Ledgers, tenant: str) -> None:
    """Taken anew by a candidate whose number it covered, then forgotten once more."""
    await two(ledgers, tenant)
    await ledgers.knowledge.write([stored(tenant, "a", since=3, text="3")])
    (old,) = await bury(ledgers, tenant, "a")
    assert await _removing(ledgers, old) == 3
    candidate = await ledgers.knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")
    assert (old.upto, candidate) == (3, 3)
    assert await _removing(ledgers, old) == 3, "nobody writes it"
    await ledgers.knowledge.plan(tenant=tenant, kb=KB, candidate=3, doc_ids=["a"])
    assert await _removing(ledgers, old) == 2, "it is about to be written"
    assert not await ledgers.tombstones.purged(old)
    assert [one.purged_at for one in await ledgers.tombstones.buried(tenant=tenant, limit=9)] == [None]
    again = stored(tenant, "a", since=3, text="again")
    await ledgers.knowledge.write([again])
    assert await _removing(ledgers, old) == 2, "it was written"
    assert await ledgers.tombstones.purged(old)
    await ledgers.knowledge.publish(tenant=tenant, kb=KB, candidate=3)
    assert await ledgers.knowledge.document("a", scope(tenant, 3)) == again.document
    (new,) = await bury(ledgers, tenant, "a")
    assert new.upto == await _removing(ledgers, old) == 3
    assert not await ledgers.tombstones.purged(replace(old, upto=2)), "more was forgotten since"
    assert await ledgers.tombstones.purged(new)
    assert await ledgers.tombstones.traces(new) == []


async def _removing(ledgers: Ledgers, stone: Tombstone) -> int:
    async with ledgers.tombstones.removing([stone]) as found:
        return found[0].upto
