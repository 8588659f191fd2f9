"""Trains the classifier of orders that ships: `python -m training.orders.train` (needs the `train` extra and the
evaluation data).

Its thresholds come from sentences that the scoring model was not trained on: LIKELY_FALSE of them are taken for an
order by themselves (NAMED_FALSE of those that name an assistant), POSSIBLE_FALSE beside another sign. Families of
wordings are left out in turn for the report. Only words of the written and composed sentences have weights. Same
inputs, same file.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from firstline.evals.datasets import data_folder
from firstline.orders.reading import ASSISTANT, WEIGHTS_PATH
from training.orders.compose import composed
from training.orders.read import FOREIGN, Example, documentation, longest, messages, written

SEED = 7
STRENGTH = 5.0
SEEN_MIN = 2
LIKELY_FALSE = 11
NAMED_FALSE = 4
POSSIBLE_FALSE = 150
DOUBTFUL_FALSE = 400
WRITTEN_WEIGHT, COMPOSED_WEIGHT, PLAIN_WEIGHT = 10.0, 0.3, 20.0
Floats = npt.NDArray[np.float64]


class Space:
    """Which thing and which word is which column."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.names = [self._often(each.things for each in examples), self._often(each.words for each in examples)]

    @staticmethod
    def _often(lists: object) -> list[str]:
        seen = Counter(name for names in lists for name in names)  # pyright: ignore[reportGeneralTypeIssues,reportUnknownVariableType,reportUnknownArgumentType]
        return sorted(name for name, times in seen.items() if times >= SEEN_MIN)

    def matrix(self, examples: Sequence[Example]) -> sparse.csr_matrix:
        """As `orders.score` reads them: each known name at 1 / sqrt(number of known names of its kind)."""
        blocks: list[sparse.csr_matrix] = []
        for kind, names in enumerate(self.names):
            places = {name: place for place, name in enumerate(names)}
            rows: list[int] = []
            columns: list[int] = []
            for row, example in enumerate(examples):
                known = [places[name] for name in (example.words if kind else example.things) if name in places]
                rows += [row] * len(known)
                columns += known
            shape = (len(examples), len(names))
            blocks.append(normalize(sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)))
        return sparse.csr_matrix(sparse.hstack(blocks))


class Trainer:
    def __init__(self, real: list[Example]) -> None:
        self.orders = written("orders")
        self.templates = longest(composed(SEED))
        self.plain = written("plain")
        self.real = real
        self.space = Space([*self.orders, *self.plain, *self.templates])
        parts = (self.orders, self.templates, self.plain, self.real)
        self.inputs = [self.space.matrix(part) for part in parts]

    def fitted(self, *, without: str = "", half: int | None = None) -> LogisticRegression:
        """Without one family of wordings; on one half of the documents."""
        orders, templates, plain, real = self.inputs
        kept = np.array([each.group != without for each in self.orders])
        made = np.array([each.group != without for each in self.templates])
        seen = np.array([half is None or each.half == half for each in self.real])
        inputs = sparse.vstack([orders[kept], templates[made], plain, real[seen]])
        counts = (int(kept.sum()), int(made.sum()), plain.shape[0], int(seen.sum()))
        labels = np.repeat([1, 1, 0, 0], counts)
        weights = np.repeat([WRITTEN_WEIGHT, COMPOSED_WEIGHT, PLAIN_WEIGHT, 1.0], counts)
        return LogisticRegression(C=STRENGTH, max_iter=2000).fit(inputs, labels, sample_weight=weights)

    def unseen_scores(self) -> Floats:
        """Of every real sentence, by the model of the other half."""
        scores = np.empty(len(self.real))
        halves = np.array([each.half for each in self.real])
        for half in (0, 1):
            scores[halves == half] = self.fitted(half=1 - half).decision_function(self.inputs[3][halves == half])
        return scores

    def report(self, limits: dict[str, float]) -> None:
        families = list(dict.fromkeys(each.group for each in self.orders))
        print(f"{'family left out':16s}likely  possible")
        totals: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for family in families:
            own = np.array([each.group == family for each in self.orders])
            scores = self.fitted(without=family).decision_function(self.inputs[0][own])
            named = np.array([ASSISTANT in each.things for each in self.orders])[own]
            likely = np.where(named, limits["likely_named"], limits["likely"])
            found = float((scores >= likely).mean()), float((scores >= limits["possible"]).mean())
            totals[family in FOREIGN].append(found)
            print(f"{family:16s}{found[0]:6.2f}  {found[1]:8.2f}")
        for foreign, name in ((False, "English"), (True, "other languages")):
            print(f"{name:16s}{np.mean(totals[foreign], 0)[0]:6.2f}  {np.mean(totals[foreign], 0)[1]:8.2f}")


def main() -> None:
    data: Path = data_folder(os.environ)
    trainer = Trainer([*asyncio.run(documentation(data)), *messages("train", "written", "field_dev")])
    limits = limits_of(trainer)
    trainer.report(limits)
    model = trainer.fitted()
    held = model.decision_function(trainer.space.matrix(messages("held_out", "field_held")))
    print(f"messages not trained on: {(held >= limits['possible']).sum()} possible of {len(held)}")
    save(trainer.space, model, limits)


def limits_of(trainer: Trainer) -> dict[str, float]:
    scores = trainer.unseen_scores()
    ranked = np.sort(scores)[::-1]
    named = np.sort(scores[[ASSISTANT in each.things for each in trainer.real]])[::-1]
    return {
        "doubtful": round(float(ranked[DOUBTFUL_FALSE]), 3),
        "possible": round(float(ranked[POSSIBLE_FALSE]), 3),
        "likely": round(float(ranked[LIKELY_FALSE]), 3),
        "likely_named": round(float(named[NAMED_FALSE]), 3),
    }


def save(space: Space, model: LogisticRegression, limits: dict[str, float]) -> None:
    names = [*space.names[0], *space.names[1]]
    weights = [(name, round(float(weight), 2)) for name, weight in zip(names, model.coef_[0], strict=True)]
    edge = len(space.names[0])
    told = {
        "bias": round(float(model.intercept_[0]), 3),
        **limits,
        # A name of weight 0 still counts among the known ones, by which the others are divided.
        "things": dict(weights[:edge]),
        "words": dict(weights[edge:]),
    }
    WEIGHTS_PATH.write_text(json.dumps(told, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(names)} names, {WEIGHTS_PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
