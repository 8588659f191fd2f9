"""Run cases through a retriever and a journey, and keep what came out of each.

This file knows neither: it is given `Rank` and `Ask`. Both take the case and the document ids to leave out, so that
a question can be asked as if its gold documents had never been indexed.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from firstline.domain import Answered, Turn
from firstline.errors import FirstlineError
from firstline.evals.cases import Case, outcome_kind, outcome_matches
from firstline.evals.scorers import (
    answer_text,
    citation_precision,
    cited_documents,
    is_wrong,
    ranking_scores,
    spans_of,
    token_f1,
)

Rank = Callable[[Case, frozenset[str]], Awaitable[Sequence[str]]]
"""Document ids, best first, without those to leave out."""

Ask = Callable[[Case, frozenset[str]], Awaitable[Turn]]
"""The case's last turn, after its earlier ones were asked in the same conversation."""

OnDone = Callable[[int, int], None]
"""Hears (done, total) after each case."""

LABELLED: Final = "labelled"
REMOVED: Final = "removed"

RELEVANCE: Final = "relevance"
CONFIDENCE: Final = "confidence"

NOT_COMPOSED: Final = -1.0
"""Confidence of a turn that ended before anything was composed: below every value of a gate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """What retrieval came to for one case. `scores` holds the metrics of `scorers.METRICS`."""

    key: str
    set_name: str
    question: str
    gold: tuple[str, ...]
    ranked: tuple[str, ...]
    scores: dict[str, float]
    duration_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What a turn came to for one case, judged.

    `condition` is `labelled` (as the data set says) or `removed` (its gold documents left out: nothing to answer
    from). `relevance` and `confidence` are gate values, NOT_COMPOSED when the turn ended before. `f1` is None without
    a reference; `met` is None when the case expects no certain outcome. `error` names a failure of the turn itself.
    `features` are what the turn's gates saw, empty when it ended before. `lacking` are the texts of `must_contain` that
    a shown answer did not hold. `answer` is what was shown, and `spans` what it cites: (blob, start, end).
    """

    key: str
    set_name: str
    question: str
    condition: str
    answerable: bool | None
    expected: tuple[str, ...]
    outcome: str
    completeness: str | None
    reason: str | None
    shown: bool
    wrong: bool
    relevance: float
    confidence: float
    citation_precision: float | None
    f1: float | None
    met: bool | None
    duration_ms: float
    error: str | None = None
    features: dict[str, float] = field(default_factory=dict[str, float])
    lacking: tuple[str, ...] = ()
    answer: str = ""
    spans: tuple[tuple[str, int, int], ...] = ()

    @property
    def came(self) -> str:
        """What the turn came to, in words."""
        return f"answered {self.completeness}" if self.completeness else self.outcome


async def rank_cases(cases: Sequence[Case], rank: Rank, *, on_done: OnDone | None = None) -> list[Ranked]:
    """Score retrieval on every case that has a gold document, in their order."""
    scored = [case for case in cases if case.docs]
    found: list[Ranked] = []
    for number, case in enumerate(scored, start=1):
        started = time.perf_counter()
        ranked = tuple(await rank(case, frozenset()))
        found.append(
            Ranked(
                key=case.key,
                set_name=case.set_name,
                question=case.question,
                gold=case.docs,
                ranked=ranked,
                scores=ranking_scores(ranked, case.docs),
                duration_ms=(time.perf_counter() - started) * 1000,
            )
        )
        if on_done is not None:
            on_done(number, len(scored))
    return found


async def ask_cases(
    cases: Sequence[Case], ask: Ask, *, condition: str = LABELLED, on_done: OnDone | None = None
) -> list[Judged]:
    """Judge the outcome of every case, in their order. `removed` asks only those that have a gold document, with
    all of them left out. A turn that raises a FirstlineError is kept as an error, and the rest goes on."""
    removed = condition == REMOVED
    asked = [case for case in cases if case.docs] if removed else list(cases)
    found: list[Judged] = []
    for number, case in enumerate(asked, start=1):
        started = time.perf_counter()
        try:
            turn: Turn | None = await ask(case, frozenset(case.docs) if removed else frozenset())
            error = None
        except FirstlineError as failure:
            turn, error = None, f"{failure.code}: {failure.message}"
        spent_ms = (time.perf_counter() - started) * 1000
        found.append(judge(case, turn, condition=condition, duration_ms=spent_ms, error=error))
        if on_done is not None:
            on_done(number, len(asked))
    return found


def judge(
    case: Case, turn: Turn | None, *, condition: str = LABELLED, duration_ms: float = 0.0, error: str | None = None
) -> Judged:
    """Compare a turn with what its case expects."""
    removed = condition == REMOVED
    gold = () if removed else case.docs
    answerable = False if removed else _should_answer(case)
    outcome = turn.outcome if turn is not None else None
    shown = isinstance(outcome, Answered)
    cited = cited_documents(outcome) if outcome is not None else ()
    text = answer_text(outcome) if outcome is not None else ""
    gates = {gate.name: gate.value for gate in turn.gates} if turn is not None else {}
    lacking = _lacking(case, text) if shown and not removed else ()
    handoff = getattr(outcome, "handoff", None)
    return Judged(
        key=case.key,
        set_name=case.set_name,
        question=case.question,
        condition=condition,
        answerable=answerable,
        expected=case.outcomes,
        outcome=outcome_kind(outcome) if outcome is not None else "error",
        completeness=outcome.completeness.value if isinstance(outcome, Answered) else None,
        reason=handoff.reason.value if handoff is not None else None,
        shown=shown,
        wrong=is_wrong(shown=shown, answerable=answerable is not False, cited=cited, gold=gold),
        relevance=gates.get(RELEVANCE, NOT_COMPOSED),
        confidence=gates.get(CONFIDENCE, NOT_COMPOSED),
        citation_precision=citation_precision(cited, gold) if gold else None,
        f1=token_f1(text, case.reference) if case.reference and gold else None,
        met=None if removed else _met(case, turn, lacking),
        duration_ms=duration_ms,
        error=error,
        features=_features(turn),
        lacking=lacking,
        answer=text if shown else "",
        spans=spans_of(turn.outcome) if turn is not None else (),
    )


def _features(turn: Turn | None) -> dict[str, float]:
    """What the gates of an answer saw; that of scope, which may end a turn before them, sees other things."""
    gates = [gate for gate in turn.gates if gate.name in (RELEVANCE, CONFIDENCE)] if turn is not None else []
    return {name: value for gate in gates for name, value in gate.features.items()}


def _should_answer(case: Case) -> bool | None:
    if case.answerable is not None:
        return case.answerable
    if case.outcomes:
        return any(name.startswith("answered") for name in case.outcomes)
    return True if case.docs else None


def _met(case: Case, turn: Turn | None, lacking: Sequence[str]) -> bool | None:
    """Whether the expected outcome came, and with it every text that it must contain."""
    if not case.outcomes and not case.must_contain:
        return None
    if turn is None:
        return False
    if case.outcomes and not outcome_matches(case.outcomes, turn.outcome):
        return False
    return not lacking


def _lacking(case: Case, text: str) -> tuple[str, ...]:
    folded = text.casefold()
    return tuple(part for part in case.must_contain if part.casefold() not in folded)
