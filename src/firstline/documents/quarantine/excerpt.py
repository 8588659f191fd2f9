"""What may be shown of a suspicious place? What stands there, without the personal data that a disguise would carry
past redaction."""

from __future__ import annotations

import html
from functools import cached_property
from typing import Final
from urllib.parse import unquote

from firstline.documents.quarantine.unfold import encoded, flat
from firstline.domain import Redaction
from firstline.ports import Redactor

EXCERPT_CHARS: Final = 240
BEFORE_CHARS: Final = 40
AFTER_CHARS: Final = 80
WORD_CHARS_MAX: Final = 100
"""An edge is moved out of a word this long; a longer one is left out."""
LAYERS_MAX: Final = 3
"""How often something may be encoded over again."""
LEFT_OUT: Final = "[…]"


def safe(text: str, redactor: Redactor) -> str:
    """Redacted, also where percent signs, entities, wide letters or base64 hide what it says; else as it was."""
    text = redactor.redact(text).text
    unfolded = text
    for _ in range(LAYERS_MAX):
        again = flat(unquote(html.unescape(unfolded)))
        if again == unfolded:
            break
        unfolded = again
        redacted = redactor.redact(unfolded)
        if redacted.redactions:
            text = unfolded = redacted.text
    for written, decoded in list(encoded(text)):
        if safe(decoded, redactor) != decoded:
            text = text.replace(written, LEFT_OUT)
    return text


class Excerpts:
    """Of one text. All of it is redacted, once and only when something is shown: what a cut text looks like says less
    than what stands around it."""

    def __init__(self, text: str, redactor: Redactor) -> None:
        self._text = text
        self._redactor = redactor

    def of(self, start: int, end: int) -> str:
        """At most EXCERPT_CHARS about start..end, in lower case."""
        left = self._left(max(0, start - BEFORE_CHARS), start)
        right = self._right(min(len(self._text), end + AFTER_CHARS, start + EXCERPT_CHARS), end)
        parts: list[str] = []
        at = left
        for one in self._redactions:
            if one.end > at and one.start < right:
                parts.extend((self._text[at : max(at, one.start)], one.placeholder))
                at = one.end
        parts.append(self._text[at : max(at, right)])
        return " ".join(safe("".join(parts), self._redactor).lower().split())[:EXCERPT_CHARS]

    @cached_property
    def _redactions(self) -> tuple[Redaction, ...]:
        return self._redactor.redact(self._text).redactions

    def _left(self, edge: int, start: int) -> int:
        for place in range(edge, max(0, edge - WORD_CHARS_MAX), -1):
            if self._text[place - 1].isspace():
                return place
        if edge <= WORD_CHARS_MAX:
            return 0
        return next((place for place in range(edge, start) if self._text[place].isspace()), start)

    def _right(self, edge: int, end: int) -> int:
        last = min(len(self._text), edge + WORD_CHARS_MAX)
        for place in range(edge, last):
            if self._text[place].isspace():
                return place
        if last == len(self._text):
            return last
        return next((place for place in range(edge, end, -1) if self._text[place - 1].isspace()), min(end, edge))
