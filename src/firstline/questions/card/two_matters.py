"""Are several matters open, told one by one? Each wants its own line and its own step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.questions.card.attempts import is_attempt
from firstline.questions.card.said import WORD, Sentence

MATTERS_MAX: Final = 3
WORDS_MIN: Final = 3
_COUNTED: Final = re.compile(
    r"^\W*(?:and\s+)?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|erstens|zweitens|premièrement|deuxièmement|primero|segundo|[123][.)])(?:\s*[:,.]\s*|(?<=[.)])\s+)",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(
    r"^\W*(?:and\s+|oh\s+and\s+)*(?:(?:yet\s+)?another|one\s+more|a\s+second|the\s+other|noch\s+(?:et)?was|noch\s+eine|autre|otra)\s*"
    r"(?:thing|question|problem|issue|point|etwas|frage|chose|cosa)?\s*[:,]\s*",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"^\W*[123][.)]\s*$")


def matters_of(stating: Sequence[Sentence]) -> tuple[tuple[Sentence, str], ...]:
    """The sentence that each matter opens with, and its text as it was written; empty when there is one matter."""
    found: list[tuple[Sentence, str]] = []
    for place, one in enumerate(stating):
        bare = _NUMBER.match(stating[place - 1].text) if place and stating[place - 1].message == one.message else None
        mark = _COUNTED.match(one.text) or _ANOTHER.match(one.text)
        text = one.text[mark.end() :] if mark else one.text
        if one.tried or not (mark or bare) or len(WORD.findall(text)) < WORDS_MIN or is_attempt(one):
            continue
        if not found and _ANOTHER.match(one.text):
            before = next((each for each in stating[:place] if len(WORD.findall(each.text)) >= WORDS_MIN), None)
            found += [(before, before.text)] if before is not None else []
        opening = text[:1].upper() + text[1:] if mark else text
        found.append((Sentence(text=opening, message=one.message), one.text))
    return tuple(found[:MATTERS_MAX]) if len(found) > 1 else ()
