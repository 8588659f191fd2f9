"""`firstline ingest PATH...`"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.golden_file import cases_problem
from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firstline.connectors.access_rules import AccessRules
    from firstline.connectors.charset import Notice
    from firstline.connectors.files import FilesSource
    from firstline.wiring import Firstline

FAILURES_SHOWN = 50
SNAPSHOTS_READ = 1_000
CHANGES_READ = 10_000
STOP_S = 5.0
"""For somebody at a terminal to stop a run that would drop what they want to return to."""
NOTICES_SHOWN = 20
EXIT_SOME_FAILED = 1
LOG_EVERY_S = 10.0
NOBODY = (
    "--acl is empty, so nobody can see these documents, except those whose own front matter or column says who may. "
    "Ingest again without --acl for everyone, or with `--acl TAG`."
)


ACCESS_OPTION = click.option(
    "--access",
    "folders",
    multiple=True,
    metavar="PATH=TAGS[:LEVEL]",
    help="Who may see a folder: 'internal/**=staff:internal', repeatable; the most specific holds.",
)


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True)
@click.option("--kind", default="documentation", help="documentation, ticket, issue, forum_post, note or faq.")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--acl", multiple=True, help="Who may see it: a tag, repeatable (default: everyone).")
@click.option("--level", default="public", help="public, customer, internal or restricted.")
@ACCESS_OPTION
@click.option("--map", "mapping", default="", help="Other column names: text=Description,title=Summary.")
@click.option("--prune", is_flag=True, help="Documents of these paths that are gone end with this snapshot.")
@click.option(
    "--as", "name", default="", metavar="NAME", help="Start document ids with NAME, not the path's last name."
)
@click.option("--moved", is_flag=True, help="The folder has moved: take over the documents of its old place.")
@click.option("--front-matter-may-widen", "trusted", is_flag=True, help="Documents may open more than --access does.")
@click.option("--publish", "publish", flag_value="always", help="Publish whatever the checks say.")
@click.option("--candidate", "publish", flag_value="never", help="Make a snapshot that waits, and publish nothing.")
@click.option("--force", is_flag=True, help="Most of these documents are really gone: remove them.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would change, and estimate size, time and cost.")
@click.option("--json", "as_json", is_flag=True, help="The dry run's answer for programs.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    mapping: str,
    acl: tuple[str, ...],
    folders: tuple[str, ...],
    **flags: Any,
) -> None:
    """Take a folder, files or a glob into a knowledge base and publish the next snapshot.

    Reads Markdown, HTML, plain text, PDF, DOCX, and CSV or JSONL of tickets and articles. Unchanged documents cost
    nothing; a run that was stopped is resumed by running it again.
    """
    from firstline.connectors.access_rules import rules_written
    from firstline.domain import EVERYONE

    settings = settings_from(ctx, kb=flags["kb"])
    tags = frozenset(tag.strip() for tag in acl if tag.strip())
    kind, level = kind_named(flags["kind"]), level_named(flags["level"])
    rules = rules_written(folders, trusted=flags["trusted"])
    if flags["as_json"] and not flags["dry_run"]:
        raise click.UsageError("--json goes with --dry-run.")
    if flags["dry_run"]:
        from firstline.cli.ingest_dry_run import estimated

        estimated(
            settings,
            paths,
            rules=rules,
            flags=flags,
            map=parse_mapping(mapping),
            kind=kind,
            level=level,
            acl=tags if acl else frozenset({EVERYONE}),
        )
        return
    if problem := cases_problem(settings):
        say(f"notice: {problem}", err=True)
    report, notices = run(
        _ingest(
            settings,
            paths,
            kind=kind,
            level=level,
            acl=tags if acl else frozenset({EVERYONE}),
            rules=rules,
            name=flags["name"],
            moved=flags["moved"],
            mapping=parse_mapping(mapping),
            prune=flags["prune"],
            quiet=flags["quiet"],
            publish=flags["publish"] or "auto",
            force=flags["force"],
        )
    )
    print_report(report)
    print_notices(notices)
    for said in rules.unmet():
        say(f"notice: {said}", err=True)
    if acl and not tags:
        say(f"notice: {NOBODY}", err=True)
    if report.failures:
        sys.exit(EXIT_SOME_FAILED)


def kind_named(name: str) -> Any:
    from firstline.domain import DocumentKind
    from firstline.errors import InvalidInput

    if name not in list(DocumentKind):
        raise InvalidInput(f"There is no kind {name}.", remedy="Use one of: " + ", ".join(DocumentKind) + ".")
    return DocumentKind(name)


def parse_mapping(text: str) -> dict[str, str]:
    from firstline.errors import InvalidInput

    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if any(not left.strip() or not right.strip() for left, _, right in pairs):
        raise InvalidInput(f"--map {text} is not understood.", remedy="Write --map text=Description,title=Summary.")
    return {left.strip(): right.strip() for left, _, right in pairs}


async def _ingest(
    settings: Any,
    paths: tuple[str, ...],
    *,
    quiet: bool,
    prune: bool,
    moved: bool,
    publish: str,
    force: bool,
    mapping: Any,
    **access: Any,
) -> tuple[Any, tuple[Notice, ...]]:
    from tqdm import tqdm

    from firstline.connectors.files import FilesSource
    from firstline.documents.journey import Progress, Publish
    from firstline.wiring import open_firstline

    source = FilesSource(paths, map=mapping, bytes_max=settings.file_bytes_max, may_be_empty=prune, **access)
    prefixes = source.prefixes if prune else ()
    async with open_firstline(settings) as firstline:
        await tell_what_is_dropped(firstline)
        # Into a file or a log, a line now and then; on a terminal, a bar.
        pace_s = 0.1 if sys.stderr.isatty() else LOG_EVERY_S
        with tqdm(unit=" chunks", disable=quiet, desc="ingest", file=sys.stderr, mininterval=pace_s) as bar:

            def show(progress: Progress) -> None:
                # Set before the bar moves: it is printed at the bar's own pace, and never for its own sake.
                bar.set_postfix_str(f"{progress.documents} written, {progress.items} seen", refresh=False)
                bar.update(progress.chunks - bar.n)

            suspect = await _suspect(firstline, source, access["rules"])
            report = await firstline.documents.ingest(
                source,
                tenant=settings.tenant,
                kb=settings.kb,
                prune=prefixes,
                origins=source.origins,
                moved=moved,
                emptied=prune,
                publish=Publish(publish),
                force=force,
                suspect=suspect,
                on_progress=show,
            )
        await make_communities(firstline)
    return report, tuple(source.notices)


async def make_communities(firstline: Firstline) -> None:
    """Of what is published now, where no other process is there that would do so by itself. What was taken stands
    whatever becomes of them."""
    from firstline.errors import FirstlineError

    builder, settings = firstline.communities, firstline.settings
    if builder is None or await firstline.ledgers.database.has_company():
        return
    try:
        if await builder.is_due(tenant=settings.tenant, kb=settings.kb):
            await builder.build(tenant=settings.tenant, kb=settings.kb)
    except FirstlineError as error:
        say(f"notice: what documents tell of the same was not gathered: {error}", err=True)


async def _suspect(firstline: Firstline, source: FilesSource, rules: AccessRules) -> str:
    """Why what this run adds must wait: a rule fits documents of earlier runs, and nothing that is there now."""
    from firstline.documents.publish_policy import rules_lost
    from firstline.domain import FOREVER

    if not (await source.look()).unmet:
        return ""
    settings, prefixes = firstline.settings, source.prefixes
    if settings.kb not in await firstline.knowledge.knowledge_bases(tenant=settings.tenant):
        return ""
    current = await firstline.knowledge.current(tenant=settings.tenant, kb=settings.kb)
    paths = {
        doc_id.removeprefix(prefix).partition("#")[0]
        for doc_id, document in current.items()
        if document.until == FOREVER
        for prefix in prefixes
        if doc_id.startswith(prefix)
    }
    lost = rules.lost(paths)
    return rules_lost(lost) if lost else ""


async def tell_what_is_dropped(firstline: Firstline) -> None:
    """Before a run takes back for good what a rollback has left: by then it is too late to return to it."""
    from firstline.domain import SnapshotState

    settings = firstline.settings
    place = {"tenant": settings.tenant, "kb": settings.kb}
    if settings.kb not in await firstline.knowledge.knowledge_bases(tenant=settings.tenant):
        return
    entries = await firstline.snapshots.snapshots(**place, limit=SNAPSHOTS_READ)
    ahead = sorted(one.number for one in entries if one.state is SnapshotState.AHEAD)
    if not ahead:
        return
    published = (await firstline.knowledge.published(**place)).number
    changes = await firstline.snapshots.changes(published, ahead[-1], **place, limit=CHANGES_READ)
    counts = Counter(one.change.value for one in changes)
    told = ", ".join(f"{counts[name]} {name}" for name in ("added", "changed", "removed") if counts[name])
    least = "at least " if len(changes) == CHANGES_READ else ""
    several = len(ahead) > 1
    which = f"snapshot{'s' if several else ''} {', '.join(map(str, ahead))}"
    stayed = f"which stayed behind when it was gone back to {published}"
    beyond = f"{least}{told or 'no document'} beyond {published}"
    say(
        f"notice: {which}, {stayed}, {'are' if several else 'is'} dropped by this run ({beyond}). To return to "
        f"{'the last' if several else 'it'} instead: stop now, then `firstline snapshot publish {ahead[-1]}`.",
        err=True,
    )
    if sys.stderr.isatty():
        await asyncio.sleep(STOP_S)


def print_report(report: Any) -> None:
    stands = "waits" if report.waits else "stands"
    state = f"Snapshot {report.snapshot} {'is published' if report.published else stands}"
    say(
        f"{state}: {report.added} added, {report.changed} changed, {report.removed} removed, "
        f"{report.unchanged} unchanged; {report.chunks} chunks in {report.duration_s:.1f} s."
    )
    if report.waits:
        say(f"It is not published: {report.waits}.")
        say(
            f"`firstline snapshot check {report.snapshot}` compares it, `firstline snapshot publish {report.snapshot}`."
        )
    if report.redactions:
        counts = ", ".join(f"{count} {name}" for name, count in sorted(report.redactions.items()))
        say(f"Redacted: {counts}.")
    print_held(report)
    for failure in report.failures[:FAILURES_SHOWN]:
        say(f"not taken: {failure.item_id}: {failure.reason}", err=True)
    if report.failures:
        more = len(report.failures) - FAILURES_SHOWN
        tail = f" ({more} more are listed by `firstline status --failures`)" if more > 0 else ""
        count = "1 item was" if len(report.failures) == 1 else f"{len(report.failures)} items were"
        say(f"{count} not taken; the rest went on.{tail}", err=True)


def print_held(report: Any) -> None:
    """What was kept out until somebody looks at it, and what no reader would have seen. It changes no exit code."""
    for held in report.held[:NOTICES_SHOWN]:
        say(f"held: {held.item_id}: {held.reason}", err=True)
    if report.held:
        count = (
            "1 document reads like instructions to an assistant and stays"
            if len(report.held) == 1
            else f"{len(report.held)} documents read like instructions to an assistant and stay"
        )
        say(
            f"{count} out; `firstline quarantine` lists and releases them.",
            err=True,
        )
    for hidden in report.hidden[:NOTICES_SHOWN]:
        say(f"notice: {hidden.item_id}: {hidden.reason}", err=True)
    if len(report.hidden) > NOTICES_SHOWN:
        say(f"notice: {len(report.hidden) - NOTICES_SHOWN} more documents hold text that no reader sees.", err=True)


def print_notices(notices: Sequence[Notice]) -> None:
    """What was taken and should be looked at. It changes no exit code."""
    for notice in notices[:NOTICES_SHOWN]:
        say(f"notice: {notice}", err=True)
    if len(notices) > NOTICES_SHOWN:
        say(f"notice: {len(notices) - NOTICES_SHOWN} more files are like that.", err=True)
