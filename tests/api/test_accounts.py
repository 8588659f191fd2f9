"""Accounts of an OpenID Connect provider over the HTTP surface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager

import httpx
import pytest
from calls import ask, assert_problem, bearer, begin
from conftest import client_of
from fake_firstline import open_fake
from oidc_issuer import AUDIENCE, Issuer, issuing

from firstline.domain import acting_tenant
from firstline.settings import OidcSettings


@pytest.fixture(scope="module")
def issuer() -> Generator[Issuer]:
    with issuing() as served:
        yield served


@asynccontextmanager
async def served(issuer: Issuer) -> AsyncIterator[tuple[httpx.AsyncClient, list[str | None]]]:
    """The client, and for whom the ledger was asked for sessions."""
    oidc = OidcSettings(
        issuer=issuer.url,
        audiences=(AUDIENCE,),
        tags_claim="groups",
        tags={"help": ("staff",)},
        level_claim="groups",
        levels={"help": "internal"},
        tenant_claim="org",
        tenants={"o-1": "acme", "o-2": "globex"},
    )
    firstline = await open_fake(oidc=oidc)
    asked_for: list[str | None] = []
    create = firstline.conversations.create_session

    async def watched(session: object) -> None:
        asked_for.append(acting_tenant())
        await create(session)  # type: ignore[arg-type]  # what was given is passed on

    firstline.conversations.create_session = watched  # type: ignore[method-assign]  # a watched fake
    async with client_of(firstline) as client:
        yield client, asked_for


async def test_an_account_asks_as_what_its_claims_give(issuer: Issuer) -> None:
    async with served(issuer) as (client, asked_for):
        token = bearer(issuer.token(org="o-1", groups=["help"]))
        me = (await client.get("/v1/me", headers=token)).json()
        assert (me["tenant"], me["level"], me["acl_tags"]) == ("acme", "internal", ["everyone", "staff"])
        assert "u-1" not in me["user"]
        session = await begin(client, headers=token)
        assert (await ask(client, session, "duplicate key", headers=token)).status_code == 200
        assert asked_for == ["acme"]
        for other in (
            issuer.token(org="o-1", sub="u-2", groups=["help"]),
            issuer.token(org="o-2", groups=["help"]),
        ):
            assert_problem(await client.get(f"/v1/sessions/{session}", headers=bearer(other)), 404, "not_found")
        assert acting_tenant() is None


async def test_an_account_is_nobody_else(issuer: Issuer) -> None:
    async with served(issuer) as (client, _):
        token = bearer(issuer.token(org="o-1"))
        named = await client.post("/v1/sessions", headers={**token, "X-Firstline-User": "boss"})
        assert_problem(named, 422, "invalid_input")
        assert_problem(await client.get("/v1/handoffs", headers=token), 403, "forbidden")
        minting = {"user": "u", "origin": "https://a.example"}
        assert_problem(await client.post("/v1/widget-tokens", json=minting, headers=token), 403, "forbidden")


async def test_strangers(issuer: Issuer) -> None:
    async with served(issuer) as (client, asked_for):
        for token, status, code in (
            (issuer.token(org="o-9"), 403, "forbidden"),
            (issuer.token(org="o-1", aud="other"), 401, "unauthenticated"),
            (issuer.token(org="o-1", exp=1), 401, "unauthenticated"),
            ("a.b.c", 401, "unauthenticated"),
        ):
            found = assert_problem(await client.post("/v1/sessions", headers=bearer(token)), status, code)
            assert token not in str(found)
        assert asked_for == []


async def test_without_a_provider_its_tokens_are_no_keys(client: httpx.AsyncClient, issuer: Issuer) -> None:
    response = await client.get("/v1/me", headers=bearer(issuer.token()))
    assert_problem(response, 401, "unauthenticated")
