"""Do golden cases fare worse on one snapshot than on another? Asked of a candidate before it is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firstline.evals.cases import Case
from firstline.evals.evaluate import Judged, OnDone, ask_cases
from firstline.evals.run import Runner

WORSE_SHARE_MAX = 0.01
"""Golden cases that may get worse: one in a hundred, at least one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseChange:
    """A case whose outcome is another one. `worse`: it was right before and is not now."""

    key: str
    question: str
    before: str
    after: str
    worse: bool
    better: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    cases: int
    right_before: int
    right_after: int
    changes: tuple[CaseChange, ...]

    @property
    def worse(self) -> int:
        return sum(change.worse for change in self.changes)

    def passes(self, *, worse_share_max: float = WORSE_SHARE_MAX) -> bool:
        return self.worse <= max(1 if self.cases >= 1 / worse_share_max else 0, int(worse_share_max * self.cases))


async def check(cases: Sequence[Case], before: Runner, after: Runner, *, on_done: OnDone | None = None) -> Checked:
    """Ask every case on both snapshots. `before` and `after` differ in their snapshot alone."""
    old = await ask_cases(cases, before.ask, on_done=on_done)
    return beside(old, await ask_cases(cases, after.ask, on_done=on_done))


def beside(old: Sequence[Judged], new: Sequence[Judged]) -> Checked:
    """Two runs of the same cases; a case that only one of them has counts in neither."""
    known = {(one.key, one.condition): one for one in old}
    pairs = [(known[one.key, one.condition], one) for one in new if (one.key, one.condition) in known]
    return Checked(
        cases=len(pairs),
        right_before=sum(_right(one) for one, _ in pairs),
        right_after=sum(_right(one) for _, one in pairs),
        changes=tuple(_change(one, two) for one, two in pairs if came(one) != came(two)),
    )


def _change(one: Judged, two: Judged) -> CaseChange:
    return CaseChange(
        key=two.key,
        question=two.question,
        before=came(one),
        after=came(two),
        worse=_right(one) and not _right(two),
        better=_right(two) and not _right(one),
    )


def came(judged: Judged) -> str:
    """What a turn came to, with what was wrong about it: two that differ in this are not the same."""
    lacks = f", without {', '.join(map(repr, judged.lacking))}" if judged.lacking else ""
    return f"{judged.came}{', wrong' if judged.wrong else ''}{lacks}"


def _right(judged: Judged) -> bool:
    """Nothing wrong was shown, and what can be answered was."""
    return not judged.wrong and judged.met is not False and (judged.shown or judged.answerable is not True)
