"""Labelled questions of FIRSTLINE_DATA with extracts of their own page, and with those of another question's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.labelled_claims import DEVELOPMENT, HELD_OUT, pages
from firstline.domain import Claim, Coverage, Evidence
from firstline.evals.datasets import dataset_cases, present
from firstline.questions.compose import compose
from firstline.questions.critique import critique
from firstline.questions.verify import verify

CHARS_MAX: Final = 1_500
CHUNKS_MAX: Final = 12


@dataclass(frozen=True, kw_only=True)
class Paired:
    """`own`: the claims are from the page that answers it. `coverage`: what the critique without a model says."""

    question: str
    claims: tuple[Claim, ...]
    coverage: Coverage
    own: bool


async def paired(data: Path) -> list[Paired]:
    """Each question twice: with its own page, and with the page of the next question of its set."""
    read = [one for half in (DEVELOPMENT, HELD_OUT) for one in await pages(half)]
    documents = {one[0].evidence.chunk.doc_id: [page.evidence for page in one[:CHUNKS_MAX]] for one in read}
    found: list[Paired] = []
    for each in present(data):
        cases = [case for case in dataset_cases(data, each) if len(case.turns) == 1 and case.answerable]
        known = [(case.question, case.docs[0]) for case in cases if case.docs and case.docs[0] in documents]
        for at, (question, doc_id) in enumerate(known):
            other = known[(at + 1) % len(known)][1]
            found += _of(question, documents[doc_id], own=True)
            if other != doc_id:
                found += _of(question, documents[other], own=False)
    return found


def _of(question: str, evidence: Sequence[Evidence], *, own: bool) -> list[Paired]:
    """None when nothing of the page would be said."""
    claims = verify(compose(question, evidence, chars_max=CHARS_MAX), evidence).kept
    if not claims:
        return []
    coverage = critique(question, claims, evidence).coverage
    return [Paired(question=question, claims=claims, coverage=coverage, own=own)]
