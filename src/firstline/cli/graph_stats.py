"""`firstline graph stats`"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.knowledge_base import require_kb
from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say, say_json

if TYPE_CHECKING:
    from firstline.questions.graph_statistics import GraphStatistics

NAME_CHARS = 60


@click.command("stats")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--level", default="internal", help="Look as public, customer, internal (default) or restricted.")
@click.option("--acl", multiple=True, help="Look with these tags (default: everyone).")
@click.option("--hubs", default=20, type=click.IntRange(0, 1_000), help="How many of the names mentioned most.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def stats(ctx: click.Context, kb: str | None, level: str, acl: tuple[str, ...], hubs: int, as_json: bool) -> None:
    """Count what documents say: edges by relation and confidence, entities by kind, links, hubs, lonely documents."""
    settings = settings_from(ctx, kb=kb)
    held, found = run(_stats(settings, level_named(level), acl, hubs))
    if as_json:
        say_json({"kb": settings.kb, "edges_held": held, **as_values(found)})
        return
    _print(settings.kb, held, found)


async def _stats(settings: Any, level: Any, acl: tuple[str, ...], hubs: int) -> tuple[int, GraphStatistics]:
    """Nothing is embedded and nothing searched: the ledger and the graph are enough."""
    from firstline.domain import EVERYONE
    from firstline.errors import NotFound
    from firstline.ports import Scope
    from firstline.questions.graph_statistics import graph_statistics
    from firstline.wiring import open_graph, open_ledgers

    async with open_ledgers(settings) as ledgers, open_graph(settings, ledgers) as graph:
        if graph is None:
            raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, and ingest again.")
        tenant, kb = settings.tenant, settings.kb
        await require_kb(ledgers.knowledge, settings)
        published = await ledgers.knowledge.published(tenant=tenant, kb=kb)
        scope = Scope(
            tenant=tenant,
            kb=kb,
            acl_tags=frozenset(acl) or frozenset({EVERYONE}),
            level_max=level,
            snapshot=published.number,
            forgotten=published.forgotten,
        )
        held = await graph.count(tenant=tenant, kb=kb)
        return held, await graph_statistics(scope, graph=graph, revisions=ledgers.revisions, hubs=hubs)


def as_values(found: GraphStatistics) -> dict[str, Any]:
    from firstline.questions.graph_statistics import BANDS

    return {
        "snapshot": found.snapshot,
        "whole": found.whole,
        "documents": found.documents,
        "documents_with_edges": found.saying,
        "documents_isolated": found.isolated,
        "chunks": found.chunks,
        "edges": found.edges,
        "edges_per_chunk": round(found.edges_per_chunk, 3),
        "links": found.links,
        "links_known": found.links_known,
        "entities": {kind.value: count for kind, count in found.entities.items()},
        "confidence_bands": list(BANDS),
        "relations": {
            relation.value: {"edges": count, "confidence": list(found.bands[relation])}
            for relation, count in found.relations.items()
        },
        "extractors": dict(found.extractors),
        "hubs": [
            {
                "id": hub.entity.entity_id,
                "name": hub.entity.name,
                "documents": hub.documents,
                "mentions": hub.mentions,
            }
            for hub in found.hubs
        ],
    }


def _print(kb: str, held: int, found: GraphStatistics) -> None:
    say(f"Knowledge base {kb!r}, snapshot {found.snapshot}: {held:,} edges are held, of all snapshots and levels.")
    if not found.whole:
        say(f"Only the first {found.edges:,} edges were counted, as good as drawn at random.", err=True)
    say(
        f"At this level: {found.documents:,} documents, {_share(found.documents - found.saying, found.documents)} "
        f"without edges, {_share(found.isolated, found.documents)} isolated (no link leads to or from another)."
    )
    say(f"{found.edges:,} edges, {found.edges_per_chunk:.1f} a chunk; {found.links:,} links, of which")
    say(f"{_share(found.links_known, found.links)} lead to a document that is here.")
    say("edges by relation, and by confidence: below .7, to .8, to .9, more", bold=True)
    for relation, count in sorted(found.relations.items(), key=_most):
        bands = "".join(f"{one:>11,}" for one in found.bands[relation])
        say(f"  {relation:<16} {count:>11,} {bands}")
    say(f"{sum(found.entities.values()):,} entities by kind", bold=True)
    _table(found.entities)
    say("edges by version of the rules", bold=True)
    _table(found.extractors)
    if found.hubs:
        say("mentioned by most documents, and how often", bold=True)
    for hub in found.hubs:
        name = f"{hub.entity.name[:NAME_CHARS]} ({hub.entity.kind})"
        say(f"  {hub.documents:>7,} {hub.mentions:>9,}  {name}")


def _table(counts: Mapping[Any, int]) -> None:
    for name, count in sorted(counts.items(), key=_most):
        say(f"  {name:<16} {count:>11,}")


def _share(part: int, of: int) -> str:
    return f"{part:,} ({part / of:.0%})" if of else f"{part:,}"


def _most(counted: tuple[Any, int]) -> tuple[int, str]:
    return -counted[1], str(counted[0])
