"""`firstline redact FILE...`"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import SourceItem
    from firstline.ports import Redactor

PLACES_SHOWN = 200
EXIT_SOME_FAILED = 1


@click.command("redact")
@click.argument("paths", nargs=-1, required=True)
@click.option("--kind", default="documentation", help="documentation, ticket, issue, forum_post, note or faq.")
@click.option("--map", "mapping", default="", help="Other column names: text=Description,title=Summary.")
@click.option("--text", "as_text", is_flag=True, help="Print the redacted text.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, a document a line.")
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], kind: str, mapping: str, as_text: bool, as_json: bool) -> None:
    """Show what ingest would redact in files or folders, and where, without the values.

    Nothing is stored. Lines and columns are those of the text that is kept, which `--text` prints.
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
    from firstline.wiring import redactor_of

    source = FilesSource(
        paths, kind=kind, acl=frozenset({EVERYONE}), level=Level.PUBLIC, map=mapping, bytes_max=settings.file_bytes_max
    )
    redactor = redactor_of(settings)
    counts: Counter[str] = Counter()
    documents, failed = 0, False
    async for item in source.items():
        if isinstance(item, Failure):
            say(f"not taken: {item.item_id}: {item.reason}", err=True)
            failed = True
            continue
        try:
            report = preview(item, redactor)
        except NotAccepted as error:
            say(f"not taken: {item.item_id}: {error}", err=True)
            failed = True
            continue
        documents += 1
        counts.update(report["counts"])
        _print(report, form)
    if form == "places":
        told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "nothing"
        say(f"Redacted in {documents} {'document' if documents == 1 else 'documents'}: {told}.")
    return failed


def preview(item: SourceItem, redactor: Redactor) -> dict[str, Any]:
    """What `ingest` would take out of a document's text and title. NotAccepted when it cannot be read."""
    from firstline.documents.parse import parse

    parsed = parse(item)
    of_document = redactor.for_document(item.kind)
    redacted = of_document.redact(parsed.text)
    title = of_document.redact(parsed.title)
    # A title that is the text's own first line is counted with it.
    of_title = () if parsed.title in parsed.text else title.redactions
    lines = [0, *(at + 1 for at, sign in enumerate(parsed.text) if sign == "\n")]
    places = [
        {
            "type": one.type,
            "placeholder": one.placeholder,
            "line": (line := bisect_right(lines, one.start)),
            "column": one.start - lines[line - 1] + 1,
            "characters": one.end - one.start,
        }
        for one in redacted.redactions
    ]
    return {
        "document": item.item_id,
        "kind": item.kind.value,
        "title": title.text,
        "counts": dict(Counter(one.type for one in (*of_title, *redacted.redactions))),
        "places": places,
        "text": redacted.text,
    }


def _print(report: dict[str, Any], form: str) -> None:
    if form == "text":
        say(report["text"])
        return
    if form == "json":
        say(json.dumps({key: value for key, value in report.items() if key != "text"}, ensure_ascii=False))
        return
    places = report["places"]
    if places:
        say(f"{report['document']} ({report['kind']})")
    for place in places[:PLACES_SHOWN]:
        say(f"  line {place['line']}, column {place['column']}: {place['placeholder']}")
    if len(places) > PLACES_SHOWN:
        say(f"  and {len(places) - PLACES_SHOWN} more; --json lists every one.")
