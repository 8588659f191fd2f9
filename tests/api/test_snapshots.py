"""Snapshots and forgetting over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import httpx
import pytest
from calls import assert_problem, bearer
from fake_firstline import FakeFirstline
from fastapi import FastAPI

from firstline.api import snapshots
from firstline.documents.certificate import Certificate
from firstline.domain import Level
from firstline.ports import Scope


async def keeper(firstline: FakeFirstline) -> dict[str, str]:
    return bearer(await firstline.token(level=Level.RESTRICTED))


async def more(firstline: FakeFirstline, *, publish: bool = False) -> int:
    """An empty change on top, as a snapshot."""
    where = {"tenant": "acme", "kb": "docs"}
    candidate = await firstline.knowledge.open_candidate(**where, embedder_id="scripted")
    if publish:
        return (await firstline.knowledge.publish(**where, candidate=candidate)).number
    return (await firstline.knowledge.seal(**where, candidate=candidate, waits="it is large")).number


async def test_snapshots_are_for_restricted_keys(firstline: FakeFirstline, client: httpx.AsyncClient) -> None:
    internal = bearer(await firstline.token(level=Level.INTERNAL))
    assert_problem(await client.get("/v1/snapshots", headers=internal), 403, "forbidden")
    for path in ("rollback", "discard", "1/publish", "1/canary"):
        answer = await client.post(
            f"/v1/snapshots/{path}", json={"share": 0.5} if "canary" in path else {}, headers=internal
        )
        assert_problem(answer, 403, "forbidden")
    assert_problem(
        await client.post("/v1/documents/forget", json={"documents": ["x"]}, headers=internal), 403, "forbidden"
    )


async def test_a_snapshot_waits_is_tried_out_published_and_taken_back(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    headers = await keeper(firstline)
    number = await more(firstline)
    listed = (await client.get("/v1/snapshots", headers=headers)).json()["snapshots"]
    assert [(one["number"], one["state"], one["waits"]) for one in listed] == [
        (number, "waiting", "it is large"),
        (number - 1, "published", ""),
    ]
    tried = await client.post(f"/v1/snapshots/{number}/canary", json={"share": 0.25}, headers=headers)
    assert (tried.json()["number"], tried.json()["canary"], tried.json()["canary_share"]) == (number - 1, number, 0.25)
    assert (await client.post(f"/v1/snapshots/{number}/publish", headers=headers)).json()["number"] == number
    assert (await client.post("/v1/snapshots/rollback", json={}, headers=headers)).json()["number"] == number - 1
    assert_problem(await client.post("/v1/snapshots/99/publish", headers=headers), 404, "not_found")
    assert_problem(await client.post("/v1/snapshots/rollback", json={"to": number}, headers=headers), 409, "conflict")
    shown = (await client.get(f"/v1/snapshots/diff?before=0&after={number}", headers=headers)).json()
    assert shown["changes"] and {one["change"] for one in shown["changes"]} == {"added"}


async def test_a_forgotten_document_is_gone_with_the_answer(
    firstline: FakeFirstline, client: httpx.AsyncClient
) -> None:
    headers = await keeper(firstline)
    current = await firstline.knowledge.current(tenant="acme", kb="docs")
    doc_id = sorted(current)[0]
    wrong = await client.post("/v1/documents/forget", json={"documents": [doc_id, "typo"]}, headers=headers)
    assert_problem(wrong, 404, "not_found")
    done = await client.post("/v1/documents/forget", json={"documents": [doc_id]}, headers=headers)
    assert [one["doc_id"] for one in done.json()["forgotten"]] == [doc_id]
    scope = Scope(tenant="acme", kb="docs", acl_tags=current[doc_id].acl, level_max=Level.RESTRICTED, snapshot=1)
    assert await firstline.knowledge.document(doc_id, scope) is None


async def test_purging_goes_on_after_an_accident(caplog: pytest.LogCaptureFixture) -> None:
    again, failed = asyncio.Event(), asyncio.Event()

    class Purger:
        async def resume(self, *, tenant: str | None) -> list[Certificate]:
            if not failed.is_set():
                failed.set()
                raise RuntimeError("nobody foresaw it")
            again.set()
            return []

    app = FastAPI()
    async with snapshots.purging(app, cast("Any", Purger())), asyncio.timeout(2):
        await failed.wait()
        app.state.purge.set()
        await again.wait()
    assert "purging what is forgotten failed" in caplog.text
