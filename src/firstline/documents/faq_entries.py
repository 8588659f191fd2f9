"""What is known of a curated answer besides its text: owner, expiry, the pages it rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from firstline.domain import EVERYONE, Document, DocumentKind, FaqCitation, FaqEntry, Level, Principal, may_see
from firstline.errors import Conflict, InvalidInput, NotFound
from firstline.ports import CareLedger

OWNER_CHARS_MAX: Final = 200
CHANGES_TRIED: Final = 5
LISTED: Final = "`firstline faq list` shows what is there."


class FaqEntries:
    """Changes and expires. `reader` is who does so; None: the operator. Nobody lets an answer show to more people what
    a cited page shows to fewer."""

    def __init__(self, *, care: CareLedger) -> None:
        self._care = care

    async def change(
        self,
        doc_id: str,
        *,
        tenant: str,
        kb: str,
        by: str,
        reader: Principal | None,
        owner: str | None = None,
        cites: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        never_expires: bool = False,
        vouched: bool = False,
    ) -> FaqEntry:
        """In force at once. None leaves what it was. `vouched`: somebody has read the cited pages as they are now.
        NotFound when there is no such curated answer, published or known, that `reader` may see."""
        for _ in range(CHANGES_TRIED):
            known = await self.entry(doc_id, tenant, kb)
            entry = await self._changed(
                known,
                doc_id,
                tenant=tenant,
                kb=kb,
                reader=reader,
                owner=owner,
                cites=cites,
                expires_at=expires_at,
                never_expires=never_expires,
                vouched=vouched,
            )
            entry = replace(entry, changed_by=by, changed_at=datetime.now(UTC))
            # Whoever expires it meanwhile must not be overwritten by whoever names an owner.
            if await self._care.swap_faq(entry, before=known):
                return entry
        raise Conflict("Others are changing it at the same time.", remedy="Repeat it in a moment.")

    async def _changed(
        self,
        known: FaqEntry | None,
        doc_id: str,
        *,
        tenant: str,
        kb: str,
        reader: Principal | None,
        owner: str | None,
        cites: Sequence[str] | None,
        expires_at: datetime | None,
        never_expires: bool,
        vouched: bool,
    ) -> FaqEntry:
        entry = known or _unknown(doc_id, tenant, kb)
        named = {doc_id, *(cites or ()), *(cited.doc_id for cited in entry.cites)}
        pages = await self.published(named, tenant, kb)
        document = self._known(doc_id, known, pages, reader)
        if cites is None and vouched:
            cites = [cited.doc_id for cited in entry.cites if cited.doc_id in pages]
            if not all(may_see(reader, pages[one]) for one in cites):
                raise Conflict(
                    "It rests on a page that this key may not see.",
                    remedy="Whoever may see all of them can vouch; or name anew what it rests on.",
                )
        if cites is not None:
            if document is None:
                raise Conflict("It is not published yet.", remedy="Publish the snapshot that holds it, then repeat.")
            given = cited(cites, pages, reader, level=document.level, acl=document.acl)
            entry = replace(entry, cites=given)
        if owner is not None:
            entry = replace(entry, owner=owner_named(owner))
        if expires_at is not None or never_expires:
            entry = replace(entry, expires_at=expires_at)
        return entry

    async def expire(self, doc_id: str, *, tenant: str, kb: str, by: str, reader: Principal | None) -> FaqEntry:
        """Used no more from the next question on, in any snapshot. As `change`."""
        now = datetime.now(UTC)
        return await self.change(doc_id, tenant=tenant, kb=kb, by=by, reader=reader, expires_at=now)

    async def as_narrow_as(
        self, doc_ids: Sequence[str], *, tenant: str, kb: str, reader: Principal | None
    ) -> tuple[Level, frozenset[str]]:
        """The widest level and tags that an answer resting on these pages may have; public and for everyone without
        any. InvalidInput when they have no tag in common. Pages that the reader may not see count for nothing."""
        pages = [one for one in (await self.published(doc_ids, tenant, kb)).values() if may_see(reader, one)]
        level, acl = Level.PUBLIC, frozenset[str]()
        for at, page in enumerate(pages):
            level, acl = max(level, page.level), page.acl if at == 0 else acl & page.acl
        if pages and not acl:
            raise InvalidInput(
                "No tag may see all of the pages cited: an answer has tags of which any one is enough.",
                remedy="Cite pages with a tag in common.",
            )
        return level, acl or frozenset({EVERYONE})

    async def published(self, doc_ids: Collection[str], tenant: str, kb: str) -> dict[str, Document]:
        """Those of these documents, by id."""
        found = await self._care.published_documents(tenant=tenant, kb=kb, limit=len(doc_ids) + 1, doc_ids=doc_ids)
        return {one.doc_id: one for one in found}

    async def entry(self, doc_id: str, tenant: str, kb: str) -> FaqEntry | None:
        entries = await self._care.faq_entries(tenant=tenant, kb=kb)
        return next((one for one in entries if one.doc_id == doc_id), None)

    def _known(
        self, doc_id: str, entry: FaqEntry | None, pages: Mapping[str, Document], reader: Principal | None
    ) -> Document | None:
        document = pages.get(doc_id)
        is_answer = document is not None and document.kind is DocumentKind.FAQ and may_see(reader, document)
        # One that expired and is in no published snapshot was removed: its entry stays for the earlier snapshots.
        awaited = document is None and entry is not None and not entry.expired(datetime.now(UTC))
        if not is_answer and not (awaited and reader is None):
            raise NotFound(f"There is no curated answer {doc_id[:200]!r}.", remedy=LISTED)
        return document


def owner_named(owner: str) -> str:
    """A person, a team, an address, in one short line. It is for the team alone, and not redacted."""
    owner = " ".join(owner.split())
    if len(owner) > OWNER_CHARS_MAX:
        raise InvalidInput(f"An owner has at most {OWNER_CHARS_MAX} characters.", remedy="Name a team.")
    return owner


def cited(
    doc_ids: Sequence[str],
    pages: Mapping[str, Document],
    reader: Principal | None,
    *,
    level: Level,
    acl: Collection[str],
) -> tuple[FaqCitation, ...]:
    found: list[FaqCitation] = []
    for doc_id in dict.fromkeys(doc_ids):
        page = pages.get(doc_id)
        if page is None or not may_see(reader, page):
            raise NotFound(f"There is no published page {doc_id[:200]!r} to cite.", remedy="Check its id.")
        if page.level > level or not page.acl.issuperset(acl):
            tags = ", ".join(sorted(page.acl)[:5]) or "nobody"
            raise InvalidInput(
                f"More people may see the answer than {doc_id[:200]!r}, which it cites.",
                remedy=f"Give it level {page.level.label} and tags among: {tags}.",
            )
        found.append(FaqCitation(doc_id=doc_id, blob=page.blob))
    return tuple(found)


def _unknown(doc_id: str, tenant: str, kb: str) -> FaqEntry:
    now = datetime.now(UTC)
    return FaqEntry(
        tenant=tenant, kb=kb, doc_id=doc_id, owner="", expires_at=None, cites=(), changed_by="", changed_at=now
    )
