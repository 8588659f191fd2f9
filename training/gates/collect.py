"""What the gates saw of development questions, each asked with its gold documents present and with them left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firstline.evals.cases import Case
from firstline.evals.evaluate import LABELLED, Ask, Judged, ask_cases


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """`right`: what would be shown comes from a gold document. `condition`: labelled or removed."""

    key: str
    set_name: str
    condition: str
    answerable: bool
    right: bool
    features: dict[str, float]


async def collect(cases: Sequence[Case], ask: Ask, *, conditions: Sequence[str]) -> list[Example]:
    """`ask` runs the whole journey with its gates held open. Turns that end before the gates teach them nothing."""
    known = [case for case in cases if case.docs or case.outcomes or case.answerable is not None]
    judged = [one for condition in conditions for one in await ask_cases(known, ask, condition=condition)]
    return [_example(one) for one in judged if one.features]


def _example(one: Judged) -> Example:
    labelled = one.condition == LABELLED
    return Example(
        key=one.key,
        set_name=one.set_name,
        condition=one.condition,
        answerable=labelled and one.answerable is not False,
        right=labelled and one.shown and not one.wrong,
        features=one.features,
    )
