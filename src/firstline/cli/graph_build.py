"""`firstline graph build`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import named, say, say_json

if TYPE_CHECKING:
    from firstline.documents.build_graph import GraphBuilt

EXIT_DIFFERS = 1
LOG_EVERY_S = 10.0


@click.command("build")
@click.option("--check", is_flag=True, help="Only compare and count; exit code 1 when something differs.")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def build(ctx: click.Context, check: bool, kb: str | None, quiet: bool, as_json: bool) -> None:
    """Make edges anew from what was ingested, without asking any source.

    For documents that were taken while the graph was off, kept in another database, or read by earlier rules. What is
    right is left alone; a build that was stopped is run again.
    """
    settings = settings_from(ctx, kb=kb)
    built = run(_build(settings, check=check, quiet=quiet))
    if as_json:
        say_json({"kb": settings.kb, "checked_only": check, **_values(built)})
    else:
        _print(settings.kb, built, check=check)
    if built.unread or (check and built.differs):
        sys.exit(EXIT_DIFFERS)


async def _build(settings: Any, *, check: bool, quiet: bool) -> GraphBuilt:
    from tqdm import tqdm

    from firstline.documents.build_graph import GraphBuild
    from firstline.errors import InvalidInput, NotFound
    from firstline.wiring import open_firstline, open_graph

    if settings.graph == "off":
        raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, then repeat.")
    if not settings.extract_graph:
        raise InvalidInput(
            "`extract_graph` is false: documents say no edges, so there is nothing to build.",
            remedy="Set `extract_graph` to true, then repeat.",
        )
    # Its own look at the graph: what is stored, and not what people corrected.
    async with open_firstline(settings) as firstline, open_graph(settings, firstline.ledgers) as graph:
        if graph is None:
            raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, then repeat.")
        building = GraphBuild(
            ledger=firstline.knowledge,
            revisions=firstline.ledgers.revisions,
            blobs=firstline.blobs,
            graph=graph,
        )
        pace_s = 0.1 if sys.stderr.isatty() else LOG_EVERY_S
        with tqdm(unit=" revisions", disable=quiet, desc="graph", file=sys.stderr, mininterval=pace_s) as bar:

            def show(built: GraphBuilt) -> None:
                bar.set_postfix_str(f"{built.edges} edges, {built.rewritten} to write", refresh=False)
                bar.update(built.revisions - bar.n)

            return await building.build(tenant=settings.tenant, kb=settings.kb, check=check, on_progress=show)


def _values(built: GraphBuilt) -> dict[str, Any]:
    return {
        "revisions": built.revisions,
        "documents": built.documents,
        "edges": built.edges,
        "missing": built.missing,
        "wrong": built.wrong,
        "extra": built.extra,
        "revisions_that_differ": built.rewritten,
        "revisions_unread": built.unread,
        "documents_unread": built.unread_ids,
    }


def _print(kb: str, built: GraphBuilt, *, check: bool) -> None:
    say(
        f"Knowledge base {kb!r}: {built.documents:,} documents, {built.revisions:,} revisions of them are held; "
        f"they say {built.edges:,} edges."
    )
    counted = (
        f"{built.missing:,} were missing, {built.wrong:,} were another or by other rules, {built.extra:,} too many, "
        f"in {built.rewritten:,} revisions"
    )
    if not built.differs:
        say("The graph is what they say.")
    elif check:
        say(f"{counted}. `firstline graph build` mends them.")
    else:
        say(f"{counted}: written anew.")
    if built.unread:
        say(
            f"{built.unread:,} revisions were left as they are, because their text is not in the blob store: "
            f"{named(built.unread_ids)}. Change these documents and ingest them, or forget them.",
            err=True,
        )
