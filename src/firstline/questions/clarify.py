"""One question back, from what would tell the pages found apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from firstline.domain import Asks, Clarify, Evidence
from firstline.questions.message.language import language_of
from firstline.questions.message.terms import all_stems, codes, joined, terms

OPTIONS_MAX: Final = 3
NAME_WORDS_MAX: Final = 5
"""Titles that differ in more words than this differ in their subject."""
SHARED_WORDS_MIN: Final = 2
SUBJECT_WORDS_MIN: Final = 4
"""A question that says so many words beside its codes has a subject: pages can be about it without the codes."""


def clarify(question: str, evidence: Sequence[Evidence]) -> Clarify:
    """Ask for what separates the first pages found; for detail where nothing does."""
    unknown = _unknown(question, evidence)
    if unknown and len(terms(question)) - len(codes(question)) < SUBJECT_WORDS_MIN:
        return Clarify(asks=Asks.UNKNOWN, names=unknown)
    found_in = language_of(evidence[0].text) if evidence else ""
    if evidence and language_of(question) != found_in:
        return Clarify(asks=Asks.LANGUAGE, names=(found_in,))
    found: dict[str, str] = {}
    for piece in evidence:
        found.setdefault(piece.chunk.title, piece.chunk.doc_id)
    titles = tuple(found)[:OPTIONS_MAX]
    if len(titles) < 2:
        return Clarify(asks=Asks.DETAIL)
    names = _differing(titles)
    return Clarify(
        options=titles,
        asks=Asks.UNKNOWN if unknown else Asks.WHICH if names else Asks.PICK,
        names=unknown or names,
        pages=tuple(found[title] for title in titles),
    )


def _unknown(question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Codes of the question that no page found says. Others would be no more than a guess."""
    asked = codes(question)
    if not asked or not evidence:
        return asked
    said = all_stems(
        " ".join(" ".join((piece.chunk.title, *piece.chunk.section_path, piece.text)) for piece in evidence)
    )
    missing = tuple(code for code in asked if code.casefold() not in said and joined(code) not in said)
    return missing if len(missing) == len(asked) else ()


def _differing(titles: Sequence[str]) -> tuple[str, ...]:
    """What stands in the one place where the titles differ; nothing when they have too little in common."""
    words = [title.split() for title in titles]
    shortest = min(len(one) for one in words)
    front = sum(1 for _ in takewhile(lambda same: same, (_same(words, at) for at in range(shortest))))
    back = sum(1 for _ in takewhile(lambda same: same, (_same(words, -1 - at) for at in range(shortest - front))))
    between = [" ".join(one[front : len(one) - back]).strip(" :,-") for one in words]
    if front + back < SHARED_WORDS_MIN or not all(between):
        return ()
    return tuple(between) if all(len(name.split()) <= NAME_WORDS_MAX for name in between) else ()


def _same(words: Sequence[Sequence[str]], at: int) -> bool:
    return len({one[at].casefold() for one in words}) == 1
