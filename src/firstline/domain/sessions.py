"""A conversation and its turns, as they are recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType

from firstline.domain.basics import NOTHING
from firstline.domain.completions import Advice, ModelDraft
from firstline.domain.outcomes import Escalated, Outcome
from firstline.domain.search import Intent, Scores, SearchPlan, Triage
from firstline.domain.steps import ModelCall, Step


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A conversation. `snapshot` is asked whatever is published, for checks before publishing; 0: the published one, or
    the canary, as `Snapshot.number_for` draws. It is not stored."""

    session_id: str
    tenant: str
    kb: str
    user: str
    created_at: datetime
    snapshot: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class GateReading:
    """A gate's decision, with what it saw. `passed` means value >= threshold."""

    name: str
    value: float
    threshold: float
    features: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def passed(self) -> bool:
        return self.value >= self.threshold


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One user message with its outcome, and everything needed to replay it (invariant 10).

    `question` is redacted. `evidence` holds (chunk id, scores) in rank order. `timings_ms` is per step. `degraded`
    says by stage what was late or broken and what was done instead.
    `scope_hash` names what the asker could see. `gates_version`: the calibrated gates that decided; 0: as shipped.
    `language` is the conversation's, as far as its messages told: the one to reply in; "" when nothing told. `draft`:
    what a language model wrote for the answer, if one was asked, whatever came of it. `steps` and `calls` in the order
    they ended; a record of an older version has none.
    """

    session_id: str
    number: int
    question: str
    asked_at: datetime
    scope_hash: str
    snapshot: int
    settings_hash: str
    model_ids: tuple[str, ...]
    triage: Triage | None
    plan: SearchPlan | None
    evidence: tuple[tuple[str, Scores], ...]
    gates: tuple[GateReading, ...]
    outcome: Outcome
    timings_ms: Mapping[str, float]
    degraded: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    gates_version: int = 0
    language: str = ""
    draft: ModelDraft | None = None
    steps: tuple[Step, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    advice: tuple[Advice, ...] = ()

    @property
    def turn_id(self) -> str:
        """As people and logs name it: SESSION.NUMBER."""
        return turn_id_of(self.session_id, self.number)


def turn_id_of(session_id: str, number: int) -> str:
    return f"{session_id}.{number}"


def trace_id_of(turn_id: str) -> str:
    """The id of a turn's trace, 32 hexadecimal digits: anybody who knows the turn can look for it."""
    return sha256(f"firstline turn {turn_id}".encode()).hexdigest()[:32]


def audited_category(turn: Turn) -> str | None:
    """Under which name a turn is audited; None when it is not. Here, so that every ledger says the same."""
    if not isinstance(turn.outcome, Escalated) or turn.triage is None:
        return None
    return Intent.PRIVATE_DATA.value if turn.triage.intent is Intent.PRIVATE_DATA else None
