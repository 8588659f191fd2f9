"""Keys: who gets in, who does not, and whose sessions they see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from fake_firstline import FakeFirstline

from firstline.api.auth import new_key
from firstline.domain import Level

PROTECTED = [
    ("POST", "/v1/sessions"),
    ("POST", "/v1/sessions/x/messages"),
    ("GET", "/v1/sessions/x"),
    ("GET", "/v1/chunks/x"),
    ("GET", "/v1/handoffs"),
    ("GET", "/v1/handoffs/x"),
    ("GET", "/v1/handoffs/x/transcript"),
    *(("POST", f"/v1/handoffs/x/{act}") for act in ("take", "reply", "note", "resolve", "return")),
    ("GET", "/v1/handoffs/drafts"),
    ("POST", "/v1/handoffs/drafts/x/publish"),
    ("POST", "/v1/handoffs/drafts/x/discard"),
    ("GET", "/v1/sessions/x/person"),
    ("GET", "/v1/me"),
]


@pytest.mark.parametrize(("method", "path"), PROTECTED)
async def test_nothing_is_shown_without_a_key(anonymous: httpx.AsyncClient, method: str, path: str) -> None:
    body = {"text": "x", "state": "acknowledged"} if method == "POST" else None
    response = await anonymous.request(method, path, json=body)
    assert_problem(response, 401, "unauthenticated")
    assert response.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "token", ["", "x", "fl_", "fl_000000000000_" + "0" * 63, "fl_000000000000_" + "0" * 64, "fl_../../x_" + "0" * 64]
)
async def test_malformed_and_unknown_keys(anonymous: httpx.AsyncClient, token: str) -> None:
    assert_problem(await anonymous.get("/v1/me", headers=bearer(token)), 401, "unauthenticated")


async def test_another_scheme_is_no_key(anonymous: httpx.AsyncClient) -> None:
    assert_problem(await anonymous.get("/v1/me", headers={"Authorization": "Basic eDp5"}), 401, "unauthenticated")


async def test_a_wrong_secret(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    token = await firstline.token()
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    assert_problem(await anonymous.get("/v1/me", headers=bearer(wrong)), 401, "unauthenticated")


async def test_an_expired_key_says_so_to_its_holder_alone(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    token = await firstline.token(expires_in=timedelta(seconds=-1))
    found = assert_problem(await anonymous.get("/v1/me", headers=bearer(token)), 401, "unauthenticated")
    assert "expired" in found["detail"]
    guessed = token[:-64] + "0" * 64
    found = assert_problem(await anonymous.get("/v1/me", headers=bearer(guessed)), 401, "unauthenticated")
    assert "expired" not in found["detail"]


async def test_a_revoked_key(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    token = await firstline.token()
    assert (await anonymous.get("/v1/me", headers=bearer(token))).status_code == 200
    await firstline.keys.revoke_key(token.split("_")[1], tenant="acme", at=datetime.now(UTC))
    found = assert_problem(await anonymous.get("/v1/me", headers=bearer(token)), 401, "unauthenticated")
    assert "revoked" in found["detail"]


def test_the_secret_is_not_stored() -> None:
    key, token = new_key(name="x", tenant="acme", kb="docs", level=Level.PUBLIC)
    assert token.split("_")[2] not in repr(key)
    assert new_key(name="x", tenant="acme", kb="docs", level=Level.PUBLIC)[1] != token


async def test_me(client: httpx.AsyncClient) -> None:
    found = (await client.get("/v1/me")).json()
    assert (found["tenant"], found["kb"], found["level"], found["acl_tags"]) == (
        "acme",
        "docs",
        "customer",
        ["everyone"],
    )
    assert found["topics"] == ["keys", "backups"]


@pytest.mark.parametrize("other", [{"tenant": "other"}, {}])
async def test_the_session_of_another_key_is_unknown(
    firstline: FakeFirstline, client: httpx.AsyncClient, other: dict[str, str]
) -> None:
    session = await begin(client)
    await ask(client, session, "duplicate key")
    stranger = bearer(await firstline.token(**other))
    read = await client.get(f"/v1/sessions/{session}", headers=stranger)
    unknown = await client.get("/v1/sessions/nobodys", headers=stranger)
    assert_problem(read, 404, "not_found")
    assert read.json() == unknown.json()
    assert_problem(await ask(client, session, "hello", headers=stranger), 404, "not_found")


async def test_users_of_one_key_do_not_see_each_other(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    session = await begin(client, headers={"X-Firstline-User": "u-1"})
    mine = await client.get(f"/v1/sessions/{session}", headers={"X-Firstline-User": "u-1"})
    assert mine.status_code == 200
    for headers in ({"X-Firstline-User": "u-2"}, {}):
        assert_problem(await client.get(f"/v1/sessions/{session}", headers=headers), 404, "not_found")
    same_name = {**bearer(await firstline.token()), "X-Firstline-User": "u-1"}
    assert_problem(await client.get(f"/v1/sessions/{session}", headers=same_name), 404, "not_found")


@pytest.mark.parametrize("user", ["", " ", "a:b", "a" * 129, "a b", "-x", "a/b"])
async def test_unusable_user_names(client: httpx.AsyncClient, user: str) -> None:
    assert_problem(await client.get("/v1/me", headers={"X-Firstline-User": user}), 422, "invalid_input")
