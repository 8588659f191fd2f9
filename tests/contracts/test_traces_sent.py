"""Traces at a real collector: what it reads is the turn's tree, and what it does to us harms no turn."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.contracts.ledger_samples import NOON, turn
from tests.contracts.otlp_collector import Collector, collecting, values

from firstline.domain import (
    Answered,
    Attempt,
    Citation,
    Claim,
    ClaimKind,
    Completeness,
    GateReading,
    ModelCall,
    Session,
    Step,
    Turn,
    trace_id_of,
)
from firstline.engines import otlp
from firstline.engines.otlp import TraceSettings, headers_of, open_traces, sampled
from firstline.errors import InvalidInput
from firstline.settings import Settings
from firstline.shaping import trace_settings_of
from firstline.turn_context import continue_trace

SESSION = Session(session_id="s", tenant="acme", kb="docs", user="u-secret", created_at=NOON)
CITED = Citation(chunk_id="c", doc_id="d", blob="b", start=0, end=20, title="Printers", url=None)
ATTEMPTS = (
    Attempt(model_id="openai:a", ended="unavailable", ms=20.0, began_ms=31.0, counted=False),
    Attempt(
        model_id="mistral:b",
        ended="whole",
        ms=300.0,
        began_ms=55.0,
        first_token_ms=120.0,
        tokens_in=800,
        tokens_out=90,
        cost=0.25,
    ),
)
CALL = ModelCall(
    step="write",
    role="large",
    prompt="answer@1#abc",
    ended="whole",
    began_ms=30.5,
    ms=330.0,
    model_id="mistral:b",
    attempts=ATTEMPTS,
)


def a_turn(number: int = 1) -> Turn:
    answered = Answered(
        claims=(Claim(text="Restart the spooler.", kind=ClaimKind.SENTENCE, citations=(CITED,)),),
        completeness=Completeness.FULL,
        confidence=0.9,
    )
    return replace(
        turn("s", number, question="Why is [EMAIL_1] locked out?", outcome=answered),
        timings_ms={"wait": 1.0, "total": 400.0},
        degraded={"rerank": "late: the fused order stands"},
        gates=(GateReading(name="relevance", value=0.8, threshold=0.3),),
        steps=(
            Step(name="rerank", began_ms=2.0, ms=10.0),
            Step(name="gate", began_ms=12.0, ms=18.0),
            Step(name="write", began_ms=30.0, ms=331.0),
        ),
        calls=(CALL,),
    )


def sent(collector: Collector, work: Callable[[otlp.Tell], None], **settings: Any) -> None:
    async def through() -> None:
        async with open_traces(TraceSettings(endpoint=collector.endpoint, **settings)) as tell:
            work(tell)

    asyncio.run(asyncio.wait_for(through(), 60))


def test_a_turn_arrives_as_a_tree_with_its_times() -> None:
    with collecting() as collector:
        sent(collector, lambda tell: tell(a_turn(), SESSION))
    assert collector.paths == ["/v1/traces"]
    assert collector.resources[0]["service.name"] == "firstline"
    by_name = {span.name: span for span in collector.spans}
    parents = {
        span.name: next((p.name for p in collector.spans if p.span_id == span.parent_span_id), "")
        for span in collector.spans
    }
    assert parents == {
        "turn": "",
        "wait": "turn",
        "rerank": "turn",
        "gate": "turn",
        "write": "turn",
        "ask large": "write",
        "chat a": "ask large",
        "chat b": "ask large",
    }
    assert {span.trace_id.hex() for span in collector.spans} == {trace_id_of("s.1")}
    root, second = by_name["turn"], by_name["chat b"]
    assert root.end_time_unix_nano == int(a_turn().asked_at.timestamp() * 1e9)
    assert root.end_time_unix_nano - root.start_time_unix_nano == 400_000_000
    assert second.start_time_unix_nano - root.start_time_unix_nano == 55_000_000
    assert second.end_time_unix_nano - second.start_time_unix_nano == 300_000_000
    assert (root.kind, second.kind, by_name["write"].kind) == (2, 3, 1)  # server, client, internal


def test_calls_of_models_follow_the_conventions_for_generative_ai() -> None:
    with collecting() as collector:
        sent(collector, lambda tell: tell(a_turn(), SESSION))
    by_name = {span.name: span for span in collector.spans}
    assert values(by_name["chat b"].attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "mistral_ai",
        "gen_ai.request.model": "b",
        "gen_ai.conversation.id": "s",
        "gen_ai.response.finish_reasons": ["whole"],
        "gen_ai.response.time_to_first_chunk": 0.12,
        "gen_ai.usage.input_tokens": 800,
        "gen_ai.usage.output_tokens": 90,
        "gen_ai.usage.cost": 0.25,
        "firstline.tokens_counted": True,
    }
    failed = by_name["chat a"]
    assert values(failed.attributes)["error.type"] == "unavailable"
    assert (failed.status.code, failed.status.message) == (2, "unavailable")
    assert (by_name["rerank"].status.code, by_name["write"].status.code) == (2, 0)
    (event,) = by_name["gate"].events
    assert (event.name, values(event.attributes)["firstline.gate.passed"]) == ("gate relevance", True)


def test_no_content_and_no_user_unless_content_is_asked_for() -> None:
    with collecting() as collector:
        sent(collector, lambda tell: tell(a_turn(), SESSION))
        everything = "".join(str(span) for span in collector.spans)
        assert "locked out" not in everything
        assert "spooler" not in everything
        assert "u-secret" not in everything
        collector.spans.clear()
        sent(collector, lambda tell: tell(a_turn(), SESSION), content=True)
    facts = values(next(span for span in collector.spans if span.name == "turn").attributes)
    assert facts["input.value"] == "Why is [EMAIL_1] locked out?"
    assert facts["output.value"] == "Restart the spooler."
    assert "u-secret" not in "".join(str(span) for span in collector.spans)


def test_the_trace_of_whoever_asked_goes_on() -> None:
    def ask(tell: otlp.Tell) -> None:
        continue_trace(f"00-{'c' * 32}-{'d' * 16}-01")
        tell(a_turn(), SESSION)

    with collecting() as collector:
        sent(collector, ask)
    root = next(span for span in collector.spans if span.name == "turn")
    assert (root.trace_id.hex(), root.parent_span_id.hex()) == ("c" * 32, "d" * 16)
    assert {span.trace_id.hex() for span in collector.spans} == {"c" * 32}


def test_langfuse_takes_them_with_its_keys_and_nobody_without() -> None:
    """Its address and Basic authentication, as docs/tracing.md has them."""
    keys = base64.b64encode(b"pk-lf-1:sk-lf-2").decode()
    with collecting(wants=("Authorization", f"Basic {keys}")) as collector:
        endpoint = f"http://127.0.0.1:{collector.port}/api/public/otel/v1/traces"

        async def through(variable: str) -> None:
            headers = headers_of("LANGFUSE", {"LANGFUSE": variable})
            async with open_traces(TraceSettings(endpoint=endpoint, headers=headers)) as tell:
                tell(a_turn(), SESSION)

        asyncio.run(through("Authorization=Basic%20d3Jvbmc="))
        assert (collector.refused, collector.spans) == (1, [])
        asyncio.run(through(f"Authorization=Basic {keys}"))
    assert set(collector.paths) == {"/api/public/otel/v1/traces"}
    facts = values(next(span for span in collector.spans if span.name == "turn").attributes)
    assert facts["session.id"] == "s"


@pytest.mark.parametrize("plays", [{"status": 500}, {"hangs": True}], ids=["500", "hangs"])
def test_a_collector_that_is_broken_costs_traces_and_no_turn(
    plays: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(otlp, "CLOSE_S_MAX", 0.5)
    monkeypatch.setattr(otlp, "QUEUE_SPANS_MAX", 600)

    def many(tell: otlp.Tell) -> None:
        for number in range(1, 401):
            tell(a_turn(number), SESSION)

    with caplog.at_level(logging.WARNING), collecting(**plays) as collector:
        sent(collector, many)
        assert collector.paths  # it was asked
        assert collector.spans == []
    told = [record for record in caplog.records if record.name.startswith("opentelemetry")]
    assert len(told) <= len(otlp.NOISY)


def test_what_cannot_be_traced_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    broken = replace(a_turn(), asked_at=None)  # type: ignore[arg-type]  # what should never be

    def twice(tell: otlp.Tell) -> None:
        tell(broken, SESSION)
        tell(broken, SESSION)

    with caplog.at_level(logging.WARNING), collecting() as collector:
        sent(collector, twice)
    assert [record.message for record in caplog.records if record.name == "firstline.engines.otlp"] == [
        "A trace could not be made (AttributeError); turns go on without."
    ]


def test_a_share_of_the_turns_is_the_same_everywhere() -> None:
    ids = [f"s.{number}" for number in range(4_000)]
    share = sum(sampled(name, 0.25) for name in ids) / len(ids)
    assert 0.2 < share < 0.3
    assert all(sampled(name, 0.5) for name in ids if sampled(name, 0.25))
    assert not any(sampled(name, 0.0) for name in ids)
    assert all(sampled(name, 1.0) for name in ids)


@pytest.mark.parametrize("value", ["", "   ", "Authorization", "=x"])
def test_headers_that_are_none_are_refused_without_their_value(value: str) -> None:
    with pytest.raises(InvalidInput, match="holds no headers") as refused:
        headers_of("OTLP_HEADERS", {"OTLP_HEADERS": value})
    assert refused.value.remedy


def test_headers_are_read_as_opentelemetry_writes_them() -> None:
    read = headers_of("H", {"H": "Authorization=Basic%20YTpi, X-Scope = a=b "})
    assert read == {"Authorization": "Basic YTpi", "X-Scope": "a=b"}
    assert headers_of("", {}) == {}


@pytest.mark.parametrize("address", ["collector:4318", "ftp://collector/v1/traces", "http://"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput, match="trace_endpoint"):
        trace_settings_of(Settings(trace_endpoint=address))


def test_without_an_endpoint_nothing_is_loaded() -> None:
    import subprocess
    import sys

    code = (
        "import asyncio, sys\n"
        "from firstline.engines.otlp import TraceSettings, open_traces\n"
        "async def work():\n"
        "    async with open_traces(TraceSettings()): pass\n"
        "asyncio.run(work())\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
