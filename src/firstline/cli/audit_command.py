"""`firstline audit`"""

from __future__ import annotations

from typing import Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say


@click.command("audit")
@click.option("--limit", default=50, type=click.IntRange(1, 10_000), help="How many, newest first.")
@click.pass_context
def command(ctx: click.Context, limit: int) -> None:
    """List who asked for private data, when and in which conversation. What was written is not kept here."""
    run(_list(settings_from(ctx), limit))


async def _list(settings: Any, limit: int) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        found = await ledgers.audit.audited(tenant=settings.tenant, limit=limit)
    for entry in found:
        say(
            f"{entry.at:%Y-%m-%d %H:%M:%S} UTC  {entry.category}  user {entry.user}  {entry.kb}  "
            f"session {entry.session_id}, message {entry.turn}"
        )
    if not found:
        say("Nobody asked for private data.")
