"""What names mean, over the API: who may say it, see it and take it back."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from calls import assert_problem, bearer
from fake_firstline import FIRST, INTRO, FakeFirstline
from test_graph_served import ERROR, NOTE, PAGE, edge

from firstline.domain import Entity, EntityKind, Level, Relation
from firstline.engines.reviewed_graph import ReviewedGraph, RulesInForce

DUPLICATE = Entity(kind=EntityKind.ERROR, key="duplicatekey", name="DuplicateKey")
KEYS = Entity(kind=EntityKind.COMPONENT, key="keys", name="Keys")
BOARD = Entity(kind=EntityKind.ERROR, key="merger", name="Merger")
SAME = {"kind": "same", "first": "E11000", "second": "DuplicateKey", "note": "Both are in the handbook."}


@pytest.fixture(autouse=True)
async def told(firstline: FakeFirstline) -> None:
    stored = firstline.graph
    assert stored is not None
    start = len(INTRO.encode())
    first = {"start": start, "end": start + len(FIRST.encode())}
    await stored.upsert(
        [
            edge(firstline, "first", PAGE, Relation.MENTIONS, ERROR, **first),
            edge(firstline, "steps", PAGE, Relation.MENTIONS, DUPLICATE),
            edge(firstline, "first", PAGE, Relation.NAMES, KEYS, **first),
            edge(firstline, "note", NOTE, Relation.NAMES, KEYS),
            edge(firstline, "note", NOTE, Relation.MENTIONS, BOARD),
        ]
    )
    firstline.graph = ReviewedGraph(  # pyright: ignore[reportAttributeAccessIssue]  (the same port)
        stored, RulesInForce(firstline.knowledge)
    )


async def internal(firstline: FakeFirstline, **wanted: Any) -> dict[str, str]:
    given: dict[str, Any] = {"level": Level.INTERNAL, **wanted}
    return bearer(await firstline.token(**given))


async def test_said_shown_in_force_at_once_and_taken_back(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    headers = await internal(firstline)
    said = await anonymous.post("/v1/graph/rules", json=SAME, headers=headers)
    assert said.status_code == 201
    rule = said.json()
    assert (rule["id"], rule["kind"], rule["first"], rule["second"], rule["undone_at"]) == (
        1,
        "same",
        "error:e11000",
        "error:duplicatekey",
        None,
    )
    assert (await anonymous.post("/v1/graph/rules", json=SAME, headers=headers)).json() == rule
    shown = (await anonymous.get("/v1/graph/entities/error:e11000", headers=headers)).json()
    assert [one["id"] for one in shown["one_with"]] == ["error:duplicatekey"]
    assert len(shown["edges"]) == 2
    listed = (await anonymous.get("/v1/graph/rules", headers=headers)).json()
    assert listed == {"rules": [rule]}
    undone = await anonymous.post("/v1/graph/rules/1/undo", headers=headers)
    assert undone.status_code == 200 and undone.json()["undone_at"]
    assert (await anonymous.post("/v1/graph/rules/1/undo", headers=headers)).json() == undone.json()
    shown = (await anonymous.get("/v1/graph/entities/error:e11000", headers=headers)).json()
    assert shown["one_with"] == [] and len(shown["edges"]) == 1


async def test_what_is_worth_a_look(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    headers = await internal(firstline)
    found = (await anonymous.get("/v1/graph/review", headers=headers)).json()
    assert (found["edges"], found["cut"], found["by_sort"]["shared"]) == (5, False, 1)
    (shared,) = found["suggestions"]
    assert shared["first"]["id"] == "component:keys" and set(shared["doc_ids"]) == {"keys.md", "note.md"}
    assert shared["words"] == " ".join(FIRST.split())
    assert (await anonymous.get("/v1/graph/review?sort=alike", headers=headers)).json()["suggestions"] == []
    assert_problem(await anonymous.get("/v1/graph/review?sort=worst", headers=headers), 422, "invalid_input")
    assert_problem(await anonymous.get("/v1/graph/review?limit=0", headers=headers), 422, "invalid_input")


@pytest.mark.parametrize("wanted", [{"level": Level.PUBLIC}, {"level": Level.CUSTOMER}])
async def test_keys_of_customers_may_not(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, wanted: dict[str, Any]
) -> None:
    headers = bearer(await firstline.token(**wanted))
    for call in (
        anonymous.get("/v1/graph/rules", headers=headers),
        anonymous.get("/v1/graph/review", headers=headers),
        anonymous.post("/v1/graph/rules", json=SAME, headers=headers),
        anonymous.post("/v1/graph/rules/1/undo", headers=headers),
    ):
        assert_problem(await call, 403, "forbidden")
    assert_problem(await anonymous.post("/v1/graph/rules", json=SAME), 401, "unauthenticated")


async def test_another_tenant_and_another_reader_are_told_nothing(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    ours = await internal(firstline)
    assert (await anonymous.post("/v1/graph/rules", json=SAME, headers=ours)).status_code == 201
    for other in ({"tenant": "other"}, {"kb": "other"}, {"acl_tags": ("team",)}, {"acl_tags": ()}):
        headers = await internal(firstline, **other)
        assert (await anonymous.get("/v1/graph/rules", headers=headers)).json() == {"rules": []}
        assert_problem(await anonymous.post("/v1/graph/rules/1/undo", headers=headers), 404, "not_found")
        assert_problem(await anonymous.post("/v1/graph/rules", json=SAME, headers=headers), 404, "not_found")
        assert (await anonymous.get("/v1/graph/review", headers=headers)).json()["suggestions"] == []
    assert (await anonymous.get("/v1/graph/rules", headers=ours)).json()["rules"][0]["undone_at"] is None


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**SAME, "second": "E11000"}, 422, "invalid_input"),
        ({**SAME, "second": "component:keys"}, 422, "invalid_input"),
        ({**SAME, "second": "nobody's"}, 404, "not_found"),
        ({**SAME, "second": ""}, 422, "invalid_input"),
        ({**SAME, "first": "x" * 4_096}, 404, "not_found"),
        ({**SAME, "first": "数" * 4_096}, 404, "not_found"),
        ({**SAME, "first": "x" * 5_001}, 422, "invalid_input"),
        ({**SAME, "first": "x" * 1_000_000}, 413, "too_large"),
        ({**SAME, "first": "\ud800"}, 422, "invalid_input"),
        ({**SAME, "first": "\x00"}, 404, "not_found"),
        ({**SAME, "note": "n" * 1_001}, 422, "invalid_input"),
        ({**SAME, "kind": "twin"}, 422, "invalid_input"),
        ({**SAME, "by": "root"}, 422, "invalid_input"),
        ({"kind": "not_a_name", "first": "It"}, 404, "not_found"),
        ({"kind": "not_a_name", "first": "null"}, 404, "not_found"),
    ],
    ids=lambda value: str(value)[:70],
)
async def test_bad_rules(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, body: dict[str, Any], status: int, code: str
) -> None:
    headers = await internal(firstline)
    sent = await anonymous.post(
        "/v1/graph/rules", content=json.dumps(body), headers={**headers, "content-type": "application/json"}
    )
    assert sent.status_code == status, sent.text
    if status != 413:
        assert_problem(sent, status, code)
    assert (await anonymous.get("/v1/graph/rules", headers=headers)).json() == {"rules": []}


async def test_a_rule_that_another_forbids_is_a_conflict(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    headers = await internal(firstline)
    await anonymous.post("/v1/graph/rules", json={**SAME, "kind": "apart"}, headers=headers)
    assert_problem(await anonymous.post("/v1/graph/rules", json=SAME, headers=headers), 409, "conflict")
    for number in (0, -1, 99, 10**12):
        gone = await anonymous.post(f"/v1/graph/rules/{number}/undo", headers=headers)
        assert gone.status_code in (404, 422)


async def test_where_the_graph_is_off_that_is_said(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    headers = await internal(firstline)
    firstline.graph = firstline.aliases = None
    for path in ("/v1/graph/rules", "/v1/graph/review"):
        said = await anonymous.get(path, headers=headers)
        assert_problem(said, 404, "not_found")
        assert "off" in said.text
