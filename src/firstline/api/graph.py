"""The graph, to look at: entities by name, and what is said of one, with the words that say it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import Shape
from firstline.domain import Entity
from firstline.errors import NotFound
from firstline.ports import Graph, Scope
from firstline.questions.neighbourhood import SaidEdge, entities_named, neighbourhood
from firstline.questions.wording.links import allowed_url

NAME_CHARS_MAX: Final = 500
ID_CHARS_MAX: Final = 5_000
LIMIT_MAX: Final = 500

router = APIRouter(prefix="/v1/graph", tags=["graph"])


class EntityShown(Shape):
    """`id` is its kind, a colon and its key; `name` as it is written most."""

    id: str
    kind: str
    name: str


class EntitiesShown(Shape):
    snapshot: int
    entities: list[EntityShown]


class EdgeShown(Shape):
    """One sentence of a document about two entities. `outward`: from the entity looked at to `other`. `start` and `end`
    are bytes of the document's text; GET /v1/chunks/{chunk_id} shows what stands around."""

    id: str
    relation: str
    outward: bool
    other: EntityShown
    doc_id: str
    title: str
    url: str | None
    chunk_id: str
    start: int
    end: int
    words: str
    confidence: float


class NeighbourhoodShown(Shape):
    snapshot: int
    entity: EntityShown
    one_with: list[EntityShown] = Field([], description="Entities that it is one with, by what people said.")
    edges: list[EdgeShown]


@router.get("/entities")
async def find_entities(
    request: Request, who: CallerOf, name: Annotated[str, Query(min_length=1, max_length=NAME_CHARS_MAX)]
) -> EntitiesShown:
    """Entities that go by a name, or by an id. None that no document tells of that this key may read."""
    run, graph, scope = await _opened(request, who)
    found = await entities_named(name, scope, graph=graph, knowledge=run.firstline.knowledge)
    return EntitiesShown(snapshot=scope.snapshot, entities=[entity_shown(one) for one in found])


@router.get("/entities/{entity_id:path}")
async def read_entity(
    request: Request,
    who: CallerOf,
    entity_id: Annotated[str, Path(max_length=ID_CHARS_MAX)],
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX, description="Edges in each direction, surest first.")] = 50,
) -> NeighbourhoodShown:
    """What documents that this key may read say of an entity. 404 when there is none, or none for this key."""
    run, graph, scope = await _opened(request, who)
    firstline = run.firstline
    found = await neighbourhood(
        entity_id, scope, graph=graph, knowledge=firstline.knowledge, blobs=firstline.blobs, limit=limit
    )
    hosts = firstline.settings.link_hosts
    others = await firstline.aliases.one_with(entity_id, scope) if firstline.aliases else []
    return NeighbourhoodShown(
        snapshot=scope.snapshot,
        entity=entity_shown(found.entity),
        one_with=[entity_shown(one) for one in others],
        edges=[_edge(one, hosts) for one in found.edges],
    )


async def _opened(request: Request, who: Caller) -> tuple[Running, Graph, Scope]:
    run = running(request)
    firstline = run.firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    if firstline.graph is None:
        raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, and ingest again.")
    published = await firstline.knowledge.published(tenant=who.principal.tenant, kb=who.key.kb)
    scope = Scope.of(who.principal, kb=who.key.kb, snapshot=published.number, forgotten=published.forgotten)
    return run, firstline.graph, scope


def entity_shown(entity: Entity) -> EntityShown:
    return EntityShown(id=entity.entity_id, kind=entity.kind.value, name=entity.name)


def _edge(said: SaidEdge, hosts: tuple[str, ...]) -> EdgeShown:
    edge = said.edge
    return EdgeShown(
        id=edge.edge_id,
        relation=edge.relation.value,
        outward=said.outward,
        other=entity_shown(said.other),
        doc_id=edge.doc_id,
        title=said.document.title,
        url=allowed_url(said.document.url, hosts),
        chunk_id=edge.chunk_id,
        start=edge.start,
        end=edge.end,
        words=said.words,
        confidence=edge.confidence,
    )
