"""Curated answers as their owners see them: the expired ones, and those that somebody should look at, included."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from firstline.domain import Document, DocumentKind, FaqEntry, FaqShown, FaqState, Principal, may_see
from firstline.errors import NotFound
from firstline.ports import BlobStore, CareLedger
from firstline.questions.care.curated import curated

FAQ: Final = DocumentKind.FAQ
FAQ_MAX: Final = 20_000
ANSWER_BYTES_MAX: Final = 65_536


class FaqList:
    """Reads, and changes nothing. A `reader` of None is the operator."""

    def __init__(self, *, care: CareLedger, blobs: BlobStore) -> None:
        self._care = care
        self._blobs = blobs

    async def shown(
        self, *, tenant: str, kb: str, reader: Principal | None, owner: str | None = None
    ) -> list[FaqShown]:
        """Those that need somebody first: expired, absent, with problems; then by id. `owner` None: everybody's."""
        documents, entries, pages = await self._read(tenant, kb, reader)
        now = datetime.now(UTC)
        found = [
            curated(documents.get(doc_id), entries.get(doc_id), pages=pages, reader=reader, now=now)
            for doc_id in documents.keys() | entries.keys()
        ]
        kept = [one for one in found if owner is None or one.owner == owner]
        return sorted(kept, key=lambda one: (one.state is FaqState.LIVE and not one.problems, one.doc_id))

    async def one(self, doc_id: str, *, tenant: str, kb: str, reader: Principal | None) -> FaqShown:
        """With its answer. NotFound when there is none that the reader may see."""
        documents, entries, pages = await self._read(tenant, kb, reader)
        document, entry = documents.get(doc_id), entries.get(doc_id)
        if document is None and entry is None:
            raise no_such_answer(doc_id)
        answer = ""
        if document is not None:
            end = min(document.size_bytes, ANSWER_BYTES_MAX)
            answer = (await self._blobs.get_range(document.blob, 0, end)).decode("utf-8", errors="ignore")
        return curated(document, entry, pages=pages, reader=reader, now=datetime.now(UTC), answer=answer)

    async def expired(self, *, tenant: str | None) -> int:
        """How many are used no more. None: of every tenant."""
        return await self._care.faq_expired(tenant=tenant)

    async def _read(
        self, tenant: str, kb: str, reader: Principal | None
    ) -> tuple[dict[str, Document], dict[str, FaqEntry], dict[str, Document]]:
        """Curated answers and entries that the reader may know of, and the pages that these cite, by id."""
        found = await self._care.published_documents(tenant=tenant, kb=kb, limit=FAQ_MAX, kinds=frozenset({FAQ}))
        documents = {one.doc_id: one for one in found if may_see(reader, one)}
        # Who might see what is not published cannot be said: its entry is the operator's alone.
        # One that expired and is not published was removed: it is kept for the earlier snapshots, and needs nobody.
        now = datetime.now(UTC)
        entries = {
            one.doc_id: one
            for one in await self._care.faq_entries(tenant=tenant, kb=kb)
            if one.doc_id in documents or (reader is None and not one.expired(now))
        }
        cited = {page.doc_id for entry in entries.values() for page in entry.cites}
        pages = await self._care.published_documents(tenant=tenant, kb=kb, limit=len(cited) + 1, doc_ids=cited)
        return documents, entries, {one.doc_id: one for one in pages}


def no_such_answer(doc_id: str) -> NotFound:
    return NotFound(f"There is no curated answer {doc_id[:200]!r}.", remedy="`firstline faq list` shows their ids.")
