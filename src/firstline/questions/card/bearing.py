"""Which names of a conversation are looked up in the whole index, and which pages bear its codes?

A code is the same in every language: what was found for the question may be far off where the code's own page exists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from firstline.domain import Evidence
from firstline.questions.card.codes import apart, codes_of, holds
from firstline.questions.card.pointed import pointed
from firstline.questions.message.terms import all_stems, identifiers
from firstline.questions.page.outright import OF_ONE_CASE

PAGES_MAX: Final = 3
NAMES_SOUGHT_MAX: Final = 4
"""Names of a conversation that are looked up in the index by themselves."""
CODE: Final = re.compile(r"[A-Z]{1,10}[-_]?\d{2,6}[A-Z]?")
_OF_CODES: Final = all_stems("error code codes message")


def names_of(question: str, text: str) -> list[str]:
    """Codes in anything said (`text`), and names in the question."""
    named = [name for name in identifiers(apart(question)) if not name[:1].isdigit()]
    codes = codes_of([text], codes_max=NAMES_SOUGHT_MAX)
    return [name for name in dict.fromkeys((*codes, *named)) if not name.startswith("SECRET_")][:NAMES_SOUGHT_MAX]


def names_to_look_up(messages: Sequence[str]) -> list[str]:
    """Codes of the conversation, the newest first, and other names of its question."""
    codes = codes_of(messages, codes_max=NAMES_SOUGHT_MAX)
    return list(dict.fromkeys((*codes, *names_of(pointed(messages), ""))))[:NAMES_SOUGHT_MAX]


def bearing(found: Mapping[str, Sequence[Evidence]]) -> list[Evidence]:
    """Of the pieces found by name, one of each page that bears a code in its title or text: titled by it first, the
    documentation's own page before a ticket's."""
    ranked: dict[str, tuple[tuple[bool, bool, bool], Evidence]] = {}
    for code, pieces in found.items():
        for piece in pieces:
            title = piece.chunk.title
            rank = (
                not holds(title, code),
                piece.chunk.kind in OF_ONE_CASE,
                not all_stems(title) & _OF_CODES,
            )
            if CODE.fullmatch(code):
                ranked.setdefault(piece.chunk.doc_id, (rank, piece))
    return [piece for _, piece in sorted(ranked.values(), key=lambda one: one[0])][:PAGES_MAX]


def titles_first(found: Mapping[str, Sequence[Evidence]]) -> list[str]:
    """Titles of those pages. Where one is the code's own, those that only mention it say less."""
    titles = [piece.chunk.title for piece in bearing(found)]
    return [title for title in titles if any(holds(title, code) for code in found)] or titles
