"""`firstline graph`, with `graph show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.graph_ask import ask
from firstline.cli.graph_build import build
from firstline.cli.graph_communities import communities
from firstline.cli.graph_review import review
from firstline.cli.graph_stats import stats
from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firstline.domain import Entity
    from firstline.ports import Graph, Scope
    from firstline.questions.neighbourhood import Neighbourhood
    from firstline.wiring import Firstline

KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")
LEVEL_OPTION = click.option(
    "--level", default="internal", help="Look as public, customer, internal (default) or restricted."
)
ACL_OPTION = click.option("--acl", multiple=True, help="Look with these tags (default: everyone).")


@click.group("graph")
def command() -> None:
    """Look at what documents say of errors, settings, components, and of each other."""


command.add_command(stats)
command.add_command(build)
command.add_command(ask)
command.add_command(communities)
command.add_command(review)


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
            _print(looked, await firstline.aliases.one_with(one.entity_id, scope) if firstline.aliases else [])


def _print(looked: Neighbourhood, one_with: Sequence[Entity]) -> None:
    say(f"{looked.entity.name}  ({looked.entity.entity_id})", bold=True)
    for other in one_with:
        say(f"  one with {other.name}  ({other.entity_id}): `firstline graph review --rules` says who said so")
    for said in looked.edges:
        way = f"{said.edge.relation} ->" if said.outward else f"<- {said.edge.relation}"
        say(f"  {way} {said.other.name}  ({said.other.kind}, {said.edge.confidence:.2f})")
        say(f"      {said.document.title}: “{said.words}”", dim=True)


async def _opened(firstline: Firstline, level: Any, acl: tuple[str, ...]) -> tuple[Graph, Scope]:
    from firstline.domain import EVERYONE
    from firstline.errors import graph_is_off
    from firstline.ports import Scope

    if firstline.graph is None:
        raise graph_is_off()
    tenant, kb = firstline.settings.tenant, firstline.settings.kb
    published = await firstline.knowledge.published(tenant=tenant, kb=kb)
    tags = frozenset(acl) or frozenset({EVERYONE})
    place = {"snapshot": published.number, "forgotten": published.forgotten}
    return firstline.graph, Scope(tenant=tenant, kb=kb, acl_tags=tags, level_max=level, **place)
