"""The answer that the team wrote for a question, word for word."""

from __future__ import annotations

from collections.abc import Sequence

from firstline.domain import Answered, Completeness, Draft, Evidence
from firstline.questions.compose import compose
from firstline.questions.verify import verify


def curated_answer(question: str, curated: Sequence[Evidence], *, chars_max: int) -> Answered | None:
    """None when a part of it could not be verified."""
    drafts = [compose(question, [piece], chars_max=chars_max, curated=True) for piece in curated]
    draft = Draft(claims=tuple(claim for one in drafts for claim in one.claims))
    verification = verify(draft, curated)
    if not verification.kept or verification.dropped:
        return None
    return Answered(completeness=Completeness.FULL, claims=verification.kept, confidence=1.0)
