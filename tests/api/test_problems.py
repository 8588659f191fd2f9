"""What a request that is refused hears: plain sentences, field by field, and a remedy."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from fake_firstline import FakeFirstline

from firstline.api.problem_docs import MEANINGS
from firstline.domain import Level

JARGON = ("should", "input", "string", "parse", "valid dictionary", "instance", "pydantic", "field required")


def assert_plain(found: dict[str, Any]) -> None:
    words = f"{found['detail']} {found['remedy']}".lower()
    assert not [each for each in JARGON if each in words], words
    assert found["detail"].endswith(".") and found["remedy"].endswith(".")


@pytest.mark.parametrize(
    ("body", "field", "problem", "allowed"),
    [
        (b"{}", "text", "is missing", ""),
        (b"", "", "is missing", ""),
        (b'{"text": 3}', "text", "is not a text", "a text in double quotes"),
        (b'{"text": "secret-word", "to": "x"}', "to", "is not known here", ""),
        (b'{"text": "secret-word"', "", "is not valid JSON", "a JSON object"),
        (b'"secret-word"', "", "is not a JSON object", "a JSON object, sent with Content-Type: application/json"),
        (b'["secret-word"]', "", "is not a JSON object", "a JSON object, sent with Content-Type: application/json"),
    ],
)
async def test_a_message_that_is_not_understood(
    client: httpx.AsyncClient, body: bytes, field: str, problem: str, allowed: str
) -> None:
    path = f"/v1/sessions/{await begin(client)}/messages"
    response = await client.post(path, content=body, headers={"Content-Type": "application/json"})
    found = assert_problem(response, 422, "invalid_input")
    assert found["errors"] == [{"place": "body", "field": field, "problem": problem, "allowed": allowed}]
    assert (f"`{field}` (body)" if field else "The body") in found["detail"]
    assert problem in found["detail"]
    assert_plain(found)
    assert "secret-word" not in response.text


@pytest.mark.parametrize(
    ("path", "field", "allowed"),
    [
        ("/v1/chunks/x?turn=one", "turn", "a whole number"),
        ("/v1/chunks/x?turn=0", "turn", "1 or more"),
        ("/v1/chunks/x?snapshot=-1", "snapshot", "0 or more"),
        (f"/v1/chunks/{'x' * 65}", "chunk_id", "at most 64 characters"),
        ("/v1/sessions/a_b", "session_id", "what matches ^[0-9a-zA-Z-]+$"),
    ],
)
async def test_a_parameter_out_of_bounds(client: httpx.AsyncClient, path: str, field: str, allowed: str) -> None:
    found = assert_problem(await client.get(path), 422, "invalid_input")
    (error,) = found["errors"]
    assert (error["field"], error["allowed"]) == (field, allowed)
    assert allowed in found["detail"]
    assert_plain(found)


async def test_a_state_that_does_not_exist(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
    found = assert_problem(await client.get("/v1/handoffs?state=lost"), 422, "invalid_input")
    assert found["errors"][0]["allowed"] == "one of open, acknowledged, in_progress, resolved or returned"
    assert_plain(found)


async def test_what_the_web_framework_refuses_is_plain_too(client: httpx.AsyncClient) -> None:
    found = assert_problem(await client.delete("/v1/me"), 405, "method_not_allowed")
    assert "DELETE" in found["detail"] and "GET" in found["remedy"]
    assert_plain(found)
    assert_plain(assert_problem(await client.get("/v1/nothing"), 404, "not_found"))
    path = f"/v1/sessions/{await begin(client)}/messages"
    for body in (b'{"text": "\xff\xfe"}', b'{"text":' + b"[" * 50_000):
        response = await client.post(path, content=body, headers={"Content-Type": "application/json"})
        found = response.json()
        assert response.status_code in (400, 422), found
        assert_plain(found)


@pytest.mark.parametrize("path", ["/v1/chunks/none", "/v1/chunks/none?snapshot=99", "/v1/sessions/none"])
async def test_what_is_not_there_says_where_to_look(client: httpx.AsyncClient, path: str) -> None:
    found = assert_problem(await client.get(path), 404, "not_found")
    assert_plain(found)


@pytest.mark.parametrize(
    ("text", "status", "detail"),
    [
        ("", 422, "empty"),
        (" \n\t\x00", 422, "empty"),
        ("x" * 20_001, 422, "20,001 characters"),
        ("x" * 90_000, 413, "80"),
    ],
)
async def test_an_unusable_message(client: httpx.AsyncClient, text: str, status: int, detail: str) -> None:
    response = await ask(client, await begin(client), text)
    assert response.status_code == status
    assert detail in response.json()["detail"]
    assert_plain(response.json())


async def test_handoffs_beyond_the_listed_ones_move(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    """A look-up, not a search among the newest."""
    first = (await ask(client, await begin(client), "a person")).json()["reply"]["handoff_id"]
    for _ in range(3):
        await ask(client, await begin(client), "a person")
    client.headers.update(bearer(await firstline.token(level=Level.INTERNAL)))
    found = assert_problem(await client.post(f"/v1/handoffs/{first}/return"), 409, "conflict")
    assert found["detail"] == "A hand-over that nobody has taken cannot be returned."
    assert found["remedy"] == "Take it first."
    moved = await client.post(f"/v1/handoffs/{first}/take")
    assert moved.json()["state"] == "acknowledged"
    assert_problem(await client.post("/v1/handoffs/none/take"), 404, "not_found")


async def test_openapi_lists_the_problems(anonymous: httpx.AsyncClient) -> None:
    found = (await anonymous.get("/openapi.json")).json()
    assert found == (await anonymous.get("/openapi.json")).json(), "described once"
    assert set(found["components"]["responses"]) == {f"Problem{status}" for status in MEANINGS}
    send = found["paths"]["/v1/sessions/{session_id}/messages"]["post"]["responses"]
    assert set(send) == {"200", "400", "401", "403", "404", "408", "409", "413", "422", "429", "500", "503"}
    assert set(found["paths"]["/v1/me"]["get"]["responses"]) >= {"200", "401", "403", "429", "503"}
    assert set(found["paths"]["/healthz"]["get"]["responses"]) == {"200"}
    assert "HTTPValidationError" not in json.dumps(found)
    for name in _references(found):
        part: Any = found
        for step in name.removeprefix("#/").split("/"):
            part = part[step]


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [each for value in node.values() for each in _references(value)]
    return [each for value in node for each in _references(value)] if isinstance(node, list) else []
