"""Is the evidence about this question, and is the draft good enough to show? Thresholds set from data.

Each gate is a logistic model over a few readable features; its weights and threshold stand in `gates.json`, written
by `training/gates`, which says on what they were fitted and how well they separate.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from firstline.domain import (
    Coverage,
    Critique,
    Evidence,
    GateReading,
    RankedDocument,
    Verification,
)
from firstline.questions.message.terms import all_stems, terms

NO_STEMS: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class GateModel:
    """`value = sigmoid(bias + sum(weight * feature))`; it passes when value >= threshold."""

    name: str
    weights: Mapping[str, float]
    bias: float
    threshold: float


def load_gates() -> dict[str, GateModel]:
    """The shipped gates by name."""
    raw = json.loads(files("firstline.questions").joinpath("gates.json").read_text(encoding="utf-8"))
    return {name: GateModel(name=name, **model) for name, model in raw["gates"].items()}


def read(model: GateModel, features: Mapping[str, float]) -> GateReading:
    """Apply a gate to features. One that the model has no weight for is recorded and does not count."""
    total = model.bias + sum(weight * features.get(name, 0.0) for name, weight in model.weights.items())
    value = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
    return GateReading(
        name=model.name,
        value=value,
        threshold=model.threshold,
        features=dict(features),
    )


def relevance_features(
    question: str, ranked: Sequence[RankedDocument], evidence: Sequence[Evidence], *, neighbour: float
) -> dict[str, float]:
    """What tells "answered here" from "merely similar", before anything is composed.

    `neighbour`: cosine of the first document with the most similar other one. A question that is no nearer to the
    document than its neighbours are has found the subject rather than the answer; so has one whose words every
    document of the subject says.
    """
    if not ranked or not evidence:
        return {"empty": 1.0}
    first = ranked[0]
    own = [piece for piece in evidence if piece.chunk.doc_id == first.doc_id]
    others = [piece for piece in evidence if piece.chunk.doc_id != first.doc_id]
    title = all_stems(own[0].chunk.title) if own else NO_STEMS
    sought = tuple(dict.fromkeys(terms(question)))
    said = _stems_of(own)
    said_elsewhere = _stems_of(others)
    return {
        "margin_fifth": first.score - ranked[min(4, len(ranked) - 1)].score,
        "margin_tenth": first.score - ranked[min(9, len(ranked) - 1)].score,
        "beyond_neighbour": max(scores.dense for _, scores in first.hits) - neighbour,
        "own_terms": _share(sought, said - said_elsewhere),
        "title_asked": _share(tuple(title), all_stems(question)),
        # For the reader of an explanation; no gate weighs it.
        "terms_held": _share(sought, _stems_of(own[:1])),
    }


def _stems_of(pieces: Sequence[Evidence]) -> frozenset[str]:
    return NO_STEMS.union(
        *(all_stems(" ".join((piece.chunk.title, *piece.chunk.section_path, piece.text))) for piece in pieces)
    )


def _share(sought: Sequence[str], available: frozenset[str]) -> float:
    return sum(term in available for term in sought) / len(sought) if sought else 0.0


def confidence_features(
    relevance: Mapping[str, float], verification: Verification, critique: Critique
) -> dict[str, float]:
    """Relevance features plus what verification and critique said of the draft."""
    return {
        **relevance,
        "verified": verification.share,
        "fully": float(critique.coverage is Coverage.FULLY),
    }
