"""A message to the API, and what a collector hears of its turn."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from calls import ask, ask_streamed, bearer, begin
from conftest import client_of
from fake_firstline import open_fake
from test_model_answers_streamed import play
from tests.contracts.otlp_collector import Collector, collecting, values
from tests.journeys.test_model_answers import PAGE, STALLS, claim, cut_up, draft
from tests.journeys.world import World, page
from tests.models.openai_server import serving

from firstline.caches.store import Kept
from firstline.domain import trace_id_of
from firstline.engines import otlp
from firstline.engines.otlp import TraceSettings, open_traces
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import open_models
from firstline.questions.writing.composer import ByModel

QUESTION = "Why does the printer queue stall?"
CALLER, ABOVE = "c" * 32, "d" * 16
TRACEPARENT = {"traceparent": f"00-{CALLER}-{ABOVE}-00"}


@asynccontextmanager
async def traced(collector: Collector, name: str, **settings: Any) -> AsyncGenerator[tuple[httpx.AsyncClient, int]]:
    """The surface on the real journey, with a model over HTTP and traces that are sent: (client, the model's port). All
    traces are sent when it is over."""
    firstline = await open_fake()
    async with serving() as server, open_traces(TraceSettings(endpoint=collector.endpoint, **settings)) as tell:
        entry = {"model": f"openai:{name}", "base_url": server.url, "key_env": "TEST_KEY"}
        role = {"large": {"chain": [entry], "attempts": 1, "max_tokens": 321}}
        opened = open_models(
            ModelsSettings.model_validate(role), Kept("model", bytes_max=0), environ={"TEST_KEY": "sk-test"}
        )
        assert opened is not None
        composer = ByModel(opened.language, redact=str, chars_max=1_500)
        world = World(composer=composer, conversations=firstline.conversations)
        await world.ingest(page("queue", PAGE, title="Printer queue"))
        firstline.questions = world.questions(on_recorded=tell)  # type: ignore[assignment]  # the real one
        try:
            async with client_of(firstline) as client:
                client.headers.update(bearer(await firstline.token()))
                yield client, httpx.URL(server.url).port or 0
        finally:
            await opened.close()


def roots(collector: Collector) -> list[Any]:
    return [span for span in collector.spans if span.name == "turn"]


async def test_a_turn_goes_on_with_the_trace_of_whoever_asked_whichever_way_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play(monkeypatch, "writes", *cut_up(draft(claim(STALLS, 1)), 11))
    with collecting() as collector:
        async with traced(collector, "writes") as (client, _):
            client.headers.update(TRACEPARENT)
            asked = await ask(client, await begin(client), QUESTION)
            assert asked.json()["reply"]["outcome"] == "answered"
            events, _ = await ask_streamed(client, await begin(client), QUESTION)
            assert events[-1][0] == "final"
            del client.headers["traceparent"]
            session = await begin(client)
            await ask(client, session, QUESTION)
    found = [(root.trace_id.hex(), root.parent_span_id.hex()) for root in roots(collector)]
    assert found == [(CALLER, ABOVE), (CALLER, ABOVE), (trace_id_of(f"{session}.1"), "")]


async def test_the_call_of_a_model_names_its_server_and_how_long_the_answer_might_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play(monkeypatch, "writes", *cut_up(draft(claim(STALLS, 1)), 11))
    with collecting() as collector:
        async with traced(collector, "writes") as (client, port):
            await ask(client, await begin(client), QUESTION)
    by_id = {span.span_id: span for span in collector.spans}
    call = next(span for span in collector.spans if span.name == "chat writes")
    facts = values(call.attributes)
    assert (facts["server.address"], facts["server.port"]) == ("127.0.0.1", port)
    assert facts["gen_ai.request.max_tokens"] == 321
    assert facts["gen_ai.response.finish_reasons"] == ["whole"]
    assert facts["gen_ai.usage.output_tokens"] > 0
    request = by_id[call.parent_span_id]
    step = by_id[request.parent_span_id]
    assert [request.name, step.name, by_id[step.parent_span_id].name] == ["ask large", "write", "turn"]
    assert request.start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano


@pytest.mark.parametrize("content", [False, True], ids=["off", "on"])
async def test_what_a_customer_wrote_is_sent_redacted_or_not_at_all(
    content: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, "writes", *cut_up(draft(claim(STALLS, 1)), 11))
    with collecting() as collector:
        async with traced(collector, "writes", content=content) as (client, _):
            await ask(client, await begin(client), f"{QUESTION} I am jane.roe@example.com.")
    everything = "".join(str(span) for span in collector.spans)
    assert roots(collector)
    assert "jane.roe" not in everything
    assert ("[EMAIL_1]" in everything) is content
    assert (STALLS in everything) is content


@pytest.mark.parametrize("plays", [{"status": 500}, {"hangs": True}], ids=["500", "hangs"])
async def test_turns_are_answered_while_the_collector_is_broken(
    plays: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, "writes", *cut_up(draft(claim(STALLS, 1)), 11))
    monkeypatch.setattr(otlp, "CLOSE_S_MAX", 0.2)
    monkeypatch.setattr(otlp, "BATCH_SPANS_MAX", 4)  # it is asked at once, and again and again
    with collecting(**plays) as collector:
        async with traced(collector, "writes") as (client, _):
            for _turn in range(5):
                asked = await ask(client, await begin(client), QUESTION)
                assert asked.json()["reply"]["outcome"] == "answered"
        assert collector.paths
        assert collector.spans == []
        # Whatever still waits for the collector, nobody waits for that.
        closing = any(thread.name == "traces-close" for thread in threading.enumerate())
        assert closing or not collector.hangs


async def test_the_usual_variable_of_opentelemetry_gives_headers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, "writes", *cut_up(draft(claim(STALLS, 1)), 11))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-scope=acme")
    with collecting(wants=("x-scope", "acme")) as collector:
        async with traced(collector, "writes") as (client, _):
            await ask(client, await begin(client), QUESTION)
    assert (collector.refused, len(roots(collector))) == (0, 1)
