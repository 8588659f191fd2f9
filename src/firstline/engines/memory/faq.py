"""What is known of curated answers, in memory: the reference that says what the others must do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from firstline.domain import Document, DocumentKind, FaqCitation, FaqEntry, Tombstone
from firstline.engines.memory.base import Base, holds
from firstline.errors import NotFound


class MemoryFaq:
    """The part of ports.CareLedger that is about documents. For the knowledge ledger, whose bases these are."""

    _bases: dict[tuple[str, str], Base]

    @abstractmethod
    def _mark(self) -> int: ...

    async def put_faq(self, entry: FaqEntry) -> None:
        self._put(entry, self._base_of(entry))

    async def swap_faq(self, entry: FaqEntry, *, before: FaqEntry | None) -> bool:
        base = self._base_of(entry)
        if base.faq.get(entry.doc_id) != before:
            return False
        self._put(entry, base)
        return True

    def _base_of(self, entry: FaqEntry) -> Base:
        base = self._bases.get((entry.tenant, entry.kb))
        if base is None:
            raise NotFound(
                f"There is no knowledge base {entry.kb!r}.",
                remedy="`firstline status` lists them; `firstline ingest` makes one.",
            )
        return base

    def _put(self, entry: FaqEntry, base: Base) -> None:
        if base.expired(entry.doc_id) != entry.expired(datetime.now(UTC)):
            base.forgotten = self._mark()
        base.faq[entry.doc_id] = entry

    async def drop_faq(self, doc_id: str, *, tenant: str, kb: str) -> None:
        base = self._bases.get((tenant, kb))
        if base is not None:
            base.faq.pop(doc_id, None)

    async def faq_entries(self, *, tenant: str, kb: str) -> list[FaqEntry]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        return [base.faq[doc_id] for doc_id in sorted(base.faq)]

    async def faq_expired(self, *, tenant: str | None) -> int:
        now = datetime.now(UTC)
        return sum(
            one.expired(now) and any(holds(stored.document, base.published) for stored in base.of([one.doc_id]))
            for (owner, _), base in self._bases.items()
            if tenant in (None, owner)
            for one in base.faq.values()
        )

    async def published_documents(
        self,
        *,
        tenant: str,
        kb: str,
        limit: int,
        kinds: Collection[DocumentKind] = frozenset(DocumentKind),
        doc_ids: Collection[str] | None = None,
    ) -> list[Document]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        held = [one.document for one in base.held(base.published)]
        shown = [one for one in held if one.kind in kinds and not base.buried(one.doc_id, one.since)]
        wanted = [one for one in shown if doc_ids is None or one.doc_id in doc_ids]
        return sorted(wanted, key=lambda document: document.doc_id)[:limit]

    async def published_places(self, *, tenant: str, kb: str, limit: int) -> list[tuple[str, str]]:
        found = await self.published_documents(tenant=tenant, kb=kb, limit=limit)
        return [(one.doc_id, one.url or "") for one in found]

    async def documents_of(self, chunk_ids: Collection[str], *, tenant: str, kb: str) -> dict[str, str]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        wanted = frozenset(chunk_ids)
        return {
            chunk.chunk_id: chunk.doc_id
            for stored in base.revisions.values()
            if not base.buried(stored.document.doc_id, stored.document.since)
            for chunk in stored.chunks
            if chunk.chunk_id in wanted
        }


def forget_faq(base: Base, stone: Tombstone) -> None:
    """Its own entry goes, unless it was added anew since; what others cite of it stands without its name."""
    own = base.faq.get(stone.doc_id)
    if own is not None and own.changed_at <= stone.at:
        del base.faq[stone.doc_id]
    nameless = FaqCitation(doc_id="", blob="")
    for doc_id, entry in base.faq.items():
        cites = tuple(nameless if cited.doc_id == stone.doc_id else cited for cited in entry.cites)
        base.faq[doc_id] = replace(entry, cites=cites)
