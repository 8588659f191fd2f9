"""Two folders of one name, one knowledge base."""

import pytest
from tests.journeys.world import KB, TENANT, Items, World, page

from firstline.domain import ORIGIN
from firstline.errors import InvalidInput


def of(origin: str, doc_id: str, text: str):
    return page(doc_id, text, metadata={ORIGIN: origin} if origin else {})


async def ingested(world: World, origin: str, *items, prune=(), moved: bool = False):
    return await world.documents.ingest(
        Items(*items), tenant=TENANT, kb=KB, prune=prune, origins={"manual/": origin}, moved=moved
    )


async def contents(world: World) -> dict[str, str]:
    current = await world.knowledge.current(tenant=TENANT, kb=KB)
    return {doc_id: document.blob for doc_id, document in current.items()}


@pytest.mark.parametrize("prune", [(), ("manual/",)])
async def test_another_folder_of_the_same_name_is_refused_before_anything_is_written(prune):
    world = World()
    await ingested(world, "one", of("one", "manual/spec.md", "Five litres."), of("one", "manual/b.md", "More."))
    before = await contents(world)
    with pytest.raises(InvalidInput, match="ingested as 'manual/'") as refused:
        await ingested(world, "two", of("two", "manual/spec.md", "Seven litres."), prune=prune)
    assert "--as NAME" in refused.value.remedy and "--moved" in refused.value.remedy
    assert await contents(world) == before
    assert (await world.knowledge.published(tenant=TENANT, kb=KB)).number == 1


async def test_a_folder_that_moved_takes_its_documents_over():
    world = World()
    await ingested(world, "one", of("one", "manual/spec.md", "Five litres."), of("one", "manual/b.md", "More."))
    report = await ingested(world, "two", of("two", "manual/spec.md", "Seven litres."), prune=("manual/",), moved=True)
    assert (report.changed, report.removed) == (1, 1)
    again = await ingested(world, "two", of("two", "manual/spec.md", "Seven litres."))
    assert again.unchanged == 1


async def test_documents_that_do_not_say_where_they_came_from_are_taken_over():
    world = World()
    await ingested(world, "", of("", "manual/spec.md", "Five litres."))
    assert (await ingested(world, "two", of("two", "manual/spec.md", "Seven litres."))).changed == 1


async def test_documents_under_other_names_are_nobodys_business():
    world = World()
    await world.ingest(of("one", "manual2/spec.md", "Five litres."), of("one", "manual.md", "More."))
    assert (await ingested(world, "two", of("two", "manual/spec.md", "Seven litres."))).added == 1


async def test_what_was_pruned_no_longer_stands_in_the_way():
    world = World()
    await ingested(world, "one", of("one", "manual/a.md", "Five litres."), of("one", "other/b.md", "More."))
    await ingested(world, "one", of("one", "other/b.md", "More."), prune=("manual/",))
    assert (await ingested(world, "two", of("two", "manual/a.md", "Seven litres."))).changed == 0
