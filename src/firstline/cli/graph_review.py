"""`firstline graph review`: names that may be one, or none, and what people said of them."""

from __future__ import annotations

import getpass
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.knowledge_base import require_kb
from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say, say_json

if TYPE_CHECKING:
    from firstline.domain import Entity, GraphRule
    from firstline.ports import Scope
    from firstline.questions.aliases.desk import AliasDesk, Suggested, Suggestion, Wanted
    from firstline.wiring import Firstline

LISTED = 20
LISTED_MAX = 500
RULES_LISTED_MAX = 1_000
SHOWN_CHARS = 100
SORTS = ("shared", "alike", "plain", "hub")


@click.command("review")
@click.option("--limit", type=click.IntRange(1, RULES_LISTED_MAX), help="How many (default: 20; rules: 1000).")
@click.option("--sort", "sorts", multiple=True, type=click.Choice(SORTS), help="Suggestions of this sort, repeatable.")
@click.option("--same", multiple=True, nargs=2, metavar="A B", help="These two are one; repeatable.")
@click.option(
    "--apart",
    multiple=True,
    nargs=2,
    metavar="NAME DOC",
    help="The name does not mean this document, or two of one kind are two; repeatable.",
)
@click.option("--not-a-name", "nameless", multiple=True, metavar="NAME", help="It leads nowhere; repeatable.")
@click.option(
    "--from",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Rules from a file (JSONL or CSV): all or none.",
)
@click.option("--note", default="", help="Why: kept with the rules.")
@click.option("--rules", "listing", is_flag=True, help="List what was said, in force and undone.")
@click.option("--undo", type=click.IntRange(1), metavar="ID", help="Take a rule back.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option("--by", default="", help="Who says it (default: the user of this machine).")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--level", default="internal", help="Look as public, customer, internal (default) or restricted.")
@click.option("--acl", multiple=True, help="Look with these tags (default: everyone).")
@click.pass_context
def review(ctx: click.Context, **given: Any) -> None:
    """List names that are worth a look, worst first, and say what they mean: in force with the next question.

    Every rule can be taken back with --undo; the graph itself is never changed. Names and ids are those of
    `firstline graph show`.
    """
    saying = bool(given["same"] or given["apart"] or given["nameless"] or given["path"])
    if saying + given["listing"] + (given["undo"] is not None) > 1:
        raise click.UsageError("Say rules, list them with --rules, or take one back with --undo: one at a time.", ctx)
    if given["note"] and not saying:
        raise click.UsageError("--note belongs to a rule: add --same, --apart or --not-a-name.", ctx)
    settings = settings_from(ctx, kb=given["kb"])
    given |= {"level": level_named(given["level"]), "by": given["by"] or getpass.getuser()}
    if given["listing"]:
        run(_list(settings, given))
    elif given["undo"] is not None:
        run(_undo(settings, given))
    elif saying:
        run(_say(settings, given, _wanted(given)))
    else:
        run(_suggest(settings, given))


def _wanted(given: dict[str, Any]) -> list[Wanted]:
    from firstline.cli.graph_rules_file import rules_in
    from firstline.domain import RuleKind
    from firstline.questions.aliases.desk import Wanted

    note = given["note"]
    told = [Wanted(kind=RuleKind.SAME, first=a, second=b, note=note) for a, b in given["same"]]
    told += [Wanted(kind=RuleKind.APART, first=a, second=b, note=note) for a, b in given["apart"]]
    told += [Wanted(kind=RuleKind.NOT_A_NAME, first=name, note=note) for name in given["nameless"]]
    return told + (rules_in(given["path"], note=note) if given["path"] else [])


async def _say(settings: Any, given: dict[str, Any], wanted: list[Wanted]) -> None:
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        desk, scope = await _opened(firstline, given)
        kept = await desk.say(wanted, scope, by=given["by"])
    if given["as_json"]:
        say_json([_rule(rule) for rule in kept])
        return
    for rule in kept:
        say(_line(rule))
    say("In force with the next question; `firstline graph review --undo ID` takes one back.", dim=True)


async def _undo(settings: Any, given: dict[str, Any]) -> None:
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        desk, scope = await _opened(firstline, given)
        rule = await desk.undo(given["undo"], tenant=scope.tenant, kb=scope.kb, by=given["by"], reader=None)
    say_json(_rule(rule)) if given["as_json"] else say(_line(rule))


async def _list(settings: Any, given: dict[str, Any]) -> None:
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        desk, scope = await _opened(firstline, given)
        limit = given["limit"] or RULES_LISTED_MAX
        rules = await desk.said(tenant=scope.tenant, kb=scope.kb, limit=limit, reader=None)
    if given["as_json"]:
        say_json([_rule(rule) for rule in rules])
        return
    for rule in rules:
        say(_line(rule), dim=rule.undone_at is not None)
        if rule.note:
            say(f"      {rule.note}", dim=True)
    if not rules:
        say(f"Nobody has said anything of the names of {scope.kb!r}. `firstline graph review` shows what to look at.")


async def _suggest(settings: Any, given: dict[str, Any]) -> None:
    from firstline.questions.aliases.noticed import Sort
    from firstline.wiring import open_firstline

    sorts = [Sort(one) for one in given["sorts"]] or list(Sort)
    async with open_firstline(settings) as firstline:
        desk, scope = await _opened(firstline, given)
        found = await desk.suggested(scope, limit=min(given["limit"] or LISTED, LISTED_MAX), sorts=sorts)
    if given["as_json"]:
        say_json(_suggested(found))
        return
    counted = ", ".join(f"{count:,} {sort}" for sort, count in found.looked.by_sort.items())
    say(f"{found.looked.edges:,} edges of {scope.kb!r} were looked through: {counted}.")
    if found.looked.cut:
        say("The graph has more edges than that; these are a sample of it.", err=True)
    for one in found.shown:
        _print(one)


def _print(one: Suggestion) -> None:
    noticed = one.noticed
    both = _called(noticed.first) + (f" and {_called(noticed.second)}" if noticed.second else "")
    say(f"{noticed.sort:<7} {both}: {noticed.why}", bold=True)
    say(f"        {one.title} ({one.doc_id}): “{one.words}”")
    first, second = noticed.first.entity_id, noticed.second.entity_id if noticed.second else ""
    if second:
        say(f"        firstline graph review --same {shlex.join((first, second))}", dim=True)
    elif noticed.sort == "shared":
        others = ", ".join(doc for doc in noticed.doc_ids if doc != one.doc_id)
        say(f"        also {others}" if others else "        also others")
        say(f"        firstline graph review --apart {shlex.join((first, f'document:{one.doc_id}'))}", dim=True)
    else:
        say(f"        firstline graph review --not-a-name {shlex.quote(first)}", dim=True)


def _called(entity: Entity) -> str:
    return f"{_cut(entity.name)} ({_cut(entity.entity_id)})"


def _line(rule: GraphRule) -> str:
    if not rule.first:
        told = "about something that is forgotten"
    elif rule.kind == "same":
        told = f"{_cut(rule.first)} and {_cut(rule.second)} are one"
    elif rule.kind == "not_a_name":
        told = f"{_cut(rule.first)} is no name"
    elif rule.of_two:
        told = f"{_cut(rule.first)} and {_cut(rule.second)} are two"
    else:
        told = f"{_cut(rule.first)} does not mean {_cut(rule.second)}"
    said = f"{rule.by}, {rule.at:%Y-%m-%d %H:%M} UTC"
    if rule.undone_at is not None:
        said += f"; undone {rule.undone_at:%Y-%m-%d %H:%M} UTC" + (f" by {rule.undone_by}" if rule.undone_by else "")
    return f"{rule.number:>4}  {told} ({said})"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _rule(rule: GraphRule) -> dict[str, Any]:
    return {
        "id": rule.number,
        "kind": rule.kind.value,
        "first": rule.first,
        "second": rule.second,
        "note": rule.note,
        "by": rule.by,
        "at": rule.at.isoformat(),
        "undone_at": rule.undone_at.isoformat() if rule.undone_at else None,
        "undone_by": rule.undone_by,
    }


def _suggested(found: Suggested) -> dict[str, Any]:
    return {
        "edges": found.looked.edges,
        "cut": found.looked.cut,
        "by_sort": {sort.value: count for sort, count in found.looked.by_sort.items()},
        "suggestions": [
            {
                "sort": one.noticed.sort.value,
                "first": one.noticed.first.entity_id,
                "first_name": one.noticed.first.name,
                "second": one.noticed.second.entity_id if one.noticed.second else None,
                "second_name": one.noticed.second.name if one.noticed.second else None,
                "why": one.noticed.why,
                "documents": one.noticed.documents,
                "doc_ids": list(one.noticed.doc_ids),
                "words": one.words,
                "doc_id": one.doc_id,
                "title": one.title,
                "chunk_id": one.chunk_id,
            }
            for one in found.shown
        ],
    }


async def _opened(firstline: Firstline, given: dict[str, Any]) -> tuple[AliasDesk, Scope]:
    from firstline.domain import EVERYONE
    from firstline.errors import NotFound
    from firstline.ports import Scope

    if firstline.aliases is None:
        raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, and ingest again.")
    settings = firstline.settings
    await require_kb(firstline.knowledge, settings)
    published = await firstline.knowledge.published(tenant=settings.tenant, kb=settings.kb)
    tags = frozenset(given["acl"]) or frozenset({EVERYONE})
    return firstline.aliases, Scope(
        tenant=settings.tenant,
        kb=settings.kb,
        acl_tags=tags,
        level_max=given["level"],
        snapshot=published.number,
        forgotten=published.forgotten,
    )
