"""Make the communities of what is published: read the graph, divide what changed, keep the rest, put all in place at
once.

Nothing of a build is shown before its last step, one transaction: one that is killed half-way leaves what was there.
The same graph gives the same communities, however often and in whatever order its documents came.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.documents.communities.alike import Alike, SameWords, merged
from firstline.documents.communities.cluster import clusters
from firstline.documents.communities.parts import Part, is_looked_at, parts_of
from firstline.documents.communities.summary import Said, statement_key, statements, summaries, worded
from firstline.domain import Chunk, CommunityBuild, Edge, Level
from firstline.errors import InvalidInput, NotFound
from firstline.ports import Audience, BlobStore, CommunityStore, Gathered, Graph, KnowledgeLedger, Scope

PAGE: Final = 2_000
"""Edges read at once: a question beside it waits for one page."""
EDGES_MAX: Final = 2_000_000
"""Edges read. What comes behind them is in no community."""
KEPT_MAX: Final = 1_000_000
"""Of these, edges that are looked at."""
AUDIENCES_MAX: Final = 64
COMMUNITIES_MAX: Final = 20_000
WORDS_BYTES_MAX: Final = 600
"""A longer sentence is not told."""
CHUNKS_AT_ONCE: Final = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """`made` anew and `kept` as they were; `parts` of the graph, of which `divided` were."""

    build: CommunityBuild
    made: int
    kept: int
    parts: int
    divided: int


class CommunityBuilder:
    """On one data folder."""

    def __init__(
        self,
        *,
        graph: Graph,
        store: CommunityStore,
        knowledge: KnowledgeLedger,
        blobs: BlobStore,
        alike: Alike | None = None,
    ) -> None:
        self.store = store
        self._alike = alike or SameWords()
        self._graph = graph
        self._knowledge = knowledge
        self._blobs = blobs

    async def due(self, *, rest_s: float, limit: int) -> list[tuple[str, str]]:
        """Knowledge bases (tenant, kb) that have others to be made."""
        return await self.store.due(rest_s=rest_s, limit=limit)

    async def is_due(self, *, tenant: str, kb: str) -> bool:
        """Whether something else is published, or forgotten, than they were made of."""
        published = await self._knowledge.published(tenant=tenant, kb=kb)
        last = await self.store.built(tenant=tenant, kb=kb)
        return bool(published.number) and (last.snapshot, last.forgotten) != (published.number, published.forgotten)

    async def build(self, *, tenant: str, kb: str, whole: bool = False) -> Made:
        """Bring them up to date with what is published; `whole`: those too of parts that did not change. Conflict when
        something is forgotten meanwhile: nothing is changed then, and it may be repeated."""
        began = time.monotonic()
        await self.store.begin(tenant=tenant, kb=kb)
        published = await self._knowledge.published(tenant=tenant, kb=kb)
        audiences = await self.store.audiences(published.number, tenant=tenant, kb=kb, limit=AUDIENCES_MAX + 1)
        edges, cut = await self._edges(audiences, tenant=tenant, kb=kb, snapshot=published.number)
        cut = cut or len(audiences) > AUDIENCES_MAX
        parts = await asyncio.to_thread(parts_of, edges, audiences[:AUDIENCES_MAX])
        standing = {} if whole else await self.store.standing(published.number, tenant=tenant, kb=kb)
        known, now = frozenset(standing.values()), frozenset(part.name for part in parts)
        keep = frozenset(one for one, component in standing.items() if component in now)
        anew = [part for part in parts if part.name not in known]
        made: list[Gathered] = []
        for part in anew:
            if len(keep) + len(made) >= COMMUNITIES_MAX:
                cut = True
                break
            made += await self._of(part, tenant=tenant, kb=kb, snapshot=published.number)
        build = CommunityBuild(
            snapshot=published.number, forgotten=published.forgotten, took_s=time.monotonic() - began, cut=cut
        )
        build = await self.store.commit(made, keep=keep, build=build, tenant=tenant, kb=kb)
        return Made(build=build, made=len(made), kept=len(keep), parts=len(parts), divided=len(anew))

    async def _edges(
        self, audiences: Sequence[Audience], *, tenant: str, kb: str, snapshot: int
    ) -> tuple[list[Edge], bool]:
        """As somebody who may see everything, and whether there were more."""
        tags = frozenset(tag for acl, _ in audiences for tag in acl)
        scope = Scope(tenant=tenant, kb=kb, acl_tags=tags, level_max=max(Level), snapshot=snapshot)
        found: list[Edge] = []
        read = 0
        async for page in self._pages(scope):
            read += len(page)
            found += [edge for edge in page if is_looked_at(edge)]
            if read >= EDGES_MAX or len(found) >= KEPT_MAX:
                return found, True
        return found, False

    async def _pages(self, scope: Scope) -> AsyncIterator[list[Edge]]:
        after = ""
        while page := await self._graph.edges(scope, after=after, limit=PAGE):
            yield page
            after = page[-1].edge_id
            await asyncio.sleep(0)

    async def _of(self, part: Part, *, tenant: str, kb: str, snapshot: int) -> list[Gathered]:
        divided = await asyncio.to_thread(clusters, part)
        scope = Scope(tenant=tenant, kb=kb, acl_tags=part.acl, level_max=part.level, snapshot=snapshot)
        said = await self._said(worded(part.edges), scope)
        alike: dict[str, str] = {}
        for told in statements(part, said).values():
            found = await merged(told, self._alike, tenant=tenant)
            alike |= {statement_key(one): statement_key(other) for one, other in found.items()}
        return await asyncio.to_thread(
            summaries, part, divided, said, tenant=tenant, kb=kb, since=snapshot, alike=alike
        )

    async def _said(self, edges: Sequence[Edge], scope: Scope) -> dict[str, Said]:
        """By edge id, as far as the ledger shows it to the part's audience."""
        ids = sorted({edge.chunk_id for edge in edges})
        chunks: dict[str, Chunk] = {}
        for at in range(0, len(ids), CHUNKS_AT_ONCE):
            read = await self._knowledge.chunks(ids[at : at + CHUNKS_AT_ONCE], scope)
            chunks |= {chunk.chunk_id: chunk for chunk in read}
        spans: dict[tuple[str, int, int], str] = {}
        said: dict[str, Said] = {}
        for edge in edges:
            chunk = chunks.get(edge.chunk_id)
            if chunk is None or not 0 < edge.end - edge.start <= WORDS_BYTES_MAX:
                continue
            span = (chunk.blob, edge.start, edge.end)
            if span not in spans:
                spans[span] = await self._words(*span)
            said[edge.edge_id] = Said(words=spans[span], content=chunk.blob)
        return said

    async def _words(self, blob: str, start: int, end: int) -> str:
        try:
            data = await self._blobs.get_range(blob, start, end)
        except (NotFound, InvalidInput):
            return ""
        return " ".join(data.decode(errors="ignore").split())


def open_communities(
    graph: Graph | None,
    store: CommunityStore,
    *,
    knowledge: KnowledgeLedger,
    blobs: BlobStore,
    alike: Alike | None = None,
) -> CommunityBuilder | None:
    """None without a graph to make them of."""
    if graph is None:
        return None
    return CommunityBuilder(graph=graph, store=store, knowledge=knowledge, blobs=blobs, alike=alike)
