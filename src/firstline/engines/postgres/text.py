"""What Postgres cannot hold in a text is mended in texts, and refused in ids."""

from __future__ import annotations

from firstline.domain import storable
from firstline.domain.texts import UNSTORABLE
from firstline.errors import InvalidInput

__all__ = ["storable", "storable_id"]


def storable_id(text: str) -> str:
    """An id must come back as it went in, so it is refused instead of mended."""
    if UNSTORABLE.search(text):
        raise InvalidInput(
            f"The id {storable(text)[:100]!r} holds characters that cannot be stored.",
            remedy="Rename it without NUL and invalid characters.",
        )
    return text
