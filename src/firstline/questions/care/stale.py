"""Which pages are not to be trusted any more? By date, versions, links, and what they and their readers say of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from firstline.domain import Document, DocumentKind, StaleFinding, StaleReason
from firstline.questions.care.links import Pages
from firstline.questions.page.versions import versions_of, without_versions
from firstline.questions.prefer import PAGES, superseded_of

DATES: Final = ("updated_at", "updated", "last_modified", "lastmod", "modified", "last_updated", "date")
"""Where sources say when a page was written last, first one that can be read."""
_ABOUT: Final = ("product", "component", "language")


def by_date(documents: Iterable[Document], *, before: datetime) -> Iterator[tuple[str, StaleFinding]]:
    """Pages whose date is before this. Tickets and posts tell of what was; they do not grow old."""
    for document in documents:
        at = date_of(document) if document.kind in PAGES or document.kind is DocumentKind.FAQ else None
        if at is not None and at < before:
            yield document.doc_id, StaleFinding(reason=StaleReason.OLD, detail=f"{at:%Y-%m-%d}")


def date_of(document: Document) -> datetime | None:
    for name in DATES:
        found = _date(document.metadata.get(name, "").strip()[:60])
        if found is not None:
            return found
    return None


def by_version(documents: Iterable[Document]) -> Iterator[tuple[str, StaleFinding]]:
    """Pages that share their title but for the version, of which another one speaks of a newer version."""
    groups: defaultdict[tuple[str, ...], list[Document]] = defaultdict(list)
    for document in documents:
        if document.kind in PAGES:
            title = without_versions(document.title, versions_of(document))
            about = (document.metadata.get(name, "").casefold() for name in _ABOUT)
            groups[(title, document.kind.value, *about)].append(document)
    for (title, *_), group in groups.items():
        stated = [(versions_of(document), document) for document in group]
        told = [(max(one.newest for one in versions), document) for versions, document in stated if versions]
        if not title or len(told) < 2:
            continue
        newest, best = max(told, key=lambda pair: (pair[0], pair[1].doc_id))
        for own, document in told:
            if own < newest:
                yield document.doc_id, StaleFinding(reason=StaleReason.OLDER_VERSION, detail=best.doc_id)


def replaced(documents: Mapping[str, Document]) -> Iterator[tuple[str, StaleFinding]]:
    for doc_id in superseded_of(documents):
        said = documents[doc_id].metadata
        detail = said.get("superseded_by", "").strip() or said.get("status", "").strip()
        yield doc_id, StaleFinding(reason=StaleReason.REPLACED, detail=detail[:200])


def contradicted(blamed: Mapping[str, int]) -> Iterator[tuple[str, StaleFinding]]:
    for doc_id, turns in blamed.items():
        yield doc_id, StaleFinding(reason=StaleReason.CONTRADICTED, detail=str(turns))


def by_links(
    documents: Iterable[Document], texts: Mapping[str, str], pages: Pages
) -> Iterator[tuple[str, StaleFinding]]:
    """`texts` by content."""
    for document in documents:
        for target in pages.dead(document, texts.get(document.blob, "")):
            yield document.doc_id, StaleFinding(reason=StaleReason.DEAD_LINK, detail=target[:300])


def _date(text: str) -> datetime | None:
    if not text:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        # What a source writes may be any number, and before or after all years.
        with suppress(ValueError, OverflowError):
            found = read(text)
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    return None
