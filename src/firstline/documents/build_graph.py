"""Is the graph what documents say? Made so for those that were taken without it, or by other rules.

An edge depends on its document alone, and the ledger and the blobs hold all that the rules read: text, title, address,
metadata and chunks. So edges are made anew without asking any source, for every revision that can still be shown,
those of earlier snapshots included. What is right already is left alone: a build that was killed is run again, and
writes what is left.

The ingest lock is held in parts, so that announced changes are taken in between: what a run writes meanwhile is
written with its edges. Forgetting and pruning do not wait for the lock: after each write the ledger is asked again,
and what it holds no longer is taken out.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Final

from firstline.documents.extract import extract
from firstline.documents.giving_way import GIVES_WAY_S, RETAKE_PAUSE_S, RETAKE_S_MAX
from firstline.domain import FOREVER, GRAPH, GRAPH_OFF, Edge, Entity, storable
from firstline.errors import Broken, Conflict, NotFound
from firstline.ports import BlobStore, Graph, KnowledgeLedger, RevisionLedger, Scope, StoredDocument

REVISIONS_AT_ONCE: Final = 100
PART_S: Final = 2.0
"""The knowledge base is held for so long, and then let go."""
TEXT_AT_ONCE: Final = 4 * 1024**2
"""Bytes of text whose edges are made together, or one document: a page of books would neither fit nor end."""
EDGES_AT_ONCE: Final = 10_000
NAMED_MAX: Final = 100

Place = tuple[str, int]
"""A document's id, and the snapshot that wrote the revision."""


@dataclass(kw_only=True)
class GraphBuilt:
    """What was met. `edges`: that there should be; `missing`, `wrong` (they stand, and say something else, or by other
    rules) and `extra` ones; `rewritten`: revisions with any of these, mended or, with `check`, to be. `unread`:
    revisions whose text is not there, so that nothing of theirs could be compared; `unread_ids`: their documents, the
    first NAMED_MAX."""

    revisions: int = 0
    documents: int = 0
    edges: int = 0
    missing: int = 0
    wrong: int = 0
    extra: int = 0
    rewritten: int = 0
    unread: int = 0
    unread_ids: list[str] = field(default_factory=list[str])

    @property
    def differs(self) -> bool:
        return bool(self.missing or self.wrong or self.extra)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compared:
    """A revision with the edges that it should have; None: its text cannot be read. `of_models`: those that a language
    model found in it, which the rules do not judge; they stay."""

    stored: StoredDocument
    wanted: dict[str, Edge] | None
    right: bool
    seen: int
    of_models: tuple[Edge, ...] = ()


class GraphBuild:
    """Of one graph, over all knowledge bases."""

    def __init__(
        self,
        *,
        ledger: KnowledgeLedger,
        revisions: RevisionLedger,
        blobs: BlobStore,
        graph: Graph,
        part_s: float = PART_S,
    ) -> None:
        """`graph` is the one that documents are written to: nothing that shows it otherwise may stand in between."""
        self._ledger = ledger
        self._revisions = revisions
        self._blobs = blobs
        self._graph = graph
        self._part_s = part_s

    async def build(
        self, *, tenant: str, kb: str, check: bool = False, on_progress: Callable[[GraphBuilt], None] | None = None
    ) -> GraphBuilt:
        """Compare every revision's edges with what its document says, and with `check` leave it at that.

        NotFound when there is no such knowledge base, Conflict when somebody else's run holds it."""
        if kb not in await self._ledger.knowledge_bases(tenant=tenant):
            raise NotFound(f"There is no knowledge base {kb!r}.", remedy="`firstline status` lists them.")
        built = GraphBuilt()
        after: Place | None = None
        begun = False
        while True:
            async with self._held(tenant, kb, patient=begun):
                began, begun = time.monotonic(), True
                while True:
                    page = await self._whole_documents(tenant, kb, after)
                    if not page:
                        return built
                    for part in _parts(page):
                        await self._page(part, after, built, check=check)
                        after = _place(part[-1])
                        if on_progress is not None:
                            on_progress(built)
                        if time.monotonic() - began >= self._part_s:
                            break
                    if time.monotonic() - began >= self._part_s:
                        break
            # Whoever waits for the knowledge base looks for it this often.
            await asyncio.sleep(min(GIVES_WAY_S, self._part_s))

    @asynccontextmanager
    async def _held(self, tenant: str, kb: str, *, patient: bool) -> AsyncGenerator[None]:
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            while True:
                try:
                    await stack.enter_async_context(self._ledger.ingest_lock(tenant=tenant, kb=kb))
                    break
                except Conflict:
                    if not patient or time.monotonic() - began > RETAKE_S_MAX:
                        raise
                await asyncio.sleep(RETAKE_PAUSE_S)
            yield

    async def _whole_documents(self, tenant: str, kb: str, after: Place | None) -> list[StoredDocument]:
        """The next revisions; all of a document are together."""
        limit = REVISIONS_AT_ONCE
        while True:
            page = await self._revisions.revisions(tenant=tenant, kb=kb, after=after, limit=limit)
            if len(page) < limit:
                return page
            last = page[-1].document.doc_id
            whole = [one for one in page if one.document.doc_id != last]
            if whole:
                return whole
            limit *= 2

    async def _page(self, page: list[StoredDocument], after: Place | None, built: GraphBuilt, *, check: bool) -> None:
        built.documents += len({one.document.doc_id for one in page})
        texts = [await self._text(one) for one in page]
        wanted = await asyncio.to_thread(lambda: [_edges(one, text) for one, text in zip(page, texts, strict=True)])
        compared = [await self._compare(one, edges, built) for one, edges in zip(page, wanted, strict=True)]
        stray = await self._strays(compared)
        built.extra += sum(stray.values())
        differs = [
            one for one in compared if one.wanted is not None and (not one.right or one.stored.document.doc_id in stray)
        ]
        built.rewritten += len(differs)
        if differs and not check:
            await self._write(differs, stray)
            await self._take_out_gone(page, after, differs)

    async def _text(self, stored: StoredDocument) -> bytes | None:
        document = stored.document
        if document.metadata.get(GRAPH) == GRAPH_OFF:
            return b""
        try:
            return await self._blobs.get_range(document.blob, 0, document.size_bytes)
        except (NotFound, Broken):
            return None

    async def _compare(self, stored: StoredDocument, edges: Sequence[Edge] | None, built: GraphBuilt) -> _Compared:
        document = stored.document
        built.revisions += 1
        if edges is None:
            built.unread += 1
            if len(built.unread_ids) < NAMED_MAX and document.doc_id not in built.unread_ids:
                built.unread_ids.append(document.doc_id)
            return _Compared(stored=stored, wanted=None, right=False, seen=0)
        wanted = {one.edge_id: one for one in edges}
        every = await self._found(stored)
        found = {one.edge_id: one for one in every if not one.of_model}
        built.edges += len(wanted)
        if not document.acl:
            # Nobody may see them, so no look-up shows them: they are counted.
            return await self._compare_unseen(stored, wanted, built)
        missing = len(wanted.keys() - found.keys())
        extra = len(found.keys() - wanted.keys())
        wrong = sum(found[edge_id] != wanted[edge_id] for edge_id in wanted.keys() & found.keys())
        built.missing += missing
        built.extra += extra
        built.wrong += wrong
        right = not (missing or extra or wrong)
        of_models = tuple(one for one in every if one.of_model and one.edge_id not in wanted)
        return _Compared(stored=stored, wanted=wanted, right=right, seen=len(every), of_models=of_models)

    async def _compare_unseen(self, stored: StoredDocument, wanted: dict[str, Edge], built: GraphBuilt) -> _Compared:
        document = stored.document
        held_upto = partial(self._graph.held, tenant=document.tenant, kb=document.kb, doc_ids=[document.doc_id])
        held = await held_upto(upto=document.since) - await held_upto(upto=document.since - 1)
        built.missing += max(0, len(wanted) - held)
        built.extra += max(0, held - len(wanted))
        return _Compared(stored=stored, wanted=wanted, right=held == len(wanted), seen=held)

    async def _found(self, stored: StoredDocument) -> list[Edge]:
        """What the graph holds of these chunks, for those who may read them, in the snapshot that wrote them."""
        document = stored.document
        scope = Scope(
            tenant=document.tenant,
            kb=document.kb,
            acl_tags=document.acl,
            level_max=document.level,
            snapshot=document.since,
        )
        chunk_ids = [chunk.chunk_id for chunk in stored.chunks]
        found: list[Edge] = []
        after = ""
        while chunk_ids and document.acl:
            page = await self._graph.edges(scope, after=after, limit=EDGES_AT_ONCE, chunk_ids=chunk_ids)
            found += page
            if len(page) < EDGES_AT_ONCE:
                break
            after = page[-1].edge_id
        return found

    async def _strays(self, compared: Sequence[_Compared]) -> dict[str, int]:
        """Documents of which the graph holds edges that no look-up above showed, and how many: for other readers, or of
        snapshots in which the ledger knows no revision."""
        found: dict[str, int] = {}
        known = [one for one in _by_document(compared) if all(part.wanted is not None for part in one)]
        if not known:
            return found
        document = known[0][0].stored.document
        tenant, kb = document.tenant, document.kb
        ids = [one[0].stored.document.doc_id for one in known]
        if await self._graph.held(tenant=tenant, kb=kb, doc_ids=ids, upto=FOREVER) == sum(
            part.seen for one in known for part in one
        ):
            return found
        for own in known:
            doc_id = own[0].stored.document.doc_id
            held = await self._graph.held(tenant=tenant, kb=kb, doc_ids=[doc_id], upto=FOREVER)
            more = held - sum(part.seen for part in own)
            if more > 0:
                found[doc_id] = more
        return found

    async def _write(self, written: Sequence[_Compared], stray: dict[str, int]) -> None:
        """As a run does: what stands of these goes, and then they are written. Killed in between, the next build finds
        them missing."""
        first = written[0].stored.document
        place = {"tenant": first.tenant, "kb": first.kb}
        if stray:
            await self._graph.purge(**place, doc_ids=sorted(stray), upto=FOREVER)
        by_number: dict[int, list[str]] = defaultdict(list)
        for one in written:
            by_number[one.stored.document.since].append(one.stored.document.doc_id)
        for number, doc_ids in sorted(by_number.items()):
            await self._graph.delete(**place, doc_ids=doc_ids, since=number)
        await self._graph.upsert([edge for one in written for edge in (*(one.wanted or {}).values(), *one.of_models)])

    async def _take_out_gone(
        self, page: Sequence[StoredDocument], after: Place | None, written: Sequence[_Compared]
    ) -> None:
        """Forgotten or pruned while they were written: nothing may be left of them."""
        document = page[0].document
        place = {"tenant": document.tenant, "kb": document.kb}
        now = {_place(one) for one in await self._revisions.revisions(**place, after=after, limit=len(page))}
        for one in written:
            if _place(one.stored) not in now:
                doc_id, number = _place(one.stored)
                await self._graph.delete(**place, doc_ids=[doc_id], since=number)


def _edges(stored: StoredDocument, text: bytes | None) -> list[Edge] | None:
    if text is None:
        return None
    if stored.document.metadata.get(GRAPH) == GRAPH_OFF:
        return []
    return [_storable(edge) for edge in extract(stored.document, stored.chunks, text)]


def _storable(edge: Edge) -> Edge:
    """As every engine can give it back."""
    return replace(edge, source=_mended(edge.source), target=_mended(edge.target))


def _mended(entity: Entity) -> Entity:
    return replace(entity, key=storable(entity.key), name=storable(entity.name))


def _place(stored: StoredDocument) -> Place:
    return stored.document.doc_id, stored.document.since


def _parts(page: Sequence[StoredDocument]) -> Iterator[list[StoredDocument]]:
    """Whole documents, as many as fit."""
    part: list[StoredDocument] = []
    size = 0
    for _, revisions in groupby(page, key=lambda one: one.document.doc_id):
        own = list(revisions)
        own_size = sum(one.document.size_bytes for one in own)
        if part and size + own_size > TEXT_AT_ONCE:
            yield part
            part, size = [], 0
        part += own
        size += own_size
    if part:
        yield part


def _by_document(compared: Sequence[_Compared]) -> list[list[_Compared]]:
    return [list(own) for _, own in groupby(compared, key=lambda one: one.stored.document.doc_id)]
