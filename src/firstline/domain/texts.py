"""Reading of texts that sources, steps and surfaces share."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

from firstline.errors import InvalidInput

PIPELINE_VERSION: Final = "8"
"""Version of parse, redact, chunk and extract. In every content hash: raising it makes the next ingest redo all."""

UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""What Postgres, and some other stores, cannot hold in a text: NUL, and halves of surrogate pairs (from broken UTF-16
or odd file names)."""
_APOSTROPHE: Final = re.compile("['\u2018\u2019`\u00b4]")
_LOOSE_MARK: Final = re.compile(r"(?<![^\W_])[^\w\s#+]|[^\w\s#+](?![^\W_])")


_ENTITY: Final = re.compile(
    r"(?P<code>(?P<mark>`{1,3})(?:(?!(?P=mark)).){1,2000}(?P=mark))"
    r"|&(?:quot|apos|amp|lt|gt|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    re.DOTALL,
)
"""Entities that are signs of everyday text. Each is longer than what it stands for: decoding never lengthens."""


_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TURNING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Signs that show what follows them in another order than it stands in."""


def question_key(text: str) -> str:
    """Equal for questions that differ only in case, width, punctuation and spacing.

    Marks inside a word stay (`4.1`, `node.js`, `c#`), because they tell questions apart.
    """
    folded = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_LOOSE_MARK.sub(" ", folded).split())


def readable_message(text: str, *, chars_max: int) -> str:
    """A message as it is understood: without control characters, signs that turn the direction of writing, half
    surrogates and blanks around it, and with the signs that a form or a page wrote as HTML entities. What stands in
    backticks is meant to the letter.

    InvalidInput when nothing is left, or more than `chars_max` characters are.
    """
    cleaned = _ENTITY.sub(lambda found: found[0] if found["code"] else html.unescape(found[0]), text)
    cleaned = _CONTROL.sub(" ", _TURNING.sub("", cleaned)).strip()
    cleaned = cleaned.encode("utf-8", errors="replace").decode("utf-8")
    if not cleaned:
        raise InvalidInput("The message is empty.", remedy="Type a question.")
    if len(cleaned) > chars_max:
        raise InvalidInput(
            f"The message has {len(cleaned):,} characters; at most {chars_max:,} are read.",
            remedy="Send the error message and the lines around it, not the whole log.",
        )
    return cleaned


def storable(text: str) -> str:
    """The text with U+FFFD where it held something that cannot be stored."""
    return UNSTORABLE.sub("\ufffd", text)
