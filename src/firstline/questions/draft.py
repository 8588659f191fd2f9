"""A resolved hand-over as a ticket for the knowledge base: the customer's symptom, the person's resolution."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from firstline.domain import DraftState, DraftTicket, Handoff
from firstline.questions.card.gist import gist

TITLE_CHARS_MAX: Final = 120
SYMPTOM_LABELS: Final = frozenset({"Problem", "Error", "Runs on", "What changed"})


def draft_of(
    handoff: Handoff, messages: Sequence[str], resolution: str, *, tenant: str, kb: str, created_at: datetime
) -> DraftTicket:
    """`messages` are the customer's, oldest first and redacted, and so is `resolution`."""
    told = gist(messages)
    title = told.problem or handoff.question
    symptom = "\n\n".join(said for label, said in told.lines if label in SYMPTOM_LABELS)
    return DraftTicket(
        draft_id=handoff.handoff_id,
        tenant=tenant,
        kb=kb,
        title=title if len(title) <= TITLE_CHARS_MAX else title[: TITLE_CHARS_MAX - 1].rstrip() + "…",
        symptom=symptom or handoff.question,
        resolution=resolution,
        state=DraftState.DRAFT,
        created_at=created_at,
    )
