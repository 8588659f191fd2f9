"""The codes of a conversation, as they are written, and text in which ASCII names stand apart.

Japanese and Chinese have no blanks around a name: "LK1208で" is the code and a particle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from firstline.questions.card.telling_words import CODE, without_numbers_of

CHARS_READ_MAX: Final = 2_000
_FIGURED: Final = re.compile(r"[A-Z]{1,10}[-_]?\d{2,6}[A-Z]?")
_EAST: Final = r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]"
_JOINED: Final = re.compile(rf"(?<=[A-Za-z0-9_)%])(?={_EAST})|(?<={_EAST})(?=[A-Za-z0-9_(-])")


def apart(text: str) -> str:
    """With blanks between ASCII and East Asian writing."""
    return text if text.isascii() else _JOINED.sub(" ", text)


def codes_of(messages: Iterable[str], *, codes_max: int) -> tuple[str, ...]:
    """Error codes with figures, the newest first, each once."""
    found: dict[str, None] = {}
    for message in reversed(list(messages)):
        for one in CODE.finditer(without_numbers_of(message[:CHARS_READ_MAX])):
            if _FIGURED.fullmatch(one.group()):
                found.setdefault(one.group())
    return tuple(found)[:codes_max]


def holds(text: str, name: str) -> bool:
    """Whole: E1100 does not stand in "E11000"."""
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", text, re.IGNORECASE) is not None
