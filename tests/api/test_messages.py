"""Asking: JSON and stream, their order, their agreement, and what is left when a client goes away."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from calls import ask, ask_streamed, assert_problem, bearer, begin
from fake_firstline import FakeFirstline

from firstline.api.app import create_app
from firstline.domain import Level


async def test_an_answer_cites_every_block(client: httpx.AsyncClient) -> None:
    session = await begin(client)
    response = await ask(client, session, "duplicate key")
    assert response.status_code == 200
    found = response.json()
    assert (found["turn"], found["question"], found["session_id"]) == (1, "duplicate key", session)
    assert found["reply"]["outcome"] == "answered"
    assert all(block["citations"] for block in found["reply"]["blocks"])
    assert found["timings_ms"]["total"] == 2.0
    assert found["record"] is None


async def test_the_order_of_events(client: httpx.AsyncClient) -> None:
    events, _ = await ask_streamed(client, await begin(client), "unsure about a duplicate key")
    names = [name for name, _ in events]
    assert names == ["ack", "status", "status", "status", "delta", "delta", "delta", "delta", "final"]
    assert [data["step"] for name, data in events if name == "status"] == ["triage", "retrieve", "compose"]
    deltas = [data for name, data in events if name == "delta"]
    final = events[-1][1]
    assert deltas[0] == {"notice": final["reply"]["notice"]}
    assert [delta["block"] for delta in deltas[1:]] == final["reply"]["blocks"]


async def test_heartbeats_fill_a_long_wait(client: httpx.AsyncClient) -> None:
    events, raw = await ask_streamed(client, await begin(client), "slow duplicate key")
    assert raw.count(": heartbeat\n\n") >= 2
    assert raw.index("event: ack") < raw.index(": heartbeat") < raw.index("event: final")
    assert events[-1][0] == "final"


@pytest.mark.parametrize("text", ["duplicate key", "unsure", "which one", "a person", "the weather"])
async def test_json_stream_and_reload_agree(client: httpx.AsyncClient, text: str) -> None:
    plain = (await ask(client, await begin(client), text)).json()
    session = await begin(client)
    streamed = (await ask_streamed(client, session, text))[0][-1][1]
    reloaded = (await client.get(f"/v1/sessions/{session}")).json()["turns"][0]
    assert reloaded == streamed
    assert _same(plain) == _same(streamed)


def _same(turn: dict[str, Any]) -> dict[str, Any]:
    """Without what differs between two sessions."""
    reply = {**turn["reply"], "handoff_id": bool(turn["reply"]["handoff_id"])}
    return {"reply": reply, "turn": turn["turn"], "question": turn["question"], "keys": sorted(turn)}


async def test_errors_inside_a_stream_are_problems(client: httpx.AsyncClient) -> None:
    events, _ = await ask_streamed(client, await begin(client), "  ")
    assert events[-1][0] == "error"
    assert (events[-1][1]["status"], events[-1][1]["code"]) == (422, "invalid_input")


@pytest.mark.parametrize("streamed", [True, False])
async def test_an_unexpected_error_shows_and_logs_no_text(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, streamed: bool
) -> None:
    session = await begin(client)
    if streamed:
        events, raw = await ask_streamed(client, session, "explode my secret")
        assert (events[-1][0], events[-1][1]["status"]) == ("error", 500)
    else:
        response = await ask(client, session, "explode my secret")
        found = assert_problem(response, 500, "unexpected")
        assert found["request_id"] == response.headers["x-request-id"]
        assert found["request_id"] in caplog.text
        raw = response.text
    assert "Traceback" not in raw
    assert "secret" not in raw
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("accept", [b"text/event-stream", b"application/json"])
async def test_a_client_that_leaves_does_not_take_the_record(firstline: FakeFirstline, accept: bytes) -> None:
    token = await firstline.token()
    app: Any = create_app(firstline, settings=firstline.settings)  # type: ignore[arg-type]  # a fake of Firstline
    async with app.router.lifespan_context(app):
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://firstline.test", headers=bearer(token)
        ) as client:
            session = await begin(client)
        leaving = asyncio.create_task(_leave_midway(app, session, token, accept))
        await asyncio.sleep(0.05)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert not await firstline.conversations.turns(session, limit=5)
        await asyncio.wait_for(firstline.questions.finished.wait(), 2)
    assert len(await firstline.conversations.turns(session, limit=5)) == 1


async def _leave_midway(app: Any, session: str, token: str, accept: bytes) -> None:
    body = b'{"text": "slow duplicate key"}'
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "path": f"/v1/sessions/{session}/messages",
        "raw_path": b"",
        "query_string": b"",
        "headers": [
            (b"authorization", f"Bearer {token}".encode()),
            (b"accept", accept),
            (b"content-type", b"application/json"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
        "root_path": "",
    }
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await asyncio.sleep(0.02)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        return None

    await app(scope, receive, send)


async def test_shutdown_waits_for_turns(firstline: FakeFirstline) -> None:
    token = await firstline.token()
    app: Any = create_app(firstline, settings=firstline.settings)  # type: ignore[arg-type]  # a fake of Firstline
    async with app.router.lifespan_context(app):
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://firstline.test", headers=bearer(token)
        ) as client:
            session = await begin(client)
        leaving = asyncio.create_task(_leave_midway(app, session, token, b"application/json"))
        await asyncio.sleep(0.05)
        leaving.cancel()
    assert firstline.questions.finished.is_set()


async def test_explain_is_for_internal_keys(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    refused = await ask(client, await begin(client), "duplicate key", params={"explain": "true"})
    assert_problem(refused, 403, "forbidden")
    client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
    found = (await ask(client, await begin(client), "duplicate key", params={"explain": "true"})).json()
    record = found["record"]
    assert record["evidence"][0]["scores"]["fused"] == 2.1
    assert record["gates"] == [{"name": "relevance", "value": 0.9, "threshold": 0.5, "features": {}, "passed": True}]
    assert record["outcome"]["kind"] == "answered"
    assert {"triage", "plan", "timings_ms", "snapshot", "settings_hash", "model_ids"} <= record.keys()


async def test_why_not_is_for_internal_keys_and_for_what_they_may_see(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    def path(session: str, turn: int = 1) -> str:
        return f"/v1/sessions/{session}/turns/{turn}/why-not"

    session = await begin(client)
    await ask(client, session, "duplicate key")
    doc_id = firstline.questions.chunks["first"].doc_id
    assert_problem(await client.get(path(session), params={"page": doc_id}), 403, "forbidden")
    client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
    assert_problem(await client.get(path(session), params={"page": doc_id}), 404, "not_found")
    session = await begin(client)
    await ask(client, session, "duplicate key")
    found = (await client.get(path(session), params={"page": doc_id})).json()
    assert found["verdict"] == "It was found." and found["gate"]["passed"] and found["queries"][0]["dense_place"] == 1
    assert found["chunks"][0]["read"] is True and found["lacks"] == ["zebra"] and found["lost_at"] == ""
    unknown = (await client.get(path(session), params={"page": "no such page"})).json()
    assert unknown["verdict"] == "There is no such page for you." and unknown["chunks"] == []
    assert_problem(await client.get(path(session, 2), params={"page": doc_id}), 404, "not_found")
    assert_problem(await client.get(path(session)), 422, "invalid_input")


async def test_a_note_stands_above_the_answer_in_json_and_in_the_stream(client: httpx.AsyncClient) -> None:
    note = "This page is about version 4.1; you asked about 4.2."
    shown = (await ask(client, await begin(client), "duplicate key on 4.2")).json()["reply"]
    assert shown["notice"] == note and shown["blocks"]
    unsure = (await ask(client, await begin(client), "unsure about 4.2")).json()["reply"]
    assert unsure["notice"].startswith(f"{note} I am not sure")
    accept = {"Accept": "text/event-stream"}
    streamed = await ask(client, await begin(client), "duplicate key on 4.2", headers=accept)
    assert 0 < streamed.text.index(note) < streamed.text.index('"block"')


async def test_a_reload_withholds_what_the_key_may_no_longer_see(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    session = await begin(client)
    await ask(client, session, "duplicate key")
    key = await firstline.keys.key(client.headers["Authorization"].split("_")[1])
    assert key is not None
    lowered = type(key.principal)(
        tenant="acme", user=key.principal.user, acl_tags=key.principal.acl_tags, level=Level.PUBLIC
    )
    object.__setattr__(key, "principal", lowered)
    reply = (await client.get(f"/v1/sessions/{session}")).json()["turns"][0]["reply"]
    assert reply["outcome"] == "clarify"
    assert not reply["citations"]
