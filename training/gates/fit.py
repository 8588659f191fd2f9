"""Fit the shipped gates on the development questions and write `src/firstline/questions/gates.json`.

    FIRSTLINE_DATA=... python -m training.gates.fit

Positive: what would be shown comes from a gold document. Negative: it does not, the question is labelled
unanswerable, or its gold documents were left out of the index. One logistic model on standardised features, every
example weighted so that each data set and each class counts the same; the gates are three thresholds on it. Reported
figures are leave-one-data-set-out: a set is scored by a model that never saw it. Thresholds are quantiles of those
held-out scores, not of training scores.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.workbench import DATA_KB, DEMO_KB, open_workbench, real_data
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from firstline.evals.cases import load_cases
from firstline.evals.datasets import dataset_cases, present
from firstline.evals.evaluate import LABELLED, REMOVED
from firstline.evals.halves import lowest_threshold
from firstline.evals.summary import ANSWERABLE, CONDITIONS, UNANSWERABLE
from training.gates.collect import Example, collect

TARGET = Path("src/firstline/questions/gates.json")
DEMO_OUTCOMES = ("answered", "escalated", "clarify")
FEATURES = ("margin_fifth", "margin_tenth", "beyond_neighbour", "own_terms", "title_asked")
"""What verification and critique say of an extractive draft is always nearly the same, and cost .01 to .03 of AUROC on
sets that the model had not seen. They are recorded with every turn, for drafts that a language model writes."""
RELEVANCE_KEEPS = 0.95
"""The relevance gate lets this share of right answers through: it only stops what is clearly off."""
CONFIDENT_WRONG_MAX = 0.0035
UNSURE_WRONG_MAX = 0.007
"""Wrong answers among all questions asked, answerable : unanswerable : gold removed = 1 : 1 : 1, when what passes the
gate is shown: of the answers shown without a disclaimer, and of all. Below the 1% that is meant: thresholds let through
a third more on questions that they were not set on (`evals.halves`)."""
ROUNDING = 5e-5
"""Thresholds are written with four digits, and must not let through by rounding what they keep out."""
STRENGTH = 0.3


def fit(examples: Sequence[Example]) -> dict[str, Any]:
    right = np.array([example.right for example in examples])
    held_out = _leave_one_set_out(examples, FEATURES)
    weights, bias = _model(examples, FEATURES)
    # The shipped model has seen these examples and is surer of them: a threshold holds on both readings.
    shipped = _matrix(examples, FEATURES) @ np.array(list(weights.values())) + bias
    readings = (held_out, 1 / (1 + np.exp(-shipped)))
    thresholds = {
        "relevance": np.quantile(held_out[right], 1 - RELEVANCE_KEEPS),
        "unsure": max(_lowest(examples, scores, wrong_max=UNSURE_WRONG_MAX) for scores in readings),
        "confidence": max(_lowest(examples, scores, wrong_max=CONFIDENT_WRONG_MAX) for scores in readings),
    }
    rounded = {name: round(float(threshold), 4) for name, threshold in thresholds.items()}
    # How many wrong ones pass is how the upper two were chosen, and no finding.
    passes = {name: round(float((held_out >= threshold)[right].mean()), 3) for name, threshold in rounded.items()}
    return {
        "fitted_on": {"sets": sorted({example.set_name for example in examples}), "examples": len(examples)},
        "held_out": {"auroc": _figures(examples, held_out), "right_ones_pass": passes},
        "gates": {
            name: {"weights": weights, "bias": bias, "threshold": threshold} for name, threshold in rounded.items()
        },
    }


def _lowest(examples: Sequence[Example], scores: Any, *, wrong_max: float) -> float:
    # The demo is asked nothing with its gold pages left out, and would only thin the others.
    public = [i for i, example in enumerate(examples) if example.set_name != DEMO_KB]
    kinds = np.array([CONDITIONS.index(_kind(examples[i])) for i in public])
    right = np.array([examples[i].right for i in public])
    return lowest_threshold(scores[public], right, kinds, wrong_max=wrong_max) + ROUNDING


def _kind(example: Example) -> str:
    if example.condition == REMOVED:
        return REMOVED
    return ANSWERABLE if example.answerable else UNANSWERABLE


def _matrix(examples: Sequence[Example], features: Sequence[str]) -> Any:
    return np.array([[example.features.get(name, 0.0) for name in features] for example in examples])


def _balance(examples: Sequence[Example]) -> Any:
    """Each (data set, class) cell weighs the same, so that the largest set does not decide alone."""
    cells = [(example.set_name, example.right) for example in examples]
    sizes = {cell: cells.count(cell) for cell in set(cells)}
    return np.array([len(cells) / len(sizes) / sizes[cell] for cell in cells])


def _fitted(examples: Sequence[Example], features: Sequence[str]) -> tuple[Any, Any, LogisticRegression]:
    x = _matrix(examples, features)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit((x - mean) / scale, [example.right for example in examples], sample_weight=_balance(examples))
    return mean, scale, model


def _leave_one_set_out(examples: Sequence[Example], features: Sequence[str]) -> Any:
    scores = np.zeros(len(examples))
    for name in {example.set_name for example in examples}:
        inside = [example for example in examples if example.set_name != name]
        mean, scale, model = _fitted(inside, features)
        rows = [i for i, example in enumerate(examples) if example.set_name == name]
        outside = (_matrix([examples[i] for i in rows], features) - mean) / scale
        scores[rows] = model.predict_proba(outside)[:, 1]
    return scores


def _model(examples: Sequence[Example], features: Sequence[str]) -> tuple[dict[str, float], float]:
    """Weights on raw features: standardisation is folded in, so that the gate needs no more than a dot product."""
    mean, scale, model = _fitted(examples, features)
    raw = model.coef_[0] / scale
    bias = float(model.intercept_[0] - (raw * mean).sum())
    return {name: round(float(weight), 5) for name, weight in zip(features, raw, strict=True)}, round(bias, 5)


def _figures(examples: Sequence[Example], scores: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name in sorted({example.set_name for example in examples}):
        own = [(example, score) for example, score in zip(examples, scores, strict=True) if example.set_name == name]
        answerable = [s for e, s in own if e.answerable]
        labelled = [s for e, s in own if not e.answerable and e.condition == "labelled"]
        removed = [s for e, s in own if e.condition == "removed"]
        figures[name] = {
            "auroc_labelled": _auroc(answerable, labelled),
            "auroc_removed": _auroc(answerable, removed),
            "auroc_right": _auroc([s for e, s in own if e.right], [s for e, s in own if not e.right]),
        }
    return figures


def _auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    if not positive or not negative:
        return None
    return round(float(roc_auc_score([1] * len(positive) + [0] * len(negative), [*positive, *negative])), 3)


async def main() -> dict[str, Any]:
    data = real_data()
    cases = [case for one in present(data) for case in dataset_cases(data, one)]
    golden = [
        replace(case, set_name="demo", answerable=case.outcomes[0] == "answered")
        for case in load_cases(Path("demo/golden.jsonl"))
        if case.outcomes[0] in DEMO_OUTCOMES
    ]
    async with open_workbench(data=data, open_gates=True) as bench:
        examples = await collect(cases, bench.runner(DATA_KB).ask, conditions=(LABELLED, REMOVED))
        # The demo has near-duplicates on purpose: without a gold page another one often answers as well.
        examples += await collect(golden, bench.runner(DEMO_KB).ask, conditions=(LABELLED,))
    return fit(examples)


if __name__ == "__main__":
    fitted = asyncio.run(main())
    TARGET.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(fitted["held_out"], indent=1))
