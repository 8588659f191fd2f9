"""What is forgotten, in memory: the reference that says what the others must do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from firstline.domain import Tombstone
from firstline.engines.memory.base import Base, revision
from firstline.engines.memory.faq import forget_faq
from firstline.engines.memory.graph_rules import forget_graph_rules
from firstline.errors import NotFound
from firstline.ports import Revision

NAMED_MAX: Final = 5


class MemoryTombstones:
    """See ports.TombstoneLedger. For the knowledge ledger, whose bases these are."""

    _bases: dict[tuple[str, str], Base]

    @abstractmethod
    def _mark(self) -> int: ...

    async def bury(self, doc_ids: Sequence[str], *, tenant: str, kb: str, by: str) -> list[Tombstone]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        known = {doc_id for doc_id, _ in base.revisions}
        missing = sorted(set(doc_ids) - known)
        if missing:
            raise not_there(missing, kb)
        base.forgotten = mark = self._mark()
        now = datetime.now(UTC)
        for doc_id in set(doc_ids):
            stone = Tombstone(tenant=tenant, kb=kb, doc_id=doc_id, upto=base.counter, at=now, by=by)
            base.tombstones[doc_id] = (mark, stone)
        return [base.tombstones[doc_id][1] for doc_id in sorted(set(doc_ids))]

    async def known_documents(self, prefix: str, *, tenant: str, kb: str) -> list[str]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        return sorted(
            {doc_id for doc_id, since in base.revisions if doc_id.startswith(prefix) and not base.buried(doc_id, since)}
        )

    async def naming(self, text: str, *, tenant: str, kb: str) -> list[str]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        found: set[str] = set()
        for stored in base.revisions.values():
            document = stored.document
            named = (document.doc_id, document.title, document.url or "", *document.metadata.values())
            if any(text.lower() in one.lower() for one in named):
                found.add(document.doc_id)
        return sorted(found)

    async def titles(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> frozenset[str]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        return frozenset(stored.document.title for stored in base.of(doc_ids))

    async def contents(self, *, tenant: str, kb: str) -> list[tuple[str, str, int]]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        kept = sorted((one.document for one in base.revisions.values()), key=lambda one: (one.doc_id, one.since))
        return [(document.doc_id, document.blob, document.size_bytes) for document in kept]

    async def tombstones(self, doc_ids: Sequence[str], *, tenant: str, kb: str) -> list[Tombstone]:
        base = self._bases.get((tenant, kb)) or Base(embedder_id="")
        return [base.tombstones[one][1] for one in sorted(set(doc_ids)) if one in base.tombstones]

    async def buried(self, *, tenant: str | None, limit: int) -> list[Tombstone]:
        kept = sorted(
            (mark, stone.doc_id, stone)
            for base in self._bases.values()
            for mark, stone in base.tombstones.values()
            if stone.purged_at is None and tenant in (None, stone.tenant)
        )
        return [stone for _, _, stone in kept][:limit]

    async def traces(self, tombstone: Tombstone) -> list[Revision]:
        base = self._bases[tombstone.tenant, tombstone.kb]
        kept = [one for one in base.of([tombstone.doc_id]) if one.document.since <= tombstone.upto]
        return sorted((revision(one) for one in kept), key=lambda one: one.since)

    def removing(self, tombstones: Sequence[Tombstone]) -> AbstractAsyncContextManager[list[Tombstone]]:
        return self._removing(tombstones)

    @asynccontextmanager
    async def _removing(self, tombstones: Sequence[Tombstone]) -> AsyncGenerator[list[Tombstone]]:
        yield [self._as_it_is(one) for one in sorted(tombstones, key=lambda one: one.doc_id)]

    def _as_it_is(self, tombstone: Tombstone) -> Tombstone:
        """A plan of a candidate that was opened after the document was forgotten says that it is about to be written
        anew."""
        base = self._bases[tombstone.tenant, tombstone.kb]
        mark, stone = base.tombstones[tombstone.doc_id]
        candidate = base.candidate
        if candidate is None or candidate > stone.upto or base.opened <= mark:
            return stone
        anew = stone.doc_id in base.planned.get(candidate, {})
        return replace(stone, upto=candidate - 1) if anew else stone

    async def purged(self, tombstone: Tombstone) -> bool:
        base = self._bases[tombstone.tenant, tombstone.kb]
        # What was forgotten since is left to whoever removes its vectors, what was taken anew is left alone.
        tombstone = replace(tombstone, upto=min(tombstone.upto, self._as_it_is(tombstone).upto))
        for one in await self.traces(tombstone):
            base.drop(one.doc_id, one.since)
        for number, plan in base.planned.items():
            if number <= tombstone.upto:
                plan.pop(tombstone.doc_id, None)
        for number, failures in base.failures.items():
            base.failures[number] = [one for one in failures if one.item_id != tombstone.doc_id]
        mark, known = base.tombstones[tombstone.doc_id]
        if known.upto > tombstone.upto:
            return False
        forget_faq(base, tombstone)
        forget_graph_rules(base, tombstone)
        base.tombstones[tombstone.doc_id] = (mark, replace(known, purged_at=datetime.now(UTC)))
        return True

    def _lift(self, base: Base, candidate: int, doc_id: str) -> None:
        """The candidate has written it anew, after it was forgotten: what it wrote is shown."""
        if base.buried(doc_id, candidate):
            mark, stone = base.tombstones[doc_id]
            base.tombstones[doc_id] = (mark, replace(stone, upto=candidate - 1))


def not_there(missing: Sequence[str], kb: str) -> NotFound:
    named = ", ".join(repr(doc_id) for doc_id in missing[:NAMED_MAX])
    more = f" and {len(missing) - NAMED_MAX} more" if len(missing) > NAMED_MAX else ""
    return NotFound(
        f"The knowledge base {kb!r} holds no document {named}{more}. Nothing was forgotten.",
        remedy="Check the id: `firstline forget --source PREFIX` lists those that begin with it before it asks.",
    )
