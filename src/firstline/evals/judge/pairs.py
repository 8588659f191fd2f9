"""Which of two runs does the judge prefer? Each pair of answers is shown twice, the second time swapped.

A preference counts when both orders agree; else it is a tie, because a judge that prefers a place prefers no answer
(Zheng and others, "Judging LLM-as-a-judge with MT-Bench and Chatbot Arena", NeurIPS 2023, on position bias).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from firstline.evals.judge.asking import Answer, Judge, Preference

SURE_FROM: Final = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """Of one case. `winner` is A, B or "" for a tie; `consistent`: both orders said the same."""

    key: str
    winner: str = ""
    consistent: bool = True
    why_not: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preferred:
    """Two runs beside each other. `luck` is the exact two-sided sign test over the pairs that have a winner."""

    pairs: tuple[Pair, ...]
    same_text: int

    @property
    def judged(self) -> int:
        return sum(not pair.why_not for pair in self.pairs)

    @property
    def a(self) -> int:
        return sum(pair.winner == "A" for pair in self.pairs)

    @property
    def b(self) -> int:
        return sum(pair.winner == "B" for pair in self.pairs)

    @property
    def ties(self) -> int:
        return self.judged - self.a - self.b

    @property
    def consistency(self) -> float | None:
        judged = [pair for pair in self.pairs if not pair.why_not]
        return sum(pair.consistent for pair in judged) / len(judged) if judged else None

    @property
    def luck(self) -> float:
        return sign_test(self.a, self.b)


async def compared(judge: Judge, one: Answer, two: Answer) -> Pair:
    """One pair of answers to the same question, in both orders."""
    forward, why_not = await judge.prefers(one.question, one.text, two.text)
    if forward is None:
        return Pair(key=one.key, why_not=why_not)
    backward, why_not = await judge.prefers(one.question, two.text, one.text)
    if backward is None:
        return Pair(key=one.key, why_not=why_not)
    swapped = {Preference.FIRST: Preference.SECOND, Preference.SECOND: Preference.FIRST}
    consistent = swapped.get(backward, backward) is forward
    winners = {Preference.FIRST: "A", Preference.SECOND: "B"}
    return Pair(key=one.key, winner=winners.get(forward, "") if consistent else "", consistent=consistent)


def both(before: Sequence[Answer], after: Sequence[Answer]) -> tuple[list[tuple[Answer, Answer]], int]:
    """The cases of both runs whose answers differ, and how many do not: those need no judge."""
    old = {one.key: one for one in before}
    pairs = [(old[two.key], two) for two in after if two.key in old]
    return [(one, two) for one, two in pairs if one.text != two.text], sum(one.text == two.text for one, two in pairs)


def sign_test(one: int, other: int) -> float:
    """Exact, two-sided: how often so uneven a split or a more uneven one comes by luck."""
    total = one + other
    if not total:
        return 1.0
    tail = sum(comb(total, at) for at in range(min(one, other) + 1)) / 2**total
    return min(1.0, 2 * tail)
