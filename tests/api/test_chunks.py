"""What a citation opens, and for whom."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from fake_firstline import FIRST, STEPS, TEXT, FakeFirstline

from firstline.domain import EVERYONE, Level
from firstline.ports import Scope


async def _answered(client: httpx.AsyncClient) -> tuple[str, list[dict[str, Any]]]:
    session = await begin(client)
    return session, (await ask(client, session, "duplicate key")).json()["reply"]["citations"]


async def test_a_citation_opens_its_span_in_its_surroundings(client: httpx.AsyncClient) -> None:
    session, citations = await _answered(client)
    cited = citations[1]
    response = await client.get(f"/v1/chunks/{cited['citation']['chunk_id']}", params={"session": session, "turn": 1})
    found = response.json()
    assert response.status_code == 200, found
    assert found["text"] == TEXT
    assert found["text"][found["chunk_start"] : found["chunk_end"]] == STEPS
    spans = {span["number"]: found["text"][span["start"] : span["end"]] for span in found["cited"]}
    assert spans == {2: "1. Run `SHOW KEYS` to see it.", 3: "2. Choose another key."}
    assert (found["title"], found["url"], found["document_kind"]) == (
        "Duplicate keys",
        "https://docs.example/keys",
        "documentation",
    )
    assert found["section_path"] == ["Duplicate keys", "Resolving"]
    assert (found["cut_before"], found["cut_after"]) == (False, False)


async def test_the_surroundings_are_the_neighbours(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    found = (await client.get(f"/v1/chunks/{firstline.chunks['first'].chunk_id}")).json()
    assert found["text"].endswith(STEPS)
    assert found["text"][found["chunk_start"] : found["chunk_end"]].endswith(FIRST)
    assert found["cited"] == []
    assert (found["cut_before"], found["cut_after"]) == (False, True)


@pytest.mark.parametrize(
    ("wanted", "chunk", "status"),
    [
        ({}, "first", 200),
        ({}, "note", 404),
        ({"level": Level.INTERNAL}, "note", 200),
        ({"level": Level.PUBLIC}, "first", 404),
        ({"acl_tags": ("team",)}, "first", 404),
        ({"acl_tags": ()}, "first", 404),
        ({"acl_tags": ("team", EVERYONE)}, "first", 200),
        ({"tenant": "other"}, "first", 404),
        ({"kb": "other"}, "first", 404),
    ],
)
async def test_a_chunk_is_shown_by_principal(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, wanted: dict[str, Any], chunk: str, status: int
) -> None:
    headers = bearer(await firstline.token(**wanted))
    response = await anonymous.get(f"/v1/chunks/{firstline.chunks[chunk].chunk_id}", headers=headers)
    assert response.status_code == status
    if status == 404:
        unknown = await anonymous.get("/v1/chunks/unknown", headers=headers)
        assert response.json() == unknown.json()


async def test_snapshots(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    path = f"/v1/chunks/{firstline.chunks['first'].chunk_id}"
    assert (await client.get(path, params={"snapshot": 1})).status_code == 200
    assert_problem(await client.get(path, params={"snapshot": 0}), 404, "not_found")
    assert_problem(await client.get(path, params={"snapshot": 2}), 404, "not_found")
    assert_problem(await client.get(path, params={"snapshot": -1}), 422, "invalid_input")


async def test_a_deleted_document_is_not_reachable_through_an_old_snapshot(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    session, citations = await _answered(client)
    path = f"/v1/chunks/{citations[0]['citation']['chunk_id']}"
    assert (await client.get(path, params={"session": session, "turn": 1})).status_code == 200
    where = {"tenant": "acme", "kb": "docs"}
    candidate = await firstline.knowledge.open_candidate(**where, embedder_id="scripted")
    await firstline.knowledge.end(**where, candidate=candidate, doc_ids=["keys.md"])
    await firstline.knowledge.publish(**where, candidate=candidate)
    assert_problem(await client.get(path, params={"session": session, "turn": 1}), 404, "not_found")
    assert_problem(await client.get(path, params={"snapshot": 1}), 404, "not_found")


async def test_a_session_of_somebody_else_opens_nothing(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    session, citations = await _answered(client)
    path = f"/v1/chunks/{citations[0]['citation']['chunk_id']}"
    stranger = bearer(await firstline.token())
    response = await client.get(path, params={"session": session, "turn": 1}, headers=stranger)
    assert_problem(response, 404, "not_found")
    assert_problem(await client.get(path, params={"session": session, "turn": 9}), 404, "not_found")
    assert_problem(await client.get(path, params={"session": session}), 422, "invalid_input")


async def test_a_huge_neighbour_is_cut_around_the_cited_span(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    session, citations = await _answered(client)
    chunk = firstline.chunks["steps"]
    long = TEXT.encode() + "ü".encode() * 200_000
    name = await firstline.blobs.put(long)
    for each in firstline.chunks.values():
        if each.doc_id == chunk.doc_id:
            object.__setattr__(each, "blob", name)
    object.__setattr__(firstline.chunks["last"], "end", len(long))
    scope = Scope(tenant="acme", kb="docs", acl_tags=frozenset({EVERYONE}), level_max=Level.CUSTOMER, snapshot=1)
    object.__setattr__(await firstline.knowledge.document(chunk.doc_id, scope), "size_bytes", len(long))
    found = (
        await client.get(f"/v1/chunks/{citations[1]['citation']['chunk_id']}", params={"session": session, "turn": 1})
    ).json()
    assert len(found["text"].encode()) <= 64 * 1024
    assert "1. Run `SHOW KEYS` to see it." in found["text"]
    assert found["cut_after"] is True
