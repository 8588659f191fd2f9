"""A general question is for the documentation; a ticket tells one customer's story."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firstline.domain import Document, DocumentKind, RankedDocument
from firstline.questions.message.manner import reports_problem

STORIES: Final = frozenset({DocumentKind.TICKET, DocumentKind.ISSUE, DocumentKind.FORUM_POST})
AS_NEAR: Final = 0.5
"""How much of the fused score a page of the documentation may be behind a story and still be what was asked for."""


def stories_behind(
    ranked: tuple[RankedDocument, ...], documents: Mapping[str, Document], *, question: str
) -> tuple[RankedDocument, ...]:
    """The same documents; where a story stands first and no problem was told, the first page of the documentation that
    is about as near stands in front of it."""
    if len(ranked) < 2 or _kind(ranked[0], documents) not in STORIES or reports_problem(question):
        return ranked
    page = next(
        (
            other
            for other in ranked[1:]
            if _kind(other, documents) is DocumentKind.DOCUMENTATION and other.score >= ranked[0].score - AS_NEAR
        ),
        None,
    )
    return ranked if page is None else (page, *(other for other in ranked if other is not page))


def only_a_story(first: Document | None, *, question: str) -> bool:
    """Nothing but one customer's story was found for somebody who told no problem: it answers another question."""
    return first is not None and first.kind in STORIES and not reports_problem(question)


def _kind(ranked: RankedDocument, documents: Mapping[str, Document]) -> DocumentKind | None:
    document = documents.get(ranked.doc_id)
    return document.kind if document else None
