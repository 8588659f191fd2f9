"""Sources over HTTP: for keys of level restricted, and without a way into this machine."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from calls import assert_problem, bearer
from fake_firstline import FakeFirstline

from firstline.api.sources import SYNCS_AT_ONCE, SYNCS_IN_ALL, refused_now
from firstline.domain import Level, SourceState, SyncReport
from firstline.errors import Conflict

SITE = {"name": "docs", "kind": "website", "config": {"url": "https://docs.example/"}}


class ScriptedSync:
    """Claims and finishes as a sync does, and does nothing between."""

    def __init__(self, firstline: FakeFirstline) -> None:
        self._sources = firstline.sources
        self.asked: list[dict[str, Any]] = []
        self.go = asyncio.Event()

    async def sync(self, name: str, *, tenant: str, kb: str, **how: Any) -> SyncReport:
        self.asked.append({"name": name, "tenant": tenant, "kb": kb, **how})
        source = await self._sources.claim_source(name, tenant=tenant, kb=kb, lease_s=60)
        report = SyncReport(state=SourceState.OK, added=3, snapshot=2, published=True)
        try:
            await self.go.wait()
        finally:
            await self._sources.finish_source(source, report=report, documents=3, due_at=None)
        return report

    async def remove(self, name: str, *, tenant: str, kb: str, documents: bool) -> int:
        await self._sources.remove_source(name, tenant=tenant, kb=kb)
        return 3 if documents else 0


@pytest.fixture
async def admin(firstline: FakeFirstline, client: httpx.AsyncClient) -> httpx.AsyncClient:
    firstline.sync = ScriptedSync(firstline)
    client.headers.update(bearer(await firstline.token(level=Level.RESTRICTED)))
    return client


@pytest.mark.parametrize("level", [Level.PUBLIC, Level.CUSTOMER, Level.INTERNAL])
async def test_sources_are_for_restricted_keys(
    firstline: FakeFirstline, client: httpx.AsyncClient, level: Level
) -> None:
    client.headers.update(bearer(await firstline.token(level=level)))
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/docs"), ("POST", "/docs/sync"), ("DELETE", "/docs")):
        body = {"json": SITE} if method == "POST" and not path else {}
        assert_problem(await client.request(method, f"/v1/sources{path}", **body), 403, "forbidden")


async def test_a_source_is_registered_shown_synced_and_removed(
    firstline: FakeFirstline, admin: httpx.AsyncClient
) -> None:
    made = await admin.post("/v1/sources", json={**SITE, "schedule": "6h", "level": "customer", "acl": ["staff"]})
    assert made.status_code == 201, made.text
    shown = (await admin.get("/v1/sources/docs")).json()
    assert shown == made.json()
    assert (shown["kb"], shown["state"], shown["level"], shown["acl"]) == ("docs", "new", "customer", ["staff"])
    assert shown["config"]["pages_max"] == 5_000 and shown["due_at"] is not None
    assert [one["name"] for one in (await admin.get("/v1/sources")).json()["sources"]] == ["docs"]

    started = await admin.post("/v1/sources/docs/sync?full=true")
    assert started.status_code == 202
    await asyncio.sleep(0.01)
    assert (await admin.get("/v1/sources/docs")).json()["syncing"] is True
    assert_problem(await admin.post("/v1/sources/docs/sync"), 409, "conflict")
    firstline.sync.go.set()
    await asyncio.sleep(0.01)
    after = (await admin.get("/v1/sources/docs")).json()
    assert (after["syncing"], after["state"], after["last_report"]["added"]) == (False, "ok", 3)
    assert firstline.sync.asked == [{"name": "docs", "tenant": "acme", "kb": "docs", "full": True, "force": False}]

    gone = await admin.delete("/v1/sources/docs?documents=true")
    assert gone.json() == {"name": "docs", "documents_ended": 3}
    assert_problem(await admin.get("/v1/sources/docs"), 404, "not_found")


async def test_a_tenant_sees_its_own(firstline: FakeFirstline, admin: httpx.AsyncClient) -> None:
    await admin.post("/v1/sources", json=SITE)
    elsewhere = bearer(await firstline.token(level=Level.RESTRICTED, tenant="other"))
    assert (await admin.get("/v1/sources", headers=elsewhere)).json() == {"sources": []}
    for method, path in (("GET", "/docs"), ("POST", "/docs/sync"), ("DELETE", "/docs")):
        assert_problem(await admin.request(method, f"/v1/sources{path}", headers=elsewhere), 404, "not_found")


async def test_a_tenant_whose_vendors_are_slow_keeps_no_other_waiting(
    firstline: FakeFirstline, admin: httpx.AsyncClient
) -> None:
    headers = {
        name: bearer(await firstline.token(level=Level.RESTRICTED, tenant=name)) for name in ("b", "c", "d", "e")
    }
    for name in ("one", "two", "three", "four", "five"):
        await admin.post("/v1/sources", json={**SITE, "name": name})
        for own in headers.values():
            await admin.post("/v1/sources", json={**SITE, "name": name}, headers=own)

    async def start(name: str, tenant: str = "") -> int:
        answer = await admin.post(f"/v1/sources/{name}/sync", headers=headers.get(tenant))
        await asyncio.sleep(0.01)
        return answer.status_code

    assert [await start(name) for name in ("one", "two", "three", "four", "five")] == [202, 202, 202, 202, 409]
    assert [await start(name, "b") for name in ("one", "two", "three")] == [202, 202, 409]
    # Six are synced; who has none going is let in, and a second one is not.
    assert [await start("one", tenant) for tenant in ("c", "d", "e")] == [202, 202, 202]
    assert await start("two", "c") == 409
    firstline.sync.go.set()
    await asyncio.sleep(0.05)
    assert await start("five") == 202


def test_places_have_an_end() -> None:
    assert refused_now("new", ["x"] * SYNCS_AT_ONCE) == ""
    assert refused_now("new", [f"t{number}" for number in range(SYNCS_IN_ALL)])


async def test_a_name_is_given_once(admin: httpx.AsyncClient) -> None:
    await admin.post("/v1/sources", json=SITE)
    assert_problem(await admin.post("/v1/sources", json=SITE), 409, "conflict")


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "folder", "config": {"path": "/etc"}},
        {"kind": "git", "config": {"url": "/srv/repository"}},
        {"kind": "git", "config": {"url": "file:///srv/repository"}},
        {"kind": "table", "config": {"place": "/etc/passwd", "format": "csv"}},
        {"kind": "openapi", "config": {"place": "/etc/passwd"}},
        {"kind": "website", "config": {"url": "http://169.254.169.254/", "allow_private": True}},
        {"kind": "website", "config": {"url": "https://docs.example/", "authorization": "file:/etc/shadow"}},
        {"kind": "website", "config": {"url": "https://docs.example/", "authorization": "env:FIRSTLINE_DATABASE_URL"}},
    ],
)
async def test_what_reads_this_machine_is_not_registered_from_afar(
    admin: httpx.AsyncClient, wanted: dict[str, Any]
) -> None:
    response = await admin.post("/v1/sources", json={"name": "x", **wanted})
    if wanted["config"].get("url", "").startswith("file:"):
        assert_problem(response, 422, "invalid_input")
    else:
        assert_problem(response, 403, "forbidden")
    assert (await admin.get("/v1/sources")).json() == {"sources": []}


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "nothing"},
        {"name": "A/B"},
        {"name": ""},
        {"name": ".."},
        {"config": {}},
        {"config": {"url": "ftp://docs.example"}},
        {"config": {"url": "https://me:hush-hush@docs.example/"}},
        {"config": {"url": "https://docs.example/", "unknown": 1}},
        {"config": {"url": "https://docs.example/", "pages_max": 0}},
        {"config": {"url": "https://docs.example/", "authorization": "Bearer hush-hush"}},
        {"config": {"url": "https://docs.example/?token=ghp_0123456789abcdefghijABCDEFGHIJ012345"}},
        {"schedule": "now and then"},
        {"schedule": "1s"},
        {"level": "top"},
    ],
)
async def test_what_is_wrong_is_said_without_secrets(admin: httpx.AsyncClient, wanted: dict[str, Any]) -> None:
    response = await admin.post("/v1/sources", json={**SITE, **wanted})
    assert_problem(response, 422, "invalid_input")
    assert "hush" not in response.text and "ghp_" not in response.text


async def test_a_secret_is_named_and_never_shown(admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_ACME_DOCS", "hush-hush")
    config = {"url": "https://docs.example/", "authorization": "env:SOURCE_ACME_DOCS"}
    response = await admin.post("/v1/sources", json={**SITE, "config": config})
    assert response.json()["config"]["authorization"] == "env:SOURCE_ACME_DOCS"
    assert "hush" not in response.text


async def test_so_many_syncs_at_once(firstline: FakeFirstline, admin: httpx.AsyncClient) -> None:
    for number in range(5):
        await admin.post("/v1/sources", json={**SITE, "name": f"docs{number}"})
    codes = [(await admin.post(f"/v1/sources/docs{number}/sync")).status_code for number in range(5)]
    assert codes == [202, 202, 202, 202, 409]


async def test_a_sync_that_somebody_else_began_meanwhile_is_no_accident(
    firstline: FakeFirstline, admin: httpx.AsyncClient
) -> None:
    async def taken(name: str, **how: Any) -> SyncReport:
        raise Conflict("Another process syncs it.", remedy="Wait.")

    await admin.post("/v1/sources", json=SITE)
    firstline.sync.sync = taken
    assert (await admin.post("/v1/sources/docs/sync")).status_code == 202
    await asyncio.sleep(0.01)
    assert (await admin.get("/v1/sources/docs")).status_code == 200


async def test_the_secret_of_another_tenant_cannot_be_named(admin: httpx.AsyncClient) -> None:
    config = {"url": "https://docs.example/", "authorization": "env:SOURCE_OTHER_DOCS"}
    response = await admin.post("/v1/sources", json={**SITE, "config": config})
    assert response.status_code == 403
