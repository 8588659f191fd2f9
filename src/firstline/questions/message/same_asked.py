"""When do two messages ask the same? Read strictly: what is not sure to ask the same does not.

`to_the_letter` sets aside only what was measured to change no outcome: how many blanks stand between words, how a
letter is composed, and the capital of a first word that carries no meaning. Case elsewhere and the closing mark do
change outcomes (`docs/decisions/0010-caches.md`).

`asked_alike` sets aside courtesy, articles, whose thing it is, endings of words, and the frame of a request ("how can
I", "how to"). Every other word stays, in its place: a "not", a number, a version, "enable" or "disable", "from a to b".
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from firstline.questions.message.terms import FUNCTION_WORDS, stem

CHARS_MAX: Final = 300
"""A longer message tells a story, and stories differ in what no list of words catches."""
PLACEHOLDER: Final = re.compile(r"\[[A-Z][A-Z_]*_\d+\]")
"""What a redactor leaves in the place of somebody's data."""

_BLANKS: Final = re.compile(r"[^\S\n]+")
_FIRST: Final = re.compile(r"[A-Z][a-z]*(?=[ ,])")
_FRAME: Final = re.compile(
    r"\b(?:how\s+(?:do|does|can|could|should|would)\s+(?:i|we|you|one)|how\s+to)\b", re.IGNORECASE
)
_COURTESY: Final = frozenset("please hi hello hey thanks thank kindly a an the my our".split())
_PIECE: Final = re.compile(r"[^\W_]+(?:['’._:/+#-][^\W_]+)*|[^\s]")
_CLOSING: Final = frozenset("?!.,;:")
_HOW: Final = "how-to"


def to_the_letter(message: str) -> str:
    """Equal for messages that come to the same outcome, whatever is in the knowledge base."""
    composed = unicodedata.normalize("NFC", message).strip()
    # Layout has a meaning in code and logs.
    if "\n" in composed or "`" in composed:
        return composed
    joined = _BLANKS.sub(" ", composed)
    first = _FIRST.match(joined)
    if first is not None and first[0].lower() in FUNCTION_WORDS:
        return f"{first[0].lower()}{joined[first.end() :]}"
    return joined


def asked_alike(message: str) -> str:
    """Equal for messages that ask the same in nearly the same words; "" for one that is compared with none."""
    text = unicodedata.normalize("NFC", message).strip()
    if len(text) > CHARS_MAX or "\n" in text or "`" in text or not text.isascii():
        return ""
    kept = [_read(piece) for piece in _PIECE.findall(_FRAME.sub(f" {_HOW} ", text))]
    return " ".join(piece for piece in kept if piece)


def is_personal(message: str) -> bool:
    """It held somebody's data: what comes of it is for its asker alone."""
    return PLACEHOLDER.search(message) is not None


def _read(piece: str) -> str:
    if piece in _CLOSING:
        return ""
    # Codes, versions, names with joints and abbreviations stay as they are written.
    single = len(piece) == 1 and (piece == "I" or piece.islower())  # "plan A" is a name
    if not piece.isalpha() or not (piece[1:].islower() or single):
        return piece.casefold() if "'" in piece else piece
    lowered = piece.casefold()
    return "" if lowered in _COURTESY else stem(lowered)
