"""What a snapshot changes for those who ask: golden cases on both sides, and last week's turns on the new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firstline.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    from firstline.evals.cases import Case
    from firstline.evals.check import Checked
    from firstline.evals.run import Runner
    from firstline.wiring import Firstline

GOLDEN_MAX: Final = 10_000
REPLAYED_DAYS: Final = 7
PAGE: Final = 500
DIFFERENCES_SHOWN: Final = 40


async def waiting_snapshot(firstline: Firstline, number: int | None) -> tuple[int, int]:
    """The published snapshot and the one to check: by default the newest that waits. Conflict when none does."""
    where = {"tenant": firstline.settings.tenant, "kb": firstline.settings.kb}
    published = await firstline.knowledge.published(**where)
    status = await firstline.knowledge.status(**where)
    if number is None and not status.waiting:
        raise Conflict("No snapshot waits.", remedy="`firstline ingest --candidate` makes one that does.")
    return published.number, number if number is not None else max(status.waiting)


async def golden_check(firstline: Firstline, before: int, after: int, *, cases: Path | None) -> Checked:
    """Nothing is recorded and nobody is told. InvalidInput when there are no cases."""
    from firstline.evals.check import check

    known = await golden_cases(firstline, cases)
    if not known:
        raise InvalidInput(
            "There are no golden cases to check with.",
            remedy="Name a file with --cases or in `golden_cases`, or judge turns with `firstline review`.",
        )
    return await check(known, _runner(firstline, before), _runner(firstline, after))


async def golden_cases(firstline: Firstline, file: Path | None) -> Sequence[Case]:
    from firstline.evals.cases import load_cases, parse_case
    from firstline.evals.golden import golden

    settings = firstline.settings
    if file is not None or settings.golden_cases:
        return load_cases(file or Path(settings.golden_cases))
    where = {"tenant": settings.tenant, "kb": settings.kb}
    current = await firstline.knowledge.current(**where)
    judged = await firstline.review.judged(**where, limit=GOLDEN_MAX)
    found = [golden(one, turns, tenant=settings.tenant, current=current) for one, turns in judged]
    return [parse_case(one.case) for one in found if one.case is not None]


async def replayed(firstline: Firstline, snapshot: int, *, limit: int) -> list[str]:
    """Turns of the last week, taken on another snapshot; what changed of their outcome, in lines."""
    from firstline.evals.run import USER
    from firstline.questions.replay import asker_of, replay

    tenant, kb = firstline.settings.tenant, firstline.settings.kb
    principals = [key.principal for key in await firstline.keys.keys(tenant=tenant)]
    after = (datetime.now(UTC) - timedelta(days=REPLAYED_DAYS), "", 0)
    taken = skipped = 0
    lines: list[str] = []
    while taken < limit:
        page = await firstline.feedback.changes(tenant=tenant, after=after, without_user=USER, limit=PAGE)
        for known in page:
            after = (known.at, known.session.session_id, known.turn.number)
            asker = asker_of(known.turn, known.session, principals)
            if known.session.kb != kb or taken >= limit:
                continue
            if asker is None:
                skipped += 1
                continue
            taken += 1
            there = replace(known.turn, snapshot=snapshot)
            found = await replay(
                there, known.session, asker, journey=firstline.questions, conversations=firstline.conversations
            )
            lines += [
                f"  {known.session.session_id}.{known.turn.number}: {one.then} -> {one.now}: {known.turn.question[:60]}"
                for one in found.differences
                if one.what == "outcome"
            ]
        if len(page) < PAGE:
            break
    head = f"Of {taken} turns of the last {REPLAYED_DAYS} days {len(lines)} come to something else on {snapshot}."
    tail = [f"{skipped} were left out: nobody is known who may see what their asker could."] if skipped else []
    return [head, *lines[:DIFFERENCES_SHOWN], *tail]


def _runner(firstline: Firstline, snapshot: int) -> Runner:
    from firstline.engines.memory.ledger import MemoryConversationLedger
    from firstline.evals.run import Runner

    conversations = MemoryConversationLedger()
    journey = firstline.questions_apart(conversations)
    return Runner(
        rank_question=journey.rank,
        ask_question=journey.ask,
        create_session=conversations.create_session,
        tenant=firstline.settings.tenant,
        kb=firstline.settings.kb,
        snapshot=snapshot,
    )
