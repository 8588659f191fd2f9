"""Ask cases for calibration: with the gates held open, and those that got an answer once more with the gates closed.

What is still answered then is answered whatever the gates say (a curated answer, a page asked for by its code): no
threshold keeps it back, and its errors count at every threshold.
"""

from __future__ import annotations

from collections.abc import Sequence

from firstline.domain import Reason, Turn
from firstline.errors import Unavailable
from firstline.evals.calibrate import Seen, Wanted, rounds_of
from firstline.evals.cases import Case
from firstline.evals.evaluate import LABELLED, REMOVED, Ask, Judged, OnDone, ask_cases, judge
from firstline.evals.summary import ANSWERABLE, UNANSWERABLE, kind_of

FAILED_SHOWN = 5


def check_enough(cases: Sequence[Case], wanted: Wanted) -> None:
    """InvalidInput when there are too few cases, before they are asked: that takes minutes."""
    kinds = [(kind_of(judge(case, None)), bool(case.docs)) for case in cases]
    rounds_of(kinds.count((ANSWERABLE, True)), sum(kind == UNANSWERABLE for kind, _ in kinds), wanted)


async def see(cases: Sequence[Case], *, ask_open: Ask, ask_closed: Ask, on_done: OnDone | None = None) -> list[Seen]:
    """Labelled cases as they are, and those with an answer once more without their gold documents.

    Unavailable when a turn failed or a stage was done without: what is not answered for that reason would look safe.
    """
    failed: list[str] = []
    found: list[Seen] = []
    for condition in (LABELLED, REMOVED):
        judged = await ask_cases(cases, _watched(ask_open, failed), condition=condition, on_done=on_done)
        failed += [one.key for one in judged if one.error]
        shown = {one.key for one in judged if one.shown}
        again = [case for case in cases if case.key in shown]
        closed = await ask_cases(again, _watched(ask_closed, failed), condition=condition, on_done=on_done)
        failed += [one.key for one in closed if one.error]
        regardless = {one.key for one in closed if one.shown}
        found += [_seen(one, kind, regardless) for one in judged if (kind := kind_of(one)) is not None]
    if failed:
        names = ", ".join(list(dict.fromkeys(failed))[:FAILED_SHOWN])
        raise Unavailable(
            f"{len(set(failed))} cases failed or were answered without a stage ({names}): nothing can be concluded.",
            remedy="`firstline doctor` looks closer; calibrate again when all is well. Nothing was changed.",
        )
    labelled = {one.key for one in found if one.kind != REMOVED}
    return [one for one in found if one.key in labelled]


def _seen(judged: Judged, kind: str, regardless: set[str]) -> Seen:
    return Seen(
        key=judged.key,
        kind=kind,
        composed=judged.shown,
        regardless=judged.key in regardless,
        wrong=judged.wrong,
        relevance=judged.relevance,
        confidence=judged.confidence,
    )


def _watched(ask: Ask, failed: list[str]) -> Ask:
    async def watched(case: Case, exclude: frozenset[str]) -> Turn:
        turn = await ask(case, exclude)
        handoff = getattr(turn.outcome, "handoff", None)
        if turn.degraded or (handoff is not None and handoff.reason is Reason.PROVIDER_FAILURE):
            failed.append(case.key)
        return turn

    return watched
