"""Turns give way to requests without an answer, for a while."""

from __future__ import annotations

import asyncio
import time

import httpx
from calls import ask_streamed, begin
from fake_firstline import FakeFirstline
from tests.cost import ends_within

from firstline.api.app import create_app
from firstline.api.arrivals import Arrivals


async def test_a_step_begins_once_every_request_is_answered() -> None:
    arrivals = Arrivals()
    first, second = arrivals.arrived(), arrivals.arrived()
    told: list[str] = []

    async def on_status(step: str) -> None:
        told.append(step)

    step = asyncio.ensure_future(arrivals.giving_way(on_status, wait_s_max=5)("triage"))
    await asyncio.sleep(0.01)
    assert told == ["triage"]  # the person hears of it at once
    first()
    first()  # a second time counts for nothing
    await asyncio.sleep(0.01)
    assert not step.done()
    second()
    await asyncio.wait_for(step, 1)


async def test_a_turn_gives_way_for_so_long_in_all_and_then_goes_on() -> None:
    async def turn() -> None:
        arrivals = Arrivals()
        arrivals.arrived()
        on_step = arrivals.giving_way(None, wait_s_max=0.05)
        began = time.perf_counter()
        for step in ("triage", "retrieve", "compose"):
            await on_step(step)
        assert time.perf_counter() - began > 0.04

    assert await ends_within(turn, 1)


async def test_every_kind_of_answer_counts(firstline: FakeFirstline) -> None:
    app = create_app(firstline, settings=firstline.settings)  # type: ignore[arg-type]  # a fake of Firstline
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://firstline.test") as client,
    ):
        arrivals: Arrivals = app.state.running.arrivals
        assert (await client.get("/v1/me")).status_code == 401
        client.headers["Authorization"] = f"Bearer {await firstline.token()}"
        session = await begin(client)
        events, _ = await ask_streamed(client, session, "duplicate key")
        assert events[-1][0] == "final"
        assert (await client.post(f"/v1/sessions/{session}/messages", json={"text": "duplicate"})).status_code == 200
        assert (await client.post(f"/v1/sessions/{session}/messages", content=b"{")).status_code == 422
        await asyncio.wait_for(arrivals.quiet(wait_s_max=5), 0.5)
