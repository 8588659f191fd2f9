"""`firstline calibrate CASES`"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.numbers import Between
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import CalibratedGates
    from firstline.evals.calibrate import Chosen, Seen, Wanted
    from firstline.evals.cases import Case
    from firstline.wiring import Firstline

MIX_MAX = 20
HOW_TO_DRAW = 'no curve.png: `pip install "firstline[plot]"` brings what draws it; then run this again.'


@click.command("calibrate")
@click.argument("cases", type=click.Path(path_type=Path))
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option(
    "--max-wrong",
    default=0.01,
    show_default=True,
    type=Between(0.0001, 0.5),
    help="Wrong answers shown / all questions asked, at most.",
)
@click.option(
    "--confidence",
    default=0.95,
    show_default=True,
    type=Between(0.8, 0.9999),
    help="How certain that must be.",
)
@click.option(
    "--max-wrong-unsure",
    type=Between(0.0001, 0.5),
    help="A laxer bound for everything shown, answers with a disclaimer included (default: no such answers).",
)
@click.option(
    "--mix",
    default="1:1:1",
    show_default=True,
    help="Questions with an answer here : the same with their documents missing : without an answer.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the curve (default: calibration-KB-DATE).",
)
@click.option("--dry-run", is_flag=True, help="Write the curve, and leave the gates as they are.")
@click.pass_context
def command(
    ctx: click.Context,
    cases: Path,
    kb: str | None,
    max_wrong: float,
    confidence: float,
    max_wrong_unsure: float | None,
    mix: str,
    out: Path | None,
    dry_run: bool,
) -> None:
    """Set the gates from labelled cases, so that few wrong answers are shown, with stated certainty.

    Asks every case of the file (docs/evaluation.md documents the format) twice and more: that takes minutes. Refuses,
    and changes nothing, when there are too few cases or no threshold keeps the bound. Use cases that nothing was tuned
    on.
    """
    from firstline.errors import InvalidInput
    from firstline.evals.calibrate import Wanted

    settings = settings_from(ctx, kb=kb)
    unsure = max_wrong if max_wrong_unsure is None else max_wrong_unsure
    if unsure < max_wrong:
        raise InvalidInput(
            f"--max-wrong-unsure {unsure:g} is stricter than --max-wrong {max_wrong:g}.",
            remedy="It bounds everything shown, so it must be the laxer one; without it nothing has a disclaimer.",
        )
    wanted = Wanted(max_wrong=max_wrong, max_wrong_unsure=unsure, certainty=confidence, mix=mix_named(mix))
    folder = out or Path(f"calibration-{settings.kb}-{datetime.now(UTC):%Y-%m-%d}")
    run(_calibrate(settings, cases, wanted, folder, dry_run))


def mix_named(text: str) -> tuple[int, int, int]:
    """Three whole numbers. InvalidInput when they are not."""
    from firstline.errors import InvalidInput

    parts = text.split(":")
    if len(parts) == 3 and all(part.isdecimal() and int(part) <= MIX_MAX for part in parts):
        asked, removed, away = (int(part) for part in parts)
        if asked:
            return asked, removed, away
    raise InvalidInput(
        f"--mix {text} is not a mix.",
        remedy=f"Write three whole numbers up to {MIX_MAX} like 2:1:1, the first of them not 0.",
    )


async def _calibrate(settings: Any, path: Path, wanted: Wanted, folder: Path, dry_run: bool) -> None:
    from firstline.cli.eval_command import documents_of, warn
    from firstline.evals.calibrate import choose
    from firstline.evals.calibration_cases import check_enough
    from firstline.evals.calibration_files import chosen_in_words, write_files
    from firstline.evals.cases import each_once, load_cases, with_known_documents
    from firstline.wiring import open_firstline

    loaded, repeated = each_once(load_cases(path))
    if repeated:
        say(f"notice: {left_out(repeated)}", err=True)
    async with open_firstline(settings) as firstline:
        known = await documents_of(firstline.knowledge, settings.tenant, settings.kb)
        cases, missing = with_known_documents(loaded, known)
        warn(missing, settings.kb)
        snapshot = await firstline.knowledge.published(tenant=settings.tenant, kb=settings.kb)
        check_enough(cases, wanted)
        seen = await ask_all(firstline, cases)
        chosen = choose(seen, wanted)
        gates = gates_of(firstline, seen, chosen, wanted, snapshot=snapshot.number)
        if not dry_run:
            gates = await firstline.gates.add_gates(gates)
    drawn = write_files(folder, chosen, wanted, about=about(gates, seen, path))
    say(chosen_in_words(chosen, wanted))
    if dry_run:
        say(f"Nothing was changed (--dry-run). The curve is in {folder}.")
    else:
        say(f"In force as version {gates.version} of {settings.kb!r}. The curve is in {folder}.")
    if not drawn:
        say(HOW_TO_DRAW, err=True)


def left_out(repeated: int) -> str:
    cases = "1 case repeats the messages of another one and is" if repeated == 1 else ""
    return (
        f"{cases or f'{repeated} cases repeat the messages of others and are'} left out: each conversation counts once."
    )


async def ask_all(firstline: Firstline, cases: list[Case]) -> list[Seen]:
    """Every case through the journey, with the gates held open and closed."""
    from firstline.evals.calibrate import NEVER
    from firstline.evals.calibration_cases import see
    from firstline.evals.run import Runner
    from firstline.wiring import held_apart

    def runner(threshold: float) -> Runner:
        journey, conversations = held_apart(firstline, threshold)
        return Runner(
            rank_question=journey.rank,
            ask_question=journey.ask,
            create_session=conversations.create_session,
            tenant=firstline.settings.tenant,
            kb=firstline.settings.kb,
            history_turns=firstline.settings.history_turns,
        )

    return await see(cases, ask_open=runner(0.0).ask, ask_closed=runner(NEVER).ask)


def gates_of(
    firstline: Firstline, seen: list[Seen], chosen: Chosen, wanted: Wanted, *, snapshot: int
) -> CalibratedGates:
    from firstline.domain import CalibratedGates
    from firstline.evals.drift import REFERENCE_MAX
    from firstline.evals.summary import REMOVED
    from firstline.questions.gates_in_force import hash_of

    values = [one.relevance for one in seen if one.kind != REMOVED and one.relevance >= 0]
    return CalibratedGates(
        tenant=firstline.settings.tenant,
        kb=firstline.settings.kb,
        snapshot=snapshot,
        retrieval_hash=hash_of(firstline.knobs),
        knobs=firstline.knobs,
        thresholds=chosen.thresholds,
        max_wrong=wanted.max_wrong,
        max_wrong_unsure=wanted.max_wrong_unsure,
        certainty=wanted.certainty,
        cases=sum(one.kind != REMOVED for one in seen),
        tested=chosen.at.tested,
        wrong=chosen.at.wrong,
        wrong_bound=chosen.at.bound,
        coverage=chosen.at.coverage,
        relevance_values=tuple(values[:REFERENCE_MAX]),
        calibrated_at=datetime.now(UTC),
    )


def about(gates: CalibratedGates, seen: list[Seen], path: Path) -> dict[str, str]:
    from firstline.evals.calibrate import KINDS

    counts = ", ".join(f"{sum(one.kind == kind for one in seen)} {kind}" for kind in KINDS)
    return {
        "knowledge base": f"{gates.kb}, snapshot {gates.snapshot}",
        "cases": f"{path.name}: {counts}",
        "gates": f"version {gates.version}" if gates.version else "not put in force",
        "retrieval": gates.retrieval_hash,
        "date": f"{gates.calibrated_at:%Y-%m-%d %H:%M} UTC",
    }
