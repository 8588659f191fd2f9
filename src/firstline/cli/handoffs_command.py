"""`firstline handoffs`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from

if TYPE_CHECKING:
    from firstline.domain import Handoff, HandoffState


@click.command("handoffs")
@click.argument("handoff_id", required=False)
@click.option("--state", help="Move it on: acknowledged, then in_progress, then resolved or returned.")
@click.option("--limit", default=20, type=click.IntRange(1, 1000), help="How many to list, newest first.")
@click.pass_context
def command(ctx: click.Context, handoff_id: str | None, state: str | None, limit: int) -> None:
    """List hand-overs, show one, or move one on."""
    settings = settings_from(ctx)
    if state is not None:
        wanted = _state(handoff_id, state)
        run(_move(settings, str(handoff_id), wanted))
    elif handoff_id is not None:
        run(_show(settings, handoff_id))
    else:
        run(_list(settings, limit))


def _state(handoff_id: str | None, name: str) -> HandoffState:
    from firstline.domain import HandoffState
    from firstline.errors import InvalidInput

    names = ", ".join(HandoffState)
    if name not in list(HandoffState):
        raise InvalidInput(f"There is no hand-over state {name}.", remedy=f"Use one of: {names}.")
    if handoff_id is None:
        raise InvalidInput(
            f"--state {name} needs the id of a hand-over.",
            remedy=f"Write `firstline handoffs ID --state {name}`; `firstline handoffs` lists the ids.",
        )
    return HandoffState(name)


async def _move(settings: Any, handoff_id: str, state: HandoffState) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        moved = await ledgers.conversations.set_handoff_state(handoff_id, tenant=settings.tenant, state=state)
    click.echo(f"{moved.handoff_id} is {moved.state}.")


async def _show(settings: Any, handoff_id: str) -> None:
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        found = await ledgers.conversations.handoff(handoff_id, tenant=settings.tenant)
    if found is None:
        raise NotFound(f"There is no hand-over {handoff_id}.", remedy="`firstline handoffs` lists them.")
    print_handoff(found)


async def _list(settings: Any, limit: int) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        found = await ledgers.conversations.handoffs(tenant=settings.tenant, limit=limit)
    for handoff in found:
        click.echo(f"{handoff.handoff_id}  {handoff.state:<12} {handoff.reason:<20} {handoff.question[:80]}")
    if not found:
        click.echo("No hand-overs.")


def print_handoff(handoff: Handoff) -> None:
    click.echo(f"{handoff.reason} ({handoff.state}), {handoff.language}, {handoff.mood}, {handoff.intent}")
    click.echo(f"\n{handoff.summary}\n\nentities: {', '.join(handoff.entities) or 'none'}")
    for tried in handoff.tried:
        click.echo(f"tried: {tried.title} ({tried.score:.2f}): {tried.why_not}")
    click.echo(f"next: {handoff.next_step}\nsession: {handoff.session_id}, turn {handoff.turn}")
