"""`firstline eval CASES.jsonl`, `firstline eval --compare A.json B.json`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firstline.ports import KnowledgeLedger

MISSING_SHOWN = 20


@click.command("eval")
@click.argument("cases", type=click.Path(path_type=Path), required=False)
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option(
    "--compare",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="A B",
    help="Instead: two saved results, and whether B is better than A.",
)
@click.option(
    "--save", "save_as", type=click.Path(path_type=Path, dir_okay=False), help="Keep the results, for --compare."
)
@click.pass_context
def command(
    ctx: click.Context,
    cases: Path | None,
    kb: str | None,
    compare: tuple[Path, Path] | None,
    save_as: Path | None,
) -> None:
    """Score a file of cases: retrieval and outcomes. docs/evaluation.md documents the format."""
    if compare is None and cases is not None:
        say(_scores(ctx, cases, kb, save_as))
    elif compare is not None and cases is None and save_as is None:
        say(_differences(*compare))
    else:
        raise click.UsageError("Name a file of cases, or two results with --compare.", ctx)


def _scores(ctx: click.Context, cases: Path, kb: str | None, save_as: Path | None) -> str:
    from firstline.evals.cases import load_cases, with_known_documents
    from firstline.evals.report import full_report
    from firstline.evals.results import Results, save
    from firstline.evals.run import Runner, run_cases
    from firstline.wiring import check_gates, open_firstline

    settings = settings_from(ctx, kb=kb)
    loaded = load_cases(cases)

    async def work() -> Results:
        async with open_firstline(settings) as firstline:
            known = await documents_of(firstline.knowledge, settings.tenant, settings.kb)
            asked, missing = with_known_documents(loaded, known)
            warn(missing, settings.kb)
            await check_gates(firstline, kb=settings.kb)
            runner = Runner(
                rank_question=firstline.questions.rank,
                ask_question=firstline.questions.ask,
                create_session=firstline.conversations.create_session,
                tenant=settings.tenant,
                kb=settings.kb,
            )
            return await run_cases(asked, runner, name=cases.stem)

    results = run(work())
    if save_as is not None:
        save(results, save_as)
    return full_report(results)


async def documents_of(knowledge: KnowledgeLedger, tenant: str, kb: str) -> frozenset[str]:
    """The ids of its documents. InvalidInput when none is published: every case would fail, and none would say why."""
    from firstline.errors import InvalidInput

    if (await knowledge.published(tenant=tenant, kb=kb)).documents == 0:
        names = await knowledge.knowledge_bases(tenant=tenant)
        there = f"There are: {', '.join(names)}." if names else "There is none yet."
        what = f"The knowledge base {kb!r} is empty" if kb in names else f"There is no knowledge base {kb!r}"
        raise InvalidInput(f"{what}.", remedy=f"{there} `firstline ingest PATH --kb {kb}` makes one.")
    return frozenset(await knowledge.current(tenant=tenant, kb=kb))


def warn(missing: Sequence[str], kb: str) -> None:
    if not missing:
        return
    for doc_id in missing[:MISSING_SHOWN]:
        say(f"notice: the gold document {doc_id!r} is not in the knowledge base {kb!r}.", err=True)
    if len(missing) > MISSING_SHOWN:
        say(f"notice: {len(missing) - MISSING_SHOWN} more gold documents are not there.", err=True)
    say("notice: a case without any of its gold documents counts as unanswerable.", err=True)


def _differences(before: Path, after: Path) -> str:
    from firstline.evals.compare import compare
    from firstline.evals.results import load

    return compare(load(before), load(after))
