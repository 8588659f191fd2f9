"""`firstline status`"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import Failure, RegisteredSource
    from firstline.ports import Backlog, DeliveryChannel

HELD_MAX = 10_000
BLOCK_BYTES = 512
"""What st_blocks counts in, whatever the file system's own blocks are."""


@click.command("status")
@click.option("--failures", is_flag=True, help="List the items that were not taken, with their reasons.")
@click.pass_context
def command(ctx: click.Context, failures: bool) -> None:
    """Show documents, chunks, snapshot, sizes and age of every knowledge base."""
    settings = settings_from(ctx)
    if not settings.data_folder.exists():
        say(f"There is no data folder at {settings.data_folder} yet. `firstline ingest PATH` creates it.")
        return
    run(_status(settings, failures))


async def _status(settings: Any, failures: bool) -> None:
    from firstline.cli.gates_command import status_lines
    from firstline.cli.lag import behind_lines, lag_lines
    from firstline.documents.behind import behind
    from firstline.domain import JobBacklog
    from firstline.wiring import channels_of, open_ledgers

    async with open_ledgers(settings) as ledgers:
        names = await ledgers.knowledge.knowledge_bases(tenant=settings.tenant)
        if not names:
            say("No knowledge base yet. `firstline ingest PATH` makes one.")
        for name in names:
            status = await ledgers.knowledge.status(tenant=settings.tenant, kb=name)
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(status.by_kind.items()))
            say(f"{name}: snapshot {status.snapshot}, published {_age(status.published_at)}")
            say(f"  documents {status.documents} ({kinds or 'none'}), chunks {status.chunks}")
            say(f"  embedder {status.embedder_id or 'none yet'}")
            if status.candidate_documents:
                say(
                    f"  candidate {status.candidate}: {status.candidate_documents} documents written, not published; "
                    "run the ingest again to finish it"
                )
            lags = await ledgers.changes.lag(tenant=settings.tenant)
            for line in behind_lines(
                await behind(ledgers.snapshots, settings.tenant, name), status.waiting, lags, kb=name, age=_age
            ):
                say(line)
            for line in await status_lines(settings, ledgers.gates, status):
                say(line)
            held = await ledgers.quarantine.quarantined(tenant=settings.tenant, kb=name, limit=HELD_MAX)
            if held:
                say(f"  in quarantine: {len(held)} (`firstline quarantine` lists them)")
            if status.failures:
                say(f"  {status.failures} items were not taken by the last run (--failures lists them)")
            last = await ledgers.knowledge.failures(tenant=settings.tenant, kb=name) if failures else []
            for line in failure_lines(
                last, await ledgers.sources.sources(tenant=settings.tenant, kb=name), listed=failures
            ):
                say(line)
        for line in backlog_lines(await ledgers.deliveries.backlog(tenant=settings.tenant), channels_of(settings)):
            say(line)
        lags = await ledgers.changes.lag(tenant=settings.tenant)
        # Without any announced change nobody waits for the library of the jobs to be loaded.
        backlog = await ledgers.jobs.backlog() if lags else JobBacklog()
        for line in lag_lines(lags, backlog, age=_age):
            say(line)
        database = await ledgers.database_size_bytes()
    folder = settings.data_folder
    say(f"sizes: ledger {_mb(database)}, index {_mb(_index(folder / 'index'))}, blobs {_mb(_tree(folder / 'blobs'))}")


def failure_lines(last: Sequence[Failure], sources: Sequence[RegisteredSource], *, listed: bool) -> list[str]:
    """What was not taken, by the run that says so: the last one of the knowledge base, and the last of each source. An
    earlier run of a folder or file says nothing any more: it is read anew with the next ingest."""
    lines = ["    by the last run, whatever it read:"] if last else []
    lines += [f"      {failure.item_id}: {failure.reason}" for failure in last]
    told = {failure.item_id for failure in last}
    for source in sources:
        report = source.last_report
        if report is None or not report.failed:
            continue
        count = f"{report.failed} item was" if report.failed == 1 else f"{report.failed} items were"
        more = "" if listed else " (--failures lists them)"
        lines.append(f"  source {source.name}, synced {_age(source.finished_at)}: {count} not taken{more}")
        if listed:
            named = [failure for failure in report.failures if failure.item_id not in told]
            lines += [f"      {failure.item_id}: {failure.reason}" for failure in named]
            if report.failed > len(report.failures):
                lines.append(f"      and {report.failed - len(report.failures)} more")
    return lines


def backlog_lines(backlog: Sequence[Backlog], channels: Sequence[DeliveryChannel]) -> list[str]:
    """One line per channel with hand-overs that have not arrived."""
    configured = {channel.name for channel in channels}
    lines: list[str] = []
    for one in backlog:
        line = f"deliveries by {one.channel}: {one.pending} pending"
        if one.oldest_at is not None:
            line += f", the oldest written {_age(one.oldest_at)}"
        if one.pending and one.channel not in configured:
            line += " (this channel is not configured now)"
        if one.dead:
            line += f"; {one.dead} dead (`firstline deliveries list --state dead`)"
        lines.append(line)
    return lines


def _index(folder: Path) -> int:
    """Of the shard that counts: beside it may lie one that is being replaced."""
    shards = [path for path in folder.glob("shard*") if path.is_dir()]
    return _tree(max(shards, key=lambda path: path.stat().st_mtime, default=folder))


def _tree(folder: Path) -> int:
    """Bytes taken on disk: files of the index are as long as they may become, and mostly holes."""
    taken = 0
    for path in folder.rglob("*") if folder.exists() else ():
        # A file may go between listing and looking.
        with contextlib.suppress(OSError):
            state = path.lstat()
            taken += state.st_blocks * BLOCK_BYTES if stat.S_ISREG(state.st_mode) else 0
    return taken


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"


def _age(at: datetime | None) -> str:
    if at is None:
        return "never"
    seconds = (datetime.now(UTC) - at).total_seconds()
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{max(0, seconds):.0f} seconds ago"
