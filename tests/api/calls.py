"""What tests of the API say often."""

from __future__ import annotations

import json
from typing import Any

import httpx


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def begin(client: httpx.AsyncClient, **options: Any) -> str:
    response = await client.post("/v1/sessions", **options)
    assert response.status_code == 201, response.text
    return response.json()["session_id"]


async def ask(client: httpx.AsyncClient, session: str, text: str, **options: Any) -> httpx.Response:
    return await client.post(f"/v1/sessions/{session}/messages", json={"text": text}, **options)


async def ask_streamed(client: httpx.AsyncClient, session: str, text: str) -> tuple[list[tuple[str, Any]], str]:
    """The events as (name, data), and the raw stream."""
    response = await ask(client, session, text, headers={"Accept": "text/event-stream"})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    events: list[tuple[str, Any]] = []
    for block in response.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            events.append((lines["event"], json.loads(lines["data"])))
    return events, response.text


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["status"] == status
    assert found["code"] == code
    assert found["detail"]
    assert {"type", "title", "remedy"} <= found.keys()
    return found
