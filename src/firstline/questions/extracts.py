"""What an answer is made of once it may be given: its claims, how far they answer, and what must be known before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from firstline.domain import Answered, Claim, Completeness, Coverage, Critique, Evidence
from firstline.questions.asked import Asked, OnClaims
from firstline.questions.caveats import caveats, readings
from firstline.questions.critique import critique, figure_note, unanswered_note
from firstline.questions.trail import Trail
from firstline.questions.wording.links import with_allowed_links


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracts:
    """The verified extracts that passed the gates. `sure`: the confidence gate passed, with all that it reads."""

    claims: tuple[Claim, ...]
    judged: Critique
    sure: bool
    confidence: float


class Composer(Protocol):
    """Writes the answer to a question that may be answered: the gates have read the extracts, and passed them."""

    async def answer(self, asked: Asked, trail: Trail, extracts: Extracts) -> Answered:
        """Claims that are verified, and nothing that `asked.tell_claims` was told is taken back."""
        ...


class FromExtracts:
    """The extracts themselves."""

    async def answer(self, asked: Asked, trail: Trail, extracts: Extracts) -> Answered:
        return answered(trail, extracts)


def judge(trail: Trail, sought: str, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Critique:
    judged = critique(trail.read_as, claims, evidence)
    if judged.coverage is Coverage.CANNOT and sought != trail.read_as:
        # "And in 4.4?" has no word that an answer must hold: the conversation's words are what was asked.
        judged = critique(sought, claims, evidence)
    return judged


def answered(trail: Trail, extracts: Extracts) -> Answered:
    """As sure as the gates allow, and no more whole than the critique and the pages do."""
    judged = extracts.judged
    # The gates were set with vectors: without them they are no ground for certainty.
    if not extracts.sure:
        completeness = Completeness.UNSURE
    else:
        fully = judged.coverage is Coverage.FULLY and trail.coverage_most is Coverage.FULLY
        completeness = Completeness.FULL if fully else Completeness.PARTIAL
    notes = (*figure_note(judged), *caveats(trail, extracts.claims))
    if notes and completeness is Completeness.FULL:
        completeness = Completeness.PARTIAL
    return Answered(
        completeness=completeness,
        claims=extracts.claims,
        confidence=extracts.confidence,
        notes=(*readings(trail), *unanswered_note(judged), *notes),
    )


def as_recorded(on_claims: OnClaims | None, link_hosts: Sequence[str]) -> OnClaims | None:
    """Who listens hears an answer as it will be recorded: with the links that are allowed."""
    if on_claims is None:
        return None

    async def told(begun: Answered, language: str) -> None:
        allowed = with_allowed_links(begun, link_hosts)
        await on_claims(allowed if isinstance(allowed, Answered) else begun, language)

    return told
