"""Does another page say the same sentence with another number, or deny it? Shared vocabulary; it calls no step.

Two statements conflict when they are about the same thing in nearly the same words and differ in a number or in a
negation. Whoever reads one of them must see the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import ClaimKind, Evidence
from firstline.questions.message.terms import all_stems
from firstline.questions.page.units import Unit, quotable, units_of

CONFLICTS_MAX: Final = 2
SHARED_MIN: Final = 0.8
"""Share of the words of both statements that they have in common, numbers aside."""
WORDS_MIN: Final = 4
COMPARED_MAX: Final = 40
"""Statements of the answer, and of each other piece, that are compared."""
_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_NEGATION: Final = re.compile(r"\b(?:not|no|never|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_COUNTED: Final = re.compile(r"^\s*\d+[.)]\s")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Statement:
    words: frozenset[str]
    numbers: frozenset[str]
    denied: bool


def conflicting(shown: Sequence[Unit], pieces: Sequence[Evidence]) -> list[tuple[Evidence, Unit]]:
    """The statements of pieces of OTHER documents that conflict with a shown one, at most CONFLICTS_MAX."""
    ours = [said for unit in shown[:COMPARED_MAX] if (said := _statement(unit)) is not None]
    found: list[tuple[Evidence, Unit]] = []
    for piece in pieces:
        # Most pages say nothing of the kind, which is seen without cutting them up.
        held = all_stems(piece.text)
        near = [said for said in ours if len(said.words & held) >= SHARED_MIN * len(said.words)]
        if not near:
            continue
        for unit in units_of(piece.text, lead=piece.lead_text)[:COMPARED_MAX]:
            theirs = _statement(unit)
            if theirs is not None and any(_conflict(said, theirs) for said in near) and quotable([unit]):
                found.append((piece, unit))
    return found[:CONFLICTS_MAX]


def _statement(unit: Unit) -> _Statement | None:
    text = _COUNTED.sub("", unit.text)
    words = frozenset(word for word in all_stems(_NEGATION.sub(" ", text)) if not word[:1].isdigit())
    if unit.kind is ClaimKind.CODE or len(words) < WORDS_MIN or "://" in text:
        return None
    numbers = frozenset(number.replace(",", "") for number in _NUMBER.findall(text))
    return _Statement(words=words, numbers=numbers, denied=len(_NEGATION.findall(text)) % 2 == 1)


def _conflict(one: _Statement, other: _Statement) -> bool:
    if len(one.words & other.words) < SHARED_MIN * len(one.words | other.words):
        return False
    differ = bool(one.numbers - other.numbers) and bool(other.numbers - one.numbers)
    return differ or one.denied != other.denied
