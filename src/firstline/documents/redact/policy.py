"""What is taken out of which kind of text? Pages name nobody's life; tickets and conversations do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from firstline.domain import DocumentKind


class Names(StrEnum):
    """NONE stay out of it. TOLD: persons who are introduced, greeted, or spoken of as somebody one knows. ALL."""

    NONE = "none"
    TOLD = "told"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """`names`: which persons go; unless it is none, postal addresses go too. `examples`: values that stand for
    others stay (test cards, private networks, addresses at example.com), and so do a help desk's numbers and
    addresses."""

    names: Names
    examples: bool


PAGES: Final = Policy(names=Names.NONE, examples=True)
"""Documentation and curated answers: published, and written about things."""
TALK: Final = Policy(names=Names.ALL, examples=False)
"""Tickets, issues, forum posts and notes: written by persons, about persons among others, and read by others."""
MESSAGES: Final = Policy(names=Names.TOLD, examples=False)
"""Conversations: a question about somebody whom the pages name must still be understood."""
_OF_PAGES: Final = frozenset({DocumentKind.DOCUMENTATION, DocumentKind.FAQ})


def policy_of(kind: DocumentKind) -> Policy:
    return PAGES if kind in _OF_PAGES else TALK
