"""Who may see a document changes, and nothing else of it: it is written anew, and not embedded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.journeys.world import KB, TENANT, ToyEmbedder, World, page

from firstline.connectors.access_rules import rules_written
from firstline.connectors.files import FilesSource
from firstline.connectors.hashing import content_hash
from firstline.domain import EVERYONE, FOREVER, DocumentKind, Level, SourceItem
from firstline.ports import IndexQuery, Scope, Vectors

STAFF = frozenset({"staff"})


class Counting(ToyEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.extend(texts)
        return await super().embed(texts)


@pytest.fixture
def world() -> World:
    return World(embedder=Counting())


def embedded(world: World) -> list[str]:
    assert isinstance(world.embedder, Counting)
    taken, world.embedder.texts = world.embedder.texts, []
    return taken


def item(name: str, text: str = "", **more: object) -> SourceItem:
    body = text or f"# About {name}\n\n{name} has a first word.\n\n## More\n\n" + f"{name} has many words. " * 80
    return content_hash(page(name, body, **more))


async def seen(world: World, tags: frozenset[str], level: Level = Level.RESTRICTED) -> set[str]:
    published = await world.knowledge.published(tenant=TENANT, kb=KB)
    scope = Scope(tenant=TENANT, kb=KB, acl_tags=tags, level_max=level, snapshot=published.number)
    vector = (await world.embedder.embed(["words"]))[0]
    words = world.documents._words.encode_query("words")
    hits = await world.index.search(IndexQuery(scope=scope, dense=vector, words=words, limit=50))
    chunks = await world.knowledge.chunks([hit.chunk_id for hit in hits], scope)
    return {chunk.doc_id for chunk in chunks}


async def test_access_is_moved_without_embedding(world: World):
    await world.ingest(item("a"), item("b"))
    assert embedded(world)
    before = {(one.since, one.doc_id): one.dense for one in world.index._entries.values()}
    report = await world.ingest(item("a", acl=STAFF), item("b"))
    assert (report.changed, report.unchanged, report.published) == (1, 1, True)
    assert embedded(world) == []
    assert await seen(world, frozenset({EVERYONE})) == {"b"}
    assert await seen(world, STAFF) == {"a"}
    ours = [one for one in world.index._entries.values() if one.doc_id == "a" and one.until == FOREVER]
    assert ours and all(one.acl == STAFF and one.since == report.snapshot for one in ours)
    assert sum(one.document_vector is not None for one in ours) == 1
    assert any(np.array_equal(one.dense, before[1, "a"]) for one in ours)


@pytest.mark.parametrize(
    "changed",
    [
        item("a", "# Other\n\nOther words.", acl=STAFF),
        item("a", title="Another title", acl=STAFF),
        item("a", kind=DocumentKind.NOTE, acl=STAFF),
    ],
    ids=["text", "title", "kind"],
)
async def test_more_than_access_is_embedded(world: World, changed: SourceItem):
    await world.ingest(item("a"))
    embedded(world)
    await world.ingest(changed)
    assert embedded(world)


async def test_what_was_read_in_another_way_is_embedded(world: World):
    await world.ingest(replace(item("a"), content_hash="of an older pipeline"))
    embedded(world)
    await world.ingest(item("a", acl=STAFF))
    assert embedded(world)


async def test_what_the_index_lost_is_embedded_again(world: World):
    await world.ingest(item("a"), item("b"))
    embedded(world)
    lost = next(name for name, one in world.index._entries.items() if one.doc_id == "a")
    del world.index._entries[lost]
    await world.ingest(item("a", acl=STAFF), item("b", acl=STAFF))
    assert len(embedded(world)) == 1
    assert {"a", "b"} <= await seen(world, STAFF)


async def test_there_and_back_within_one_candidate(world: World):
    await world.ingest(item("a"))
    await world.ingest(item("a", level=Level.INTERNAL))
    embedded(world)
    await world.ingest(item("a"))
    assert embedded(world) == []
    assert await seen(world, frozenset({EVERYONE}), Level.PUBLIC) == {"a"}


async def test_closing_many_documents_does_not_wait_for_golden_cases(world: World):
    journey = world.documents

    async def always(tenant: str, kb: str) -> bool:
        return True

    journey._golden = always
    names = [f"d{number}" for number in range(40)]

    class These:
        def __init__(self, *items: SourceItem) -> None:
            self._items = items

        async def items(self):
            for one in self._items:
                yield one

    await journey.ingest(These(*(item(name, f"{name} words.") for name in names)), tenant=TENANT, kb=KB)
    closed = await journey.ingest(
        These(*(item(name, f"{name} words.", acl=STAFF) for name in names)), tenant=TENANT, kb=KB
    )
    assert (closed.changed, closed.published, closed.waits) == (40, True, "")
    reworded = await journey.ingest(
        These(*(item(name, f"{name} new words.", acl=STAFF) for name in names)), tenant=TENANT, kb=KB
    )
    assert not reworded.published and "40 documents changed" in reworded.waits


async def test_other_rules_reach_files_that_have_not_changed(world: World, tmp_path: Path):
    (tmp_path / "internal").mkdir()
    (tmp_path / "internal" / "a.md").write_text("Closed words.")
    (tmp_path / "b.md").write_text("Open words.")

    async def ingest(*rules: str):
        files = FilesSource(
            [tmp_path],
            kind=DocumentKind.DOCUMENTATION,
            acl=frozenset({EVERYONE}),
            level=Level.PUBLIC,
            map={},
            bytes_max=9_999,
            name="src",
            rules=rules_written(rules, trusted=False),
        )
        return await world.documents.ingest(files, tenant=TENANT, kb=KB)

    await ingest()
    assert len(embedded(world)) == 2
    for rules, everyone, staff in (
        (("internal/**=staff:internal",), {"src/b.md"}, {"src/internal/a.md"}),
        (("**=staff", "internal/**=everyone"), {"src/internal/a.md"}, {"src/b.md"}),
        ((), {"src/b.md", "src/internal/a.md"}, set[str]()),
    ):
        report = await ingest(*rules)
        assert report.published
        assert await seen(world, frozenset({EVERYONE})) == everyone
        assert await seen(world, STAFF) == staff
        assert [text for text in embedded(world) if text != "words"] == []
