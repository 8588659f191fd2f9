"""`firstline gaps [--suggest-faq|--stale|--duplicates]`"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

import click

from firstline.cli.knowledge_base import require_kb
from firstline.cli.main import run, settings_from
from firstline.cli.printing import say, say_json

if TYPE_CHECKING:
    from firstline.domain import DuplicateReport, FaqSuggestion, GapReport, StaleReport

SHOWN_MAX: Final = 100
EXAMPLES_SHOWN: Final = 3


@click.command("gaps")
@click.option("--suggest-faq", is_flag=True, help="Drafts of curated answers.")
@click.option("--stale", is_flag=True, help="Pages that are old, contradicted, or link nowhere.")
@click.option("--duplicates", is_flag=True, help="Documents that say the same.")
@click.option("--since", default="30d", help='How far back: "30d", "12w" or a date (default: 30d).')
@click.option("--older", default="730d", help="With --stale: a page is old after this time (default: 730d).")
@click.option("--limit", default=20, type=click.IntRange(1, SHOWN_MAX), help="How many (default: 20).")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def command(
    ctx: click.Context,
    suggest_faq: bool,
    stale: bool,
    duplicates: bool,
    since: str,
    older: str,
    limit: int,
    kb: str | None,
    as_json: bool,
) -> None:
    """Show what is asked without a sure answer, with the pages that came nearest; or what the pages need."""
    named = {"suggest-faq": suggest_faq, "stale": stale, "duplicates": duplicates}
    views = [view for view, wanted in named.items() if wanted]
    if len(views) > 1:
        raise click.UsageError(f"Choose one of --{' and --'.join(views)}.", ctx)
    view = views[0] if views else "gaps"
    found = run(_read(settings_from(ctx, kb=kb), view, since, older, limit))
    if as_json:
        say_json(_jsonable(found))
        return
    match view:
        case "suggest-faq":
            _print_suggestions(found)
        case "stale":
            _print_stale(found, limit)
        case "duplicates":
            _print_duplicates(found, limit)
        case _:
            _print_gaps(found)


async def _read(settings: Any, view: str, since: str, older: str, limit: int) -> Any:
    from firstline.questions.care import since_of, span_of
    from firstline.wiring import open_care, open_ledgers

    place: dict[str, Any] = {"tenant": settings.tenant, "kb": settings.kb, "reader": None}
    at, old_after = since_of(since, now=datetime.now(UTC)), span_of(older)
    async with open_ledgers(settings) as ledgers:
        await require_kb(ledgers.knowledge, settings)
    async with open_care(settings) as care:
        match view:
            case "suggest-faq":
                return await care.suggestions(**place, since=at, limit=limit)
            case "stale":
                return await care.stale(**place, since=at, old_after=old_after)
            case "duplicates":
                return await care.duplicates(**place)
            case _:
                return await care.gaps(**place, since=at, limit=limit)


def _print_gaps(report: GapReport) -> None:
    say(f"{report.unanswered:,} of {report.turns:,} turns since {report.since:%Y-%m-%d} got no sure answer.")
    for one in report.gaps:
        became = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in one.became.items())
        say(f"\n{_count(one.turns, 'turn')}, {_count(one.sessions, 'session')}, {one.trend}: {one.question}", bold=True)
        say(f"    {became}; by week: {', '.join(f'{week} {count}' for week, count in one.weeks.items())}")
        for example in one.examples[1 : 1 + EXAMPLES_SHOWN]:
            say(f"    also: {example}", dim=True)
        for page in one.nearest[:EXAMPLES_SHOWN]:
            say(f"    nearest: {page.title} ({page.doc_id}), {_count(page.turns, 'turn')}", dim=True)
    if report.left_out:
        say(f"\n{report.left_out:,} turns with rare wordings were not compared. A shorter --since compares them.")
    if report.cut:
        say(f"\nOnly the newest {report.turns:,} turns were read.")


def _print_suggestions(drafts: list[FaqSuggestion]) -> None:
    for one in drafts:
        counts = f"{_count(one.turns, 'turn')}, {_count(one.sessions, 'session')}"
        say(f"{one.suggestion_id}  {counts}: {one.question}", bold=True)
        for example in one.examples[1 : 1 + EXAMPLES_SHOWN]:
            say(f"    also: {example}", dim=True)
        for line in one.answer.splitlines():
            say(f"    {line}")
        say(f"    rests on {', '.join(one.cites)}; level {one.level.label}", dim=True)
        say(f"    to accept: firstline faq add --suggestion {one.suggestion_id} --owner NAME\n")
    if not drafts:
        say("No question was repeated and answered alike often enough.")


def _print_stale(report: StaleReport, limit: int) -> None:
    for page in report.pages[:limit]:
        say(f"{page.doc_id}  {page.title}")
        for finding in page.findings:
            say(f"    {finding.reason.replace('_', ' ')}: {finding.detail}", dim=True)
    _print_end(len(report.pages), limit, report.documents, "page to look at", cut=report.cut)


def _print_duplicates(report: DuplicateReport, limit: int) -> None:
    for group in report.groups[:limit]:
        how = "the same text" if group.identical else f"alike by {group.alike:.2f} or more"
        say(f"{len(group.doc_ids)} documents, {how}")
        for doc_id, title in zip(group.doc_ids, group.titles, strict=True):
            say(f"    {doc_id}  {title}", dim=True)
    _print_end(len(report.groups), limit, report.documents, "group of duplicates", cut=report.cut)


def _print_end(found: int, limit: int, documents: int, what: str, *, cut: bool) -> None:
    first, _, rest = what.partition(" ")
    named = what if found == 1 else f"{first}s {rest}"
    more = f" ({limit} shown)" if found > limit else ""
    say(f"{found} {named}{more} among {documents:,} documents.")
    if cut:
        say("There are more documents, or longer ones, than were read.")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _jsonable(value: Any) -> Any:
    from firstline.domain import Level

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _jsonable(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _jsonable(part) for key, part in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple | frozenset):
        parts = [_jsonable(part) for part in cast("list[Any]", value)]
        return sorted(parts) if isinstance(value, frozenset) else parts
    if isinstance(value, Level):
        return value.label
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, Enum) else value
