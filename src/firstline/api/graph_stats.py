"""The graph in numbers, for those who look after it."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from pydantic import Field

from firstline.api.auth import CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import Shape
from firstline.errors import NotFound, TooManyRequests
from firstline.ports import Scope
from firstline.questions.graph_statistics import BANDS, graph_statistics

EDGES_MAX: Final = 200_000
PAGE: Final = 2_000
"""Edges read at once: between pages turns go on."""

router = APIRouter(prefix="/v1/graph", tags=["graph"])


class RelationCounted(Shape):
    """`confidence`: edges below .7, to .8, to .9, and from .9 on."""

    edges: int
    confidence: list[int]


class HubShown(Shape):
    id: str
    kind: str
    name: str
    documents: int
    mentions: int


class StatisticsShown(Shape):
    snapshot: int
    whole: bool = Field(
        description=f"False: only {EDGES_MAX:,} edges were counted; `firstline graph stats` counts all."
    )
    documents: int
    documents_with_edges: int
    documents_isolated: int = Field(description="That lead to no other document that is known, and none leads to.")
    chunks: int
    edges: int
    edges_per_chunk: float
    links: int
    links_known: int = Field(description="Of the links those that lead to a document.")
    entities: dict[str, int]
    relations: dict[str, RelationCounted]
    confidence_bands: list[float] = Field(description="Where the bands of `confidence` part.")
    extractors: dict[str, int] = Field(description="Edges by the version of the rules that found them.")
    hubs: list[HubShown] = Field(description="What most documents mention.")


@router.get("/stats")
async def read_graph_statistics(request: Request, who: CallerOf) -> StatisticsShown:
    """What documents that this key may read say, in numbers. For keys of level internal or higher; one at a time."""
    require_internal(who, "statistics of the graph")
    run = running(request)
    firstline = run.firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    if firstline.graph is None:
        raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, and ingest again.")
    if run.graph.counting.locked():
        raise TooManyRequests(
            "The graph is being counted already.", remedy="Ask again in a few seconds.", retry_after_s=5
        )
    async with run.graph.counting:
        published = await firstline.knowledge.published(tenant=who.principal.tenant, kb=who.key.kb)
        scope = Scope.of(who.principal, kb=who.key.kb, snapshot=published.number, forgotten=published.forgotten)
        found = await graph_statistics(
            scope, graph=firstline.graph, revisions=firstline.ledgers.revisions, edges_max=EDGES_MAX, page=PAGE
        )
    return StatisticsShown(
        snapshot=found.snapshot,
        whole=found.whole,
        documents=found.documents,
        documents_with_edges=found.saying,
        documents_isolated=found.isolated,
        chunks=found.chunks,
        edges=found.edges,
        edges_per_chunk=round(found.edges_per_chunk, 3),
        links=found.links,
        links_known=found.links_known,
        entities={kind.value: count for kind, count in found.entities.items()},
        relations={
            relation.value: RelationCounted(edges=count, confidence=list(found.bands[relation]))
            for relation, count in found.relations.items()
        },
        confidence_bands=list(BANDS),
        extractors=dict(found.extractors),
        hubs=[
            HubShown(
                id=hub.entity.entity_id,
                kind=hub.entity.kind.value,
                name=hub.entity.name,
                documents=hub.documents,
                mentions=hub.mentions,
            )
            for hub in found.hubs
        ],
    )
