"""Reading of texts that sources, steps and surfaces share."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

from firstline.errors import InvalidInput

PIPELINE_VERSION: Final = "4"
"""Version of parse, redact and chunk. Part of every content hash: raising it makes the next ingest redo everything."""

FRONT_MATTER_CHARS_MAX: Final = 65_536
_APOSTROPHE: Final = re.compile("['\u2018\u2019`\u00b4]")
_LOOSE_MARK: Final = re.compile(r"(?<![^\W_])[^\w\s#+]|[^\w\s#+](?![^\W_])")


_ENTITY: Final = re.compile(
    r"(?P<code>(?P<mark>`{1,3})(?:(?!(?P=mark)).){1,2000}(?P=mark))"
    r"|&(?:quot|apos|amp|lt|gt|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    re.DOTALL,
)
"""Entities that are signs of everyday text. Each is longer than what it stands for: decoding never lengthens."""


def question_key(text: str) -> str:
    """Equal for questions that differ only in case, width, punctuation and spacing.

    Marks inside a word stay (`4.1`, `node.js`, `c#`), because they tell questions apart.
    """
    folded = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_LOOSE_MARK.sub(" ", folded).split())


def readable_message(text: str, *, chars_max: int) -> str:
    """A message as it is understood: without control characters, half surrogates and blanks around it, and with the
    signs that a form or a page wrote as HTML entities. What stands in backticks is meant to the letter.

    InvalidInput when nothing is left, or more than `chars_max` characters are.
    """
    cleaned = _ENTITY.sub(lambda found: found[0] if found["code"] else html.unescape(found[0]), text)
    cleaned = "".join(" " if ord(c) < 32 and c not in "\n\t" else c for c in cleaned).strip()
    cleaned = cleaned.encode("utf-8", errors="replace").decode("utf-8")
    if not cleaned:
        raise InvalidInput("The message is empty.", remedy="Type a question.")
    if len(cleaned) > chars_max:
        raise InvalidInput(
            f"The message has {len(cleaned):,} characters; at most {chars_max:,} are read.",
            remedy="Send the error message and the lines around it, not the whole log.",
        )
    return cleaned


def split_front_matter(text: str) -> tuple[str, str]:
    """(YAML between the `---` lines at the very start, rest); ("", text) when there is none."""
    if not text.startswith(("---\n", "---\r\n")):
        return "", text
    close = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE).search(text, 4, FRONT_MATTER_CHARS_MAX)
    if close is None:
        return "", text
    head = text[4 : close.start()]
    # A page may open with a thematic break: front matter is told by its first `key:`.
    if head.strip() and re.search(r"^[A-Za-z_][\w .-]{0,60}:", head, re.MULTILINE) is None:
        return "", text
    return head, text[close.end() :]
