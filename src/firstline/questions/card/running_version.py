"""Which version does the customer run? The one of the product asked about, as it stands after every correction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from firstline.questions.card.telling_words import SYSTEM
from firstline.questions.page.versions import Stated, stated_in

CHARS_READ_MAX: Final = 2_000
BARE_WORDS_MAX: Final = 3
LOOKS_BACK: Final = 2
"""Messages before a bare number that may say what it is the version of."""

_NUMBER: Final = r"v?\d{1,4}(?:\.(?:\d{1,4}|x)){0,3}"
_DENIED: Final = re.compile(
    rf"\b(?:not|instead\s+of|rather\s+than)\s+(?:version\s+)?({_NUMBER})(?![\w%])", re.IGNORECASE
)
_FORMER: Final = re.compile(
    rf"\b(?:from|before(?:\s+that)?(?:\s+it\s+was)?|previously|formerly|earlier|it\s+was|was\s+on|used\s+to\s+be|until\s+now|old)"
    rf"\s+(?:on\s+|version\s+)?{_NUMBER}(?![\w%])",
    re.IGNORECASE,
)
_SYSTEM: Final = re.compile(rf"\b{SYSTEM}(?:\s+(?:linux|server|lts))*\s+{_NUMBER}(?![\w%])", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(
    r"\b(?:staging|test|testing|dev|development|old|other|another|second)\s+(?:system|server|cluster|environment|host|machine"
    r"|one|installation)\b|\b(?:on|in)\s+(?:staging|test|dev)\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"\b(?:drivers?|clients?|sdk|library|plugin|app|connector|browser)\b|\w-(?:py|js|node|go|java|net|php|rb)\b", re.I
)
_CLAUSE: Final = re.compile(r"(?<=[.!?;])\s+|\n+|\s+(?:-|–|but)\s+")
_WORD: Final = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")


def running_version(messages: Sequence[str]) -> Stated | None:
    """`messages` are the customer's, oldest first. None when nobody said one: numbers of an operating system, of a
    driver, of what ran before or elsewhere, and corrected ones, are none."""
    denied = {one for message in messages for one in _DENIED.findall(message[:CHARS_READ_MAX])}
    named: Stated | None = None
    plain: Stated | None = None
    for at, message in enumerate(messages):
        before = " ".join(messages[max(0, at - LOOKS_BACK) : at])
        bare = len(_WORD.findall(message)) <= BARE_WORDS_MAX
        of_a_part = bare and len(before.split()) <= 12 and _PART.search(before) is not None
        for stated in _told(message[:CHARS_READ_MAX], denied):
            if stated.name and not _PART.search(stated.name):
                named = stated
            elif not stated.name and not of_a_part:
                plain = stated
    return plain or named


def _told(message: str, denied: set[str]) -> Iterator[Stated]:
    for clause in _CLAUSE.split(message):
        if _ELSEWHERE.search(clause):
            continue
        text = _FORMER.sub(" ", _DENIED.sub(" ", _SYSTEM.sub(" ", clause)))
        for stated in stated_in(text):
            low = stated.low or stated.high
            if low and ".".join(map(str, low)) not in denied and not _is_part(text, stated):
                yield Stated(low=low, high=low, name=stated.name)


def _is_part(text: str, stated: Stated) -> bool:
    """ "driver 6.2", "lark-py 3.2": the word in front, or the one before "version"."""
    return bool(stated.name) and _PART.search(f"{stated.name} ") is not None and len(text) > 0
