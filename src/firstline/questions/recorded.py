"""The record of a turn: what is needed to replay it (invariant 10)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from firstline.domain import Outcome, Turn
from firstline.questions.asked import Asked
from firstline.questions.trail import Trail


def recorded(asked: Asked, trail: Trail, outcome: Outcome, *, settings_hash: str, model_ids: Sequence[str]) -> Turn:
    return Turn(
        session_id=asked.session.session_id,
        number=asked.number,
        question=asked.question,
        asked_at=datetime.now(UTC),
        scope_hash=asked.principal.scope_hash,
        snapshot=asked.scope.snapshot,
        settings_hash=settings_hash,
        model_ids=tuple(model_ids),
        triage=trail.triage,
        plan=trail.plan,
        evidence=tuple((piece.chunk.chunk_id, piece.scores) for piece in trail.evidence),
        gates=tuple(trail.gates),
        outcome=outcome,
        timings_ms=dict(trail.timings_ms),
        degraded=dict(trail.degraded),
        gates_version=asked.gates_version,
        language=asked.language,
        draft=trail.draft,
        steps=tuple(trail.steps),
        calls=tuple(trail.calls),
        advice=tuple(trail.advice),
    )
