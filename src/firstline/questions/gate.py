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

from firstline.domain import Coverage, Critique, Evidence, GateReading, RankedDocument, Verification
from firstline.questions.terms import all_stems, identifiers, terms

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
    """Apply a gate to features. A feature the model does not know is ignored."""
    total = model.bias + sum(weight * features.get(name, 0.0) for name, weight in model.weights.items())
    value = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
    return GateReading(
        name=model.name,
        value=value,
        threshold=model.threshold,
        features={name: features.get(name, 0.0) for name in model.weights},
    )


def relevance_features(
    question: str, ranked: Sequence[RankedDocument], evidence: Sequence[Evidence]
) -> dict[str, float]:
    """What tells "answered here" from "merely similar", before anything is composed."""
    if not ranked or not evidence:
        return {"empty": 1.0}
    first = ranked[0].doc_id
    own = [piece for piece in evidence if piece.chunk.doc_id == first]
    top_stems = all_stems(" ".join((own[0].chunk.title, *own[0].chunk.section_path, own[0].text))) if own else NO_STEMS
    named = [name.casefold() for name in identifiers(question)]
    own_text = " ".join(p.text + " " + p.chunk.title for p in own).casefold()
    fifth = ranked[min(4, len(ranked) - 1)].score
    dense_best = max(scores.dense for _, scores in ranked[0].hits)
    second = ranked[1].score if len(ranked) > 1 else 0.0
    return {
        "dense": dense_best,
        "contrast": dense_best - _mean([max(scores.dense for _, scores in other.hits) for other in ranked[1:]]),
        "margin_second": ranked[0].score - second,
        "margin_fifth": ranked[0].score - fifth,
        "terms_in_chunk": _share(terms(question), top_stems),
        "identifiers_found": sum(name in own_text for name in named) / len(named) if named else 1.0,
        "length": math.log1p(len(terms(question))),
    }


def confidence_features(
    relevance: Mapping[str, float], verification: Verification, critique: Critique
) -> dict[str, float]:
    """Relevance features plus what verification and critique said of the draft."""
    return {
        **relevance,
        "verified": verification.share,
        "fully": float(critique.coverage is Coverage.FULLY),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _share(sought: Sequence[str], available: frozenset[str]) -> float:
    return sum(term in available for term in sought) / len(sought) if sought else 0.0
