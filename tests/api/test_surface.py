"""The shape of the whole: paths, headers, health, metrics, hand-overs, files."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from calls import ask, assert_problem, begin
from fake_firstline import FakeFirstline
from tests.contracts.ledger_samples import gates

from firstline.errors import Broken, Unavailable
from firstline.settings import KnowledgeBaseSettings

PATHS = {
    "/healthz": ["get"],
    "/metrics": ["get"],
    "/readyz": ["get"],
    "/v1/chunks/{chunk_id}": ["get"],
    "/v1/documents/{doc_id}": ["delete"],
    "/v1/faq": ["get", "post"],
    "/v1/faq/{doc_id}": ["delete", "get", "patch"],
    "/v1/gaps": ["get"],
    "/v1/gaps/duplicates": ["get"],
    "/v1/gaps/stale": ["get"],
    "/v1/gaps/suggestions": ["get"],
    "/v1/graph/communities": ["get"],
    "/v1/graph/entities": ["get"],
    "/v1/graph/entities/{entity_id}": ["get"],
    "/v1/graph/review": ["get"],
    "/v1/graph/stats": ["get"],
    "/v1/graph/rules": ["get", "post"],
    "/v1/graph/rules/{rule_id}/undo": ["post"],
    "/v1/hooks/{source}": ["post"],
    "/v1/handoffs": ["get"],
    "/v1/handoffs/drafts": ["get"],
    "/v1/handoffs/drafts/{draft_id}/discard": ["post"],
    "/v1/handoffs/drafts/{draft_id}/publish": ["post"],
    "/v1/handoffs/{handoff_id}": ["get"],
    "/v1/handoffs/{handoff_id}/note": ["post"],
    "/v1/handoffs/{handoff_id}/reply": ["post"],
    "/v1/handoffs/{handoff_id}/resolve": ["post"],
    "/v1/handoffs/{handoff_id}/return": ["post"],
    "/v1/handoffs/{handoff_id}/take": ["post"],
    "/v1/handoffs/{handoff_id}/transcript": ["get"],
    "/v1/me": ["get"],
    "/v1/review": ["get"],
    "/v1/review/{turn}": ["post"],
    "/v1/sessions": ["post"],
    "/v1/sessions/{session_id}": ["get"],
    "/v1/sessions/{session_id}/messages": ["post"],
    "/v1/sessions/{session_id}/person": ["get"],
    "/v1/sessions/{session_id}/turns/{turn}/feedback": ["post"],
    "/v1/sessions/{session_id}/turns/{turn}/why-not": ["get"],
    "/v1/widget-tokens": ["post"],
    "/v1/documents/forget": ["post"],
    "/v1/snapshots": ["get"],
    "/v1/snapshots/diff": ["get"],
    "/v1/snapshots/discard": ["post"],
    "/v1/snapshots/rollback": ["post"],
    "/v1/snapshots/{number}/canary": ["post"],
    "/v1/snapshots/{number}/publish": ["post"],
    "/v1/sources": ["get", "post"],
    "/v1/sources/{name}": ["delete", "get"],
    "/v1/sources/{name}/sync": ["post"],
}


async def test_openapi_lists_these_paths_and_no_others(anonymous: httpx.AsyncClient) -> None:
    found = (await anonymous.get("/openapi.json")).json()
    assert {path: sorted(methods) for path, methods in sorted(found["paths"].items())} == PATHS
    assert all(route.get("description") for each in found["paths"].values() for route in each.values())


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/graph", "/static/chat.js", "/healthz", "/v1/me", "/nothing", "/openapi.json"]
)
async def test_security_headers_stand_on_every_response(anonymous: httpx.AsyncClient, path: str) -> None:
    headers = (await anonymous.get(path)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-request-id"]
    if path.startswith("/v1/"):
        assert headers["cache-control"] == "no-store"


async def test_the_page_needs_nothing_from_elsewhere(anonymous: httpx.AsyncClient) -> None:
    waiting, seen = ["/", "/docs", "/graph"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        response = await anonymous.get(path)
        assert response.status_code == 200, path
        text = response.text
        assert not re.search(r"""(?:src|href|from|url\()\s*=?\s*["'(]?(?:https?:)?//""", text), path
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), path
        assert not re.search(r"""\son\w+=|<style|style=|<script(?![^>]*\ssrc=)""", text), path
        waiting += re.findall(r"/static/[\w.]+", text)
    assert {
        "/static/chat.js",
        "/static/feedback.js",
        "/static/markdown.js",
        "/static/docs.js",
        "/static/icon.svg",
    } <= seen


async def test_static_files_are_revalidated(anonymous: httpx.AsyncClient) -> None:
    first = await anonymous.get("/static/chat.js")
    assert first.headers["content-type"].startswith("text/javascript")
    again = await anonymous.get("/static/chat.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for path in ("/static/none.js", "/static/..%2Fapp.py", "/static/%2e%2e/app.py"):
        assert_problem(await anonymous.get(path), 404, "not_found")


async def test_unknown_paths_and_methods_are_problems(anonymous: httpx.AsyncClient) -> None:
    assert_problem(await anonymous.get("/v1/nothing"), 404, "not_found")
    assert_problem(await anonymous.delete("/v1/me"), 405, "method_not_allowed")


async def test_health(firstline: FakeFirstline, anonymous: httpx.AsyncClient, monkeypatch: Any) -> None:
    assert (await anonymous.get("/healthz")).json() == {"status": "live"}
    assert (await anonymous.get("/readyz")).json() == {"status": "ready", "problems": []}

    async def down(**_: Any) -> int:
        raise Unavailable("no answer from 10.0.0.1")

    monkeypatch.setattr(firstline.index, "count", down)
    found = assert_problem(await anonymous.get("/readyz"), 503, "unavailable")
    assert "chunk index" in found["detail"]
    assert (await anonymous.get("/healthz")).status_code == 200


async def test_the_topics_are_those_of_the_keys_knowledge_base(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    tables = {"api": KnowledgeBaseSettings(topics=("tokens",)), "plain": KnowledgeBaseSettings()}
    firstline.settings = firstline.settings.model_copy(update={"knowledge_bases": tables})
    for kb, topics in (("api", ["tokens"]), ("plain", ["keys", "backups"]), ("docs", ["keys", "backups"])):
        headers = {"Authorization": f"Bearer {await firstline.token(kb=kb)}"}
        assert (await anonymous.get("/v1/me", headers=headers)).json()["topics"] == topics


async def test_gates_that_do_not_fit_are_told_to_who_watches_and_turn_nobody_away(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    assert "firstline_gates_unfit 0\n" in (await anonymous.get("/metrics")).text
    await firstline.gates.add_gates(gates("acme"))
    firstline.knobs["embedder"] = "/srv/models/secret"
    ready = await anonymous.get("/readyz")
    assert ready.status_code == 200 and ready.json()["status"] == "degraded"
    assert "The gates of 1 knowledge base were calibrated for other settings" in ready.json()["problems"][0]
    assert "/srv" not in ready.text, "anybody may read it"
    assert "firstline_gates_unfit 1\n" in (await anonymous.get("/metrics")).text


async def test_what_is_broken_is_told_to_the_operator_alone(
    firstline: FakeFirstline, client: httpx.AsyncClient, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise Broken("The disk /srv/data is full.", remedy="Free some space.")

    monkeypatch.setattr(firstline.conversations, "create_session", broken)
    response = await client.post("/v1/sessions")
    assert_problem(response, 500, "broken")
    assert "/srv" not in response.text
    assert "/srv/data is full" in caplog.text


async def test_metrics_count_outcomes(client: httpx.AsyncClient) -> None:
    session = await begin(client)
    for text in ("duplicate key", "duplicate key", "a person", "explode"):
        await ask(client, session, text)
    text = (await client.get("/metrics")).text
    assert 'firstline_turns_total{outcome="answered",completeness="partial",reason=""} 2' in text
    assert 'firstline_turns_total{outcome="escalated",completeness="",reason="user_asked"} 1' in text
    assert "firstline_turn_seconds_count 3" in text
    assert 'firstline_turn_seconds_bucket{le="+Inf"} 3' in text
    assert "firstline_turns_failed_total 1" in text
    assert 'firstline_responses_total{status="5xx"} 1' in text
    assert "acme" not in text
