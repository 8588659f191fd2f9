"""`firstline ingest PATH... --dry-run`: what would change, and what it would take."""

from __future__ import annotations

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstline.cli.main import run
from firstline.cli.printing import say, say_json

if TYPE_CHECKING:
    from firstline.connectors.access_rules import AccessRules
    from firstline.connectors.files import FilesSource
    from firstline.documents.dry_run import DryRun
    from firstline.documents.estimate import Estimate
    from firstline.documents.run import Run

FAILURES_SHOWN = 50
MARKER = "firstline.json"


def estimated(
    settings: Any, paths: tuple[str, ...], *, rules: AccessRules, flags: dict[str, Any], **access: Any
) -> None:
    """Print it. Raises, behind that, what the run itself would be refused with."""
    from firstline.connectors.files import FilesSource

    source = FilesSource(
        paths,
        bytes_max=settings.file_bytes_max,
        may_be_empty=flags["prune"],
        rules=rules,
        name=flags["name"],
        **access,
    )
    found, asked = run(_estimated(settings, source, flags))
    if flags["as_json"]:
        say_json({"kb": settings.kb, **as_values(settings, found, source.ignored, asked=asked)})
    else:
        _print(settings, found, source.ignored, asked=asked)
        for notice in source.notices[:FAILURES_SHOWN]:
            say(f"notice: {notice}", err=True)
        for said in rules.unmet() if found.looked_whole else ():
            say(f"notice: {said}", err=True)
    if found.refusal is not None:
        raise found.refusal


async def _estimated(settings: Any, source: FilesSource, flags: dict[str, Any]) -> tuple[DryRun, bool]:
    """With whether chunks would be sent to an endpoint: then none is asked."""
    from firstline.documents.dry_run import dry_run
    from firstline.documents.prepare import prepare
    from firstline.documents.publish_policy import Policy
    from firstline.domain import Document, SourceItem
    from firstline.models.embedder import open_embedder
    from firstline.wiring import count_tokens, ocr_of, redactor_of

    asked = settings.embedder.startswith(("http://", "https://"))
    embedder = open_embedder(
        name=settings.embedder,
        model=settings.embedder_model,
        api_key=settings.embedder_api_key,
        threads=settings.embed_threads,
    )
    begun = await _begun(settings, embedder.model_id)
    redactor, ocr = redactor_of(settings), ocr_of(settings)

    def prepare_item(item: SourceItem, known: Document | None) -> Any:
        return prepare(
            item,
            tenant=settings.tenant,
            kb=settings.kb,
            candidate=1,
            redactor=redactor,
            count_tokens=count_tokens,
            chunk_tokens=settings.chunk_tokens,
            known=known,
            ocr=ocr,
            extract_graph=is_graph_on(settings),
        )

    found = await dry_run(
        source,
        run=begun,
        prepare_item=prepare_item,
        embedder=None if asked else embedder,
        dimensions=embedder.dimensions,
        prefixes=source.prefixes,
        prune=flags["prune"],
        origins=source.origins,
        moved=flags["moved"],
        force=flags["force"],
        policy=Policy(bulk_share=settings.bulk_share, wipe_share=settings.wipe_share),
    )
    return found, asked


async def _begun(settings: Any, embedder_id: str) -> Run:
    """What stands, as a run would find it; nothing where there is no data folder yet, and none is made."""
    from firstline.documents.run import Run
    from firstline.errors import InvalidInput
    from firstline.wiring import open_ledgers

    tenant, kb = settings.tenant, settings.kb
    begun = Run(tenant=tenant, kb=kb, candidate=0, on_progress=None)
    marked = (settings.data_folder / MARKER).exists()
    if not marked and not settings.database_url:
        return begun
    async with AsyncExitStack() as stack:
        if not marked:
            # A ledger elsewhere is read without making a folder for what lies beside it.
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="firstline-"))
            settings = settings.model_copy(update={"data_folder": Path(folder)})
        ledgers = await stack.enter_async_context(open_ledgers(settings))
        if kb not in await ledgers.knowledge.knowledge_bases(tenant=tenant):
            return begun
        begun.current = await ledgers.knowledge.current(tenant=tenant, kb=kb)
        begun.decided = await ledgers.quarantine.decided(tenant=tenant, kb=kb)
        made_by = (await ledgers.knowledge.status(tenant=tenant, kb=kb)).embedder_id
        if begun.current and made_by not in (None, embedder_id):
            raise InvalidInput(
                f"The vectors of the knowledge base {kb!r} were made by {made_by}, not by {embedder_id}.",
                remedy="Use that embedder, or ingest into another knowledge base with --kb.",
            )
    return begun


def is_graph_on(settings: Any) -> bool:
    return settings.graph != "off" and settings.extract_graph


def as_values(settings: Any, found: DryRun, ignored: int, *, asked: bool) -> dict[str, Any]:
    from firstline.documents.dry_run import total_s

    least, most = total_s(found)
    return {
        "written": False,
        "items": dict(found.items),
        "ignored": ignored,
        "looked_whole": found.looked_whole,
        "new": found.new,
        "changed": found.changed,
        "unchanged": found.unchanged,
        "gone": found.gone,
        "gone_would_end": not found.gone_kept,
        "refused": [{"item_id": one.item_id, "reason": one.reason} for one in found.refused],
        "refused_by_source": found.refused_count,
        "refused_in_sample": found.sampled_refused,
        "held_in_sample": found.held,
        "sample": {"items": found.sampled, "of": found.to_prepare, "chunks_embedded": found.embedded},
        "documents": _range(found.documents),
        "chunks": _range(found.chunks),
        "edges": _range(found.edges_all),
        "edges_by_relation": {relation.value: _range(one) for relation, one in found.edges.items()},
        "bytes": {
            "blobs": _range(found.blob_bytes),
            "index": _range(found.index_bytes),
            "ledger": _range(found.ledger_bytes),
        },
        "seconds": {
            "prepare": _range(found.prepare_s),
            "extract": _range(found.extract_s),
            "embed": None if found.embed_s is None else _range(found.embed_s),
            "at_least": _range(least),
            "at_most": _range(most),
        },
        "graph": settings.graph if is_graph_on(settings) else "off",
        "cost": None if asked else 0,
        "refusal": str(found.refusal) if found.refusal else None,
        "took_s": round(found.took_s, 2),
    }


def _range(one: Estimate) -> dict[str, float | None]:
    high = None if one.high == float("inf") else round(one.high, 3)
    return {"value": round(one.value, 3), "low": round(one.low, 3), "high": high}


def _print(settings: Any, found: DryRun, ignored: int, *, asked: bool) -> None:
    from firstline.documents.dry_run import total_s

    items = sum(found.items.values())
    say(f"Dry run: nothing was written. {items:,} items were read in {found.took_s:.1f} s.", bold=True)
    for media_type, count in sorted(found.items.items(), key=lambda one: (-one[1], one[0])):
        say(f"  {media_type:<28} {count:>9,}")
    if ignored:
        say(f"  {'(other files, left alone)':<28} {ignored:>9,}")
    if not found.looked_whole:
        say("The time was up before all was read: what follows is of the items above alone.", err=True)
    stays = " (they stay: --prune ends them)" if found.gone and found.gone_kept else ""
    say(
        f"{found.new:,} new, {found.changed:,} changed, {found.unchanged:,} unchanged"
        + (f", {found.gone:,} gone{stays}." if found.looked_whole else ".")
    )
    for failure in found.refused[:FAILURES_SHOWN]:
        say(f"not taken: {failure.item_id}: {failure.reason}", err=True)
    if found.refused_count or found.sampled_refused:
        of = f", and {found.sampled_refused:,} of the {found.sampled:,} in the sample" if found.sampled_refused else ""
        say(f"{found.refused_count:,} items would not be taken{of}.", err=True)
    if found.held:
        say(f"{found.held:,} of the sample read like instructions to an assistant and would wait in the quarantine.")
    all_of_it = found.sampled == found.to_prepare
    how = "all of it" if all_of_it else "drawn at random; nineteen times of twenty the truth lies between"
    say(f"Prepared: {found.sampled:,} of {found.to_prepare:,} items ({how}); embedded: {found.embedded:,} chunks.")
    for name, one in (("documents", found.documents), ("chunks", found.chunks), ("edges", found.edges_all)):
        say(_line(name, one, "{:,.0f}"))
    for relation, one in sorted(found.edges.items(), key=lambda pair: (-pair[1].value, pair[0])):
        say(_line(f"  {relation}", one, "{:,.0f}"))
    for name, one in (("blobs", found.blob_bytes), ("index", found.index_bytes), ("ledger", found.ledger_bytes)):
        say(_line(f"{name} on disk", one.times(1e-6), "{:,.1f} MB"))
    say(_line("parse, redact, chunk", found.prepare_s, "{:,.1f} s"))
    say(_line("extract", found.extract_s, "{:,.1f} s"))
    if found.embed_s is not None:
        say(_line("embed", found.embed_s, "{:,.1f} s"))
    least, most = total_s(found)
    ends = "" if found.embed_s is not None else ", besides what the embeddings endpoint takes"
    say(f"All of it: {least.value:,.0f} to {most.value:,.0f} s on this machine as busy as it is now{ends}.")
    graph = f"on ({settings.graph})" if is_graph_on(settings) else "off: no edges are extracted"
    say(f"The graph is {graph}.")
    if asked:
        say("Cost: no language model is asked. The chunks would go to the embeddings endpoint: see its maker's prices.")
    else:
        say("Cost: 0. No model outside this machine is asked.")


def _line(name: str, one: Estimate, form: str) -> str:
    value = form.format(one.value)
    if one.low == one.high:
        return f"  {name:<24} {value:>16}"
    high = "any" if one.high == float("inf") else form.format(one.high)
    return f"  {name:<24} {value:>16}   ({form.format(one.low)} to {high})"
