"""Does a recorded turn come to the same today (invariant 10)? It is taken once more: on the snapshot, the conversation
and the gates that it had then, for somebody who may see what its asker saw, and without what was late or broken then.
Nothing is recorded, and nobody is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from firstline.domain import (
    EVERYONE,
    Answered,
    Clarify,
    Deflected,
    Escalated,
    GateReading,
    Handoff,
    HandoffState,
    HighStakes,
    Level,
    Outcome,
    Principal,
    Session,
    Silent,
    Turn,
)
from firstline.errors import InvalidInput
from firstline.ports import ConversationLedger
from firstline.questions.journey import QuestionJourney

TURNS_READ_MAX: Final = 10_000
"""Turns of a conversation that are looked through for the one that is replayed."""

SHOWN_MAX: Final = 8

SAME_WITHIN: Final = 0.01
"""Scores and gate values that differ by less are the same: vectors differ a little with what they are batched with."""

DECIDES: Final = frozenset({"evidence", "gates", "outcome"})
"""What makes a replay differ. Settings and models that changed without changing these are told and do no harm."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """`what`: settings, models, gates in force, triage, query, degraded, evidence, gates or outcome; both sides in
    words, without any text of documents or customers."""

    what: str
    then: str
    now: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """A recorded turn beside the same one taken again."""

    recorded: Turn
    again: Turn
    differences: tuple[Difference, ...]
    reasons: tuple[str, ...] = ()
    """Why it may differ: what it rested on and is not there any more."""

    @property
    def same(self) -> bool:
        """Same evidence, gates and outcome."""
        return not any(one.what in DECIDES for one in self.differences)


async def replay(
    turn: Turn,
    session: Session,
    principal: Principal,
    *,
    journey: QuestionJourney,
    conversations: ConversationLedger,
) -> Replay:
    """Take it once more and compare. `principal` stands for who asked.

    InvalidInput when that principal may see something else than the asker could, or the knowledge base has another
    embedder by now; Unavailable as a turn is.
    """
    if principal.scope_hash != turn.scope_hash:
        raise InvalidInput(
            "This turn was asked by somebody who may see other documents.",
            remedy="Give the level and the tags of its asker (--level, --acl).",
        )
    turns = await conversations.turns(session.session_id, limit=TURNS_READ_MAX)
    earlier = [one for one in turns if one.number < turn.number]
    again = await journey.replayed(turn, session, principal, then=AsThen(turn, earlier))
    return Replay(recorded=turn, again=again, differences=tuple(differences(turn, again)))


def asker_of(turn: Turn, session: Session, known: Iterable[Principal]) -> Principal | None:
    """Somebody who may see what the turn's asker could: one of those `known`, or anybody of the tenant."""
    anybody = (
        Principal(tenant=session.tenant, user=session.user, acl_tags=frozenset({EVERYONE}), level=level)
        for level in Level
    )
    alike = (one for one in (*anybody, *known) if one.scope_hash == turn.scope_hash)
    return next((replace(one, user=session.user) for one in alike), None)


class AsThen:
    """The conversation as the turn found it. Implements ports.ConversationLedger; what is written is forgotten."""

    def __init__(self, turn: Turn, earlier: Sequence[Turn]) -> None:
        self._turn = turn
        self._earlier = list(earlier)

    async def create_session(self, session: Session) -> None:
        return None

    async def session(self, session_id: str, *, tenant: str, user: str) -> Session | None:
        return None

    async def append_turn(self, turn: Turn, handoff: Handoff | None) -> None:
        return None

    async def turns(self, session_id: str, *, limit: int) -> list[Turn]:
        return self._earlier[-limit:] if limit else []

    async def open_handoff(self, session_id: str) -> Handoff | None:
        """As far as the record tells: whose hand-over kept the bot silent, or was joined."""
        match self._turn.outcome:
            case Silent(handoff=handoff):
                return handoff
            case Escalated(handoff=handoff, again=True) | HighStakes(handoff=handoff, again=True):
                return replace(handoff, state=HandoffState.OPEN, owner=None)
            case _:
                return None

    async def handoff(self, handoff_id: str, *, tenant: str) -> Handoff | None:
        return None

    async def closed_handoffs(self, session_id: str, *, since: datetime) -> list[Handoff]:
        return []

    async def handoffs(
        self, *, tenant: str, limit: int, states: Collection[HandoffState] = frozenset(HandoffState)
    ) -> list[Handoff]:
        return []


def differences(then: Turn, now: Turn) -> Iterator[Difference]:
    """What is not the same, in the order of the journey."""
    compared = {
        "settings": (then.settings_hash, now.settings_hash),
        "models": (_list(then.model_ids), _list(now.model_ids)),
        "gates in force": (str(then.gates_version), str(now.gates_version)),
        "triage": (_triage(then), _triage(now)),
        "query": _queries(then, now),
        "degraded": (_pairs(then.degraded), _pairs(now.degraded)),
        "evidence": _evidence(then, now),
        "gates": _gates(then, now),
        "outcome": (_outcome(then.outcome), _outcome(now.outcome)),
    }
    for what, (before, today) in compared.items():
        if before != today:
            yield Difference(what=what, then=before, now=today)
    if _outcome(then.outcome) == _outcome(now.outcome) and _content(then.outcome) != _content(now.outcome):
        yield Difference(what="outcome", then="the same kind", now="says something else, or cites something else")


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _pairs(noted: Mapping[str, str]) -> str:
    return _list(f"{name} {what}" for name, what in sorted(noted.items()))


def _triage(turn: Turn) -> str:
    return f"{turn.triage.category}, {turn.triage.intent}" if turn.triage else "none"


def _queries(then: Turn, now: Turn) -> tuple[str, str]:
    """Hold words of customers, so it is only told that they differ."""
    before, today = (None if turn.plan is None else turn.plan.queries for turn in (then, now))
    return ("", "") if before == today else ("as recorded", "none" if today is None else "other words")


def _evidence(then: Turn, now: Turn) -> tuple[str, str]:
    before, today = _list(one for one, _ in then.evidence), _list(one for one, _ in now.evidence)
    if before != today:
        return before, today
    moved = [
        f"{chunk_id} {name} {getattr(one, name):.3f}/{getattr(other, name):.3f}"
        for (chunk_id, one), (_, other) in zip(then.evidence, now.evidence, strict=True)
        for name in ("dense", "words", "document", "fused")
        if not _near(getattr(one, name), getattr(other, name))
    ]
    return ("", "") if not moved else ("scores as recorded", f"other scores: {_list(moved[:SHOWN_MAX])}")


def _gates(then: Turn, now: Turn) -> tuple[str, str]:
    same = len(then.gates) == len(now.gates) and all(
        (one.name, one.passed) == (other.name, other.passed)
        and _near(one.value, other.value)
        and _near(one.threshold, other.threshold)
        for one, other in zip(then.gates, now.gates, strict=True)
    )
    return ("", "") if same else (_list(map(_gate, then.gates)), _list(map(_gate, now.gates)))


def _gate(reading: GateReading) -> str:
    passed = "passed" if reading.passed else "failed"
    return f"{reading.name} {reading.value:.3f} against {reading.threshold:.3f} {passed}"


def _near(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= SAME_WITHIN


def _outcome(outcome: Outcome) -> str:
    """The kind, with what decides what happens next."""
    match outcome:
        case Answered():
            return f"answered {outcome.completeness}, {len(outcome.claims)} parts"
        case Clarify():
            return f"clarify {outcome.asks}"
        case Escalated(handoff=handoff, again=again) | HighStakes(handoff=handoff, again=again):
            kind = "high_stakes" if isinstance(outcome, HighStakes) else "escalated"
            return f"{kind} {handoff.reason}, {handoff.intent}{', joined' if again else ''}"
        case Deflected():
            return f"deflected {outcome.category}{f', {outcome.talk}' if outcome.talk else ''}"
        case Silent():
            return "silent"


def _content(outcome: Outcome) -> object:
    """What is said, without what belongs to the day: ids, times, and whether the team is there."""
    match outcome:
        case Answered():
            return outcome.claims, outcome.notes
        case HighStakes():
            return outcome.acknowledgement, outcome.offer
        case Clarify() | Deflected():
            return outcome
        case Escalated() | Silent():
            return None
