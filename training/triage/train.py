"""Trains the triage classifier that ships: `python -m training.triage.train` (needs the `train` extra).

Multinomial logistic regression on the shipped embedder's vectors, fitted on the training industries, its temperature
fitted on the held-out ones. Writes src/firstline/models/triage.npz and prints how it does on the held-out industries.
Same inputs, same file.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score, log_loss

from firstline.domain import Category
from firstline.models.classifier import WEIGHTS_PATH, softmax
from firstline.models.embedder import open_embedder
from training.triage.compose import Sentence, composed

HERE = Path(__file__).parent
SEED = 20
STRENGTH = 10.0
CATEGORIES = tuple(category.value for category in Category)
# Written sentences weigh more than composed ones, which are many and alike.
COMPOSED_WEIGHT = 0.3


def sentences(name: str) -> list[Sentence]:
    path = HERE / "sentences" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> None:
    train = [*sentences("train"), *composed(SEED)]
    held = sentences("held_out")
    embedder = open_embedder(name="", model="", api_key="", threads=0)
    vectors = asyncio.run(embedder.embed([row["text"] for row in [*train, *held]])).astype(np.float64)
    inputs, held_inputs = vectors[: len(train)], vectors[len(train) :]
    labels = np.array([CATEGORIES.index(row["category"]) for row in train])
    truth = np.array([CATEGORIES.index(row["category"]) for row in held])
    weights = np.array([COMPOSED_WEIGHT if row["industry"] == "composed" else 1.0 for row in train])

    model = LogisticRegression(C=STRENGTH, max_iter=2000, tol=1e-8).fit(inputs, labels, sample_weight=weights)
    logits = held_inputs @ model.coef_.T + model.intercept_
    temperatures = np.geomspace(0.3, 3.0, 200)
    losses = [log_loss(truth, softmax(logits / t), labels=range(len(CATEGORIES))) for t in temperatures]
    temperature = float(temperatures[int(np.argmin(losses))])
    WEIGHTS_PATH.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        WEIGHTS_PATH,
        weights=(model.coef_ / temperature).astype(np.float32),
        bias=(model.intercept_ / temperature).astype(np.float32),
        categories=np.array(CATEGORIES),
        embedder=np.array(embedder.model_id),
    )
    _report(train, held, logits, truth, temperature)


def _report(
    train: list[Sentence],
    held: list[Sentence],
    logits: np.ndarray,
    truth: np.ndarray,
    temperature: float,
) -> None:
    guess = logits.argmax(axis=1)
    print(f"{len(train)} training sentences, {len(held)} held out, temperature {temperature:.2f}")
    print(f"macro-F1 on held-out industries {f1_score(truth, guess, average='macro'):.3f}")
    print("confusion (rows: truth)", *CATEGORIES, sep="\t")
    for name, row in zip(CATEGORIES, confusion_matrix(truth, guess, labels=range(len(CATEGORIES))), strict=True):
        recall = row[CATEGORIES.index(name)] / max(1, row.sum())
        print(f"{name:12s}\t" + "\t".join(map(str, row)), f"recall {recall:.3f}", sep="\t")


if __name__ == "__main__":
    main()
