"""Communities over HTTP: for whom, and with the words and places that tell."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from calls import assert_problem, bearer
from fake_firstline import FIRST, INTRO, FakeFirstline

from firstline.domain import Edge, Entity, EntityKind, Level, Relation

ERROR = Entity(kind=EntityKind.ERROR, key="e11000", name="E11000")
PATH = "/v1/graph/communities"


def says(firstline: FakeFirstline, chunk: str, *, start: int, end: int) -> list[Edge]:
    """Of a chunk: that it mentions the error, and tells its cause."""
    said = firstline.chunks[chunk]
    page = Entity(kind=EntityKind.DOCUMENT, key=said.doc_id, name=said.title)
    cause = Entity(kind=EntityKind.ROOT_CAUSE, key=said.chunk_id, name="cause")

    def edge(source: Entity, relation: Relation, target: Entity) -> Edge:
        return Edge(
            tenant=said.tenant,
            kb=said.kb,
            source=source,
            relation=relation,
            target=target,
            doc_id=said.doc_id,
            chunk_id=said.chunk_id,
            start=start,
            end=end,
            extractor="1",
            confidence=0.9,
            acl=said.acl,
            level=said.level,
            since=said.since,
        )

    return [edge(page, Relation.MENTIONS, ERROR), edge(ERROR, Relation.HAS_ROOT_CAUSE, cause)]


@pytest.fixture(autouse=True)
async def told(firstline: FakeFirstline) -> None:
    """A page for everybody and a note of the house tell a cause of the same error."""
    assert firstline.graph is not None and firstline.communities is not None
    start, note = len(INTRO.encode()), firstline.chunks["note"]
    edges = says(firstline, "first", start=start, end=start + len(FIRST.encode()))
    edges += says(firstline, "note", start=note.start, end=note.end)
    await firstline.graph.upsert(edges)
    await firstline.communities.build(tenant="acme", kb="docs")


async def test_what_is_told_comes_with_its_words_and_places(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    headers = bearer(await firstline.token(level=Level.INTERNAL))
    shown = (await anonymous.get(PATH, params={"name": "E11000"}, headers=headers)).json()
    assert (shown["snapshot"], shown["build"], shown["built_of"]) == (1, 1, 1)
    (one,) = shown["communities"]
    words = {told["words"]: told for told in one["causes"]}
    told = words[" ".join(FIRST.split())]
    assert told["documents"] == 1
    (telling,) = told["tellings"]
    assert (telling["doc_id"], telling["title"]) == ("keys.md", "Duplicate keys")
    around = (await anonymous.get(f"/v1/chunks/{telling['chunk_id']}", headers=headers)).json()
    assert around["doc_id"] == "keys.md"
    listed = (await anonymous.get(PATH, headers=headers)).json()
    assert listed["communities"] == shown["communities"]


@pytest.mark.parametrize(
    "wanted",
    [{}, {"level": Level.PUBLIC}, {"acl_tags": ("team",)}, {"acl_tags": ()}, {"tenant": "other"}, {"kb": "other"}],
    ids=str,
)
async def test_who_may_not_read_every_cited_chunk_is_shown_none(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, wanted: dict[str, Any]
) -> None:
    headers = bearer(await firstline.token(**wanted))
    for params in ({}, {"name": "E11000"}, {"name": "error:e11000"}):
        shown = await anonymous.get(PATH, params=params, headers=headers)
        assert shown.status_code == 200 and shown.json()["communities"] == []


async def test_a_forgotten_document_hides_it_at_once(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    headers = bearer(await firstline.token(level=Level.INTERNAL))
    assert (await anonymous.get(PATH, headers=headers)).json()["communities"]
    await firstline.knowledge.bury(["note.md"], tenant="acme", kb="docs", by="operator")
    assert (await anonymous.get(PATH, headers=headers)).json()["communities"] == []


async def test_without_a_key_nothing_is_shown(anonymous: httpx.AsyncClient) -> None:
    assert_problem(await anonymous.get(PATH), 401, "unauthenticated")


async def test_limits_are_kept(client: httpx.AsyncClient) -> None:
    for params in ({"limit": 0}, {"limit": 101}, {"name": "x" * 501}):
        assert_problem(await client.get(PATH, params=params), 422, "invalid_input")


async def test_where_they_are_off_that_is_said(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    firstline.communities = None
    said = await client.get(PATH)
    assert_problem(said, 404, "not_found")
    assert "graph_communities" in said.text
