"""`firstline quarantine list|show|release|reject`"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say
from firstline.cli.who_says import who_says

if TYPE_CHECKING:
    from firstline.domain import Quarantined

SHOWN_MAX = 1_000
CONTENT_CHARS = 12
MEANT_ARGUMENT = click.argument("meant", metavar="DOC_ID@CONTENT...", nargs=-1, required=True)
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
@MEANT_ARGUMENT
@KB_OPTION
@BY_OPTION
@NOTE_OPTION
@click.pass_context
def release(ctx: click.Context, meant: tuple[str, ...], kb: str | None, by: str, note: str) -> None:
    """The next ingest takes these contents as they are, as `show` named them. Others are looked at anew."""
    run(_settle(settings_from(ctx, kb=kb), meant, "released", by, note))


@command.command("reject")
@MEANT_ARGUMENT
@KB_OPTION
@BY_OPTION
@NOTE_OPTION
@click.pass_context
def reject(ctx: click.Context, meant: tuple[str, ...], kb: str | None, by: str, note: str) -> None:
    """These contents stay out, and are not listed as waiting any more."""
    run(_settle(settings_from(ctx, kb=kb), meant, "rejected", by, note))


async def _list(settings: Any, kb: str | None, everything: bool, limit: int) -> None:
    from firstline.domain import QuarantineState
    from firstline.wiring import open_ledgers

    states = frozenset(QuarantineState) if everything else frozenset({QuarantineState.HELD})
    async with open_ledgers(settings) as ledgers:
        found = await ledgers.quarantine.quarantined(tenant=settings.tenant, kb=kb, limit=limit, states=states)
    for one in found:
        say(f"{one.kb}  {one.state:<8} {one.doc_id}  {one.title}")
        say(f"    {why(one)}")
    say("`firstline quarantine show DOC_ID` tells more." if found else "Nothing is held.")


async def _show(settings: Any, doc_id: str) -> None:
    from firstline.domain import QuarantineState
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        found = await ledgers.quarantine.quarantined(
            tenant=settings.tenant, kb=settings.kb, limit=SHOWN_MAX, states=frozenset(QuarantineState), doc_id=doc_id
        )
    if not found:
        raise NotFound(
            f"{doc_id!r} is not in the quarantine of {settings.kb!r}.",
            remedy="`firstline quarantine list` shows what is there.",
        )
    for one in found:
        content = one.fingerprint[:CONTENT_CHARS]
        say(f"{one.doc_id}: {one.state}, found {one.found_at:%Y-%m-%d %H:%M} UTC, content {content}")
        if one.decided_at is not None:
            say(f"  {one.state} by {one.decided_by} on {one.decided_at:%Y-%m-%d %H:%M} UTC {one.note}".rstrip())
        say(f"  title: {one.title}")
        for suspicion in one.suspicions:
            say(f"  {suspicion.where}: {', '.join(suspicion.says)}")
            say(f"      {suspicion.excerpt}")
        if one.state is QuarantineState.HELD:
            say(f"  to decide: firstline quarantine release {one.doc_id}@{content}   (or reject)")


async def _settle(settings: Any, meant: tuple[str, ...], state: str, by: str, note: str) -> None:
    from firstline.domain import QuarantineState
    from firstline.wiring import open_ledgers

    who = who_says(by)
    pairs = [_named(one) for one in meant]
    async with open_ledgers(settings) as ledgers:
        for doc_id, content in pairs:
            kept = await ledgers.quarantine.quarantined(
                tenant=settings.tenant,
                kb=settings.kb,
                limit=SHOWN_MAX,
                states=frozenset(QuarantineState),
                doc_id=doc_id,
            )
            await ledgers.quarantine.settle(
                doc_id,
                tenant=settings.tenant,
                kb=settings.kb,
                fingerprint=next((one.fingerprint for one in kept if one.fingerprint.startswith(content)), content),
                state=QuarantineState(state),
                by=who,
                at=datetime.now(UTC),
                note=note,
            )
            say(f"{doc_id} is {state}.")
        announced = await _announced(ledgers, settings, [doc_id for doc_id, _ in pairs], state=state)
    if state == "rejected":
        say("The next ingest leaves it out.")
    elif len(announced) == len(pairs):
        say("A worker takes what was announced.")
    else:
        say("Run the ingest again to take what was released.")


async def _announced(ledgers: Any, settings: Any, doc_ids: list[str], *, state: str) -> set[str]:
    """Of these documents, those that were announced by a hook, and so cannot be read again: what waits for the decision
    is taken now, or dropped. Where nothing waits, a newer change has come, or they came in an ingest."""
    from firstline.documents.jobs import changes_of
    from firstline.domain import ChangeState

    found: set[str] = set()
    for doc_id in doc_ids:
        change = await ledgers.changes.newest(doc_id, tenant=settings.tenant, kb=settings.kb)
        if change is None or change.state is not ChangeState.DEAD:
            continue
        found.add(doc_id)
        if state == "rejected":
            await ledgers.changes.settle([change], answerable=False, problem="It was rejected.")
    if found and state == "released":
        await ledgers.changes.retry(tenant=settings.tenant, doc_ids=found)
        await ledgers.jobs.put(changes_of(settings.tenant, settings.kb), news=True)
    return found


def _named(meant: str) -> tuple[str, str]:
    """A document and a content of it, as `show` names them."""
    from firstline.errors import InvalidInput

    doc_id, _, content = meant.rpartition("@")
    if not doc_id or len(content) < CONTENT_CHARS:
        raise InvalidInput(
            f"{meant!r} does not say which content is meant.",
            remedy="Look at it with `firstline quarantine show DOC_ID`, which ends with what to type.",
        )
    return doc_id, content


def why(one: Quarantined) -> str:
    """In one line."""
    return "; ".join(f"{each.where}: {', '.join(each.says)}" for each in one.suspicions)
