"""The graph in numbers over the API, and what /metrics says of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from calls import assert_problem, bearer
from conftest import client_of
from fake_firstline import FakeFirstline, open_fake
from test_graph_served import ERROR, NOTE, PAGE, edge
from test_widget_tokens import SECRET, from_page, minted, minting_key

from firstline.api.graph_metrics import GraphMetrics
from firstline.documents.run import Extraction
from firstline.domain import Edge, Level, Relation
from firstline.errors import Unavailable
from firstline.questions.walk.counted import WalkEnd, tell_walk, walks_told_to

STATS = "/v1/graph/stats"


@pytest.fixture(autouse=True)
async def told(firstline: FakeFirstline) -> None:
    assert firstline.graph is not None
    await firstline.graph.upsert(
        [
            edge(firstline, "first", PAGE, Relation.MENTIONS, ERROR),
            edge(firstline, "note", NOTE, Relation.AFFECTS, ERROR),
        ]
    )


async def read(client: httpx.AsyncClient, firstline: FakeFirstline, **wanted: Any) -> httpx.Response:
    token = await firstline.token(**{"level": Level.INTERNAL, **wanted})
    return await client.get(STATS, headers=bearer(token))


async def test_counted_for_what_the_key_may_read(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    found = (await read(anonymous, firstline)).json()
    assert found["whole"] and found["snapshot"] == 1 and found["edges"] == 2
    assert found["relations"]["MENTIONS"] == {"edges": 1, "confidence": [0, 0, 0, 1]}
    assert found["entities"] == {"document": 2, "error": 1}
    assert [(hub["id"], hub["name"], hub["documents"]) for hub in found["hubs"]] == [("error:e11000", "E11000", 1)]
    assert found["extractors"] == {"1": 2} and found["confidence_bands"] == [0.7, 0.8, 0.9]
    assert found["documents"] >= found["documents_with_edges"] == 2 and found["chunks"] >= 2

    nobody = (await read(anonymous, firstline, acl_tags=("team",))).json()
    assert (nobody["edges"], nobody["documents"], nobody["hubs"]) == (0, 0, [])
    assert (await read(anonymous, firstline, tenant="other")).json()["edges"] == 0


async def test_for_those_who_look_after_it_alone(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    assert_problem(await anonymous.get(STATS), 401, "unauthenticated")
    assert_problem(await read(anonymous, firstline, level=Level.CUSTOMER), 403, "forbidden")
    firstline.graph = None
    off = await read(anonymous, firstline)
    assert_problem(off, 404, "not_found")


async def test_widget_tokens_are_refused() -> None:
    firstline = await open_fake(widget_secret=SECRET.decode())
    async with client_of(firstline) as client:
        token = await minted(client, await minting_key(firstline))
        assert (await client.get(STATS, headers=from_page(token))).status_code == 403


async def test_a_graph_that_answers_for_others_is_not_counted(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    graph = firstline.graph
    assert graph is not None
    (true, *_) = [one for one in graph._edges.values() if one.target == ERROR]  # pyright: ignore[reportPrivateUsage]

    async def lie(*args: object, **more: object) -> list[Edge]:
        return [replace(true, acl=frozenset({"board"}), target=replace(ERROR, name="Merger with Rival"))]

    graph.edges = lie  # pyright: ignore[reportAttributeAccessIssue]  (a lying engine)
    shown = await read(anonymous, firstline)
    assert shown.status_code == 503 and "Merger" not in shown.text


async def test_one_at_a_time(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    graph = firstline.graph
    assert graph is not None
    entered, go, edges = asyncio.Event(), asyncio.Event(), graph.edges

    async def slow(*args: Any, **more: Any) -> list[Edge]:
        entered.set()
        await go.wait()
        return await edges(*args, **more)

    graph.edges = slow  # pyright: ignore[reportAttributeAccessIssue]  (a slow engine)
    first = asyncio.create_task(read(anonymous, firstline))
    await entered.wait()
    second = await read(anonymous, firstline)
    assert_problem(second, 429, "too_many_requests")
    assert second.headers["Retry-After"] == "5"
    go.set()
    assert (await first).status_code == 200


async def test_metrics_of_walks_edges_and_extraction(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    lines = (await anonymous.get("/metrics")).text.splitlines()
    assert "firstline_graph_edges 2" in lines
    assert "firstline_graph_extract_documents_total 0" in lines
    assert "# TYPE firstline_graph_walks_total counter" in lines


def opened(**engines: Any) -> Any:
    knowledge = SimpleNamespace(knowledge_bases=engines["knowledge_bases"])
    return SimpleNamespace(
        graph=engines["graph"],
        knowledge=knowledge,
        settings=SimpleNamespace(tenant="acme"),
        documents=SimpleNamespace(extraction=Extraction(documents=3, edges=40, seconds=0.25)),
    )


async def test_edges_are_counted_now_and_then_and_left_out_while_nobody_answers() -> None:
    counts: list[str] = []

    async def bases(*, tenant: str) -> list[str]:
        return ["docs", "more"]

    async def count(*, tenant: str, kb: str) -> int:
        counts.append(kb)
        return 7

    metrics = GraphMetrics()
    one = opened(graph=SimpleNamespace(count=count), knowledge_bases=bases)
    text = await metrics.text(one)
    assert "firstline_graph_edges 14" in text.splitlines()
    assert "firstline_graph_extract_seconds_total 0.250000" in text.splitlines()
    assert "firstline_graph_extract_edges_total 40" in text.splitlines()
    await metrics.text(one)
    assert counts == ["docs", "more"], "not at every look"

    async def down(*, tenant: str, kb: str) -> int:
        raise Unavailable("down")

    assert "firstline_graph_edges" not in await GraphMetrics().text(
        opened(graph=SimpleNamespace(count=down), knowledge_bases=bases)
    )
    assert await GraphMetrics().text(opened(graph=None, knowledge_bases=bases)) == ""


async def test_walks_are_told_to_whoever_runs_the_turn_and_to_nobody_else() -> None:
    metrics, others = GraphMetrics(), GraphMetrics()

    async def turn(mine: GraphMetrics, why: str, end: WalkEnd) -> None:
        with walks_told_to(mine.walks):
            await asyncio.sleep(0)
            tell_walk(why, end)

    await asyncio.gather(
        turn(metrics, "things are compared", WalkEnd.WHOLE),
        turn(metrics, "things are compared", WalkEnd.LATE),
        turn(others, "versions are asked for", WalkEnd.BROKEN),
    )
    tell_walk("an evaluation", WalkEnd.WHOLE)
    assert dict(metrics.walks) == {
        ("things are compared", WalkEnd.WHOLE): 1,
        ("things are compared", WalkEnd.LATE): 1,
    }

    async def nothing(**_: Any) -> Any:
        return []

    text = await metrics.text(opened(graph=SimpleNamespace(count=nothing), knowledge_bases=nothing))
    assert 'firstline_graph_walks_total{why="things are compared",end="late"} 1' in text.splitlines()
