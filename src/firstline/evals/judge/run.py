"""The judge on a whole run: marks for what was answered, and beside them what people said of the same turns."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from firstline.domain import Answered, Judgement, Turn, Verdict
from firstline.errors import FirstlineError
from firstline.evals.evaluate import LABELLED, Judged, OnDone
from firstline.evals.judge.agreement import Agreement, agreement, level_of_marks
from firstline.evals.judge.asking import MARK_MAX, Answer, Judge, Marks
from firstline.evals.judge.pairs import Preferred, both, compared
from firstline.evals.scorers import answer_text, spans_of

T = TypeVar("T")
U = TypeVar("U")

AT_ONCE: Final = 4
PEOPLE_MAX: Final = 500
"""Turns that people judged, the newest first."""
SPANS_MAX: Final = 40
LEVEL_OF: Final = {Verdict.GOOD: 2, Verdict.PARTLY: 1, Verdict.WRONG: 0, Verdict.UNANSWERABLE: 0}
"""Of a turn that was answered; one that has no answer here should not have been."""

ReadSpan = Callable[[str, int, int], Awaitable[bytes]]
"""Bytes of a blob, as `ports.BlobStore.get_range` reads them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Believed:
    """A run's marks, with what they are worth. `marks` in the order of the cases; `people` are turns that people
    judged, `agreement` how the judge's marks for those go with what they said."""

    judge_id: str
    asked: int
    agreement: Agreement
    marks: tuple[Marks, ...]

    @property
    def judged(self) -> list[Marks]:
        return [one for one in self.marks if one.judged]

    def mean(self, name: str) -> float | None:
        judged = self.judged
        return sum(getattr(one, name) for one in judged) / len(judged) if judged else None

    def spread(self, name: str) -> dict[int, int]:
        """How often each mark was given: a judge that always gives one says nothing."""
        counts = Counter(int(getattr(one, name)) for one in self.judged)
        return {mark: counts[mark] for mark in range(1, MARK_MAX + 1)}

    @property
    def why_not(self) -> dict[str, int]:
        return dict(Counter(one.why_not for one in self.marks if not one.judged))


async def answers_of(judged: Sequence[Judged], read: ReadSpan, *, all_outcomes: bool = False) -> list[Answer]:
    """What a run answered, with its cited passages. With `all_outcomes` also what was not answered, in words."""
    found: list[Answer] = []
    for one in judged:
        if one.condition != LABELLED or not (one.shown or all_outcomes):
            continue
        text = one.answer if one.shown else f"(The bot did not answer. What it did: {one.outcome}.)"
        passages = await _passages(one.spans, read) if one.shown else ()
        found.append(Answer(key=one.key, question=one.question, text=text, passages=passages))
    return found


async def judge_answers(
    judge: Judge,
    answers: Sequence[Answer],
    people: Sequence[tuple[Answer, int]] = (),
    *,
    on_done: OnDone | None = None,
) -> Believed:
    """`people`: turns that people judged, with their level (`LEVEL_OF`). They are judged first."""
    count = _counting(len(people) + len(answers), on_done)
    seen = await _each([answer for answer, _ in people], judge.marks, count)
    known = [
        (level_of_marks(mark.faithfulness, mark.relevancy), level)
        for mark, (_, level) in zip(seen, people, strict=True)
        if mark.judged
    ]
    marks = await _each(answers, judge.marks, count)
    return Believed(
        judge_id=judge.model_id,
        asked=judge.asked,
        agreement=agreement([one for one, _ in known], [other for _, other in known]),
        marks=tuple(marks),
    )


async def judge_pairs(
    judge: Judge, before: Sequence[Answer], after: Sequence[Answer], *, on_done: OnDone | None = None
) -> Preferred:
    pairs, same = both(before, after)
    count = _counting(len(pairs), on_done)

    async def one(pair: tuple[Answer, Answer]):
        return await compared(judge, *pair)

    return Preferred(pairs=tuple(await _each(pairs, one, count)), same_text=same)


async def judged_by_people(
    judgements: Sequence[Judgement],
    turn_of: Callable[[Judgement], Awaitable[Turn | None]],
    read: ReadSpan,
) -> list[tuple[Answer, int]]:
    """Their turns that were answered, with the level that people gave."""
    found: list[tuple[Answer, int]] = []
    for judgement in judgements[:PEOPLE_MAX]:
        turn = await turn_of(judgement)
        if turn is None or not isinstance(turn.outcome, Answered):
            continue
        passages = await _passages(spans_of(turn.outcome), read)
        answer = Answer(key=turn.turn_id, question=turn.question, text=answer_text(turn.outcome), passages=passages)
        found.append((answer, LEVEL_OF[judgement.verdict]))
    return found


async def _passages(spans: Sequence[tuple[str, int, int]], read: ReadSpan) -> tuple[str, ...]:
    texts: list[str] = []
    for blob, start, end in spans[:SPANS_MAX]:
        try:
            texts.append((await read(blob, start, end)).decode("utf-8", "replace"))
        except FirstlineError:
            texts.append("(the text is not there any more)")
    return tuple(texts)


def _counting(total: int, on_done: OnDone | None) -> Callable[[], None]:
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if on_done is not None:
            on_done(done, total)

    return count


async def _each(things: Sequence[T], work: Callable[[T], Awaitable[U]], count: Callable[[], None]) -> list[U]:
    """A few at a time, results in their order."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(thing: T) -> U:
        async with places:
            found = await work(thing)
        count()
        return found

    return list(await asyncio.gather(*(one(thing) for thing in things)))
