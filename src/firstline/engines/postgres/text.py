"""What Postgres cannot hold in a text: NUL, and halves of surrogate pairs (from broken UTF-16 or odd file names)."""

from __future__ import annotations

import re

from firstline.errors import InvalidInput

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with U+FFFD where it held something that cannot be stored."""
    return UNSTORABLE.sub("\ufffd", text)


def storable_id(text: str) -> str:
    """An id must come back as it went in, so it is refused instead of mended."""
    if UNSTORABLE.search(text):
        raise InvalidInput(
            f"The id {storable(text)[:100]!r} holds characters that cannot be stored.",
            remedy="Rename it without NUL and invalid characters.",
        )
    return text
