"""A recorded turn as a tree of what it did when: what `firstline trace` prints and OpenTelemetry is sent.

    turn > steps > gates read, model requests > calls of one model

Attributes are named as OpenTelemetry names them (its GenAI conventions for calls of models), and `firstline.*` where it
has no name. They hold no text of a document, a customer or a model, unless `content` asks for it: then what was
recorded, which is redacted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from firstline.domain.basics import NOTHING
from firstline.domain.completions import ModelDraft
from firstline.domain.outcomes import Answered, Deflected, Escalated, HighStakes, Silent
from firstline.domain.sessions import GateReading, Session, Turn
from firstline.domain.steps import Attempt, ModelCall, Step

Value = str | float | int | bool
PROVIDERS: Final[Mapping[str, str]] = {
    "google": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
}
"""What OpenTelemetry calls a provider, where that is not its name in the settings."""
GOOD_ENDS: Final = frozenset({"whole", "cut"})
STEP_OF_GATE: Final[Mapping[str, str]] = {"relevance": "gate", "unsure": "critique", "confidence": "critique"}
"""After which step a gate was read."""
STAGES_OF: Final[Mapping[str, str]] = {"compose": "write"}
"""The step that a stage in `Turn.degraded` belongs to, where its name is another one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """`began_ms`: since the turn's message came, `ms`: how long; both None where the record does not tell. `model`: it
    is a call of a model. `error`: the kind of what went wrong, "" when nothing did."""

    name: str
    began_ms: float | None
    ms: float | None
    attributes: Mapping[str, Value | tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    error: str = ""
    model: bool = False
    inside: tuple[Span, ...] = ()


def turn_tree(turn: Turn, session: Session, *, content: bool = False) -> Span:
    """The whole turn. A record of an older version has times by step alone: its steps began nobody knows when."""
    spans = _steps(turn, content=content)
    said = {"input.value": turn.question, "output.value": _answer(turn)} if content else {}
    return Span(
        name="turn",
        began_ms=0.0,
        ms=turn.timings_ms.get("total"),
        attributes={**_facts(turn, session), **said},
        error=next((what.partition(":")[0] for stage, what in turn.degraded.items() if stage in ("turn", "gates")), ""),
        inside=spans,
    )


def _facts(turn: Turn, session: Session) -> dict[str, Value | tuple[str, ...]]:
    facts: dict[str, Value | tuple[str, ...]] = {
        "firstline.turn": turn.turn_id,
        "session.id": turn.session_id,
        "firstline.tenant": session.tenant,
        "firstline.kb": session.kb,
        "firstline.snapshot": turn.snapshot,
        "firstline.settings": turn.settings_hash,
        "firstline.outcome": type(turn.outcome).__name__,
        "firstline.evidence": len(turn.evidence),
        "firstline.models": tuple(filter(None, turn.model_ids)),
    }
    if (why := _why(turn)) is not None:
        facts["firstline.outcome.kind"] = why
    if turn.language:
        facts["firstline.language"] = turn.language
    if turn.triage is not None:
        facts["firstline.triage"] = turn.triage.category.value
        facts["firstline.intent"] = turn.triage.intent.value
    if turn.plan is not None:
        facts["firstline.route"] = turn.plan.route.value
    for stage, what in turn.degraded.items():
        facts[f"firstline.degraded.{stage}"] = what
    return facts


def _why(turn: Turn) -> str | None:
    match turn.outcome:
        case Answered(completeness=completeness):
            return completeness.value
        case Deflected(category=category):
            return category.value
        case Escalated(handoff=handoff) | HighStakes(handoff=handoff) | Silent(handoff=handoff):
            return handoff.reason.value
        case _:
            return None


def _answer(turn: Turn) -> str:
    return "\n".join(claim.text for claim in turn.outcome.claims) if isinstance(turn.outcome, Answered) else ""


# --- steps ----------------------------------------------------------------------------------------------------------


def _steps(turn: Turn, *, content: bool) -> tuple[Span, ...]:
    gates, calls, left = list(turn.gates), list(turn.calls), dict(turn.degraded)
    spans: list[Span] = []
    waited = turn.timings_ms.get("wait")
    if waited is not None:
        spans.append(Span(name="wait", began_ms=0.0, ms=round(waited, 2)))
    for step in turn.steps or _of_times(turn):
        inside = [*_gates_of(step, gates), *_calls_of(step, calls, turn, content=content)]
        stage = next((stage for stage in left if STAGES_OF.get(stage, stage) == step.name), "")
        what = left.pop(stage, "")
        spans.append(
            Span(
                name=step.name,
                began_ms=None if not turn.steps else step.began_ms,
                ms=step.ms,
                attributes={"firstline.degraded": what} if what else NOTHING,
                error=what.partition(":")[0],
                inside=tuple(inside),
            )
        )
    # What stands in the record and belongs to no step that is told.
    spans += [_gate(reading) for reading in gates]
    spans += [_call(call, turn, content=content) for call in calls]
    return tuple(spans)


def _of_times(turn: Turn) -> Iterable[Step]:
    times = ((name, ms) for name, ms in turn.timings_ms.items() if name not in ("total", "wait"))
    return [Step(name=name, began_ms=0.0, ms=round(ms, 2)) for name, ms in times]


def _gates_of(step: Step, gates: list[GateReading]) -> list[Span]:
    """The readings that this step made; they are taken out."""
    found: list[GateReading] = []
    while gates and STEP_OF_GATE.get(gates[0].name) == step.name:
        if gates[0].name in (one.name for one in found):
            break
        found.append(gates.pop(0))
    return [_gate(reading) for reading in found]


def _gate(reading: GateReading) -> Span:
    return Span(
        name=f"gate {reading.name}",
        began_ms=None,
        ms=None,
        attributes={
            "firstline.gate.value": round(reading.value, 4),
            "firstline.gate.threshold": round(reading.threshold, 4),
            "firstline.gate.passed": reading.passed,
        },
    )


# --- models ---------------------------------------------------------------------------------------------------------


def _calls_of(step: Step, calls: list[ModelCall], turn: Turn, *, content: bool) -> list[Span]:
    """The requests that this step made; they are taken out."""
    ends_ms = step.began_ms + step.ms
    own = [call for call in calls if call.step == step.name and (not turn.steps or call.began_ms <= ends_ms)]
    for call in own:
        calls.remove(call)
    return [_call(call, turn, content=content) for call in own]


def _call(call: ModelCall, turn: Turn, *, content: bool) -> Span:
    attributes: dict[str, Value | tuple[str, ...]] = {
        "firstline.role": call.role,
        "firstline.prompt": call.prompt,
        "firstline.ended": call.ended,
    }
    if call.model_id:
        attributes["firstline.model"] = call.model_id
    if call.why:
        attributes["firstline.why"] = call.why
    if call.kept:
        attributes["firstline.kept"] = True
    elif not call.attempts and call.model_id:
        attributes["firstline.joined"] = True
    draft = turn.draft if content and turn.draft is not None and turn.draft.prompt == call.prompt else None
    last = len(call.attempts) - 1
    return Span(
        name=f"ask {call.role}",
        began_ms=call.began_ms,
        ms=call.ms,
        attributes=attributes,
        error="" if call.ended in GOOD_ENDS else call.ended,
        inside=tuple(
            _attempt(attempt, turn, draft if at == last else None) for at, attempt in enumerate(call.attempts)
        ),
    )


def _attempt(attempt: Attempt, turn: Turn, draft: ModelDraft | None) -> Span:
    """One call, by OpenTelemetry's conventions for generative AI."""
    provider, _, name = attempt.model_id.partition(":")
    attributes: dict[str, Value | tuple[str, ...]] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": name or attempt.model_id,
        "gen_ai.conversation.id": turn.session_id,
        "gen_ai.response.finish_reasons": (attempt.ended,),
    }
    if attempt.max_tokens:
        attributes["gen_ai.request.max_tokens"] = attempt.max_tokens
    if attempt.server:
        attributes |= _server(attempt.server)
    if attempt.first_token_ms:
        attributes["gen_ai.response.time_to_first_chunk"] = attempt.first_token_ms / 1000
    if attempt.tokens_in or attempt.tokens_out:
        attributes |= {
            "gen_ai.usage.input_tokens": attempt.tokens_in,
            "gen_ai.usage.output_tokens": attempt.tokens_out,
            "gen_ai.usage.cost": attempt.cost,
            "firstline.tokens_counted": attempt.counted,
        }
    if draft is not None:
        attributes |= {
            "gen_ai.input.messages": _message("user", turn.question),
            "gen_ai.output.messages": _message("assistant", "\n".join(claim.text for claim in draft.claims)),
            "gen_ai.retrieval.documents": draft.issued,
        }
    bad = attempt.ended not in GOOD_ENDS
    return Span(
        name=f"chat {name or attempt.model_id}",
        began_ms=attempt.began_ms,
        ms=attempt.ms,
        attributes={**attributes, "error.type": attempt.ended} if bad else attributes,
        error=attempt.ended if bad else "",
        model=True,
    )


def _server(address: str) -> dict[str, Value]:
    """As OpenTelemetry names a host and its port. An address of IPv6 stands in brackets, and they are no part of it."""
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname or address, parts.port
    except ValueError:  # no port has such a number: nobody was reached there
        return {"server.address": address}
    return {"server.address": host} if port is None else {"server.address": host, "server.port": port}


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False)
