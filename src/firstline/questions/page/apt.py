"""Which pieces of the first document answer a question put this way? Shared vocabulary; it calls no step.

A page is found by what it says of the problem, and the asker knows the problem: what helps is said behind it. Chosen by
rules and not by a model, because a model of the same signs was no better (docs/answers.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.domain import ChunkKind, Evidence
from firstline.questions.message.manner import asks_how, asks_why
from firstline.questions.message.terms import all_stems, terms
from firstline.questions.page.companions import CURING, case_of
from firstline.questions.page.outright import codes_alone, titled_by

COMPLETES: Final = ("NEXT ", "PART_OF ")
"""How the path of a piece begins that came along because another one says only half without it."""
PROBLEM: Final = frozenset({ChunkKind.SYMPTOM, ChunkKind.ENVIRONMENT})
APPARATUS: Final = re.compile(
    r"^\W*(?:related\b|references?$|see also\b|further reading\b|what.?s next\b|next steps$|change (?:history|log)\b"
    r"|document (?:history|information)\b|back to top$|(?:table of )?contents$|disclaimer|notices?$|legal\b|copyright"
    r"|trademarks?|feedback$)",
    re.IGNORECASE,
)
"""Headings of what surrounds a page's subject."""
WORDS_WEIGHT: Final = 0.3
TERMS_MIN: Final = 5
"""Pieces with fewer words say nothing by themselves."""


def apt(question: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The pieces to show, in reading order; never empty for evidence that is not.

    - The page of a code that was asked for by itself: from its beginning.
    - A case (problem, cause, resolution): why -> its cause and the cure behind it; how -> its resolution;
      anything else -> the first piece behind the problem, with the cure when that is the cause. The start of a page
      states the problem once more, under its title.
    - Any other page: the piece that stands first, with what completes it.
    """
    first = evidence[0]
    own = sorted(
        (piece for piece in evidence if piece.chunk.doc_id == first.chunk.doc_id), key=lambda piece: piece.chunk.ordinal
    )
    if titled_by(first.chunk.title, codes_alone(question)):
        return [piece for piece in own if not _surrounds(piece)] or own
    case = case_of(first.chunk, [piece.chunk for piece in own])
    if case:
        return _of_case(question, [piece for piece in own if piece.chunk in case])
    beside = [piece for piece in own if piece is not first and piece.path and piece.path[0].startswith(COMPLETES)]
    return sorted([first, *beside], key=lambda piece: piece.chunk.ordinal)


def best_first(question: str, pieces: Sequence[Evidence]) -> list[Evidence]:
    """The same pieces, with that piece of the first page in front which says most of what tells it from the rest of the
    page. Every piece of a page is found by what the page is about."""
    first = pieces[0]
    page = all_stems(first.chunk.title)
    asked = [term for term in terms(question) if term not in page]

    def fit(piece: Evidence) -> float:
        said = all_stems(" ".join((*piece.chunk.section_path, piece.text)))
        return piece.scores.fused + WORDS_WEIGHT * sum(term in said for term in asked) / max(1, len(asked))

    own = [piece for piece in pieces if piece.chunk.doc_id == first.chunk.doc_id and _tells(piece)]
    best = max(own, key=fit, default=first)
    return [best, *(piece for piece in pieces if piece is not best)]


def _of_case(question: str, own: Sequence[Evidence]) -> list[Evidence]:
    causes = [piece for piece in own if piece.chunk.kind is ChunkKind.CAUSE]
    cures = [piece for piece in own if piece.chunk.kind is ChunkKind.RESOLUTION]
    cure = _run_on(cures)
    if asks_why(question):
        if causes:
            return [causes[0], *cure]
    elif asks_how(question) and cure:
        return cure
    behind = [
        piece
        for piece in own
        if piece.chunk.kind in CURING or (piece.chunk.kind not in PROBLEM and _tells(piece) and piece.chunk.ordinal > 0)
    ]
    chosen = (behind or [*causes, *cures])[0]
    if chosen.chunk.kind is ChunkKind.RESOLUTION:
        return _run_on([piece for piece in cures if piece.chunk.ordinal >= chosen.chunk.ordinal] or [chosen])
    return [chosen, *cure] if chosen.chunk.kind is ChunkKind.CAUSE else [chosen]


def _run_on(cures: Sequence[Evidence]) -> list[Evidence]:
    """The first piece of a resolution, with those that go on in the middle of its steps."""
    run = list(cures[:1])
    for piece in cures[1:]:
        goes_on = piece.chunk.ordinal == run[-1].chunk.ordinal + 1 and piece.chunk.lead is not None
        if not goes_on:
            break
        run.append(piece)
    return run


def _tells(piece: Evidence) -> bool:
    return not _surrounds(piece) and len(terms(piece.text)) >= TERMS_MIN


def _surrounds(piece: Evidence) -> bool:
    return bool(piece.chunk.section_path) and APPARATUS.match(piece.chunk.section_path[-1]) is not None
