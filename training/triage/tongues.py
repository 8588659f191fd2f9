"""Fits the reading of German, French, Spanish and Japanese: `python -m training.triage.tongues` (extra: `train`).

Logistic regression on the pieces of the messages; one model for all four, since each has words of its own. Templates
with slots are filled several times and weigh less each time. Writes src/firstline/questions/message/tongues.npz. Same
inputs, same file.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from sklearn.linear_model import LogisticRegression

import firstline.questions.message
from firstline.domain import Category
from firstline.questions.message.tongue_reading import pieces_of
from firstline.questions.message.tongues import fold

HERE = Path(__file__).parent
FILE = Path(firstline.questions.message.__file__).with_name("tongues.npz")
CATEGORIES = tuple(category.value for category in Category)
SEED = 3
FILLED_TIMES = 6
SEEN_MIN = 2
STRENGTH = 10.0


def sentences() -> Iterator[tuple[str, str, float]]:
    """(text, category, weight)."""
    dice = random.Random(SEED)  # noqa: S311 (not a secret)
    slots = json.loads((HERE / "sentences" / "tongue_slots.json").read_text(encoding="utf-8"))
    for line in (HERE / "sentences" / "tongues.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        choices = slots[row["language"]]
        times = FILLED_TIMES if "{" in row["text"] else 1
        filled = {row["text"].format(**{k: dice.choice(v) for k, v in choices.items()}) for _ in range(times)}
        for text in sorted(filled):
            yield text, row["category"], len(filled) ** -0.5


def main() -> None:
    rows = list(sentences())
    made_of = [pieces_of(fold(text)) for text, _, _ in rows]
    seen = Counter(piece for pieces in made_of for piece in pieces)
    vocabulary = sorted(piece for piece, times in seen.items() if times >= SEEN_MIN)
    places = {piece: place for place, piece in enumerate(vocabulary)}
    inputs = sparse.lil_matrix((len(rows), len(vocabulary)))
    for at, pieces in enumerate(made_of):
        known = [places[piece] for piece in pieces if piece in places]
        inputs[at, known] = 1.0 / np.sqrt(max(1, len(known)))
    labels = [CATEGORIES.index(category) for _, category, _ in rows]
    model = LogisticRegression(C=STRENGTH, max_iter=2000, tol=1e-5).fit(
        sparse.csr_matrix(inputs), labels, sample_weight=[weight for *_, weight in rows]
    )
    np.savez_compressed(
        FILE,
        weights=model.coef_.T.astype(np.float16),
        bias=model.intercept_.astype(np.float32),
        vocabulary=np.array("\n".join(vocabulary)),
    )
    print(f"{len(rows)} sentences, {len(vocabulary)} pieces, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
