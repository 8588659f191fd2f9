"""Stories of ingestion."""

import pytest
from tests.journeys.world import KB, TENANT, Items, World, asker, page

from firstline.domain import FOREVER, Failure, Level
from firstline.errors import Conflict, InvalidInput, Unavailable
from firstline.ports import Scope


async def visible(world: World, *, snapshot: int | None = None) -> set[str]:
    number = snapshot if snapshot is not None else (await world.knowledge.published(tenant=TENANT, kb=KB)).number
    scope = Scope.of(asker(level=Level.RESTRICTED), kb=KB, snapshot=number)
    current = await world.knowledge.current(tenant=TENANT, kb=KB)
    return {doc_id for doc_id in current if await world.knowledge.document(doc_id, scope)}


async def test_a_second_run_over_unchanged_documents_costs_nothing_and_publishes_nothing():
    world = World()
    first = await world.ingest(page("a", "# A\n\nAlpha."), page("b", "# B\n\nBeta."))
    assert (first.snapshot, first.published, first.added) == (1, True, 2)
    second = await world.ingest(page("a", "# A\n\nAlpha."), page("b", "# B\n\nBeta."))
    assert (second.snapshot, second.published, second.unchanged, second.chunks) == (1, False, 2, 0)


async def test_a_changed_document_is_replaced_and_the_old_snapshot_still_reads_the_old_text():
    world = World()
    await world.ingest(page("a", "Old words."))
    await world.ingest(page("a", "New words."))
    for snapshot, word in ((1, b"Old"), (2, b"New")):
        scope = Scope.of(asker(), kb=KB, snapshot=snapshot)
        chunks = await world.knowledge.document_chunks("a", scope)
        assert len(chunks) == 1
        assert (await world.blobs.get_range(chunks[0].blob, chunks[0].start, chunks[0].end)).startswith(word)


async def test_a_broken_item_is_reported_and_the_rest_goes_on():
    world = World()
    report = await world.ingest(
        page("a", "Alpha."), Failure(item_id="bad.pdf", reason="It is truncated."), page("b", " ")
    )
    assert report.added == 1
    assert {failure.item_id for failure in report.failures} == {"bad.pdf", "b"}
    assert await world.knowledge.failures(tenant=TENANT, kb=KB) == list(report.failures)


async def test_a_run_that_dies_leaves_the_published_snapshot_and_the_next_one_finishes_it():
    world = World()
    await world.ingest(page("a", "Alpha."))
    with pytest.raises(Unavailable):
        await world.ingest(
            page("b", "Beta."), page("c", "Gamma."), page("d", "Delta."), Unavailable("the source is down")
        )
    assert (await world.knowledge.published(tenant=TENANT, kb=KB)).number == 1
    assert await visible(world) == {"a"}
    report = await world.ingest(page("b", "Beta."), page("c", "Gamma."), page("d", "Delta."))
    assert report.snapshot == 2
    assert report.unchanged == 2, "what was committed before the end is not done again"
    assert await visible(world) == {"a", "b", "c", "d"}


async def test_an_engine_that_fails_in_mid_batch_loses_nothing_and_shows_nothing(monkeypatch: pytest.MonkeyPatch):
    world = World()
    await world.ingest(page("a", "Alpha."))

    async def broken(documents: object) -> list[str]:
        raise Unavailable("the ledger is gone")

    with monkeypatch.context() as patch:
        patch.setattr(world.knowledge, "write", broken)
        with pytest.raises(Unavailable):
            await world.ingest(page("b", "Beta."))
    assert await world.index.count(tenant=TENANT, kb=KB) == 2, "the orphan is in the index"
    turn = await world.questions().ask(session=await world.session(), principal=asker(), question="Beta?")
    assert turn.outcome.__class__.__name__ != "Answered"
    await world.ingest(page("b", "Beta changed."))
    assert await world.index.count(tenant=TENANT, kb=KB) == 2, "the orphan was cleared"


async def test_pruning_ends_what_is_gone_and_spares_other_folders_and_what_could_not_be_read():
    world = World()
    await world.ingest(page("docs/a", "A."), page("docs/b", "B."), page("docs/shut/c", "C."), page("other/d", "D."))
    report = await world.ingest(
        page("docs/a", "A."), Failure(item_id="docs/shut/", reason="It may not be read."), prune=["docs/"]
    )
    assert report.removed == 1
    assert await visible(world) == {"docs/a", "docs/shut/c", "other/d"}
    back = await world.ingest(page("docs/a", "A."), page("docs/b", "B."))
    assert back.published
    assert "docs/b" in await visible(world)


async def emptied(world: World, *items: Failure, prune: tuple[str, ...] = ("docs/",), emptied: bool = True):
    return await world.documents.ingest(Items(*items), tenant=TENANT, kb=KB, prune=prune, emptied=emptied)


async def test_an_emptied_folder_ends_all_of_its_documents():
    world = World()
    await world.ingest(page("docs/a", "A."), page("docs/b", "B."), page("other/d", "D."))
    with pytest.raises(InvalidInput, match="would remove 2"):
        await emptied(world, emptied=False)
    report = await emptied(world)
    assert (report.removed, report.published) == (2, True)
    assert await visible(world) == {"other/d"}


async def test_an_empty_folder_that_was_never_ingested_or_a_failure_is_no_answer():
    world = World()
    await world.ingest(page("docs/a", "A."))
    with pytest.raises(InvalidInput, match="none was ingested from there"):
        await emptied(world, prune=("typo/",))
    with pytest.raises(InvalidInput, match="would remove 1"):
        await emptied(world, Failure(item_id="docs/x", reason="It may not be read."))
    assert await visible(world) == {"docs/a"}


async def test_what_a_link_led_to_is_pruned_now_that_it_is_not_followed():
    world = World()
    await world.ingest(page("docs/a", "A."), page("docs/out/b", "B."))
    await world.ingest(
        page("docs/a", "A."), Failure(item_id="docs/out/", reason="It leads out.", keeps=False), prune=["docs/"]
    )
    assert await visible(world) == {"docs/a"}


async def test_a_document_that_comes_back_before_publication_is_current_again():
    world = World()
    await world.ingest(page("docs/a", "A."), page("docs/b", "B."))
    candidate = await world.knowledge.open_candidate(tenant=TENANT, kb=KB, embedder_id="toy")
    await world.knowledge.end(tenant=TENANT, kb=KB, candidate=candidate, doc_ids=["docs/b"])
    await world.ingest(page("docs/a", "A."), page("docs/b", "B."))
    assert await visible(world) == {"docs/a", "docs/b"}
    assert (await world.knowledge.current(tenant=TENANT, kb=KB))["docs/b"].until == FOREVER


async def test_two_runs_at_once_do_not_mix():
    world = World()
    async with world.knowledge.ingest_lock(tenant=TENANT, kb=KB):
        with pytest.raises(Conflict):
            await world.ingest(page("a", "Alpha."))


async def test_personal_data_reaches_neither_text_nor_metadata_nor_link():
    world = World()
    report = await world.ingest(
        page("a", "Write to jane@corp.example for help.", metadata={"requester": "jane@corp.example"})
    )
    assert report.redactions == {"EMAIL": 1}
    document = await world.knowledge.document("a", Scope.of(asker(), kb=KB, snapshot=1))
    assert document is not None
    assert "jane" not in document.metadata["requester"]
    assert b"jane" not in await world.blobs.get_range(document.blob, 0, document.size_bytes)
