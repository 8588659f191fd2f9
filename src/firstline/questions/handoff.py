"""What a person needs to take over without reading the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from firstline.domain import Evidence, GateReading, Handoff, HandoffState, Intent, Mood, Reason, Triage, Tried

SUMMARY_CHARS_MAX = 900
TURN_CHARS_MAX = 300
TRIED_MAX = 5

NEXT_STEPS = {
    Reason.LOW_CONFIDENCE: "Check the pages under “tried”; if one answers, send it and note what the question "
    "called it. If none does, the knowledge base has a gap.",
    Reason.NO_VERIFIED_CONTEXT: "Nothing in the knowledge base supports an answer: ask for the missing detail "
    "or write the page.",
    Reason.PRIVATE_DATA: "Confirm who is asking before anything about an account is said.",
    Reason.UNSUPPORTED_CATEGORY: "Needs access to the customer's account or a decision: take it to the team "
    "that has it.",
    Reason.HIGH_STAKES: "Reply in person, today; do not send a how-to.",
    Reason.USER_ASKED: "The customer asked for a person: greet them and take over.",
    Reason.PROVIDER_FAILURE: "The bot failed technically. Answer the question and tell the operator.",
    Reason.BUDGET_EXCEEDED: "The bot ran out of its budget. Answer the question and tell the operator.",
    Reason.POLICY: "A rule kept the bot from answering: decide whether a person may.",
}


def handoff(
    *,
    handoff_id: str,
    session_id: str,
    turn: int,
    reason: Reason,
    question: str,
    earlier: Sequence[str],
    triage: Triage | None,
    evidence: Sequence[Evidence],
    gates: Sequence[GateReading],
    created_at: datetime,
) -> Handoff:
    """Build the hand-over of one turn. `earlier` are the user's turns before it, oldest first."""
    return Handoff(
        handoff_id=handoff_id,
        session_id=session_id,
        turn=turn,
        reason=reason,
        question=question,
        summary=_summary(earlier, question),
        intent=triage.intent if triage else Intent.OTHER,
        entities=triage.entities if triage else (),
        tried=_tried(evidence, gates),
        language=triage.language if triage else "en",
        mood=triage.mood if triage else Mood.NEUTRAL,
        next_step=NEXT_STEPS[reason],
        state=HandoffState.OPEN,
        created_at=created_at,
    )


def _summary(earlier: Sequence[str], question: str) -> str:
    """The customer's own words: the first message states the problem, the last ones where it stands."""
    if not earlier:
        return _short(question)
    parts = [f"Began with: {_short(earlier[0])}"]
    parts += [f"Then: {_short(turn)}" for turn in earlier[1:][-2:]]
    parts.append(f"Now asks: {_short(question)}")
    return "\n".join(parts)[:SUMMARY_CHARS_MAX]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= TURN_CHARS_MAX else flat[: TURN_CHARS_MAX - 1].rstrip() + "…"


def _tried(evidence: Sequence[Evidence], gates: Sequence[GateReading]) -> tuple[Tried, ...]:
    failed = next((gate for gate in gates if not gate.passed), None)
    why = (
        f"{failed.name} {failed.value:.2f} is below {failed.threshold:.2f}"
        if failed
        else "found, and not used for an answer of this kind"
    )
    tried: dict[str, Tried] = {}
    for piece in evidence:
        tried.setdefault(
            piece.chunk.doc_id,
            Tried(
                chunk_id=piece.chunk.chunk_id,
                title=" > ".join((piece.chunk.title, *piece.chunk.section_path[-1:])),
                url=piece.chunk.url,
                score=piece.scores.fused,
                why_not=why,
            ),
        )
    return tuple(tried.values())[:TRIED_MAX]
