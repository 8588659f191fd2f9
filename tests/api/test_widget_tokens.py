"""Widget tokens: made by a key that may, good for asking, for one person, from one page, for a while."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from conftest import client_of
from fake_firstline import FakeFirstline, open_fake

from firstline.api.auth import new_key
from firstline.api.widget_tokens import WidgetToken, mint, read_token
from firstline.domain import KeyScope, Level
from firstline.errors import FirstlineError

ORIGIN = "https://shop.example"
SECRET = b"a secret of the installation"
NOW = datetime(2026, 5, 1, tzinfo=UTC)
TOKEN = WidgetToken(
    key_id="0123456789ab",
    tenant="acme",
    kb="docs",
    user="u-1",
    origin=ORIGIN,
    expires_at=NOW + timedelta(minutes=5),
)


@pytest.fixture
async def firstline() -> FakeFirstline:
    return await open_fake(widget_secret=SECRET.decode())


@pytest.fixture
async def anonymous(firstline: FakeFirstline) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(firstline) as client:
        yield client


async def minting_key(
    firstline: FakeFirstline, level: Level = Level.INTERNAL, scopes: tuple[KeyScope, ...] = (KeyScope.MINT,)
) -> str:
    key, token = new_key(name="site", tenant="acme", kb="docs", level=level, scopes=scopes)
    await firstline.keys.add_key(key)
    return token


async def minted(client: httpx.AsyncClient, key: str, **wanted: object) -> str:
    body = {"user": "u-1", "origin": ORIGIN, **wanted}
    response = await client.post("/v1/widget-tokens", json=body, headers=bearer(key))
    assert response.status_code == 201, response.text
    return response.json()["token"]


def from_page(token: str, origin: str | None = ORIGIN) -> dict[str, str]:
    return {**bearer(token), **({"Origin": origin} if origin else {})}


async def test_a_person_asks_and_the_server_reads_along(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    key = await minting_key(firstline)
    token = from_page(await minted(anonymous, key))
    session = await begin(anonymous, headers=token)
    assert (await ask(anonymous, session, "duplicate key", headers=token)).status_code == 200
    assert (await anonymous.get(f"/v1/sessions/{session}", headers=token)).status_code == 200
    assert (await anonymous.get(f"/v1/sessions/{session}/person", headers=token)).status_code == 200
    rated = await anonymous.post(f"/v1/sessions/{session}/turns/1/feedback", json={"rating": "up"}, headers=token)
    assert rated.status_code == 200, rated.text
    own_server = {**bearer(key), "X-Firstline-User": "u-1"}
    assert (await anonymous.get(f"/v1/sessions/{session}", headers=own_server)).status_code == 200
    other = from_page(await minted(anonymous, key, user="u-2"))
    assert_problem(await anonymous.get(f"/v1/sessions/{session}", headers=other), 404, "not_found")
    # Of an internal key: its level lets servers rate every turn of the tenant, and browsers their own.
    rated = await anonymous.post(f"/v1/sessions/{session}/turns/1/feedback", json={"rating": "up"}, headers=other)
    assert_problem(rated, 404, "not_found")


async def test_every_other_route_is_closed(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    token = from_page(await minted(anonymous, await minting_key(firstline, Level.RESTRICTED)))
    asking = {
        ("post", "/v1/sessions"),
        ("post", "/v1/sessions/{session_id}/messages"),
        ("get", "/v1/sessions/{session_id}"),
        ("get", "/v1/sessions/{session_id}/person"),
        ("post", "/v1/sessions/{session_id}/turns/{turn}/feedback"),
    }
    paths = (await anonymous.get("/openapi.json")).json()["paths"]
    tried = 0
    for path, methods in paths.items():
        for method in methods:
            if not path.startswith("/v1/") or path.startswith("/v1/hooks/") or (method, path) in asking:
                continue
            place = path
            for name in ("turn", "number"):
                place = place.replace(f"{{{name}}}", "1")
            response = await anonymous.request(method, place.replace("{", "").replace("}", ""), headers=token)
            assert response.status_code == 403, (method, path, response.text)
            tried += 1
    assert tried > 20


async def test_what_internal_keys_may_see_of_an_answer_a_widget_may_not(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient
) -> None:
    token = from_page(await minted(anonymous, await minting_key(firstline)))
    session = await begin(anonymous, headers=token)
    explained = await anonymous.post(
        f"/v1/sessions/{session}/messages?explain=true", json={"text": "duplicate key"}, headers=token
    )
    assert_problem(explained, 403, "forbidden")


async def test_only_a_key_with_the_scope_mints(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    body = {"user": "u-1", "origin": ORIGIN}
    plain = await minting_key(firstline, scopes=())
    assert_problem(await anonymous.post("/v1/widget-tokens", json=body, headers=bearer(plain)), 403, "forbidden")
    token = await minted(anonymous, await minting_key(firstline))
    assert_problem(await anonymous.post("/v1/widget-tokens", json=body, headers=from_page(token)), 403, "forbidden")


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://shop.example/"},
        {"origin": "https://Shop.example"},
        {"origin": "shop.example"},
        {"origin": "*"},
        {"origin": "null"},
        {"origin": "https://shop.example\n"},
        {"user": ""},
        {"user": "a:b"},
        {"user": "u-1\n"},
        {"seconds": 5},
        {"seconds": 86_400},
        {"kb": "other"},
        {"level": "restricted"},
    ],
)
async def test_what_is_not_minted(
    firstline: FakeFirstline, anonymous: httpx.AsyncClient, wrong: dict[str, object]
) -> None:
    key = await minting_key(firstline)
    body = {"user": "u-1", "origin": ORIGIN, **wrong}
    assert_problem(await anonymous.post("/v1/widget-tokens", json=body, headers=bearer(key)), 422, "invalid_input")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "https://shop.example.evil.example", "http://shop.example", "null"]
)
async def test_from_another_page(firstline: FakeFirstline, anonymous: httpx.AsyncClient, origin: str) -> None:
    token = await minted(anonymous, await minting_key(firstline))
    assert_problem(await anonymous.post("/v1/sessions", headers=from_page(token, origin)), 403, "forbidden")
    assert_problem(await anonymous.post("/v1/sessions", headers=from_page(token, None)), 403, "forbidden")


async def test_a_token_names_its_user_itself(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    token = from_page(await minted(anonymous, await minting_key(firstline)))
    response = await anonymous.post("/v1/sessions", headers={**token, "X-Firstline-User": "somebody-else"})
    assert_problem(response, 422, "invalid_input")


async def test_with_its_key_a_token_ends(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    key = await minting_key(firstline)
    token = from_page(await minted(anonymous, key))
    await begin(anonymous, headers=token)
    await firstline.keys.revoke_key(key.split("_")[1], tenant="acme", at=datetime.now(UTC))
    assert_problem(await anonymous.post("/v1/sessions", headers=token), 401, "unauthenticated")


async def test_a_page_of_another_site_may_ask(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    """What a browser does before and after: it asks whether it may, and reads the answer only if it is told so."""
    before = await anonymous.options(
        "/v1/sessions",
        headers={
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        },
    )
    assert before.status_code == 204
    assert before.headers["access-control-allow-origin"] == ORIGIN
    assert "authorization" in before.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in before.headers
    token = await minted(anonymous, await minting_key(firstline))
    made = await anonymous.post("/v1/sessions", headers=from_page(token))
    assert (made.status_code, made.headers["access-control-allow-origin"]) == (201, ORIGIN)
    # A refusal can be read, too: the page wants to know that its token has ended.
    refused = await anonymous.post("/v1/sessions", headers=from_page("flw_x", ORIGIN))
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, ORIGIN)


@pytest.mark.parametrize("path", ["/v1/me", "/v1/handoffs", "/v1/widget-tokens", "/v1/review", "/metrics"])
async def test_no_other_route_is_open_to_other_sites(anonymous: httpx.AsyncClient, path: str) -> None:
    asked = await anonymous.options(path, headers={"Origin": ORIGIN, "Access-Control-Request-Method": "GET"})
    assert "access-control-allow-origin" not in asked.headers
    assert asked.status_code != 204


async def test_an_api_key_is_not_for_pages(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> None:
    key = await minting_key(firstline)
    made = await anonymous.post("/v1/sessions", headers=from_page(key))
    assert made.status_code == 201
    assert "access-control-allow-origin" not in made.headers


def read(text: str, *, secret: bytes = SECRET, at: datetime = NOW, origin: str | None = ORIGIN) -> WidgetToken:
    return read_token(text, secret=secret, origin=origin, page_reads=False, now=at)


def test_there_and_back() -> None:
    assert read(mint(TOKEN, secret=SECRET)) == TOKEN


def test_it_ends() -> None:
    assert read(mint(TOKEN, secret=SECRET), at=TOKEN.expires_at - timedelta(seconds=1))
    with pytest.raises(FirstlineError, match="expired"):
        read(mint(TOKEN, secret=SECRET), at=TOKEN.expires_at)


def test_nobody_else_signs() -> None:
    text = mint(TOKEN, secret=SECRET)
    claims, signature = text.removeprefix("flw_").split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=="))
    said[3] = "admin"
    forged = base64.urlsafe_b64encode(json.dumps(said, separators=(",", ":")).encode()).rstrip(b"=").decode()
    flipped = signature[:-1] + ("A" if signature[-1] != "A" else "E")
    for wrong in (
        f"flw_{forged}.{signature}",
        f"flw_{claims}.{flipped}",
        f"flw_{claims}.",
        f"flw_{claims}",
        f"flw_.{signature}",
        text + "A",
        text + "\n",
        "flw_" + "A" * 5000 + "." + signature,
        mint(TOKEN, secret=b"another secret, as long"),
    ):
        with pytest.raises(FirstlineError, match=r"not known|malformed"):
            read(wrong)


def test_a_signature_is_over_every_claim() -> None:
    texts = {
        mint(TOKEN.__class__(**{**{n: getattr(TOKEN, n) for n in TOKEN.__slots__}, name: value}), secret=SECRET)
        for name, value in {
            "key_id": "b" * 12,
            "tenant": "other",
            "kb": "other",
            "user": "u-2",
            "origin": "https://b.example",
            "expires_at": NOW,
        }.items()
    }
    assert len({text.rsplit(".")[-1] for text in texts}) == 6
