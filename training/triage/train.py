"""Trains the triage classifier that ships: `python -m training.triage.train` (needs the `train` extra).

Multinomial logistic regression on the shipped embedder's vectors and the words of a message. Its temperature, which
makes the probabilities honest, is fitted on predictions for industries that the predicting model was not trained on.
`field_held.jsonl` is read by nothing here: it is for the report (training/triage/report.py). Same inputs, same file.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score, log_loss
from sklearn.model_selection import GroupKFold

from firstline.domain import Category
from firstline.models.classifier import WEIGHTS_PATH, groups_of, softmax
from firstline.models.embedder import open_embedder
from firstline.models.phrases import MARKS, phrases, pieces
from training.triage.compose import Sentence, composed

HERE = Path(__file__).parent
SEED = 20
STRENGTH = 10.0
PHRASE_SEEN_MIN = 2
PIECE_SEEN_MIN = 3
FOLDS = 4
CATEGORIES = tuple(category.value for category in Category)
WRITTEN = ("train", "held_out", "written", "field_dev", "broad")
# Written sentences weigh more than composed ones, which are many and alike.
COMPOSED_WEIGHT = 0.5
LOOSE = frozenset("none none_held none_dev household fragments general_knowledge plain merchants composed".split())
"""Sentences of no industry."""
Floats = npt.NDArray[np.float64]


def sentences(name: str) -> list[Sentence]:
    path = HERE / "sentences" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def unseen(name: str) -> list[Sentence]:
    """Sentences for a report: without the common short ones that stand in the training files too."""
    trained = {row["text"].casefold() for each in WRITTEN if each != name for row in sentences(each)}
    return [row for row in sentences(name) if row["text"].casefold() not in trained]


def vocabulary_of(rows: Sequence[Sentence]) -> list[str]:
    """Phrases and pieces of words seen often enough to be told from chance, each kind sorted, then the marks."""
    # Pieces of nonsense are left out: what is known is what words are made of.
    said = Counter(phrase for row in rows for phrase in phrases(row["text"]))
    cut = Counter(piece for row in rows if row["category"] != Category.NONSENSE for piece in pieces(row["text"]))
    return [
        *sorted(phrase for phrase, times in said.items() if times >= PHRASE_SEEN_MIN),
        *sorted(piece for piece, times in cut.items() if times >= PIECE_SEEN_MIN),
        *MARKS,
    ]


def inputs_of(rows: Sequence[Sentence], vectors: Floats, vocabulary: Sequence[str]) -> sparse.csr_matrix:
    """As the classifier reads them: the vector, then what of the words is known (`groups_of`)."""
    places = {phrase: place for place, phrase in enumerate(vocabulary)}
    values: list[float] = []
    columns: list[int] = []
    ends = [0]
    for sentence in rows:
        for found, scale in groups_of(sentence["text"], places):
            columns += [places[one] for one in found]
            values += [scale] * len(found)
        ends.append(len(columns))
    said = sparse.csr_matrix((values, columns, ends), shape=(len(rows), len(vocabulary)))
    return sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(vectors), said]))


def fitted(inputs: sparse.csr_matrix, labels: npt.NDArray[np.int64], weights: Floats) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=2000, tol=1e-5).fit(inputs, labels, sample_weight=weights)


def logits_elsewhere(
    rows: Sequence[Sentence], vectors: Floats, labels: npt.NDArray[np.int64], weights: Floats
) -> Floats:
    """For every sentence, of a model that has seen no sentence of its industry; NaN for the composed ones."""
    # Sentences of no industry are many: they are dealt out by themselves.
    loose = (
        "none",
        "none_held",
        "none_dev",
        "household",
        "fragments",
        "general_knowledge",
        "plain",
        "merchants",
        "composed",
    )
    groups = [f"{at % 40}" if row["industry"] in loose else row["industry"] for at, row in enumerate(rows)]
    found = np.full((len(rows), len(CATEGORIES)), np.nan)
    for kept, left_out in GroupKFold(n_splits=FOLDS).split(vectors, labels, groups):
        left_out = np.array([at for at in left_out if rows[at]["industry"] != "composed"])
        kept = np.concatenate([kept, [at for at, row in enumerate(rows) if row["industry"] == "composed"]]).astype(int)
        kept = np.unique(kept)
        vocabulary = vocabulary_of([rows[at] for at in kept])
        inputs = inputs_of(rows, vectors, vocabulary)
        model = fitted(inputs[kept], labels[kept], weights[kept])
        found[left_out] = inputs[left_out] @ model.coef_.T + model.intercept_
    return found


def temperature_of(logits: Floats, labels: npt.NDArray[np.int64]) -> float:
    tried = np.geomspace(0.3, 3.0, 200)
    losses = [log_loss(labels, softmax(logits / each), labels=range(len(CATEGORIES))) for each in tried]
    return float(tried[int(np.argmin(losses))])


def embedded(rows: Sequence[Sentence]) -> tuple[Floats, str]:
    embedder = open_embedder(name="", model="", api_key="", threads=0)
    return asyncio.run(embedder.embed([row["text"] for row in rows])).astype(np.float64), embedder.model_id


def main() -> None:
    written = [row for name in WRITTEN for row in sentences(name)]
    rows = [*written, *composed(SEED, [row["text"] for row in written if row["category"] != Category.NONSENSE])]
    vectors, embedder_id = embedded(rows)
    labels = np.array([CATEGORIES.index(row["category"]) for row in rows])
    weights = np.array([COMPOSED_WEIGHT if row["industry"] == "composed" else 1.0 for row in rows])
    logits = logits_elsewhere(rows, vectors, labels, weights)
    seen = ~np.isnan(logits[:, 0])
    temperature = temperature_of(logits[seen], labels[seen])
    _report(logits[seen] / temperature, labels[seen], temperature)

    vocabulary = vocabulary_of(rows)
    model = fitted(inputs_of(rows, vectors, vocabulary), labels, weights)
    np.savez_compressed(
        WEIGHTS_PATH,
        weights=(model.coef_ / temperature).astype(np.float16),
        bias=(model.intercept_ / temperature).astype(np.float32),
        categories=np.array(CATEGORIES),
        embedder=np.array(embedder_id),
        vocabulary=np.array("\n".join(vocabulary)),
    )
    print(f"{len(rows)} sentences, {len(vocabulary)} phrases, {WEIGHTS_PATH.stat().st_size} bytes")


def _report(logits: Floats, truth: npt.NDArray[np.int64], temperature: float) -> None:
    guess = logits.argmax(axis=1)
    print(f"industries left out in turn: temperature {temperature:.2f}")
    print(f"macro-F1 of the classifier alone {f1_score(truth, guess, average='macro'):.3f}")
    print("confusion (rows: truth)", *CATEGORIES, sep="\t")
    for name, row in zip(CATEGORIES, confusion_matrix(truth, guess, labels=range(len(CATEGORIES))), strict=True):
        recall = row[CATEGORIES.index(name)] / max(1, row.sum())
        print(f"{name:12s}\t" + "\t".join(map(str, row)), f"recall {recall:.3f}", sep="\t")


if __name__ == "__main__":
    main()
