"""What is said of an entity, and in which words: for people who look at the graph.

The graph names edges; the ledger says once more which chunks the scope may see, and the words come from their blobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Chunk, Document, Edge, Entity, EntityKind, Relation
from firstline.entity_names import name_key
from firstline.errors import InvalidInput, NotFound
from firstline.ports import BlobStore, Graph, KnowledgeLedger, Scope
from firstline.questions.walk.checked import Checked

WORDS_BYTES_MAX: Final = 600
NAMED_MAX: Final = 50
EVERY: Final = tuple(Relation)


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidEdge:
    """An edge with the document that says it. `outward`: it leads from the entity looked at to `other`. `words` are cut
    behind WORDS_BYTES_MAX bytes."""

    edge: Edge
    outward: bool
    document: Document
    words: str

    @property
    def other(self) -> Entity:
        return self.edge.target if self.outward else self.edge.source


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbourhood:
    """Surest edges first. The entity's `name` is the one that is written most often among them."""

    entity: Entity
    edges: tuple[SaidEdge, ...]


async def entities_named(name: str, scope: Scope, *, graph: Graph, knowledge: KnowledgeLedger) -> list[Entity]:
    """Entities of any kind that go by a name, or by an id (`component:gateway`), by kind and key."""
    keys = dict.fromkeys((name_key(name), name, name.strip()))
    asked = [f"{kind}:{key}" for kind in EntityKind for key in keys if key]
    known = sorted(await graph.known([name, *asked], scope))
    edges = await Checked(graph).around(known, scope, relations=EVERY, limit_each=NAMED_MAX) if known else []
    chunks = {chunk.chunk_id for chunk in await knowledge.chunks(_distinct(e.chunk_id for e in edges), scope)}
    seen = [edge for edge in edges if edge.chunk_id in chunks]
    return [found for entity_id in known if (found := _as_written(entity_id, seen)) is not None]


async def neighbourhood(
    entity_id: str, scope: Scope, *, graph: Graph, knowledge: KnowledgeLedger, blobs: BlobStore, limit: int
) -> Neighbourhood:
    """Up to `limit` edges in each direction. NotFound when there is no such entity, or none that the scope may see."""
    edges = await Checked(graph).around([entity_id], scope, relations=EVERY, limit_each=limit)
    chunks = {chunk.chunk_id: chunk for chunk in await knowledge.chunks(_distinct(e.chunk_id for e in edges), scope)}
    documents = {one.doc_id: one for one in await knowledge.documents(_distinct(e.doc_id for e in edges), scope)}
    seen = [edge for edge in edges if edge.chunk_id in chunks and edge.doc_id in documents]
    words = {edge.edge_id: await words_of(edge, chunks[edge.chunk_id], blobs) for edge in seen}
    seen = [edge for edge in seen if words[edge.edge_id]]
    entity = _as_written(entity_id, seen)
    if entity is None:
        raise NotFound(
            "There is no such entity, or it is not visible to you.",
            remedy="Look for it by its name; ids are like component:gateway or document:guide.md.",
        )
    said = [
        SaidEdge(
            edge=edge,
            outward=edge.source.entity_id == entity_id,
            document=documents[edge.doc_id],
            words=words[edge.edge_id],
        )
        for edge in seen
    ]
    return Neighbourhood(entity=entity, edges=tuple(said))


async def words_of(edge: Edge, chunk: Chunk, blobs: BlobStore) -> str:
    """ "" for what cannot be read: forgotten between look-up and read, or a place that is not in the document."""
    try:
        data = await blobs.get_range(chunk.blob, edge.start, min(edge.end, edge.start + WORDS_BYTES_MAX))
    except (NotFound, InvalidInput):
        return ""
    text = " ".join(data.decode(errors="ignore").split())
    return f"{text} …" if edge.end - edge.start > WORDS_BYTES_MAX else text


def _as_written(entity_id: str, edges: Sequence[Edge]) -> Entity | None:
    written = Counter(end for edge in edges for end in (edge.source, edge.target) if end.entity_id == entity_id)
    return min(written, key=lambda end: (-written[end], end.name)) if written else None


def _distinct(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
