"""`firstline graph stats|show`"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.ports import Graph, Scope
    from firstline.questions.neighbourhood import Neighbourhood
    from firstline.wiring import Firstline

PAGE = 10_000
EDGES_COUNTED_MAX = 2_000_000
KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")
LEVEL_OPTION = click.option(
    "--level", default="internal", help="Look as public, customer, internal (default) or restricted."
)
ACL_OPTION = click.option("--acl", multiple=True, help="Look with these tags (default: everyone).")


@click.group("graph")
def command() -> None:
    """Look at what documents say of errors, settings, components, and of each other."""


@command.command("stats")
@KB_OPTION
@LEVEL_OPTION
@ACL_OPTION
@click.pass_context
def stats(ctx: click.Context, kb: str | None, level: str, acl: tuple[str, ...]) -> None:
    """Count entities by kind and edges by relation."""
    run(_stats(settings_from(ctx, kb=kb), level_named(level), acl))


@command.command("show")
@click.argument("entity")
@click.option("--limit", default=20, type=click.IntRange(1, 500), help="Edges in each direction, surest first.")
@KB_OPTION
@LEVEL_OPTION
@ACL_OPTION
@click.pass_context
def show(ctx: click.Context, entity: str, limit: int, kb: str | None, level: str, acl: tuple[str, ...]) -> None:
    """Show what is said of an entity, and the words that say it. ENTITY is a name, or an id like component:gateway."""
    run(_show(settings_from(ctx, kb=kb), level_named(level), acl, entity, limit))


async def _stats(settings: Any, level: Any, acl: tuple[str, ...]) -> None:
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        graph, scope = await _opened(firstline, level, acl)
        held = await graph.count(tenant=scope.tenant, kb=scope.kb)
        entities: set[tuple[str, str]] = set()
        relations: Counter[str] = Counter()
        after = ""
        for _ in range(EDGES_COUNTED_MAX // PAGE):
            page = await graph.edges(scope, after=after, limit=PAGE)
            for edge in page:
                relations[edge.relation.value] += 1
                entities.update((end.kind.value, end.key) for end in (edge.source, edge.target))
            if len(page) < PAGE:
                break
            after = page[-1].edge_id
        else:
            say(f"Only the first {EDGES_COUNTED_MAX:,} edges were counted.", err=True)
    kinds = Counter(kind for kind, _ in entities)
    say(f"Knowledge base {scope.kb!r}, snapshot {scope.snapshot}: {held:,} edges are held, of all snapshots.")
    say(f"{relations.total():,} edges are visible at this level:", bold=True)
    for relation, count in sorted(relations.items(), key=_most):
        say(f"  {relation:<16} {count:>10,}")
    say(f"{len(entities):,} entities:", bold=True)
    for kind, count in sorted(kinds.items(), key=_most):
        say(f"  {kind:<16} {count:>10,}")


async def _show(settings: Any, level: Any, acl: tuple[str, ...], entity: str, limit: int) -> None:
    from firstline.errors import NotFound
    from firstline.questions.neighbourhood import entities_named, neighbourhood
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        graph, scope = await _opened(firstline, level, acl)
        found = await entities_named(entity, scope, graph=graph, knowledge=firstline.knowledge)
        if not found:
            raise NotFound(
                f"Nothing is said of {entity[:100]!r}, or not at this level.",
                remedy="Name it as documents do; `firstline graph stats` shows what there is.",
            )
        for place, one in enumerate(found):
            looked = await neighbourhood(
                one.entity_id,
                scope,
                graph=graph,
                knowledge=firstline.knowledge,
                blobs=firstline.blobs,
                limit=limit,
            )
            if place:
                say()
            _print(looked)


def _print(looked: Neighbourhood) -> None:
    say(f"{looked.entity.name}  ({looked.entity.entity_id})", bold=True)
    for said in looked.edges:
        way = f"{said.edge.relation} ->" if said.outward else f"<- {said.edge.relation}"
        say(f"  {way} {said.other.name}  ({said.other.kind}, {said.edge.confidence:.2f})")
        say(f"      {said.document.title}: “{said.words}”", dim=True)


async def _opened(firstline: Firstline, level: Any, acl: tuple[str, ...]) -> tuple[Graph, Scope]:
    from firstline.domain import EVERYONE
    from firstline.errors import NotFound
    from firstline.ports import Scope

    if firstline.graph is None:
        raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, and ingest again.")
    tenant, kb = firstline.settings.tenant, firstline.settings.kb
    published = await firstline.knowledge.published(tenant=tenant, kb=kb)
    tags = frozenset(acl) or frozenset({EVERYONE})
    return firstline.graph, Scope(tenant=tenant, kb=kb, acl_tags=tags, level_max=level, snapshot=published.number)


def _most(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]
