"""What is it about? The sentences that tell most of a failure, and how it was put first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.questions.card.matters import LEAVES
from firstline.questions.card.said import WORD, Sentence
from firstline.questions.card.telling_words import (
    ENVIRONMENT,
    FAILS,
    LOUD_ERROR,
    OPENS_ONLY,
    ORDINAL,
    REACTION,
    STATE,
    UNHELPED,
    has_code,
)
from firstline.questions.card.urgent_words import DATA_LOST
from firstline.questions.message.signs import HIGH_STRONG, first_sign
from firstline.questions.message.small_talk import small_talk

PROBLEM_WORDS_MIN: Final = 3
PROBLEMS_MAX: Final = 2
PROBLEM_MIN: Final = 1.5
_CORRECTS: Final = re.compile(
    r"\b(?:sorry|actually|mixed\s+(?:it|them)\s+up|my\s+mistake|checked\s+again|no\s*,?\s*wait|correction|i\s+meant|scratch\s+that"
    r"|wrong\s+(?:host|server|system|cluster))\b",
    re.I,
)
OF_THE_BOT: Final = re.compile(r"\b(?:system\s+)?prompt\b|\byour\s+(?:rules|instructions)\b", re.IGNORECASE)
_ASKS_HOW: Final = re.compile(r"\W*(?:how|what|which|where|is|are|can|could|do|does|will)\b.*\?", re.IGNORECASE)
_PLANNED: Final = re.compile(
    r"\b(?:down|offline|out)\s+(?:for|because\s+of)\s+(?:\w+\s+)?(?:repairs?|maintenance|an?\s+upgrade)\b|\bno\s+hurry\b",
    re.IGNORECASE,
)
LOG_LINE: Final = re.compile(r"\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\W*\d\d:\d\d:\d\d")
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+")


def problems_of(
    stating: Sequence[Sentence], *, question: str, tried: Sequence[str], but: Sequence[str], errors: Sequence[str]
) -> tuple[str, ...]:
    """How it was put first, and the sentences that tell most of a failure, in their order. None of what was
    `tried`; where it is to end, that comes before how it was put first."""
    asked = " ".join(question.split())
    told = [
        one
        for one in stating
        if one.text not in tried
        and not (LOG_LINE.match(one.text) and one.text not in errors)
        and not _PLANNED.search(one.text)
        and not (REACTION.search(one.text) or OPENS_ONLY.search(one.text) or corrects(one.text))
    ]
    opens = (one for one in told if not OF_THE_BOT.search(one.text) and small_talk(one.text) is None)
    first = next((one for one in opens if _opens(one, stating)), None)
    scored = [
        (_told_of_failure(one, place, changed=one.text in but, error=one.text in errors), place, one.text)
        for place, one in enumerate(told)
        if _says_something(one.text)
    ]
    telling = sorted((one for one in scored if one[0] >= PROBLEM_MIN), key=lambda one: (-one[0], one[1]))
    # What is asked is shown above it, and is the problem only where nothing else is.
    best = ([one for one in telling if one[2] not in asked] or telling)[:PROBLEMS_MAX]
    chosen = [text for _, _, text in sorted(best, key=lambda one: one[1])]
    opening = first.text if first is not None and (first is stating[0] or first.text not in but) else ""
    if (opening in but or _ASKS_HOW.match(opening)) and any(
        FAILS.search(one) or has_code(one) for one in chosen if one != opening
    ):
        # A change or an old question is no problem beside what fails since.
        chosen, opening = [one for one in chosen if one != opening], ""
    if ENVIRONMENT.search(opening) and not FAILS.search(opening) and "?" not in opening:
        opening = ""
    if any(_ends_it(one) for one in chosen) and not (FAILS.search(opening) or _ends_it(opening)):
        opening = ""
    if not chosen or (
        opening and opening not in chosen and first is not None and first.message <= stating[0].message + 1
    ):
        chosen = [opening or next(iter((*(() if chosen else errors), *(one.text for one in stating))), ""), *chosen]
    return tuple(dict.fromkeys(one for one in chosen if one))


def _opens(one: Sentence, stating: Sequence[Sentence]) -> bool:
    """ "The balancer" is a start where the whole message says no more."""
    alone = sum(1 for each in stating if each.message == one.message) == 1
    return (
        (alone and len(one.text.split()) > 1)
        or _says_something(one.text)
        or FAILS.search(one.text) is not None
        or has_code(one.text)
    )


def _told_of_failure(one: Sentence, place: int, *, changed: bool, error: bool) -> float:
    """How much the sentence tells of what is wrong, or of what must be done in time."""
    text = one.text
    score = 4.0 * bool(FAILS.search(text) or ORDINAL.match(text)) + 1.0 * (place == 0) - 0.1 * min(place, 10)
    if not score >= PROBLEM_MIN:
        grave = DATA_LOST.search(text) or STATE.search(text) or first_sign(HIGH_STRONG, text) or LOUD_ERROR.search(text)
        score += 4.0 * bool(grave or has_code(text))
    score += 3.0 * _ends_it(text)
    return (
        score - 5.0 * one.tried - 2.0 * changed - 0.5 * ("?" in text) - 0.5 * bool(UNHELPED.search(text)) - 0.5 * error
    )


def _ends_it(text: str) -> bool:
    return "?" not in text and LEAVES.search(text) is not None


def corrects(text: str) -> bool:
    return _CORRECTS.search(text) is not None and _VERSION.search(text) is not None


def _says_something(text: str) -> bool:
    # Japanese and Chinese have no blanks between words.
    return len(WORD.findall(text)) >= PROBLEM_WORDS_MIN or (not text.isascii() and len(text) >= 4 * PROBLEM_WORDS_MIN)
