"""`firstline eval CASES.jsonl`"""

from __future__ import annotations

from pathlib import Path

import click

from firstline.cli.main import run, settings_from


@click.command("eval")
@click.argument("cases", type=click.Path(path_type=Path))
@click.option("--kb", help="Knowledge base (default: docs).")
@click.pass_context
def command(ctx: click.Context, cases: Path, kb: str | None) -> None:
    """Score a file of cases: retrieval and outcomes. docs/evaluation.md documents the format."""
    from firstline.evals.cases import load_cases
    from firstline.evals.run import evaluate
    from firstline.wiring import open_firstline

    settings = settings_from(ctx, kb=kb)
    loaded = load_cases(cases)

    async def work() -> str:
        async with open_firstline(settings) as firstline:
            return await evaluate(
                loaded,
                rank=firstline.questions.rank,
                ask=firstline.questions.ask,
                create_session=firstline.conversations.create_session,
                tenant=settings.tenant,
                kb=settings.kb,
            )

    click.echo(run(work()))
