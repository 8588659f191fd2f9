"""`firstline quarantine list|show|release|reject`"""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from

if TYPE_CHECKING:
    from firstline.domain import Quarantined

SHOWN_MAX = 1_000
KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")
BY_OPTION = click.option("--by", default="", help="Who decides (default: the user of this machine).")
NOTE_OPTION = click.option("--note", default="", help="Why, for whoever looks later.")


@click.group("quarantine", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Look at documents that read like instructions to an assistant, and decide on them."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_quarantine)


@command.command("list")
@click.option("--kb", help="Knowledge base (default: every one).")
@click.option("--all", "everything", is_flag=True, help="Those that were decided on, too.")
@click.option("--limit", default=50, type=click.IntRange(1, SHOWN_MAX), help="How many, newest first.")
@click.pass_context
def list_quarantine(ctx: click.Context, kb: str | None = None, everything: bool = False, limit: int = 50) -> None:
    """List what waits, newest first."""
    run(_list(settings_from(ctx), kb, everything, limit))


@command.command("show")
@click.argument("doc_id")
@KB_OPTION
@click.pass_context
def show(ctx: click.Context, doc_id: str, kb: str | None) -> None:
    """Show why a document is held, place by place."""
    run(_show(settings_from(ctx, kb=kb), doc_id))


@command.command("release")
@click.argument("doc_ids", nargs=-1, required=True)
@KB_OPTION
@BY_OPTION
@NOTE_OPTION
@click.pass_context
def release(ctx: click.Context, doc_ids: tuple[str, ...], kb: str | None, by: str, note: str) -> None:
    """The next ingest takes them as they are. Another content of theirs is looked at anew."""
    run(_settle(settings_from(ctx, kb=kb), doc_ids, "released", by, note))


@command.command("reject")
@click.argument("doc_ids", nargs=-1, required=True)
@KB_OPTION
@BY_OPTION
@NOTE_OPTION
@click.pass_context
def reject(ctx: click.Context, doc_ids: tuple[str, ...], kb: str | None, by: str, note: str) -> None:
    """They stay out, and are not listed as waiting any more."""
    run(_settle(settings_from(ctx, kb=kb), doc_ids, "rejected", by, note))


async def _list(settings: Any, kb: str | None, everything: bool, limit: int) -> None:
    from firstline.domain import QuarantineState
    from firstline.wiring import open_ledgers

    states = frozenset(QuarantineState) if everything else frozenset({QuarantineState.HELD})
    async with open_ledgers(settings) as ledgers:
        found = await ledgers.quarantine.quarantined(tenant=settings.tenant, kb=kb, limit=limit, states=states)
    for one in found:
        click.echo(f"{one.kb}  {one.state:<8} {one.doc_id}  {one.title}")
        click.echo(f"    {why(one)}")
    click.echo("`firstline quarantine show DOC_ID` tells more." if found else "Nothing is held.")


async def _show(settings: Any, doc_id: str) -> None:
    from firstline.domain import QuarantineState
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        every = await ledgers.quarantine.quarantined(
            tenant=settings.tenant, kb=settings.kb, limit=SHOWN_MAX, states=frozenset(QuarantineState)
        )
    found = [one for one in every if one.doc_id == doc_id]
    if not found:
        raise NotFound(
            f"{doc_id!r} is not in the quarantine of {settings.kb!r}.",
            remedy="`firstline quarantine list` shows what is there.",
        )
    for one in found:
        click.echo(
            f"{one.doc_id}: {one.state}, found {one.found_at:%Y-%m-%d %H:%M} UTC, content {one.fingerprint[:12]}"
        )
        if one.decided_at is not None:
            click.echo(f"  {one.state} by {one.decided_by} on {one.decided_at:%Y-%m-%d %H:%M} UTC {one.note}".rstrip())
        click.echo(f"  title: {one.title}")
        for suspicion in one.suspicions:
            click.echo(f"  {suspicion.where}: {', '.join(suspicion.says)}")
            click.echo(f"      {suspicion.excerpt}")


async def _settle(settings: Any, doc_ids: tuple[str, ...], state: str, by: str, note: str) -> None:
    from firstline.domain import QuarantineState
    from firstline.wiring import open_ledgers

    who = by or getpass.getuser()
    async with open_ledgers(settings) as ledgers:
        for doc_id in doc_ids:
            await ledgers.quarantine.settle(
                doc_id,
                tenant=settings.tenant,
                kb=settings.kb,
                state=QuarantineState(state),
                by=who,
                at=datetime.now(UTC),
                note=note,
            )
            click.echo(f"{doc_id} is {state}.")
    click.echo(
        "Run the ingest again to take what was released." if state == "released" else "The next ingest leaves it out."
    )


def why(one: Quarantined) -> str:
    """In one line."""
    return "; ".join(f"{each.where}: {', '.join(each.says)}" for each in one.suspicions)
