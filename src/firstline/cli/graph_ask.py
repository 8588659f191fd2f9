"""`firstline graph ask`"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import named, say, say_json

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from firstline.documents.asked.run import GraphAsk, GraphAsked

KEPT_IN: Final = "graph_asked.jsonl"


@click.command("ask")
@click.option("--estimate", is_flag=True, help="Only count: chunks, tokens and cost. Nobody is asked.")
@click.option("--calls-max", type=click.IntRange(min=1), help="At most so many calls: one a chunk.")
@click.option("--retry", is_flag=True, help="Also chunks whose answers could not be read before.")
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def ask(ctx: click.Context, estimate: bool, calls_max: int | None, retry: bool, kb: str | None, as_json: bool) -> None:
    """Let the model of [models.small] read chunks for what rules miss; every edge is quoted.

    Say --estimate first: without --calls-max nobody is asked. What was asked is not asked again, and a run that was
    stopped is run again.
    """
    settings = settings_from(ctx, kb=kb)
    if estimate or calls_max is None:
        chunks, tokens_in, tokens_out = run(_estimated(settings, retry=retry))
        price = settings.models.small.chain[0]
        cost = (tokens_in * price.price_in + tokens_out * price.price_out) / 1_000_000
        values = {
            "kb": settings.kb,
            "chunks": chunks,
            "tokens_in": tokens_in,
            "tokens_out_max": tokens_out,
            "cost": cost,
        }
        if as_json:
            say_json(values)
            return
        say(f"{chunks:,} chunks to ask about: some {tokens_in:,} tokens in, {tokens_out:,} out at most.")
        say(f"Cost by the settings' prices: {cost:.2f} at most.")
        say("`firstline graph ask --calls-max N` asks about N of them." if chunks else "Nothing is left to ask.")
        return
    told = run(_asked(settings, calls_max=calls_max, retry=retry))
    if as_json:
        say_json({"kb": settings.kb, **_values(told)})
    else:
        _print(told)


@asynccontextmanager
async def _opened(settings: Any) -> AsyncGenerator[GraphAsk]:
    from firstline.documents.asked.kept import AskedChunks
    from firstline.documents.asked.run import GraphAsk
    from firstline.domain import ModelRole
    from firstline.errors import InvalidInput, graph_is_off
    from firstline.wiring import open_firstline, open_graph

    if settings.graph == "off" or not settings.extract_graph:
        raise graph_is_off()
    if ModelRole.SMALL.value not in settings.models.roles:
        raise InvalidInput(
            "No model is configured that reads chunks.", remedy="Name one: `chain` in [models.small] (docs/models.md)."
        )
    async with open_firstline(settings) as firstline, open_graph(settings, firstline.ledgers) as graph:
        if graph is None or firstline.models is None:
            raise graph_is_off()
        yield GraphAsk(
            firstline.models.language,
            ledger=firstline.knowledge,
            revisions=firstline.ledgers.revisions,
            blobs=firstline.blobs,
            graph=graph,
            done=AskedChunks(settings.data_folder / KEPT_IN),
        )


async def _estimated(settings: Any, *, retry: bool) -> tuple[int, int, int]:
    async with _opened(settings) as asking:
        return await asking.estimate(tenant=settings.tenant, kb=settings.kb, retry=retry)


async def _asked(settings: Any, *, calls_max: int, retry: bool) -> GraphAsked:
    from firstline.cli.progress import counted

    async with _opened(settings) as asking:
        with counted("asked") as show:
            return await asking.run(
                tenant=settings.tenant,
                kb=settings.kb,
                calls_max=calls_max,
                retry=retry,
                on_progress=lambda told: show(told.asked, calls_max),
            )


def _values(told: GraphAsked) -> dict[str, Any]:
    return {
        "chunks": told.chunks,
        "asked_before": told.before,
        "asked": told.asked,
        "left": told.left,
        "edges_kept": told.kept,
        "fell": dict(told.fell),
        "tokens_in": told.tokens_in,
        "tokens_out": told.tokens_out,
        "cost": told.cost,
        "quarantined": told.quarantined,
        "chunks_quarantined": told.quarantined_ids,
        "stopped": told.stopped,
    }


def _print(told: GraphAsked) -> None:
    say(
        f"{told.asked:,} chunks asked, {told.kept:,} edges kept; {told.before:,} were asked before, {told.left:,} are "
        f"left. {told.tokens_in:,} tokens in, {told.tokens_out:,} out, cost {told.cost:.4f}."
    )
    fell = [f"{why} {count}" for why, count in told.fell.most_common() if count]
    if fell:
        say(f"Not kept: {'; '.join(fell)}.")
    if told.quarantined:
        say(f"{told.quarantined:,} answers could not be read (--retry asks again): {named(told.quarantined_ids)}.")
    if told.stopped:
        say(f"Stopped by {told.stopped}; run it again to go on.")
