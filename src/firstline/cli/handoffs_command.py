"""`firstline handoffs`"""

from __future__ import annotations

import click

from firstline.cli.main import run, settings_from


@click.command("handoffs")
@click.argument("handoff_id", required=False)
@click.option("--state", help="Move it on: acknowledged, in_progress, resolved or returned.")
@click.option("--limit", default=20, type=click.IntRange(1, 1000), help="How many to list, newest first.")
@click.pass_context
def command(ctx: click.Context, handoff_id: str | None, state: str | None, limit: int) -> None:
    """List hand-overs, show one, or move one on."""
    from firstline.domain import HandoffState
    from firstline.errors import InvalidInput, NotFound
    from firstline.wiring import open_ledgers

    settings = settings_from(ctx)
    if state is not None and (handoff_id is None or state not in list(HandoffState)):
        raise InvalidInput(
            f"--state {state} needs a hand-over's id and one of its states.",
            remedy="States: " + ", ".join(HandoffState) + ".",
        )

    async def work() -> None:
        async with open_ledgers(settings) as ledgers:
            if handoff_id is not None and state is not None:
                moved = await ledgers.conversations.set_handoff_state(
                    handoff_id, tenant=settings.tenant, state=HandoffState(state)
                )
                click.echo(f"{moved.handoff_id} is {moved.state}.")
                return
            found = await ledgers.conversations.handoffs(
                tenant=settings.tenant, limit=limit if not handoff_id else 1000
            )
        if handoff_id is None:
            for handoff in found:
                click.echo(f"{handoff.handoff_id}  {handoff.state:<12} {handoff.reason:<20} {handoff.question[:80]}")
            if not found:
                click.echo("No hand-overs.")
            return
        for handoff in found:
            if handoff.handoff_id == handoff_id:
                click.echo(f"{handoff.reason} ({handoff.state}), {handoff.language}, {handoff.mood}, {handoff.intent}")
                click.echo(f"\n{handoff.summary}\n\nentities: {', '.join(handoff.entities) or 'none'}")
                for tried in handoff.tried:
                    click.echo(f"tried: {tried.title} ({tried.score:.2f}): {tried.why_not}")
                click.echo(f"next: {handoff.next_step}\nsession: {handoff.session_id}, turn {handoff.turn}")
                return
        raise NotFound(f"There is no hand-over {handoff_id}.", remedy="`firstline handoffs` lists them.")

    run(work())
