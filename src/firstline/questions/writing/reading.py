"""Which claims stand whole in the text that a model has written so far?"""

from __future__ import annotations

import json
import re
from typing import Any, Final, cast

from firstline.domain import WrittenClaim
from firstline.questions.writing.prompt import CLAIMS_MAX, KINDS

CHARS_MAX: Final = 60_000
"""What a model writes beyond this is not read."""
PREFACE_CHARS_MAX: Final = 4_000
CLAIM_CHARS_MAX: Final = 8_000
"""A longer object, or more before the first one, ends the reading."""
_BEGINS: Final = re.compile(r'\{\s*"claims"\s*:\s*\[')
_BETWEEN: Final = re.compile(r"[\s,]*")
_DECODER: Final = json.JSONDecoder()


class ClaimsRead:
    """Fed with a stream's text, gives each claim once its object is closed. What fits no claim is one that says nothing
    and cites nothing: it falls, and is counted."""

    def __init__(self) -> None:
        self._text = ""
        self._at = -1
        self._ended = False
        self.claims: list[WrittenClaim] = []

    def feed(self, text: str) -> list[WrittenClaim]:
        if self._ended or len(self._text) > CHARS_MAX:
            return []
        self._text += text
        if self._at < 0:
            begins = _BEGINS.search(self._text)
            if begins is None:
                self._ended = len(self._text) > PREFACE_CHARS_MAX
                return []
            self._at = begins.end()
        found: list[WrittenClaim] = []
        while len(self.claims) < CLAIMS_MAX:
            between = _BETWEEN.match(self._text, self._at)
            self._at = between.end() if between else self._at
            if self._at >= len(self._text):
                break
            # An object is tried when it may be closed: else every piece of text would parse it from its beginning.
            if self._text[self._at] != "{" or ("}" not in text and not found):
                self._ended = self._text[self._at] != "{"
                break
            try:
                value, self._at = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                self._ended = len(self._text) - self._at > CLAIM_CHARS_MAX
                break
            found.append(_claim(value))
            self.claims.append(found[-1])
        return found


def _claim(value: Any) -> WrittenClaim:
    fields = cast("dict[str, Any]", value)
    text, kind, cites = fields.get("text"), fields.get("kind"), fields.get("cites")
    if not isinstance(text, str) or kind not in KINDS or not isinstance(cites, list):
        return WrittenClaim(text="", kind="", cites=())
    numbers = cast("list[Any]", cites)
    if not all(isinstance(one, int) and not isinstance(one, bool) and abs(one) < 10**6 for one in numbers):
        return WrittenClaim(text="", kind="", cites=())
    # JSON can spell half of a surrogate pair, which no encoding can store.
    return WrittenClaim(text=text.encode("utf-8", "replace").decode(), kind=kind, cites=tuple(numbers))
