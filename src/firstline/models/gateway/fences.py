"""How is data told from instructions in a prompt? Fenced by marks that do not stand in it, and labelled."""

from __future__ import annotations

import hashlib
from typing import Final

from firstline.domain import Part

MARK_SIGNS: Final = 10
TRIES_MAX: Final = 1_000


def written(part: Part) -> str:
    """The part as it is sent. The marks are made from the text, so that the same prompt is the same to the letter (a
    provider can keep its prefix), and what stands in the text cannot close them."""
    if not part.label:
        return part.text
    mark = _mark(part.text)
    label = " ".join(part.label.replace('"', "'").replace("<", " ").replace(">", " ").split())
    return f'<data-{mark} label="{label}">\n{part.text}\n</data-{mark}>'


def _mark(text: str) -> str:
    for number in range(TRIES_MAX):
        mark = hashlib.sha256(f"{number}|{text}".encode("utf-8", "surrogatepass")).hexdigest()[:MARK_SIGNS]
        if mark not in text:
            return mark
    # A thousand marks of forty bits that all stand in one text: nobody writes it.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
