"""`firstline eval CASES.jsonl`, `firstline eval --compare A.json B.json`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from firstline.evals.results import Results
    from firstline.ports import KnowledgeLedger

EXIT_WORSE = 1
MISSING_SHOWN = 20
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("eval")
@click.argument("cases", type=click.Path(path_type=Path), required=False)
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option(
    "--settings",
    "settings_files",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Run the cases with this settings file; given twice or more, each is compared with the first.",
)
@click.option("--baseline", type=_FILE, help="Saved results: which cases were right there and are not now?")
@click.option(
    "--fail-on-regression", is_flag=True, help="Exit with 1 when a case got worse than in the baseline or in the first."
)
@click.option("--allow", type=click.IntRange(min=0), default=0, help="So many cases may get worse (default: 0).")
@click.option("--judge", is_flag=True, help="Let the model of the role `judge` mark the answers (costs calls).")
@click.option("--force-same-judge", is_flag=True, help="Even when it judges what it wrote itself.")
@click.option("--judgements", type=_FILE, help="Keep them in this file (default: judgements.jsonl in the data folder).")
@click.option("--compare", nargs=2, type=_FILE, metavar="A B", help="Two saved results: is B better than A?")
@click.option("--save", "save_as", type=_FILE, help="Keep the results, for --compare and --baseline.")
@click.pass_context
def command(
    ctx: click.Context,
    cases: Path | None,
    kb: str | None,
    settings_files: tuple[Path, ...],
    baseline: Path | None,
    fail_on_regression: bool,
    allow: int,
    judge: bool,
    force_same_judge: bool,
    judgements: Path | None,
    compare: tuple[Path, Path] | None,
    save_as: Path | None,
) -> None:
    """Score a file of cases: retrieval and outcomes. docs/evaluation.md documents the format."""
    from firstline.cli.eval_judging import Judging

    judging = Judging(wanted=judge, forced=force_same_judge, file=judgements)
    if compare is not None:
        if cases is not None or save_as is not None or baseline is not None or settings_files:
            raise click.UsageError("Name a file of cases, or two results with --compare and nothing beside them.", ctx)
        _compare_saved(settings_from(ctx, kb=kb), compare, judging)
        return
    if cases is None:
        raise click.UsageError("Name a file of cases, or two results with --compare.", ctx)
    if fail_on_regression and baseline is None and len(settings_files) < 2:
        raise click.UsageError("--fail-on-regression needs --baseline, or --settings twice.", ctx)
    if save_as is not None and len(settings_files) > 1:
        raise click.UsageError("--save keeps one run: name one --settings with it.", ctx)
    worse = _run(ctx, cases, kb, settings_files, baseline, judging, save_as)
    if fail_on_regression and worse > allow:
        say(f"\n{worse} cases got worse, and {allow} may.", err=True)
        ctx.exit(EXIT_WORSE)


def _run(
    ctx: click.Context,
    cases: Path,
    kb: str | None,
    settings_files: tuple[Path, ...],
    baseline: Path | None,
    judging: Any,
    save_as: Path | None,
) -> int:
    """Runs the cases once for each settings file; the most cases that got worse in a comparison."""
    from firstline.cli.eval_runs import run_with, settings_with
    from firstline.evals.cases import load_cases
    from firstline.evals.compare import compare
    from firstline.evals.report import full_report
    from firstline.evals.results import load, save

    loaded = load_cases(cases)
    before = None if baseline is None else load(baseline)
    several = settings_with(ctx, settings_files, kb=kb)
    for one in several:
        judging.check(one.settings)
    done: list[Results] = []
    for one in several:
        name = f"{cases.stem} with {one.name}" if one.name else cases.stem
        results = run(run_with(one.settings, loaded, name=name))
        done.append(results)
        if len(several) > 1:
            say(f"== {one.name} ==\n")
        say(full_report(results))
        say("".join(f"\n{part}\n" for part in run(judging.marks(one.settings, results))), nl=False)
    if save_as is not None:
        save(done[0], save_as)
    worse = 0
    firsts = [before] * len(done) if before is not None else [done[0]] * (len(done) - 1)
    for old, new, one in zip(firsts, done[-len(firsts) :] if firsts else [], several[-len(firsts) :], strict=False):
        say(f"\n{compare(old, new)}")
        say("".join(f"\n{part}\n" for part in run(judging.preferred(one.settings, old, new))), nl=False)
        worse = max(worse, _worse(old, new))
    return worse


def _worse(before: Results, after: Results) -> int:
    """Says which cases were right before and are not now; gives how many."""
    from firstline.evals.check import beside

    found = beside(before.judged, after.judged)
    say(f"\nRight: {found.right_before} before, {found.right_after} now, of {found.cases}. Worse: {found.worse}.")
    for change in found.changes:
        if change.worse:
            say(f"  WORSE {change.key}: {change.before} -> {change.after}: {change.question[:80]}")
    return found.worse


def _compare_saved(settings: Any, files: tuple[Path, Path], judging: Any) -> None:
    from firstline.evals.compare import compare
    from firstline.evals.results import load

    before, after = (load(file) for file in files)
    judging.check(settings)
    say(compare(before, after))
    say("".join(f"\n{part}\n" for part in run(judging.preferred(settings, before, after))), nl=False)


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
