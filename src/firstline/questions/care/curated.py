"""What is the matter with a curated answer? Compared with the pages that it rests on, as they are published today."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from firstline.domain import (
    Document,
    FaqEntry,
    FaqProblem,
    FaqShown,
    FaqState,
    FaqTrouble,
    Principal,
    may_see,
)


def curated(
    document: Document | None,
    entry: FaqEntry | None,
    *,
    pages: Mapping[str, Document],
    reader: Principal | None,
    now: datetime,
    answer: str = "",
) -> FaqShown:
    """`document` is the published one, None when there is none; `entry` what is known of it, None when it came from a
    source and nobody looked after it yet. At least one of them is there. `pages`: published documents by id."""
    cites = entry.cites if entry else ()
    seen = [cited.doc_id for cited in cites if cited.doc_id in pages and may_see(reader, pages[cited.doc_id])]
    return FaqShown(
        doc_id=document.doc_id if document else entry.doc_id if entry else "",
        question=document.title if document else "",
        state=_state(document, entry, now),
        owner=entry.owner if entry else "",
        expires_at=entry.expires_at if entry else None,
        cites=tuple(seen),
        problems=tuple(_problems(document, entry, pages, None if reader is None else frozenset(seen))),
        level=document.level if document else None,
        acl=tuple(sorted(document.acl)) if document else (),
        changed_by=entry.changed_by if entry else "",
        changed_at=entry.changed_at if entry else None,
        answer=answer,
    )


def covers(page: Document, *, level: int, acl: Collection[str]) -> bool:
    """Whoever may see what has this level and these tags may see the page, too."""
    return page.level <= level and page.acl.issuperset(acl)


def _state(document: Document | None, entry: FaqEntry | None, now: datetime) -> FaqState:
    if entry is not None and entry.expired(now):
        return FaqState.EXPIRED
    return FaqState.LIVE if document else FaqState.ABSENT


def _problems(
    document: Document | None, entry: FaqEntry | None, pages: Mapping[str, Document], named: frozenset[str] | None
) -> list[FaqProblem]:
    """`named`: pages that the reader may know of; None: all."""
    found: list[FaqProblem] = []
    if entry is None or not entry.owner:
        found.append(FaqProblem(trouble=FaqTrouble.NO_OWNER))
    for cited in entry.cites if entry else ():
        page = pages.get(cited.doc_id)
        # Who might see a page that is gone, nobody can say any more: only the operator is told its name.
        name = cited.doc_id if named is None or cited.doc_id in named else ""
        if page is None:
            found.append(FaqProblem(trouble=FaqTrouble.CITED_GONE, doc_id=name))
            continue
        if page.blob != cited.blob:
            found.append(FaqProblem(trouble=FaqTrouble.CITED_CHANGED, doc_id=name))
        if document is not None and not covers(page, level=document.level, acl=document.acl):
            found.append(FaqProblem(trouble=FaqTrouble.WIDER, doc_id=name))
    return found
