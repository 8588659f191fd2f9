"""`firstline worker`"""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence

LISTED_MAX = 1000


@click.group("worker", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Take announced changes in and sync sources that are due, until it is stopped. A server does so itself, unless
    `worker` is set to false."""
    if ctx.invoked_subcommand is None:
        run(_work(settings_from(ctx)))


@command.command("dead")
@click.option("--limit", default=20, type=click.IntRange(1, LISTED_MAX), help="How many of each, newest first.")
@click.pass_context
def dead(ctx: click.Context, limit: int) -> None:
    """List changes and jobs that were given up, with their reasons."""
    run(_dead(settings_from(ctx), limit))


@command.command("retry")
@click.argument("ids", nargs=-1)
@click.option("--all-dead", is_flag=True, help="Every change and job that was given up.")
@click.pass_context
def retry(ctx: click.Context, ids: tuple[str, ...], all_dead: bool) -> None:
    """Try again what was given up, by document ids and numbers of jobs."""
    from firstline.errors import InvalidInput

    if all_dead == bool(ids):
        raise InvalidInput(
            "Say which: document ids, numbers of jobs, or --all-dead.", remedy="`firstline worker dead` lists them."
        )
    run(_retry(settings_from(ctx), None if all_dead else ids))


async def _work(settings: Any) -> None:
    from firstline.wiring import open_firstline

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, stopped.set)
    async with open_firstline(settings) as firstline, firstline.working.running():
        say("firstline works. Stop it with Ctrl-C.")
        await stopped.wait()
    say("Stopped. What was under way is done again by the next worker.")


async def _dead(settings: Any, limit: int) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        changes = await ledgers.changes.dead(tenant=settings.tenant, limit=limit)
        jobs = [job for job in await ledgers.jobs.dead(limit=limit) if _is_ours(job.job.args, settings.tenant)]
    for change in changes:
        say(f"{change.change.item_id}  in {change.kb}, attempts {change.attempts}\n    {change.problem}")
    for job in jobs:
        named = ", ".join(f"{name} {value}" for name, value in job.job.args.items() if name != "tenant")
        say(f"job {job.job_id}  {job.job.name} {named}, attempts {job.attempts}\n    {job.problem}")
    if not changes and not jobs:
        say("Nothing was given up.")


async def _retry(settings: Any, ids: Sequence[str] | None) -> None:
    from firstline.documents.jobs import changes_of
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        changes = await ledgers.changes.retry(tenant=settings.tenant, doc_ids=ids)
        mine = [
            job.job_id
            for job in await ledgers.jobs.dead(limit=LISTED_MAX)
            if _is_ours(job.job.args, settings.tenant) and (ids is None or job.job_id in ids)
        ]
        jobs = await ledgers.jobs.retry(mine) if mine else []
        for kb in sorted({kb for kb, _ in changes}):
            await ledgers.jobs.put(changes_of(settings.tenant, kb), news=True)
    for _, doc_id in changes:
        say(f"{doc_id} waits again.")
    for job_id in jobs:
        say(f"job {job_id} waits again.")
    found = {*jobs, *(doc_id for _, doc_id in changes)}
    left = [each for each in ids or () if each not in found]
    if left:
        raise NotFound(f"Not given up, or not there: {', '.join(left)}.", remedy="`firstline worker dead` lists them.")
    say("A worker takes them." if found else "Nothing was given up.")


def _is_ours(args: Any, tenant: str) -> bool:
    """Jobs without a tenant are everybody's."""
    return args.get("tenant", tenant) == tenant
