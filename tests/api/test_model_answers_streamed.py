"""A model's answer from its HTTP server to the customer's stream: block by block, each as soon as it is verified."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from calls import ask_streamed, bearer, begin
from conftest import client_of
from fake_firstline import FakeFirstline, open_fake
from tests.journeys.test_model_answers import PAGE, STALLS, START, claim, cut_up, draft
from tests.journeys.world import World, asker, page
from tests.models import openai_server
from tests.models.openai_server import Server, serving

from firstline.api import stream
from firstline.api.running import Running
from firstline.caches.store import Kept
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import open_models
from firstline.questions.writing.composer import ByModel

QUESTION = "Why does the printer queue stall?"
SECOND = "Wait 90 seconds before you print again."


@asynccontextmanager
async def answering(*plays: str, **role: Any) -> AsyncGenerator[tuple[FakeFirstline, Server]]:
    """The surface on the real journey, whose answers a chain of these models writes over HTTP."""
    firstline = await open_fake()
    async with serving() as server:
        chain = [{"model": f"openai:{name}", "base_url": server.url, "key_env": "TEST_KEY"} for name in plays]
        settings = ModelsSettings.model_validate({"large": {"chain": chain, "attempts": 1, **role}})
        opened = open_models(settings, Kept("model", bytes_max=0), environ={"TEST_KEY": "sk-test"})
        assert opened is not None
        composer = ByModel(opened.language, redact=str, chars_max=1_500)
        world = World(composer=composer, conversations=firstline.conversations)
        await world.ingest(page("queue", PAGE, title="Printer queue"))
        firstline.questions = world.questions()  # type: ignore[assignment]  # the real one
        try:
            yield firstline, server
        finally:
            await opened.close()


def play(monkeypatch: pytest.MonkeyPatch, name: str, *texts: str, finish: str | None = "stop") -> None:
    monkeypatch.setitem(openai_server.PLAYS, name, lambda writer: openai_server._say(writer, texts, finish=finish))


async def streamed(firstline: FakeFirstline) -> list[tuple[str, Any]]:
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token()))
        events, _ = await ask_streamed(client, await begin(client), QUESTION)
    return events


def blocks(events: list[tuple[str, Any]]) -> list[str]:
    return [data["block"]["text"] for name, data in events if name == "delta" and "block" in data]


async def test_what_is_streamed_is_what_the_reply_says(monkeypatch: pytest.MonkeyPatch) -> None:
    said = draft(claim(STALLS, 1), claim(SECOND, 1), claim(START, 1))
    play(monkeypatch, "writes", *cut_up(said, 11))
    async with answering("writes") as (firstline, server):
        events = await streamed(firstline)
    assert blocks(events) == [STALLS, START]
    final = events[-1][1]["reply"]
    assert [block["text"] for block in final["blocks"]] == [STALLS, START]
    sent = [data["block"] for name, data in events if name == "delta" and "block" in data]
    assert sent == final["blocks"]
    (body,) = server.bodies
    system, user = (message["content"] for message in body["messages"])
    assert "A program checks every claim" in system
    assert 'label="passage 1"' in user
    assert 'label="question"' in user
    assert user.rindex("<data-") > user.index(STALLS)


async def test_a_block_is_sent_while_the_model_still_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = asyncio.Event()
    said = draft(claim(STALLS, 1), claim(START, 1))
    half = said.index(START) - 12

    async def waits(writer: asyncio.StreamWriter) -> None:
        await openai_server._say(writer, [said[:half]], finish=None)
        await asyncio.wait_for(seen.wait(), 3)
        writer.write(openai_server._chunk({"content": said[half:]}))
        writer.write(openai_server._chunk({}, "stop") + openai_server._usage(21, 9))
        await writer.drain()

    monkeypatch.setitem(openai_server.PLAYS, "waits", waits)
    async with answering("waits") as (firstline, _):
        run = Running(firstline=firstline)  # type: ignore[arg-type]  # a fake of Firstline
        world = World(conversations=firstline.conversations)
        session = await world.session("streamed")
        sent: list[str] = []
        async for part in stream.begin(
            run, session=session, principal=asker(), question=QUESTION, explain=False, request_id="r"
        ):
            text = part.decode()
            sent += [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
            if STALLS in text:
                seen.set()
        deltas = [one["block"]["text"] for one in sent if isinstance(one, dict) and "block" in one]
        assert seen.is_set()
        assert deltas == [STALLS, START]
        turns = await firstline.conversations.turns("streamed", limit=1)
        assert turns[0].degraded == {}


@pytest.mark.parametrize(
    "name", ["500", "401", "refuses", "tool", "garbage", "json-half", "json-none", "json-other", "empty", "repeats"]
)
async def test_a_server_that_misbehaves_costs_the_model_and_not_the_answer(name: str) -> None:
    async with answering(name, call_s=3.0) as (firstline, _):
        events = await streamed(firstline)
    assert events[-1][0] == "final"
    assert events[-1][1]["reply"]["outcome"] == "answered"
    assert STALLS in " ".join(blocks(events))


async def test_the_next_model_of_the_chain_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "writes", *cut_up(draft(claim(START, 1), claim(STALLS, 1)), 11))
    async with answering("500", "writes") as (firstline, _):
        events = await streamed(firstline)
    assert blocks(events) == [START, STALLS]


async def test_what_was_sent_stays_when_the_server_resets(monkeypatch: pytest.MonkeyPatch) -> None:
    said = draft(claim(STALLS, 1), claim(START, 1))
    play(monkeypatch, "stops", said[: said.index(START)], finish=None)
    async with answering("stops") as (firstline, _):
        events = await streamed(firstline)
    assert blocks(events) == [STALLS]
    assert [block["text"] for block in events[-1][1]["reply"]["blocks"]] == [STALLS]


async def test_explain_tells_what_became_of_the_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "writes", draft(claim(STALLS, 1), claim(SECOND, 1)))
    async with answering("writes") as (firstline, _), client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token(level=2)))
        session = await begin(client)
        found: httpx.Response = await client.post(
            f"/v1/sessions/{session}/messages?explain=true", json={"text": QUESTION}
        )
    recorded = found.json()["record"]["draft"]
    assert recorded["prompt"].startswith("answer-1-")
    assert recorded["model_id"] == "openai:writes"
    assert recorded["dropped"] == ["what it cites does not say so"]
