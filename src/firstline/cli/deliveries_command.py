"""`firstline deliveries`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import Delivery, HandoffMessage
    from firstline.ports import DeliveryChannel

SHOWN_MAX = 1000
EXIT_NOT_DELIVERED = 5


@click.group("deliveries", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Where hand-overs were sent: list deliveries, show one, retry what failed, try the channels."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_deliveries)


@command.command("list")
@click.option("--state", type=click.Choice(["pending", "delivered", "dead"]), help="These alone.")
@click.option("--limit", default=20, type=click.IntRange(1, SHOWN_MAX), help="How many, newest first.")
@click.pass_context
def list_deliveries(ctx: click.Context, state: str | None = None, limit: int = 20) -> None:
    """List deliveries, newest first, with what the last attempt ended with."""
    run(_list(settings_from(ctx), state, limit))


@command.command("show")
@click.argument("delivery_id")
@click.pass_context
def show(ctx: click.Context, delivery_id: str) -> None:
    """Show one delivery and the hand-over that it carries."""
    run(_show(settings_from(ctx), delivery_id))


@command.command("retry")
@click.argument("delivery_ids", nargs=-1)
@click.option("--all-dead", is_flag=True, help="Every delivery that was given up.")
@click.pass_context
def retry(ctx: click.Context, delivery_ids: tuple[str, ...], all_dead: bool) -> None:
    """Have deliveries that were given up sent again, by the running server."""
    from firstline.errors import InvalidInput

    if all_dead == bool(delivery_ids):
        raise InvalidInput(
            "Say which: ids of deliveries, or --all-dead.",
            remedy="`firstline deliveries list --state dead` lists them.",
        )
    run(_retry(settings_from(ctx), None if all_dead else delivery_ids))


@command.command("test")
@click.pass_context
def test(ctx: click.Context) -> None:
    """Send a marked test message through every channel and say what happened. Exit code 5 when one fails."""
    settings = settings_from(ctx)
    sys.exit(0 if run(_test(settings)) else EXIT_NOT_DELIVERED)


async def _list(settings: Any, state: str | None, limit: int) -> None:
    from firstline.domain import DeliveryState
    from firstline.wiring import channels_of, open_ledgers

    states = frozenset(DeliveryState) if state is None else frozenset({DeliveryState(state)})
    async with open_ledgers(settings) as ledgers:
        found = await ledgers.deliveries.deliveries(tenant=settings.tenant, limit=limit, states=states)
    for each in found:
        say(_row(each))
    names = ", ".join(channel.name for channel in channels_of(settings))
    if not found:
        say("No deliveries." if names else "No deliveries: no channel is configured (docs/delivery.md).")


def _row(delivery: Delivery) -> str:
    handoff = delivery.message.handoff
    row = (
        f"{delivery.delivery_id}  {delivery.channel:<8} {delivery.state:<9} {delivery.message.event:<8} "
        f"attempts {delivery.attempts:<3} hand-over {handoff.handoff_id}"
    )
    return f"{row}\n    {delivery.problem}" if delivery.problem else row


async def _show(settings: Any, delivery_id: str) -> None:
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        found = await ledgers.deliveries.delivery(delivery_id, tenant=settings.tenant)
    if found is None:
        raise NotFound(f"There is no delivery {delivery_id}.", remedy="`firstline deliveries` lists them.")
    handoff = found.message.handoff
    say(f"{found.delivery_id} by {found.channel}: {found.state}, attempts {found.attempts}")
    say(f"written {_at(found.created_at)}" + (f", ended {_at(found.finished_at)}" if found.finished_at else ""))
    if found.state == "pending":
        say(f"next attempt {_at(found.due_at)}")
    if found.problem:
        say(f"problem: {found.problem}")
    say(f"hand-over {handoff.handoff_id} ({found.message.event}): {handoff.reason}, {handoff.state}")
    say(f"question: {handoff.question[:300]}")


async def _retry(settings: Any, delivery_ids: Sequence[str] | None) -> None:
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        retried = await ledgers.deliveries.retry(tenant=settings.tenant, delivery_ids=delivery_ids)
    for delivery_id in retried:
        say(f"{delivery_id} is pending again.")
    left = [each for each in delivery_ids or () if each not in retried]
    if left:
        raise NotFound(
            f"Not dead, or not there: {', '.join(left)}.", remedy="`firstline deliveries list --state dead` lists them."
        )
    say("A running server sends them." if retried else "Nothing is dead.")


async def _test(settings: Any) -> bool:
    from firstline.wiring import channels_of

    channels = channels_of(settings)
    if not channels:
        say("No channel is configured: set handoff_webhook_url, handoff_email_to or handoff_slack_webhook.")
        return False
    message = test_message(settings.tenant, settings.kb)
    return all([await _try(channel, message) for channel in channels])


async def _try(channel: DeliveryChannel, message: HandoffMessage) -> bool:
    import uuid

    from firstline.connectors.handover.deliver import sent

    receipt = await sent(channel, message, idempotency_key=uuid.uuid4().hex)
    if not receipt.problem:
        say(f"ok    {channel.name}: sent")
        return True
    later = " (such a delivery is tried again)" if receipt.again else " (such a delivery is given up at once)"
    say(f"BAD   {channel.name}: {receipt.problem}{later}")
    return False


def test_message(tenant: str, kb: str) -> HandoffMessage:
    """A hand-over that nobody asked for, and that says so in every field that is read."""
    from firstline.domain import Handoff, HandoffEvent, HandoffMessage, HandoffState, Intent, Mood, Reason

    now = datetime.now(UTC)
    handoff = Handoff(
        handoff_id="test",
        session_id="test",
        turn=1,
        reason=Reason.USER_ASKED,
        question="This is a test of firstline's hand-overs. Nobody asked it.",
        summary="A test message, sent by `firstline deliveries test`.",
        intent=Intent.OTHER,
        entities=(),
        tried=(),
        language="en",
        mood=Mood.NEUTRAL,
        next_step="Nothing to do.",
        state=HandoffState.OPEN,
        created_at=now,
    )
    return HandoffMessage(event=HandoffEvent.OPENED, tenant=tenant, kb=kb, handoff=handoff, occurred_at=now, test=True)


def _at(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
