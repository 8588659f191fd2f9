"""Judged cases summed up: the figures of selective answering per set and condition."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.evals.crossfit import FOLDS, crossfit
from firstline.evals.evaluate import LABELLED, NOT_COMPOSED, REMOVED, Judged
from firstline.evals.scorers import aurc, auroc, coverage_at

ANSWERABLE: Final = "answerable"
UNANSWERABLE: Final = "unanswerable"
CONDITIONS: Final = (ANSWERABLE, UNANSWERABLE, REMOVED)

FALSE_SHARE_MAX: Final = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """Of `cases` questions, how many were shown an answer, and how many of those answers were wrong."""

    cases: int
    shown: int
    wrong: int

    @property
    def shown_share(self) -> float:
        return self.shown / self.cases if self.cases else math.nan

    @property
    def wrong_share(self) -> float:
        """Wrong answers shown / all questions asked."""
        return self.wrong / self.cases if self.cases else math.nan


@dataclass(frozen=True, kw_only=True, slots=True)
class Separation:
    """How well a value tells answerable questions from the others."""

    auroc: float
    coverage_at_1: float
    positives: int
    negatives: int


def kind_of(judged: Judged) -> str | None:
    """answerable, unanswerable or removed; None when the case is not labelled."""
    if judged.condition == REMOVED:
        return REMOVED
    if judged.answerable is None:
        return None
    return ANSWERABLE if judged.answerable else UNANSWERABLE


def shown(judged: Iterable[Judged]) -> Shown:
    listed = list(judged)
    return Shown(cases=len(listed), shown=sum(j.shown for j in listed), wrong=sum(j.wrong for j in listed))


def wrong_rate(judged: Sequence[Judged]) -> float:
    """Wrong answers shown / questions asked, over answerable, unanswerable and gold-removed questions mixed in equal
    parts. NaN unless all three are there."""
    shares = [shown(j for j in judged if kind_of(j) == kind).wrong_share for kind in CONDITIONS]
    return sum(shares) / len(shares)


def separation(judged: Sequence[Judged], *, against: str, value: str) -> Separation:
    """Answerable questions against `unanswerable` or `removed` ones, by the gate value named."""
    positive = [_value(j, value) for j in judged if kind_of(j) == ANSWERABLE]
    negative = [_value(j, value) for j in judged if kind_of(j) == against]
    return Separation(
        auroc=auroc(positive, negative),
        coverage_at_1=coverage_at(positive, negative, false_share_max=FALSE_SHARE_MAX),
        positives=len(positive),
        negatives=len(negative),
    )


def crossfitted(judged: Sequence[Judged], *, against: str) -> Separation:
    """As separation, by a logistic model over the features that the gates saw, fitted on four fifths of the questions
    and read on the fifth, in turn: what gates fitted on such questions are worth on new ones. A turn that ended
    before any gate is below all others. The model is fitted against both kinds of unanswerable questions."""
    labelled = [j for j in judged if kind_of(j) is not None]
    gated = [j for j in labelled if j.features]
    if len({j.key for j in gated}) < FOLDS:
        return separation(judged, against=against, value="confidence")
    fitted = crossfit([j.features for j in gated], [kind_of(j) == ANSWERABLE for j in gated], [j.key for j in gated])
    scores = {id(j): score for j, score in zip(gated, fitted, strict=True)}
    positive = [scores.get(id(j), NOT_COMPOSED) for j in labelled if kind_of(j) == ANSWERABLE]
    negative = [scores.get(id(j), NOT_COMPOSED) for j in labelled if kind_of(j) == against]
    return Separation(
        auroc=auroc(positive, negative),
        coverage_at_1=coverage_at(positive, negative, false_share_max=FALSE_SHARE_MAX),
        positives=len(positive),
        negatives=len(negative),
    )


def risk_area(judged: Sequence[Judged]) -> float:
    """AURC over the answers that were composed, by confidence. Meaningful with the gates held open."""
    composed = [j for j in judged if j.shown and kind_of(j) is not None]
    return aurc([j.confidence for j in composed], [j.wrong for j in composed])


def mean_f1(judged: Sequence[Judged]) -> float:
    """Over answerable questions with a reference; what was not answered counts 0."""
    values = [j.f1 for j in judged if j.f1 is not None and j.condition == LABELLED]
    return sum(values) / len(values) if values else math.nan


def mean_citation_precision(judged: Sequence[Judged]) -> float:
    """Over shown answers to questions with gold documents."""
    values = [j.citation_precision for j in judged if j.citation_precision is not None]
    return sum(values) / len(values) if values else math.nan


def _value(judged: Judged, name: str) -> float:
    return judged.relevance if name == "relevance" else judged.confidence
