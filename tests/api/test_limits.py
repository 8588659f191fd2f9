"""How much and how often."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from conftest import client_of
from fake_firstline import open_fake

from firstline.domain import Level


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("rate_session_per_minute", "conversation"),
        ("rate_user_per_minute", "user"),
        ("rate_key_per_minute", "API key"),
    ],
)
async def test_messages_are_limited(setting: str, name: str) -> None:
    firstline = await open_fake(**{setting: 3})
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token()))
        session = await begin(client)
        statuses = [(await ask(client, session, "duplicate key")).status_code for _ in range(3)]
        refused = await ask(client, session, "duplicate key")
        assert statuses[:2] == [200, 200]
        found = assert_problem(refused, 429, "too_many_requests")
        assert name in found["detail"]
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.headers["retry-after"] == str(found["retry_after_s"])


async def test_a_full_session_leaves_the_others_of_its_key_alone() -> None:
    firstline = await open_fake(rate_session_per_minute=1)
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token()))
        first, second = await begin(client), await begin(client)
        assert (await ask(client, first, "duplicate key")).status_code == 200
        assert (await ask(client, first, "duplicate key")).status_code == 429
        assert (await ask(client, second, "duplicate key")).status_code == 200


async def test_asking_why_a_page_was_not_found_counts_as_a_message() -> None:
    firstline = await open_fake(rate_session_per_minute=2)
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
        session = await begin(client)
        await ask(client, session, "duplicate key")
        why = f"/v1/sessions/{session}/turns/1/why-not"
        assert (await client.get(why, params={"page": "keys.md"})).status_code == 200
        assert_problem(await client.get(why, params={"page": "keys.md"}), 429, "too_many_requests")


async def test_a_streamed_message_is_refused_as_plain_http() -> None:
    firstline = await open_fake(rate_session_per_minute=1)
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token()))
        session = await begin(client)
        await ask(client, session, "duplicate key")
        refused = await ask(client, session, "duplicate key", headers={"Accept": "text/event-stream"})
        assert_problem(refused, 429, "too_many_requests")


async def test_a_large_body_is_refused_by_its_declared_size(client: httpx.AsyncClient) -> None:
    session = await begin(client)
    assert_problem(await ask(client, session, "x" * 100_000), 413, "too_large")


async def test_a_large_body_is_not_read_to_its_end(client: httpx.AsyncClient) -> None:
    session = await begin(client)
    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        for _ in range(1000):
            given += 10_000
            yield b"x" * 10_000

    response = await client.post(f"/v1/sessions/{session}/messages", content=endless())
    assert_problem(response, 413, "too_large")
    assert given <= 100_000


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"text": 5}',
        b'{"message": "x"}',
        b'{"text": "x", "more": 1}',
        b'{"text": "\xff"}',
        b"[" * 50_000,
        json.dumps({"text": "   "}).encode(),
    ],
)
async def test_unusable_messages(client: httpx.AsyncClient, content: bytes) -> None:
    session = await begin(client)
    response = await client.post(
        f"/v1/sessions/{session}/messages", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code in (400, 422), response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["detail"]


async def test_half_a_surrogate_pair_is_a_message_like_any_other(client: httpx.AsyncClient) -> None:
    response = await client.post(
        f"/v1/sessions/{await begin(client)}/messages",
        content=b'{"text": "x \\ud800"}',
        headers={"Content-Type": "application/json"},
    )
    assert response.status_code == 200, response.text
    assert response.json()["question"] == "x ?"


async def test_a_validation_error_does_not_repeat_what_was_sent(client: httpx.AsyncClient) -> None:
    session = await begin(client)
    response = await client.post(f"/v1/sessions/{session}/messages", json={"text": ["my secret words"]})
    assert_problem(response, 422, "invalid_input")
    assert "secret" not in response.text
