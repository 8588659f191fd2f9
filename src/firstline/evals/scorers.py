"""Numbers from labelled cases. Pure functions: no model, no engine, no clock.

Ranking scores are on documents. A set's figure is the mean over its cases that have a gold document.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from firstline.domain import Answered, Outcome

Floats = npt.NDArray[np.float64]

RANK_MAX: Final = 10
METRICS: Final = ("hit1", "hit3", "hit5", "hit10", "mrr", "recall5", "recall10", "ndcg10")

RESAMPLES: Final = 2_000
_RESAMPLES_AT_ONCE: Final = 200


# --- ranking --------------------------------------------------------------------------------------------------------


def ranking_scores(ranked: Sequence[str], gold: Iterable[str]) -> dict[str, float]:
    """Every metric of METRICS for one case, each between 0 and 1.

    `ranked`: document ids, best first; only the first place of an id counts. `gold`: at least one id, all of equal
    worth. hitK: a gold document is among the first K. mrr: 1 / place of the first gold one, 0 past the tenth.
    """
    wanted = frozenset(gold)
    if not wanted:
        raise ValueError("a ranking can only be scored against at least one gold document")
    places = [place for place, doc in enumerate(dict.fromkeys(ranked), start=1) if doc in wanted and place <= RANK_MAX]
    first = places[0] if places else math.inf
    best = sum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), RANK_MAX) + 1))
    return {
        **{f"hit{k}": float(first <= k) for k in (1, 3, 5, 10)},
        "mrr": 1 / first,
        **{f"recall{k}": sum(place <= k for place in places) / len(wanted) for k in (5, 10)},
        "ndcg10": sum(1 / math.log2(place + 1) for place in places) / best,
    }


def mean_scores(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric; empty when there is nothing to average."""
    if not scores:
        return {}
    return {name: sum(one[name] for one in scores) / len(scores) for name in scores[0]}


# --- answer text and citations --------------------------------------------------------------------------------------

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def normalised_tokens(text: str) -> list[str]:
    """Lower case, without punctuation and English articles, split at white space."""
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def token_f1(answer: str, reference: str) -> float:
    """Harmonic mean of token precision and recall, counting repeated tokens. Two empty texts agree fully."""
    mine, theirs = normalised_tokens(answer), normalised_tokens(reference)
    if not mine or not theirs:
        return float(mine == theirs)
    shared = sum((Counter(mine) & Counter(theirs)).values())
    return 2 * shared / (len(mine) + len(theirs))


def answer_text(outcome: Outcome) -> str:
    """The claims of an answer, one a line; empty for every other outcome."""
    return "\n".join(claim.text for claim in outcome.claims) if isinstance(outcome, Answered) else ""


def cited_documents(outcome: Outcome) -> tuple[str, ...]:
    """The document of every citation of an answer, repeated as often as it is cited."""
    if not isinstance(outcome, Answered):
        return ()
    return tuple(citation.doc_id for claim in outcome.claims for citation in claim.citations)


def spans_of(outcome: Outcome) -> tuple[tuple[str, int, int], ...]:
    """(blob, start, end) of what an answer cites, each once, in the order of their numbers."""
    if not isinstance(outcome, Answered):
        return ()
    return tuple(dict.fromkeys((one.blob, one.start, one.end) for claim in outcome.claims for one in claim.citations))


def citation_precision(cited: Sequence[str], gold: Iterable[str]) -> float | None:
    """Share of citations that point into a gold document. None without a citation."""
    wanted = frozenset(gold)
    return sum(doc in wanted for doc in cited) / len(cited) if cited else None


def is_wrong(*, shown: bool, answerable: bool, cited: Sequence[str], gold: Iterable[str]) -> bool:
    """Whether an answer was shown that must not be: the question has no answer here, or no citation is in a gold
    document. What is not shown is never wrong."""
    return shown and (not answerable or frozenset(cited).isdisjoint(gold))


# --- knowing when ---------------------------------------------------------------------------------------------------


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive scores above a negative, ties counting half. NaN when either is empty."""
    if not positive or not negative:
        return math.nan
    lower = np.sort(np.asarray(negative, dtype=np.float64))
    values = np.asarray(positive, dtype=np.float64)
    below = np.searchsorted(lower, values, side="left")
    upto = np.searchsorted(lower, values, side="right")
    return float(((below + upto) / 2).sum() / (len(positive) * len(negative)))


def coverage_at(positive: Sequence[float], negative: Sequence[float], *, false_share_max: float) -> float:
    """The largest share of positives that a threshold lets through while it lets at most that share of negatives
    through. Equal scores pass or fail together. NaN when either is empty."""
    if not positive or not negative:
        return math.nan
    allowed = math.floor(false_share_max * len(negative) + 1e-9)
    falling = sorted(negative, reverse=True)
    # Everything strictly above the first negative that may not pass.
    threshold = falling[allowed] if allowed < len(falling) else -math.inf
    return sum(score > threshold for score in positive) / len(positive)


def aurc(confidence: Sequence[float], wrong: Sequence[bool]) -> float:
    """Area under the risk-coverage curve: the share of wrong answers among the most confident k, averaged over
    every k. Equal confidences share their risk, so the order of the input does not matter. NaN when empty."""
    if len(confidence) != len(wrong):
        raise ValueError("one confidence per answer, please")
    if not confidence:
        return math.nan
    order = np.argsort(-np.asarray(confidence, dtype=np.float64), kind="stable")
    sorted_confidence = np.asarray(confidence, dtype=np.float64)[order]
    risks = np.asarray(wrong, dtype=np.float64)[order]
    _, starts, counts = np.unique(-sorted_confidence, return_index=True, return_counts=True)
    shared = np.add.reduceat(risks, starts) / counts
    risks = np.repeat(shared, counts)
    return float(np.mean(np.cumsum(risks) / np.arange(1, len(risks) + 1)))


def confusion(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Counts by (row, column), rows and columns in alphabetical order."""
    counted = Counter(pairs)
    columns = sorted({column for _, column in counted})
    return {row: {column: counted[row, column] for column in columns} for row in sorted({row for row, _ in counted})}


# --- how sure are we ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The mean of B minus A over paired cases with its 95% interval. `significant`: zero is outside."""

    mean: float
    low: float
    high: float
    cases: int

    @property
    def significant(self) -> bool:
        return self.low > 0 or self.high < 0


def paired_bootstrap(
    before: Sequence[float], after: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """95% percentile interval of mean(after - before), resampling cases. `before[i]` and `after[i]` are one case."""
    if len(before) != len(after) or not before:
        raise ValueError("a paired comparison needs the same cases, at least one, on both sides")
    gains = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    low, high = np.percentile(_resampled_means(gains, resamples, seed), [2.5, 97.5])
    return Difference(mean=float(gains.mean()), low=float(low), high=float(high), cases=len(gains))


def interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """95% percentile interval of the mean of the values. NaN twice when empty."""
    if not values:
        return math.nan, math.nan
    low, high = np.percentile(_resampled_means(np.asarray(values, dtype=np.float64), resamples, seed), [2.5, 97.5])
    return float(low), float(high)


def macro_bootstrap(
    groups: Sequence[tuple[Sequence[float], Sequence[float]]], *, resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """As paired_bootstrap, for the unweighted mean over groups (data sets): each is resampled by itself."""
    gains = [np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64) for before, after in groups]
    if not gains or any(len(gain) == 0 for gain in gains):
        raise ValueError("every group needs at least one case")
    means = np.mean([_resampled_means(gain, resamples, seed + at) for at, gain in enumerate(gains)], axis=0)
    low, high = np.percentile(means, [2.5, 97.5])
    return Difference(
        mean=float(np.mean([gain.mean() for gain in gains])),
        low=float(low),
        high=float(high),
        cases=sum(len(gain) for gain in gains),
    )


def _resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    random = np.random.default_rng(seed)
    means = np.empty(resamples, dtype=np.float64)
    # In parts: memory stays at parts x cases, whatever the number of resamples.
    for start in range(0, resamples, _RESAMPLES_AT_ONCE):
        rows = min(_RESAMPLES_AT_ONCE, resamples - start)
        means[start : start + rows] = values[random.integers(0, len(values), (rows, len(values)))].mean(axis=1)
    return means
