"""`firstline graph communities`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.documents.communities.build import CommunityBuilder
    from firstline.domain import Community, Told
    from firstline.questions.gathered import GatheredShown


@click.command("communities")
@click.argument("name", default="")
@click.option("--build", is_flag=True, help="Make them now, of what is published.")
@click.option("--anew", is_flag=True, help="With --build: those too of parts that did not change.")
@click.option("--limit", default=20, type=click.IntRange(1, 200), help="Communities, those of most documents first.")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--level", default="internal", help="Look as public, customer, internal (default) or restricted.")
@click.option("--acl", multiple=True, help="Look with these tags (default: everyone).")
@click.pass_context
def communities(
    ctx: click.Context, name: str, build: bool, anew: bool, limit: int, kb: str | None, level: str, acl: tuple[str, ...]
) -> None:
    """List what several documents tell of the same things: causes, cures, and what is affected, with their words.

    NAME is that of a thing, or an id like component:gateway; without it, the largest are listed.
    """
    run(_list(settings_from(ctx, kb=kb), level_named(level), acl, name, limit, build=build or anew, anew=anew))


async def _list(
    settings: Any, level: Any, acl: tuple[str, ...], name: str, limit: int, *, build: bool, anew: bool
) -> None:
    from firstline.domain import EVERYONE
    from firstline.errors import NotFound
    from firstline.ports import Scope
    from firstline.questions.gathered import gathered
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        if firstline.communities is None:
            raise NotFound(
                "No communities are made here: they are off, or the graph is.",
                remedy="Set `graph_communities` to true and `graph` to ledger.",
            )
        tenant, kb = settings.tenant, settings.kb
        if build:
            await _build(firstline.communities, tenant=tenant, kb=kb, anew=anew)
        published = await firstline.knowledge.published(tenant=tenant, kb=kb)
        tags = frozenset(acl) or frozenset({EVERYONE})
        scope = Scope(tenant=tenant, kb=kb, acl_tags=tags, level_max=level, snapshot=published.number)
        store = firstline.communities.store
        shown = await gathered(scope, store=store, knowledge=firstline.knowledge, name=name, limit=limit)
        made = await store.built(tenant=tenant, kb=kb)
        stale = await firstline.communities.is_due(tenant=tenant, kb=kb)
    if stale:
        say("They were made of another snapshot, or something was forgotten since: --build makes them anew.", err=True)
    if made.cut:
        say("The graph is larger than what is looked at: a part of it is in no community.", err=True)
    if not shown.communities:
        of = f" of {name[:100]!r}" if name else ""
        say(f"No community{of} is visible at this level, in snapshot {scope.snapshot}.")
    for place, one in enumerate(shown.communities):
        if place:
            say()
        _print(one, shown)


async def _build(builder: CommunityBuilder, *, tenant: str, kb: str, anew: bool) -> None:
    made = await builder.build(tenant=tenant, kb=kb, whole=anew)
    say(
        f"Snapshot {made.build.snapshot}: {made.made} communities made, {made.kept} kept; {made.divided} of "
        f"{made.parts} parts of the graph were new; {made.build.took_s:.1f} s."
    )


def _print(one: Community, shown: GatheredShown) -> None:
    from firstline.domain import ToldKind

    say(
        f"{one.title}  ({one.size} documents and things, {len(one.doc_ids)} cited; {one.level.name.lower()})", bold=True
    )
    for kind, heading in (
        (ToldKind.CAUSE, "causes"),
        (ToldKind.RESOLUTION, "resolutions"),
        (ToldKind.AFFECTED, "affects"),
    ):
        if told := one.of_kind(kind):
            say(f"  {heading}")
        for each in told:
            _print_told(each, shown)


def _print_told(told: Told, shown: GatheredShown) -> None:
    say(f"    {told.documents} x “{told.text}”")
    say(f"        {', '.join(shown.documents[one.doc_id].title for one in told.tellings)}", dim=True)
