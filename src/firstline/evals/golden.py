"""Judged turns as cases: what reviewers found becomes what `firstline eval` and `firstline calibrate` ask."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from firstline.domain import (
    EVERYONE,
    Answered,
    Document,
    Escalated,
    Judgement,
    Level,
    Principal,
    Reason,
    Turn,
    Verdict,
)
from firstline.evals.cases import outcome_kind

SET: Final = "reviewed"
HISTORY_MAX: Final = 20
"""Earlier messages of a case: more than any question is understood from."""

ACCIDENTS: Final = frozenset({Reason.PROVIDER_FAILURE, Reason.BUDGET_EXCEEDED})
"""Hand-overs that say nothing about their question."""

WEAK: Final = frozenset({Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT})


@dataclass(frozen=True, kw_only=True, slots=True)
class Golden:
    """`case` is a line of a file of cases; None where nothing can be scored with it, and `why_not` says why. `changed`:
    documents that are not as they were when it was judged."""

    judgement: Judgement
    case: Mapping[str, Any] | None
    changed: tuple[str, ...] = ()
    why_not: str = ""


def golden(judgement: Judgement, turns: Sequence[Turn], *, tenant: str, current: Mapping[str, Document]) -> Golden:
    """`turns`: the conversation, oldest first, up to the judged turn. `current`: the knowledge base's documents now."""
    last = turns[-1] if turns else None
    if last is None or last.number != judgement.turn:
        return Golden(judgement=judgement, case=None, why_not="the conversation is too long to be read back")
    label, why_not = _label(judgement, last)
    if label is None:
        return Golden(judgement=judgement, case=None, why_not=why_not)
    changed = tuple(doc for doc in judgement.docs if _changed(doc, judgement.snapshot, current))
    questions = [turn.question for turn in turns][-HISTORY_MAX - 1 :]
    level = level_of(last, tenant=tenant)
    case: dict[str, Any] = {
        "id": f"{judgement.session_id}.{judgement.turn}",
        **({"question": questions[0]} if len(questions) == 1 else {"turns": questions}),
        "docs": list(judgement.docs),
        **label,
        **({"must_contain": list(judgement.must_contain)} if judgement.must_contain else {}),
        **({"reference": judgement.reference} if judgement.reference else {}),
        **({"level": level.label} if level is not None else {}),
        "set": SET,
        "note": _note(judgement, changed, known_level=level is not None),
    }
    return Golden(judgement=judgement, case=case, changed=changed)


def level_of(turn: Turn, *, tenant: str) -> Level | None:
    """Who asked; None when it was somebody with access tags of their own, as no case can ask."""
    for level in Level:
        asker = Principal(tenant=tenant, user="", acl_tags=frozenset({EVERYONE}), level=level)
        if asker.scope_hash == turn.scope_hash:
            return level
    return None


def _label(judgement: Judgement, turn: Turn) -> tuple[dict[str, Any] | None, str]:
    if judgement.verdict is Verdict.UNANSWERABLE:
        return {"answerable": False}, ""
    if judgement.verdict is Verdict.GOOD and not isinstance(turn.outcome, Answered):
        handoff = getattr(turn.outcome, "handoff", None)
        if handoff is not None and handoff.reason in ACCIDENTS:
            return None, "it was handed over because something failed, which says nothing about the question"
        return {"answerable": False, "outcome": _kept_back(turn, handoff.reason if handoff else None)}, ""
    if not judgement.docs:
        return None, "nobody named a document that holds the answer"
    return {"answerable": True, **({"outcome": "answered"} if judgement.verdict is Verdict.GOOD else {})}, ""


def _kept_back(turn: Turn, reason: Reason | None) -> list[str]:
    """Asking back and handing over are the same decision, at the first and at the second time."""
    kind = outcome_kind(turn.outcome)
    weak = kind == "clarify" or (isinstance(turn.outcome, Escalated) and reason in WEAK)
    return ["clarify", "escalated"] if weak else [kind]


def _changed(doc: str, snapshot: int, current: Mapping[str, Document]) -> bool:
    found = current.get(doc)
    return found is None or found.since > snapshot


def _note(judgement: Judgement, changed: Collection[str], *, known_level: bool) -> str:
    parts = [f"{judgement.verdict.value}: judged by {judgement.by} on {judgement.at:%Y-%m-%d %H:%M} UTC"]
    parts.append(f"snapshot {judgement.snapshot}")
    if not known_level:
        parts.append("asked with access tags of its own")
    if changed:
        parts.append(f"CHANGED SINCE: {', '.join(changed)}")
    return "; ".join(parts)
