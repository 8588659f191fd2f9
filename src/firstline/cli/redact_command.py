"""`firstline redact FILE...`"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say
from firstline.cli.redact_preview import ID, LINK, TEXT, preview

PLACES_SHOWN = 200
EXIT_SOME_FAILED = 1
KEPT_IN_ID = "what is redacted elsewhere. An id is kept as it is, in lists and links too: rename the file or folder."


@click.command("redact")
@click.argument("paths", nargs=-1, required=True)
@click.option("--kind", default="documentation", help="documentation, ticket, issue, forum_post, note or faq.")
@click.option("--map", "mapping", default="", help="Other column names: text=Description,title=Summary.")
@click.option("--text", "as_text", is_flag=True, help="Print the redacted text.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, a document a line.")
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], kind: str, mapping: str, as_text: bool, as_json: bool) -> None:
    """Show what ingest would redact in files or folders, and where, without the values.

    Nothing is stored. Looked through are text with its headings, title, link, front matter and columns, and the id that
    is made of the file's name. Lines and columns are those of the text that is kept, which `--text` prints.
    """
    from firstline.cli.ingest_command import kind_named, parse_mapping

    settings = settings_from(ctx)
    given = kind_named(kind)
    failed = run(_preview(settings, paths, kind=given, mapping=parse_mapping(mapping), form=_form(as_text, as_json)))
    if failed:
        ctx.exit(EXIT_SOME_FAILED)


def _form(as_text: bool, as_json: bool) -> str:
    if as_text and as_json:
        raise click.UsageError("Give --text or --json, not both.")
    return "text" if as_text else "json" if as_json else "places"


async def _preview(settings: Any, paths: tuple[str, ...], *, kind: Any, mapping: Any, form: str) -> bool:
    from firstline.connectors.files import FilesSource
    from firstline.domain import EVERYONE, Failure, Level
    from firstline.errors import NotAccepted
    from firstline.wiring import ocr_of, redactor_of

    source = FilesSource(
        paths, kind=kind, acl=frozenset({EVERYONE}), level=Level.PUBLIC, map=mapping, bytes_max=settings.file_bytes_max
    )
    redactor, ocr = redactor_of(settings), ocr_of(settings)
    counts: Counter[str] = Counter()
    documents, ids, failed = 0, 0, False
    async for item in source.items():
        if isinstance(item, Failure):
            say(f"not taken: {item.item_id}: {item.reason}", err=True)
            failed = True
            continue
        try:
            report = preview(item, redactor, ocr=ocr)
        except NotAccepted as error:
            say(f"not taken: {item.item_id}: {error}", err=True)
            failed = True
            continue
        documents += 1
        counts.update(report["counts"])
        ids += bool(report["kept_in_id"])
        _print(report, form)
    if form == "places":
        told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "nothing"
        say(f"Redacted in {documents} {'document' if documents == 1 else 'documents'}: {told}.")
    if ids and form == "places":
        say(f"notice: {ids} {'id holds' if ids == 1 else 'ids hold'} {KEPT_IN_ID}", err=True)
    return failed


def _print(report: dict[str, Any], form: str) -> None:
    if form == "text":
        say(report["text"])
        return
    if form == "json":
        say(json.dumps({key: value for key, value in report.items() if key != "text"}, ensure_ascii=False))
        return
    places = [*report["places"], *report["kept_in_id"]]
    if places:
        say(f"{report['document']} ({report['kind']})")
    for place in places[:PLACES_SHOWN]:
        say(f"  {_where(place)}: {place['placeholder']}{_becomes(place)}")
    if len(places) > PLACES_SHOWN:
        say(f"  and {len(places) - PLACES_SHOWN} more; --json lists every one.")


def _where(place: dict[str, Any]) -> str:
    line, column = f"line {place['line']}", f"column {place['column']}"
    if place["where"] == TEXT:
        return f"{line}, {column}"
    return f"{place['where']}, {column}" if place["line"] == 1 else f"{place['where']}, {line}, {column}"


def _becomes(place: dict[str, Any]) -> str:
    return {LINK: " (the link is left out)", ID: " (KEPT: an id is not redacted)"}.get(place["where"], "")
