"""Looking at the graph: for whom, and what stands there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest
from calls import assert_problem, bearer
from fake_firstline import FIRST, INTRO, FakeFirstline

from firstline.domain import Edge, Entity, EntityKind, Level, Relation

ERROR = Entity(kind=EntityKind.ERROR, key="e11000", name="E11000")
PAGE = Entity(kind=EntityKind.DOCUMENT, key="keys.md", name="Duplicate keys")
NOTE = Entity(kind=EntityKind.DOCUMENT, key="note.md", name="Note")
ODD = Entity(kind=EntityKind.COMPONENT, key="a/b c?d#e%f:数据", name="a/b c?d#e%f:数据")


def edge(firstline: FakeFirstline, chunk: str, source: Entity, relation: Relation, target: Entity, **at: Any) -> Edge:
    said = firstline.chunks[chunk]
    return Edge(
        tenant=said.tenant,
        kb=said.kb,
        source=source,
        relation=relation,
        target=target,
        doc_id=said.doc_id,
        chunk_id=said.chunk_id,
        start=at.get("start", said.start),
        end=at.get("end", said.end),
        extractor="1",
        confidence=at.get("confidence", 0.9),
        acl=said.acl,
        level=said.level,
        since=said.since,
    )


@pytest.fixture(autouse=True)
async def told(firstline: FakeFirstline) -> None:
    assert firstline.graph is not None
    start = len(INTRO.encode())
    first = {"start": start, "end": start + len(FIRST.encode())}
    await firstline.graph.upsert(
        [
            edge(firstline, "first", PAGE, Relation.MENTIONS, ERROR, **first),
            edge(firstline, "steps", PAGE, Relation.MENTIONS, ODD, confidence=0.8),
            edge(
                firstline, "note", Entity(kind=EntityKind.DOCUMENT, key="note.md", name="Note"), Relation.AFFECTS, ERROR
            ),
        ]
    )


async def test_an_entity_is_found_by_name_and_shown_with_the_words_that_say_it(client: httpx.AsyncClient) -> None:
    found = (await client.get("/v1/graph/entities", params={"name": "E11000"})).json()
    assert found == {"snapshot": 1, "entities": [{"id": "error:e11000", "kind": "error", "name": "E11000"}]}
    shown = (await client.get("/v1/graph/entities/error:e11000")).json()
    assert shown["entity"]["name"] == "E11000"
    (said,) = shown["edges"]
    assert (said["relation"], said["outward"], said["other"]["id"]) == ("MENTIONS", False, "document:keys.md")
    assert said["words"] == " ".join(FIRST.split())
    assert (said["title"], said["url"], said["confidence"]) == ("Duplicate keys", "https://docs.example/keys", 0.9)
    around = (await client.get(f"/v1/chunks/{said['chunk_id']}")).json()
    assert around["doc_id"] == said["doc_id"] == "keys.md"


@pytest.mark.parametrize("name", ["e11000", "error:e11000", "E11000"])
async def test_names_and_ids_lead_there(client: httpx.AsyncClient, name: str) -> None:
    found = (await client.get("/v1/graph/entities", params={"name": name})).json()
    assert [one["id"] for one in found["entities"]] == ["error:e11000"]


async def test_ids_of_any_signs(client: httpx.AsyncClient) -> None:
    found = (await client.get("/v1/graph/entities", params={"name": ODD.name})).json()
    assert [one["id"] for one in found["entities"]] == [ODD.entity_id]
    shown = await client.get(str(httpx.URL("/v1/graph/entities/")) + httpx.QueryParams({"x": ODD.entity_id})["x"])
    assert shown.status_code == 404, "a question mark ends a path: it must be escaped"
    escaped = "".join(f"%{byte:02X}" for byte in ODD.entity_id.encode())
    shown = await client.get(f"/v1/graph/entities/{escaped}")
    assert shown.json()["entity"] == {"id": ODD.entity_id, "kind": "component", "name": ODD.name}


@pytest.mark.parametrize(
    ("wanted", "edges"),
    [
        ({}, 1),
        ({"level": Level.INTERNAL}, 2),
        ({"level": Level.PUBLIC}, None),
        ({"acl_tags": ("team",)}, None),
        ({"acl_tags": ()}, None),
        ({"tenant": "other"}, None),
        ({"kb": "other"}, None),
    ],
)
async def test_who_may_read_the_document_sees_what_it_says(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, wanted: dict[str, Any], edges: int | None
) -> None:
    headers = bearer(await firstline.token(**wanted))
    shown = await anonymous.get("/v1/graph/entities/error:e11000", headers=headers)
    found = (await anonymous.get("/v1/graph/entities", params={"name": "E11000"}, headers=headers)).json()
    if edges is None:
        unknown = await anonymous.get("/v1/graph/entities/error:unknown", headers=headers)
        assert shown.status_code == 404 and shown.json() == unknown.json()
        assert found["entities"] == []
    else:
        assert len(shown.json()["edges"]) == edges
        assert len(found["entities"]) == 1


async def test_without_a_key_nothing_is_shown(anonymous: httpx.AsyncClient) -> None:
    assert_problem(await anonymous.get("/v1/graph/entities", params={"name": "x"}), 401, "unauthenticated")
    assert_problem(await anonymous.get("/v1/graph/entities/error:e11000"), 401, "unauthenticated")


async def test_an_edge_that_the_ledger_does_not_know_is_not_shown(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    """A graph that is behind, or lies, shows nothing of a document that is not there."""
    await firstline.knowledge.bury(["keys.md"], tenant="acme", kb="docs", by="operator")
    assert_problem(await client.get("/v1/graph/entities/error:e11000"), 404, "not_found")
    assert (await client.get("/v1/graph/entities", params={"name": "E11000"})).json()["entities"] == []


async def test_words_that_are_not_there_are_no_edge(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    """A graph that is behind names a place that the document does not have."""
    assert firstline.graph is not None
    far = {"start": 1_000_000, "end": 1_000_010}
    await firstline.graph.upsert([edge(firstline, "first", PAGE, Relation.AFFECTS, ERROR, **far)])
    shown = await client.get("/v1/graph/entities/error:e11000")
    assert [one["relation"] for one in shown.json()["edges"]] == ["MENTIONS"]


async def test_a_graph_that_answers_for_others_is_not_shown(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    graph = firstline.graph
    assert graph is not None
    (true, *_) = [one for one in graph._edges.values() if one.target == ERROR]  # pyright: ignore[reportPrivateUsage]

    async def lie(*args: object, **more: object) -> list[Edge]:
        return [replace(true, acl=frozenset({"board"}), source=replace(PAGE, name="Merger with Rival"))]

    graph.around = lie  # pyright: ignore[reportAttributeAccessIssue]  (a lying engine)
    for path in ("/v1/graph/entities/error:e11000", "/v1/graph/entities?name=E11000"):
        shown = await client.get(path)
        assert shown.status_code == 503 and "Merger" not in shown.text


async def test_limits_are_kept(client: httpx.AsyncClient) -> None:
    assert_problem(await client.get("/v1/graph/entities", params={"name": ""}), 422, "invalid_input")
    assert_problem(await client.get("/v1/graph/entities", params={"name": "x" * 501}), 422, "invalid_input")
    for limit in (0, 501):
        path = "/v1/graph/entities/error:e11000"
        assert_problem(await client.get(path, params={"limit": limit}), 422, "invalid_input")


async def test_where_the_graph_is_off_that_is_said(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    firstline.graph = None
    said = await client.get("/v1/graph/entities", params={"name": "x"})
    assert_problem(said, 404, "not_found")
    assert "off" in said.text
