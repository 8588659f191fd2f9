"""Fits the out-of-scope detector: `python -m training.triage.fit_scope` (needs the `train` extra and FIRSTLINE_DATA).

Logistic regression on the development half; its threshold gives two false alarms in a hundred answerable questions
there. Writes src/firstline/questions/out_of_scope.json. The held half is for `make figure NAME=triage.oos_recall`.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import firstline.questions
from firstline.questions.out_of_scope import scope_features
from training.triage.collect import Measured, measured

FALSE_ALARMS_MAX = 0.02
FILE = Path(firstline.questions.__file__).with_name("out_of_scope.json")


def fit(rows: list[Measured]) -> dict[str, object]:
    """Weights, bias and threshold from rows of the development half."""
    features = [scope_features(row.text, row.ranked, row.probabilities) for row in rows]
    names = list(features[0])
    inputs = np.array([[one[name] for name in names] for one in features])
    outside = np.array([row.label == "outside" for row in rows])
    # Standardised for the penalty's sake, and folded back into the weights.
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-9
    model = LogisticRegression(C=1.0, class_weight="balanced").fit((inputs - middle) / spread, outside)
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0] - (weights * middle).sum())
    values = 1 / (1 + np.exp(-(inputs @ weights + bias)))
    # The gate reads the chance of the opposite: that the knowledge base is about it.
    threshold = float(np.quantile(1 - values[~outside], FALSE_ALARMS_MAX))
    return {
        "weights": {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)},
        "bias": round(bias, 4),
        "threshold": round(threshold, 4),
        "fitted_on": {"answerable": int((~outside).sum()), "outside": int(outside.sum())},
    }


def main() -> None:
    rows = [row for row in asyncio.run(measured()) if not row.held and row.label != "foreign"]
    FILE.write_text(json.dumps(fit(rows), indent=1) + "\n", encoding="utf-8")
    print(FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
