"""`firstline snapshot list|show|check|publish|canary|promote|rollback|discard|diff|prune`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say
from firstline.cli.snapshot_prints import check_lines, diff_lines, entry_line

if TYPE_CHECKING:
    from pathlib import Path

LISTED_MAX = 50
CHANGES_MAX = 100_000
EXIT_WORSE = 1
KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")


@click.group("snapshot")
def command() -> None:
    """List snapshots, check, publish, try out, compare, go back, prune."""


@command.command("list")
@KB_OPTION
@click.option("--limit", type=click.IntRange(1, 10_000), default=LISTED_MAX, help="How many, newest first.")
@click.pass_context
def list_command(ctx: click.Context, kb: str | None, limit: int) -> None:
    """List the snapshots of a knowledge base, newest first."""
    run(_list(settings_from(ctx, kb=kb), limit))


@command.command("show")
@KB_OPTION
@click.argument("number", type=click.IntRange(1))
@click.pass_context
def show_command(ctx: click.Context, kb: str | None, number: int) -> None:
    """Show one snapshot, and what differs from the published one."""
    run(_show(settings_from(ctx, kb=kb), number))


@command.command("publish")
@KB_OPTION
@click.argument("number", type=click.IntRange(1))
@click.pass_context
def publish_command(ctx: click.Context, kb: str | None, number: int) -> None:
    """Publish a snapshot that waits, or return to one that was gone back from."""
    run(_publish(settings_from(ctx, kb=kb), number))


@command.command("promote")
@KB_OPTION
@click.argument("number", type=click.IntRange(1), required=False)
@click.pass_context
def promote_command(ctx: click.Context, kb: str | None, number: int | None) -> None:
    """Publish the canary for everybody."""
    run(_promote(settings_from(ctx, kb=kb), number))


@command.command("rollback")
@KB_OPTION
@click.option("--to", "number", type=click.IntRange(1), help="A snapshot (default: the one published before).")
@click.pass_context
def rollback_command(ctx: click.Context, kb: str | None, number: int | None) -> None:
    """Publish an earlier snapshot again."""
    run(_rollback(settings_from(ctx, kb=kb), number))


@command.command("discard")
@KB_OPTION
@click.pass_context
def discard_command(ctx: click.Context, kb: str | None) -> None:
    """Give up the snapshots that wait: the next ingest builds on the published one."""
    run(_discard(settings_from(ctx, kb=kb)))


@command.command("canary")
@KB_OPTION
@click.argument("number", type=click.IntRange(1))
@click.option("--share", type=click.FloatRange(0, 1), required=True, help="Share of the sessions; 0 ends it.")
@click.pass_context
def canary_command(ctx: click.Context, kb: str | None, number: int, share: float) -> None:
    """Let a share of the sessions ask a snapshot that waits. A session stays with what it was given."""
    run(_canary(settings_from(ctx, kb=kb), number, share))


@command.command("diff")
@KB_OPTION
@click.argument("before", type=click.IntRange(0))
@click.argument("after", type=click.IntRange(1))
@click.option("--golden", is_flag=True, help="Ask the golden cases on both, too.")
@click.option("--replay", is_flag=True, help="Take the turns of the last week once more on AFTER.")
@click.option("--turns", type=click.IntRange(1, 10_000), default=200, help="Turns replayed at most.")
@click.pass_context
def diff_command(
    ctx: click.Context, kb: str | None, before: int, after: int, golden: bool, replay: bool, turns: int
) -> None:
    """Show the documents that differ between two snapshots, and what that changes."""
    run(_diff(settings_from(ctx, kb=kb), before, after, golden=golden, turns=turns if replay else 0))


@command.command("check")
@KB_OPTION
@click.argument("number", type=click.IntRange(1), required=False)
@click.option(
    "--cases", type=click.Path(dir_okay=False), help="A file of cases (default: `golden_cases`, or judged turns)."
)
@click.option("--worse-max", type=click.FloatRange(0, 1), default=0.01, help="Share of cases that may get worse.")
@click.option("--publish", is_flag=True, help="Publish it when it passes.")
@click.pass_context
def check_command(
    ctx: click.Context, kb: str | None, number: int | None, cases: str | None, worse_max: float, publish: bool
) -> None:
    """Ask the golden cases on a waiting snapshot and on the published one. Exit code 1 when too many got worse."""
    passed = run(_check(settings_from(ctx, kb=kb), number, cases, worse_max=worse_max, publish=publish))
    ctx.exit(0 if passed else EXIT_WORSE)


@command.command("prune")
@KB_OPTION
@click.option("--keep", type=click.IntRange(1), default=5, help="Published snapshots that are kept (default: 5).")
@click.pass_context
def prune_command(ctx: click.Context, kb: str | None, keep: int) -> None:
    """Remove what only older snapshots hold, from ledger, index and blobs."""
    run(_prune(settings_from(ctx, kb=kb), keep))


async def _list(settings: Any, limit: int) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        entries = await ledgers.snapshots.snapshots(tenant=settings.tenant, kb=settings.kb, limit=limit)
    for entry in entries:
        say(entry_line(entry))
    if not entries:
        say(f"The knowledge base {settings.kb!r} has no snapshot yet.")


async def _show(settings: Any, number: int) -> None:
    from firstline.errors import NotFound
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        where = {"tenant": settings.tenant, "kb": settings.kb}
        entries = await ledgers.snapshots.snapshots(**where, limit=LISTED_MAX * 200)
        entry = next((one for one in entries if one.number == number), None)
        if entry is None:
            raise NotFound(f"There is no snapshot {number}.", remedy="`firstline snapshot list` shows them.")
        published = (await ledgers.knowledge.published(**where)).number
        say(entry_line(entry))
        if published and published != number:
            changes = await ledgers.snapshots.changes(published, number, **where, limit=CHANGES_MAX)
            for line in diff_lines(changes, published, number):
                say(line)


async def _publish(settings: Any, number: int) -> None:
    from firstline.documents.jobs import let_on
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        snapshot = await ledgers.snapshots.point_on(number, tenant=settings.tenant, kb=settings.kb)
        await let_on(settings.tenant, settings.kb, changes=ledgers.changes, jobs=ledgers.jobs)
    say(f"Snapshot {snapshot.number} of {settings.kb!r} is published: {snapshot.documents} documents.")


async def _promote(settings: Any, number: int | None) -> None:
    from firstline.errors import Conflict
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        canary = (await ledgers.knowledge.published(tenant=settings.tenant, kb=settings.kb)).canary
    if not canary or number not in (None, canary):
        raise Conflict(
            f"Snapshot {number} is not the canary." if number else "There is no canary.",
            remedy="`firstline snapshot list` shows it; `firstline snapshot publish NUMBER` publishes any other.",
        )
    await _publish(settings, canary)


async def _rollback(settings: Any, number: int | None) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        before = await ledgers.knowledge.published(tenant=settings.tenant, kb=settings.kb)
        snapshot = await ledgers.snapshots.point_back(number, tenant=settings.tenant, kb=settings.kb)
    say(f"Snapshot {snapshot.number} of {settings.kb!r} is published again: {snapshot.documents} documents.")
    say(f"`firstline snapshot publish {before.number}` undoes this, until the next ingest.")


async def _discard(settings: Any) -> None:
    from firstline.documents.jobs import let_on
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        gone = await ledgers.snapshots.discard(tenant=settings.tenant, kb=settings.kb)
        await let_on(settings.tenant, settings.kb, changes=ledgers.changes, jobs=ledgers.jobs)
    named = ", ".join(map(str, gone))
    say(f"Given up: snapshot {named}." if gone else "No snapshot waits; an interrupted candidate is given up.")


async def _canary(settings: Any, number: int, share: float) -> None:
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        await ledgers.snapshots.try_out(number, tenant=settings.tenant, kb=settings.kb, share=share)
    if share:
        say(f"Snapshot {number} answers {share:.0%} of the sessions of {settings.kb!r}.")
        say(f"`firstline snapshot promote {number}` publishes it, `--share 0` ends the trial.")
    else:
        say("No snapshot is tried out any more.")


async def _diff(settings: Any, before: int, after: int, *, golden: bool, turns: int) -> None:
    from firstline.cli.snapshot_checks import golden_check, replayed
    from firstline.wiring import open_firstline, open_ledgers

    async with open_ledgers(settings) as ledgers:
        changes = await ledgers.snapshots.changes(
            before, after, tenant=settings.tenant, kb=settings.kb, limit=CHANGES_MAX
        )
    for line in diff_lines(changes, before, after):
        say(line)
    if golden or turns:
        async with open_firstline(settings) as firstline:
            if golden:
                for line in check_lines(await golden_check(firstline, before, after, cases=None)):
                    say(line)
            if turns:
                for line in await replayed(firstline, after, limit=turns):
                    say(line)


async def _check(settings: Any, number: int | None, cases: str | None, *, worse_max: float, publish: bool) -> bool:
    from pathlib import Path

    from firstline.cli.snapshot_checks import golden_check, waiting_snapshot
    from firstline.wiring import open_firstline

    file: Path | None = Path(cases) if cases else None
    async with open_firstline(settings) as firstline:
        published, wanted = await waiting_snapshot(firstline, number)
        checked = await golden_check(firstline, published, wanted, cases=file)
        for line in check_lines(checked):
            say(line)
        passed = checked.passes(worse_share_max=worse_max)
        verdict = "passes" if passed else "does not pass"
        say(f"Snapshot {wanted} {verdict}: {checked.worse} of {checked.cases} got worse.")
    if passed and publish:
        await _publish(settings, wanted)
    elif passed:
        say(f"`firstline snapshot publish {wanted}` publishes it.")
    return passed


async def _prune(settings: Any, keep: int) -> None:
    from functools import partial

    from firstline.documents.sweep import prune
    from firstline.wiring import open_firstline, questions_end

    async with open_firstline(settings) as firstline:
        done = await prune(
            tenant=settings.tenant,
            kb=settings.kb,
            keep=keep,
            snapshots=firstline.snapshots,
            index=firstline.index,
            blobs=firstline.blobs,
            graph=firstline.graph,
            communities=firstline.ledgers.communities,
            questions_end=partial(questions_end, settings, firstline.ledgers),
        )
    say(
        f"Snapshot {done.oldest} is the oldest that is kept; {done.revisions} revisions with {done.chunks} chunks and "
        f"{done.blobs} texts were removed."
    )
