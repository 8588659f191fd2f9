"""Stories of candidates, rollbacks and documents that are forgotten."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.journeys.world import KB, TENANT, Items, World, asker, page

from firstline.documents import purge as purging
from firstline.documents.certificate import Certificate, signed, verify
from firstline.documents.journey import Publish
from firstline.documents.publish_policy import Policy, Written, waits
from firstline.documents.purge import Purger
from firstline.documents.redact import PatternRedactor
from firstline.documents.sweep import prune, sweep
from firstline.domain import Answered, CandidateFacts, Level, Tombstone
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.errors import InvalidInput, NotFound, Unavailable
from firstline.ports import IndexQuery, Scope, SparseVector

WHERE: dict[str, Any] = {"tenant": TENANT, "kb": KB}


def purger(world: World) -> Purger:
    return Purger(
        knowledge=world.knowledge,
        tombstones=world.knowledge,
        records=MemoryRecordLedger(world.conversations),
        snapshots=world.knowledge,
        index=world.index,
        blobs=world.blobs,
        redactor=PatternRedactor(),
    )


async def visible(world: World, number: int) -> dict[str, str]:
    """What index, ledger and blobs together show of a snapshot: document -> text."""
    scope = Scope.of(asker(level=Level.RESTRICTED), kb=KB, snapshot=number)
    vector = (await world.embedder.embed(["x"]))[0]
    query = IndexQuery(scope=scope, dense=vector, words=SparseVector(indices=(), values=()), limit=100)
    hits = await world.index.search(query)
    found: dict[str, str] = {}
    for chunk in await world.knowledge.chunks([hit.chunk_id for hit in hits], scope):
        found[chunk.doc_id] = (await world.blobs.get_range(chunk.blob, chunk.start, chunk.end)).decode().strip()
    return found


async def test_after_a_rollback_the_next_ingest_builds_on_what_is_published_in_index_and_ledger():
    world = World()
    await world.ingest(page("a", "Old a."), page("b", "Old b."))
    await world.ingest(page("a", "New a."), page("c", "New c."), prune=[""])
    assert await visible(world, 2) == {"a": "New a.", "c": "New c."}
    await world.knowledge.point_back(1, **WHERE)
    assert await visible(world, 1) == {"a": "Old a.", "b": "Old b."}
    await world.knowledge.point_on(2, **WHERE)
    assert await visible(world, 2) == {"a": "New a.", "c": "New c."}
    await world.knowledge.point_back(1, **WHERE)
    report = await world.ingest(page("d", "New d."))
    assert (report.snapshot, report.published) == (3, True)
    assert await visible(world, 3) == {"a": "Old a.", "b": "Old b.", "d": "New d."}
    assert await world.index.count(**WHERE) == 3, "vectors of what was abandoned are gone"
    assert await sweep(snapshots=world.knowledge, blobs=world.blobs) == 2


async def test_a_candidate_waits_until_it_is_published_and_later_runs_build_on_it():
    world = World()
    await world.ingest(page("a", "A."))
    report = await world.documents.ingest(Items(page("b", "B.")), **WHERE, publish=Publish.NEVER)
    assert (report.snapshot, report.published, report.waits) == (2, False, "it was asked to wait")
    assert await visible(world, 1) == {"a": "A."}
    later = await world.ingest(page("c", "C."))
    assert (later.snapshot, later.published) == (3, False), "publishing it would publish what waits"
    await world.knowledge.point_on(3, **WHERE)
    assert await visible(world, 3) == {"a": "A.", "b": "B.", "c": "C."}


async def test_a_run_that_would_wipe_a_source_is_refused_unless_it_is_forced():
    world = World()
    pages = [page(f"docs/{number}", f"Page {number}.") for number in range(40)]
    await world.ingest(*pages)
    with pytest.raises(InvalidInput, match="35 of 40"):
        await world.ingest(*pages[:5], prune=["docs/"])
    with pytest.raises(InvalidInput, match="40 of 40"):
        await world.documents.ingest(Items(), **WHERE, prune=["docs/"], emptied=True)
    assert len(await visible(world, 1)) == 40
    assert (await world.ingest(*pages[:30], prune=["docs/"])).published, "a quarter may go"
    report = await world.documents.ingest(Items(*pages[:5]), **WHERE, prune=["docs/"], force=True)
    assert (report.removed, report.published) == (25, True)


async def test_a_store_that_drops_what_it_acknowledged_is_found_out_before_publication():
    world = World()
    await world.ingest(page("a", "A."))

    async def drop(entries: object) -> None:
        """Status 200, and nothing is there."""

    world.index.upsert = drop  # pyright: ignore[reportAttributeAccessIssue]  (a lying engine)
    report = await world.ingest(page("b", "B."))
    assert not report.published and "index holds 0 of the 1 chunks" in report.waits


FACTS = CandidateFacts(
    documents_before=1_000, chunks_before=5_000, added=0, changed=10, removed=0, chunks_written=50, chunks_ended=50
)
ALL_THERE = Written(chunks_indexed=50, blobs_missing=0)


@pytest.mark.parametrize(
    ("facts", "publish", "published", "golden", "reason"),
    [
        (FACTS, Publish.AUTO, True, True, ""),
        (FACTS, Publish.NEVER, True, True, "asked to wait"),
        (replace(FACTS, changed=51), Publish.AUTO, True, True, "51 documents changed"),
        (replace(FACTS, changed=50), Publish.AUTO, True, True, ""),
        (replace(FACTS, changed=51), Publish.AUTO, True, False, ""),
        (replace(FACTS, changed=51), Publish.AUTO, False, True, ""),
        (replace(FACTS, changed=51), Publish.ALWAYS, True, True, ""),
        (replace(FACTS, documents_before=30, changed=20), Publish.AUTO, True, True, ""),
        (replace(FACTS, documents_before=30, changed=21), Publish.AUTO, True, True, "21 documents"),
        (replace(FACTS, closed=("a",)), Publish.AUTO, True, False, "lost their ACL"),
        (replace(FACTS, closed=("a",)), Publish.ALWAYS, True, False, ""),
        (replace(FACTS, closed=("a",)), Publish.AUTO, False, False, ""),
        (replace(FACTS, chunks_ended=2_600), Publish.AUTO, True, False, "holds 2450 chunks where 5000 were"),
        (replace(FACTS, builds_on_waiting=True), Publish.AUTO, True, False, "builds on a snapshot that waits"),
        (replace(FACTS, chunks_written=51), Publish.AUTO, True, False, "holds 50 of the 51"),
    ],
)
def test_what_publishes_by_itself(
    facts: CandidateFacts, publish: Publish, published: bool, golden: bool, reason: str
) -> None:
    found = waits(facts, ALL_THERE, publish=publish, published=published, golden=golden, policy=Policy())
    assert (reason in found) if reason else found == ""


async def test_a_canary_session_is_answered_from_the_candidate_and_reads_its_answer_again():
    world = World()
    await world.ingest(page("a", "Restart the broker to rotate logs."))
    await world.documents.ingest(
        Items(page("b", "# Frobnicate\n\nTo frobnicate the widget, run the frob command.")),
        **WHERE,
        publish=Publish.NEVER,
    )
    await world.knowledge.try_out(2, **WHERE, share=1.0)
    journey = world.questions()
    session = await world.session()
    turn = await journey.ask(session=session, principal=asker(), question="How do I frobnicate the widget?")
    assert (turn.snapshot, type(turn.outcome)) == (2, Answered)
    again = await journey.readable(turn, asker(), kb=KB)
    assert isinstance(again.outcome, Answered)
    await world.knowledge.try_out(2, **WHERE, share=0.0)
    turn = await journey.ask(session=session, principal=asker(), question="How do I frobnicate the widget?")
    assert turn.snapshot == 1 and not isinstance(turn.outcome, Answered)


async def test_a_session_may_be_told_which_snapshot_to_ask():
    world = World()
    await world.ingest(page("a", "Restart the broker to rotate logs."))
    await world.documents.ingest(
        Items(page("b", "# Frobnicate\n\nTo frobnicate the widget, run the frob command.")),
        **WHERE,
        publish=Publish.NEVER,
    )
    session = replace(await world.session(), snapshot=2)
    turn = await world.questions().ask(session=session, principal=asker(), question="How do I frobnicate the widget?")
    assert isinstance(turn.outcome, Answered)


async def test_a_forgotten_document_answers_nobody_and_leaves_nothing():
    world = World()
    await world.ingest(
        page("a", "# Frobnicate\n\nTo frobnicate the widget, run the frob command."), page("b", "Other.")
    )
    journey, session = world.questions(), await world.session()
    turn = await journey.ask(session=session, principal=asker(), question="How do I frobnicate the widget?")
    assert isinstance(turn.outcome, Answered)
    blob = (await world.knowledge.current(**WHERE))["a"].blob
    work = purger(world)
    await work.bury(["a"], **WHERE, by="somebody")
    after = await journey.ask(session=session, principal=asker(), question="How do I frobnicate the widget?")
    assert not isinstance(after.outcome, Answered)
    (certificate,) = await work.resume(tenant=TENANT)
    assert certificate.clean
    found = {place.name: place.found for place in certificate.places}
    assert (found["index"], found["documents and chunks"], found["texts in the blob store"]) == (1, 1, 1)
    assert not await world.blobs.holds(blob)
    record = (await world.conversations.turns(session.session_id, limit=2))[0]
    assert "frob command" not in repr(record.outcome)
    assert await work.resume(tenant=TENANT) == []
    again = await work.forget(["a"], **WHERE, by="somebody")
    assert again.clean, "who lost the proof may have it again"
    with pytest.raises(NotFound):
        await work.forget(["never there"], **WHERE, by="somebody")


async def test_a_content_that_another_document_has_stays():
    world = World()
    await world.ingest(page("a", "The same text."), page("b", "The same text."))
    certificate = await purger(world).forget(["a"], **WHERE, by="somebody")
    assert certificate.clean and "1 texts stay" in certificate.kept[0]
    assert await visible(world, 1) == {"b": "The same text."}


@pytest.mark.parametrize("step", ["purge index", "scrub", "purged", "delete blob"])
async def test_a_purge_that_dies_at_any_step_is_finished_by_the_next_one(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    await world.ingest(page("a", "Alpha."), page("b", "Beta."))
    work = purger(world)
    of = {
        "purge index": (world.index, "purge"),
        "scrub": (MemoryRecordLedger, "scrub"),
        "purged": (world.knowledge, "purged"),
        "delete blob": (world.blobs, "delete"),
    }

    async def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*of[step], dies)
        with pytest.raises(KeyboardInterrupt):
            await work.forget(["a"], **WHERE, by="somebody")
    assert await visible(world, 1) == {"b": "Beta."}
    for certificate in await work.resume(tenant=TENANT):
        assert certificate.clean
    assert await world.index.count(**WHERE) == 1
    assert await world.blobs.size_bytes() == len(b"Beta.\n")
    assert (await work.forget(["a"], **WHERE, by="somebody")).clean


async def test_a_knowledge_base_that_cannot_be_purged_does_not_keep_the_others(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await world.ingest(page("a", "Alpha."))
    await world.documents.ingest(Items(page("a", "Alpha of another base.")), tenant=TENANT, kb="other")
    work = purger(world)
    for kb in (KB, "other"):
        await work.bury(["a"], tenant=TENANT, kb=kb, by="somebody")
    purge = work.purge

    async def fails(stones: Sequence[Tombstone], *, by: str) -> Certificate:
        if stones[0].kb == KB:
            raise Unavailable("The index is slow.")
        return await purge(stones, by=by)

    monkeypatch.setattr(work, "purge", fails)
    with pytest.raises(Unavailable):
        await work.resume(tenant=TENANT)
    assert [one.kb for one in await world.knowledge.buried(tenant=TENANT, limit=9)] == [KB]


async def test_a_run_under_way_does_not_bring_a_forgotten_document_back(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await world.ingest(page("a", "Alpha."), page("b", "Beta."))
    put = world.blobs.put

    async def forgets_meanwhile(data: bytes) -> str:
        if b"changed" in data:
            await purger(world).forget(["a"], **WHERE, by="somebody")
        return await put(data)

    with monkeypatch.context() as patch:
        patch.setattr(world.blobs, "put", forgets_meanwhile)
        report = await world.ingest(page("a", "Alpha changed."), page("c", "Gamma."))
    assert await visible(world, report.snapshot) == {"b": "Beta.", "c": "Gamma."}
    assert await world.index.held(**WHERE, doc_ids=["a"], upto=99) == 0
    await sweep(snapshots=world.knowledge, blobs=world.blobs)
    assert await world.blobs.size_bytes() == len(b"Beta.\nGamma.\n")
    await world.ingest(page("a", "Alpha again."))
    assert "a" in await visible(world, (await world.knowledge.published(**WHERE)).number)


async def test_a_person_is_looked_for_everywhere_and_what_cannot_be_found_is_said():
    world = World()
    await world.ingest(
        page("a", "Ask Jane Roe about it."), page("b", "Write to jane.roe@corp.example."), page("c", "C.")
    )
    session = await world.session()
    await world.questions().ask(session=session, principal=asker(), question="Where is jane  roe?")
    work = purger(world)
    with pytest.raises(InvalidInput):
        await work.look_for("J ", tenant=TENANT)
    hidden = await work.look_for("jane.roe@corp.example", tenant=TENANT)
    assert hidden.documents == {} and "1 documents hold placeholders" in hidden.cannot[0]
    subject = await work.look_for("Jane Roe", tenant=TENANT)
    assert (subject.documents, subject.cannot) == ({KB: ("a",)}, ())
    certificate = await work.forget_subject(subject, tenant=TENANT, by="somebody")
    assert certificate.clean and "Jane" not in json.dumps(dict(certificate.what))
    assert set(await visible(world, 1)) == {"b", "c"}


async def test_a_tenant_is_forgotten_with_its_conversations():
    world = World()
    await world.ingest(page("a", "Alpha."))
    session = await world.session()
    await world.questions().ask(session=session, principal=asker(), question="Alpha?")
    assert (await purger(world).forget_tenant(TENANT, by="somebody")).clean
    assert await visible(world, 1) == {}
    assert await world.conversations.turns(session.session_id, limit=9) == []


async def test_a_certificate_is_genuine_until_it_is_changed_or_of_another_folder():
    world = World()
    await world.ingest(page("a", "Alpha."))
    certificate = await purger(world).forget(["a"], **WHERE, by="somebody")
    told = json.loads(json.dumps(signed(certificate, b"k" * 32)))
    assert verify(told, b"k" * 32)["nothing_left"] is True
    without = {name: one for name, one in told.items() if name != "signature"}
    for forged in (dict(told, by="another"), without, 7, None):
        with pytest.raises(InvalidInput):
            verify(forged, b"k" * 32)
    with pytest.raises(InvalidInput):
        verify(told, b"x" * 32)


async def test_pruning_keeps_the_newest_snapshots_and_may_be_repeated():
    world = World()
    for number in range(5):
        await world.ingest(page("a", f"Version {number}."), page("b", "Beta."))
    done = await prune(**WHERE, keep=2, snapshots=world.knowledge, index=world.index, blobs=world.blobs)
    assert (done.oldest, done.revisions, done.blobs) == (4, 3, 3)
    assert await world.index.count(**WHERE) == 3
    assert (await visible(world, 4))["a"] == "Version 3."
    again = await prune(**WHERE, keep=2, snapshots=world.knowledge, index=world.index, blobs=world.blobs)
    assert (again.oldest, again.revisions, again.blobs) == (4, 0, 0)
    await world.knowledge.point_back(None, **WHERE)
    with pytest.raises(NotFound):
        await world.knowledge.point_back(3, **WHERE)


async def test_a_tenant_loses_what_was_under_way_while_it_was_forgotten(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await world.ingest(page("a", "Alpha."))
    forget = MemoryRecordLedger.forget_tenant

    async def meanwhile(self: MemoryRecordLedger, tenant: str) -> dict[str, int]:
        await world.ingest(page("b", "Beta."))
        return await forget(self, tenant)

    monkeypatch.setattr(MemoryRecordLedger, "forget_tenant", meanwhile)
    certificate = await purger(world).forget_tenant(TENANT, by="somebody")
    assert certificate.clean and certificate.what["documents"] == {KB: 2}
    assert await visible(world, 2) == {}


async def test_a_tenant_that_nobody_has_is_not_certified_as_forgotten():
    world = World()
    await world.ingest(page("kept", "# Kept\n\nThe page stays.\n"))
    with pytest.raises(NotFound):
        await purger(world).forget_tenant("nobody", by="somebody")
    assert (await purger(world).forget_tenant(TENANT, by="somebody")).clean


async def test_what_many_runs_have_left_is_finished_at_once(monkeypatch: pytest.MonkeyPatch):
    """More than are read at a time, and one in front that has to wait."""
    monkeypatch.setattr(purging, "STONES_AT_ONCE", 2)
    world = World()
    await world.ingest(*(page(name, f"Text {name}.") for name in "abcdefg"))
    work = purger(world)
    for name in "abcdefg":
        await work.bury([name], **WHERE, by="somebody")
    purged = world.knowledge.purged

    async def waits_for_a(stone: Tombstone) -> bool:
        return stone.doc_id != "a" and await purged(stone)

    monkeypatch.setattr(world.knowledge, "purged", waits_for_a)
    certificates = await work.resume(tenant=TENANT)
    assert sorted(doc_id for one in certificates for doc_id in one.what["documents"]) == list("abcdefg")
    assert [one.doc_id for one in await world.knowledge.buried(tenant=TENANT, limit=9)] == ["a"]
    assert [one.clean for one in certificates].count(False) == 1
