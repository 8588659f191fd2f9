"""Signed events over HTTP, and deletions."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from calls import assert_problem, bearer
from conftest import client_of
from fake_firstline import FakeFirstline, open_fake

from firstline.domain import EVERYONE, DocumentKind, Level, RawDocument, RegisteredSource
from firstline.engines.memory.base import Sealed

SECRET = "a secret of more than sixteen bytes"
HOOK = "/v1/hooks/push"


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_PUSH", SECRET)


async def register(firstline: FakeFirstline, name: str = "push", kind: str = "push", **more: Any) -> None:
    values = {"tenant": "acme", "kb": "docs", "config": {"hook_secret": "env:SOURCE_PUSH"}, **more}
    await firstline.sources.add_source(
        RegisteredSource(
            name=name,
            kind=kind,
            document_kind=DocumentKind.DOCUMENTATION,
            acl=frozenset({EVERYONE}),
            level=Level.PUBLIC,
            added_at=datetime.now(UTC),
            **values,
        )
    )


@pytest.fixture
async def hooked(firstline: FakeFirstline, anonymous: httpx.AsyncClient) -> httpx.AsyncClient:
    await register(firstline)
    return anonymous


def signed(body: bytes, event_id: str, *, at: float | None = None, secret: str = SECRET) -> dict[str, str]:
    stamp = str(int(time.time() if at is None else at))
    mac = hmac.new(secret.encode(), b".".join((event_id.encode(), stamp.encode(), body)), hashlib.sha256)
    return {
        "webhook-id": event_id,
        "webhook-timestamp": stamp,
        "webhook-signature": "v1," + base64.b64encode(mac.digest()).decode(),
    }


async def post(
    client: httpx.AsyncClient, *documents: dict[str, Any], event_id: str = "e", path: str = HOOK, **more: Any
) -> httpx.Response:
    body = json.dumps({"documents": documents}).encode()
    return await client.post(path, content=body, headers=signed(body, event_id, **more))


async def waiting(firstline: FakeFirstline) -> dict[str, RawDocument | None]:
    found = await firstline.changes.due(tenant="acme", kb="docs", limit=100)
    return {one.change.item_id: one.change.document for one in found}


async def test_a_signed_event_waits_for_a_worker_redacted(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    page = {
        "id": "a",
        "kind": "ticket",
        "title": "For ada@corp-mail.io",
        "text": "Write to ada@corp-mail.io, or open the valve.",
    }
    response = await post(hooked, page, {"id": "b", "deleted": True})
    assert (response.status_code, response.json()) == (202, {"status": "accepted", "accepted": 2, "older": 0})
    found = await waiting(firstline)
    kept = found["push/a"]
    assert kept is not None and "valve" in kept.text and "ada@" not in kept.text + kept.title
    assert found["push/b"] is None


async def test_an_event_that_comes_again_does_nothing(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await post(hooked, {"id": "a", "text": "one"})
    for text in ("one", "two"):
        again = await post(hooked, {"id": "a", "text": text})
        assert (again.status_code, again.json()["status"]) == (202, "seen_before")
    assert (await waiting(firstline))["push/a"].text == "one"


async def test_who_announces_is_told_what_it_waits_for(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    base = firstline.knowledge._bases["acme", "docs"]
    waits = max(base.sealed) + 1
    base.sealed[waits] = Sealed(sealed_at=datetime(2026, 1, 31, tzinfo=UTC), published_at=None, waits="a bulk change")
    base.head = base.counter = waits
    told = (await post(hooked, {"id": "a", "text": "Open the valve."})).json()
    assert told["waits_for"] == {
        "snapshot": waits,
        "since": "2026-01-31T00:00:00Z",
        "why": "a bulk change",
        "what_to_do": told["waits_for"]["what_to_do"],
    }
    assert f"firstline snapshot publish {waits}" in told["waits_for"]["what_to_do"]
    deleted = (await post(hooked, {"id": "a", "deleted": True}, event_id="f")).json()
    assert "waits_for" not in deleted, "a deletion waits for nothing"


async def test_three_times_and_out_of_order_ends_with_the_newest(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    pages = [{"id": "a", "text": f"version {version}", "version": version} for version in (1, 2, 3)]
    for _ in range(3):
        for place in (2, 0, 1):
            response = await post(hooked, pages[place], event_id=f"e{place}")
            assert response.status_code == 202
    assert (await waiting(firstline))["push/a"].text == "version 3"


@pytest.mark.parametrize(
    "wrong", [{"secret": "another secret that is long"}, {"at": time.time() - 3600}, {"at": time.time() + 3600}]
)
async def test_what_is_not_signed_well_is_refused(
    firstline: FakeFirstline, hooked: httpx.AsyncClient, wrong: dict[str, Any]
):
    assert_problem(await post(hooked, {"id": "a", "text": "x"}, **wrong), 401, "unauthenticated")
    assert_problem(await hooked.post(HOOK, json={"documents": []}), 401, "unauthenticated")
    assert await waiting(firstline) == {}


async def test_a_hook_that_is_not_there_is_told_from_none(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await register(firstline, "silent", config={})
    wrong = await post(hooked, {"id": "a", "text": "x"}, secret="another secret that is long")
    for path in ("/v1/hooks/nothing", "/v1/hooks/silent", f"{HOOK}?tenant=other", f"{HOOK}?kb=other"):
        response = await post(hooked, {"id": "a", "text": "x"}, path=path)
        assert_problem(response, 401, "unauthenticated")
        assert response.json()["detail"] == wrong.json()["detail"]


async def test_a_hook_of_another_tenant_and_base(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await register(firstline, tenant="other", kb="wiki")
    await post(hooked, {"id": "a", "text": "x"}, path=f"{HOOK}?tenant=other&kb=wiki")
    assert await waiting(firstline) == {}
    assert len(await firstline.changes.due(tenant="other", kb="wiki", limit=9)) == 1


async def test_a_vendors_event_makes_its_source_due(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await register(firstline, "issues", "github")
    body = b'{"action": "edited"}'
    mac = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": f"sha256={mac}", "x-github-delivery": "d"}
    response = await hooked.post("/v1/hooks/issues", content=body, headers=headers)
    assert (response.status_code, response.json()["status"]) == (202, "accepted")
    assert [one.name for one in await firstline.sources.due_sources(tenant="acme", limit=9)] == ["issues"]
    assert (await hooked.post("/v1/hooks/issues", content=body, headers=headers)).json()["status"] == "seen_before"
    # Its signature covers no id and no time: no document comes that way.
    push = await hooked.post(HOOK, content=body, headers=headers)
    assert_problem(push, 401, "unauthenticated")


async def test_a_bad_event_is_refused_as_a_whole(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    problem = assert_problem(await post(hooked, {"id": "a", "text": "x"}, {"id": "b"}), 422, "invalid_input")
    assert "documents.1" in problem["detail"]
    assert await waiting(firstline) == {}
    # It may be mended, and sent again under its id.
    assert (await post(hooked, {"id": "a", "text": "x"})).json()["accepted"] == 1


async def test_an_event_may_be_larger_than_a_question_and_not_of_any_size():
    firstline = await open_fake(hook_bytes_max=200_000)
    await register(firstline)
    async with client_of(firstline) as client:
        assert (await post(client, {"id": "a", "text": "x" * 150_000})).status_code == 202
        assert_problem(await post(client, {"id": "a", "text": "x" * 200_001}, event_id="f"), 413, "too_large")


async def test_so_many_events_a_minute():
    firstline = await open_fake(rate_hook_per_minute=2)
    await register(firstline)
    async with client_of(firstline) as client:
        for number in range(2):
            assert (await post(client, {"id": "a", "text": "x"}, event_id=str(number))).status_code == 202
        refused = await post(client, {"id": "a", "text": "x"}, event_id="3")
        assert_problem(refused, 429, "too_many_requests")
        assert int(refused.headers["Retry-After"]) > 0
        # What is not signed uses nothing up.
        firstline.limiter.__init__()
        for _ in range(5):
            await post(client, {"id": "a", "text": "x"}, secret="another secret that is long")
        assert (await post(client, {"id": "a", "text": "x"}, event_id="4")).status_code == 202


async def test_a_secret_that_is_missing_is_for_the_operator(
    firstline: FakeFirstline, hooked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("SOURCE_PUSH")
    response = await post(hooked, {"id": "a", "text": "x"})
    assert_problem(response, 500, "broken")
    assert "SOURCE_PUSH" not in response.text


async def test_a_deleted_document_is_out_of_sight_when_it_is_acknowledged(
    firstline: FakeFirstline, client: httpx.AsyncClient
):
    admin = bearer(await firstline.token(level=Level.RESTRICTED))
    assert_problem(await client.delete("/v1/documents/keys.md"), 403, "forbidden")
    gone = await client.delete("/v1/documents/keys.md", headers=admin)
    assert (gone.status_code, gone.json()) == (200, {"doc_id": "keys.md", "kb": "docs"})
    buried = await firstline.knowledge.tombstones(["keys.md"], tenant="acme", kb="docs")
    assert [one.doc_id for one in buried] == ["keys.md"]


async def test_deleting_what_is_not_there_is_an_error(firstline: FakeFirstline, client: httpx.AsyncClient):
    admin = bearer(await firstline.token(level=Level.RESTRICTED))
    for path in ("nothing.md", "a/b/c.md", "keys.md?kb=other"):
        assert_problem(await client.delete(f"/v1/documents/{path}", headers=admin), 404, "not_found")
    elsewhere = bearer(await firstline.token(level=Level.RESTRICTED, tenant="other"))
    assert_problem(await client.delete("/v1/documents/keys.md", headers=elsewhere), 404, "not_found")


async def test_a_pushed_document_that_still_waits_can_be_deleted(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await post(hooked, {"id": "a", "text": "x", "version": 5})
    admin = bearer(await firstline.token(level=Level.RESTRICTED))
    assert (await hooked.delete("/v1/documents/push/a", headers=admin)).status_code == 200
    assert await waiting(firstline) == {"push/a": None}
    assert (await post(hooked, {"id": "a", "text": "x", "version": 4}, event_id="late")).json()["older"] == 1


async def test_a_deletion_that_is_pushed_hides_at_once(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await register(firstline, "keys.md")
    await post(hooked, {"id": "x", "deleted": True})
    assert (await waiting(firstline)) == {"push/x": None}  # never taken: a worker looks once more


async def test_the_lag_is_a_metric(firstline: FakeFirstline, hooked: httpx.AsyncClient):
    await post(hooked, {"id": "a", "text": "x"})
    text = (await hooked.get("/metrics")).text
    assert 'firstline_changes_waiting{tenant="acme",kb="docs",state="waiting"} 1' in text
    assert 'firstline_changes_oldest_seconds{tenant="acme",kb="docs"} ' in text
    await firstline.changes.settle(await firstline.changes.due(tenant="acme", kb="docs", limit=9), answerable=True)
    text = (await hooked.get("/metrics")).text
    assert 'firstline_change_to_answerable_seconds{tenant="acme",kb="docs",quantile="0.95"} ' in text


async def test_a_hook_whose_secret_is_too_short_tells_nobody_of_it(
    firstline: FakeFirstline, hooked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SOURCE_PUSH", "short")
    response = await post(hooked, {"id": "a", "text": "x"})
    assert response.status_code == 500 and "secret" not in response.text
