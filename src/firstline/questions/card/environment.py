"""What does it run on? The sentences that give a version, a platform or a count, and those that are only details."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from firstline.questions.card.asides import withdraws
from firstline.questions.card.circumstances import HAPPENS
from firstline.questions.card.said import WORD, Sentence
from firstline.questions.card.telling_words import (
    BEGAN,
    ENVIRONMENT,
    FAILS,
    OPENS_ONLY,
    ORDINAL,
    PLACE,
    UNHELPED,
    has_code,
)
from firstline.questions.card.urgent_words import DEADLINE
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import terms
from firstline.questions.page.versions import Stated

PER_LABEL_MAX: Final = 4
DETAIL_WORDS_MAX: Final = 10
BARE_WORDS_MAX: Final = 2

_FRAGMENT: Final = re.compile(r"^(?!.*[?]).*(?:\d|\b[A-Z]\w+).*,")
_PART: Final = re.compile(r",\s+|;\s+|\s+(?:and|but|with)\s+(?=the\s+(?:error|message)\b|i\b|we\b)")
SUM: Final = re.compile(
    r"\b[A-Z]{2,6}-\d{3,}|\d\s*(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?|€|\$)|[€$£]\s*\d", re.IGNORECASE
)
_SENTENCE: Final = re.compile(
    r"\b(?:i|we|you|it|they|he|she|is|are|was|were|have|has|do|does|did|that|this|there|no|not|esto|es"
    r"|wir|ich|nous|je)\b",
    re.I,
)
_SAYS_LITTLE: Final = frozenset({"yes", "no", "still", "again", "ok", "same", "noth", "nothing", "now", "ye", "twice"})


VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+")


def environment(
    stating: Sequence[Sentence],
    *,
    but: Sequence[str],
    errors: Sequence[str],
    denied: Collection[str],
    commercial: bool,
    since: int,
) -> tuple[str, ...]:
    """`commercial`: numbers of invoices and sums count too. Of messages before `since` only versions. Without what was
    corrected later: "4.4.9, not 5.0" takes away "It is 5.0"."""
    found: list[str] = []
    for one in stating:
        versions = set(VERSION.findall(one.text))
        if (
            one.text in but
            or "?" in one.text
            or withdraws(one.text)
            or ORDINAL.match(one.text)
            or (one.message < since and not versions)
            or OPENS_ONLY.search(one.text)
            or not (
                ENVIRONMENT.search(one.text)
                or _is_detail(one.text)
                or (commercial and SUM.search(one.text) is not None)
            )
            or (not versions and _only_when(one.text))
        ):
            continue
        if one.text in errors:
            found += _places_in(one.text)
            continue
        if is_denied(one.text, denied):
            continue
        found.append(one.text)
    return tuple(dict.fromkeys(found))[: PER_LABEL_MAX + 1]


def says_version(runs: Stated | None, runs_on: Sequence[str]) -> bool:
    """ "5.2" is told where "5.2.0" is."""
    return any(found.startswith(str(runs)) for one in runs_on for found in VERSION.findall(one))


def is_denied(text: str, denied: Collection[str]) -> bool:
    versions = set(VERSION.findall(text))
    return bool(versions) and versions <= set(denied)


def _places_in(error: str) -> list[str]:
    """Of a sentence that is shown as the error: its parts that say what it runs on."""
    parts = [part.strip() for part in _PART.split(error)]
    told = [part for part in parts if not has_code(part) and (VERSION.search(part) or PLACE.search(part))]
    return [", ".join(told)] if told and len(parts) > 1 else []


def _only_when(text: str) -> bool:
    """It tells when or how often, and no place: "every morning around nine"."""
    return DEADLINE.search(text) is not None or (HAPPENS.search(text) is not None and not PLACE.search(text))


def _is_detail(text: str) -> bool:
    """ "region Frankfurt, managed, Enterprise", "the driver": a few words that are no sentence."""
    words = len(WORD.findall(text))
    if (
        words > DETAIL_WORDS_MAX
        or _SENTENCE.search(text)
        or FAILS.search(text)
        or UNHELPED.search(text)
        or wants_person(text)
    ):
        return False
    if words <= BARE_WORDS_MAX:
        return (
            text[-1:].isalnum()
            and not BEGAN.search(text)
            and small_talk(text) is None
            and not OPENS_ONLY.search(text)
            and bool(set(terms(text)) - _SAYS_LITTLE)
        )
    return _FRAGMENT.search(text) is not None
