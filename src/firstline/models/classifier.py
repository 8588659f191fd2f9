"""The triage classifier: one linear layer on the vector that retrieval also uses, and on the words. numpy only."""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from firstline.domain import Category
from firstline.errors import Broken
from firstline.models.phrases import marks, phrases, pieces
from firstline.ports import Vectors

WEIGHTS_PATH: Final = Path(__file__).with_name("triage.npz")
MARK_WEIGHT: Final = 0.4
"""Marks are few and always there: each weighs less than the words."""
RETRAIN: Final = "Unset FIRSTLINE_EMBEDDER, or train a classifier for it with `python -m training.triage.train`."
REINSTALL: Final = "Reinstall firstline."


class LinearClassifier:
    """Implements `ports.TriageClassifier` with weights trained by training/triage (calibrated there)."""

    def __init__(
        self,
        *,
        weights: npt.NDArray[np.float32],
        bias: npt.NDArray[np.float32],
        embedder: str,
        vocabulary: Sequence[str] = (),
    ) -> None:
        """`weights` has shape (categories, dimensions + words) and `bias` (categories,), in the order of `Category`;
        phrases, pieces of words and marks stand in the order of `vocabulary`."""
        self._dimensions = weights.shape[1] - len(vocabulary)
        self._weights = weights[:, : self._dimensions]
        self._phrase_weights = np.ascontiguousarray(weights[:, self._dimensions :].T)
        self._places = {phrase: place for place, phrase in enumerate(vocabulary)}
        self._bias = bias
        self._embedder = embedder

    @property
    def embedder(self) -> str:
        """Id of the model whose vectors it was trained on; any other model's vectors mean nothing to it."""
        return self._embedder

    @property
    def model_id(self) -> str:
        """Changes whenever its verdicts would."""
        vocabulary = "\n".join(self._places).encode()
        # Each part by its own digest: no part can take over what another one loses at its end.
        parts = (self._weights.tobytes(), self._phrase_weights.tobytes(), self._bias.tobytes(), vocabulary)
        digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
        return f"triage@{digest[:16]}"

    def classify(self, vector: Vectors, text: str) -> Mapping[Category, float]:
        """Probabilities that sum to 1. Broken when the vector has another number of dimensions."""
        if vector.shape != (self._dimensions,):
            raise Broken(
                f"The triage classifier reads {self._dimensions} dimensions, not {vector.shape}.", remedy=RETRAIN
            )
        logits = self._weights @ vector + self._bias
        for found, scale in groups_of(text, self._places):
            places = [self._places[one] for one in found]
            if places:
                logits = logits + self._phrase_weights[places].sum(axis=0) * np.float32(scale)
        values = softmax(logits)
        return {category: float(value) for category, value in zip(Category, values, strict=True)}


def groups_of(text: str, known: Collection[str]) -> list[tuple[list[str], float]]:
    """What of a message is known, in groups, and how much each member of a group weighs. However long the message is,
    its words weigh as much as its vector, and so do their pieces."""
    cut = pieces(text)
    said = [one for one in phrases(text) if one in known]
    parts = [one for one in cut if one in known]
    looks = [one for one in marks(text, found=cut, known=known) if one in known]
    return [
        (said, 1.0 / math.sqrt(max(1, len(said)))),
        (parts, 1.0 / math.sqrt(max(1, len(parts)))),
        (looks, MARK_WEIGHT),
    ]


class UniformClassifier:
    """For an embedder that no classifier was trained on: it knows nothing, so only the lexical rules decide."""

    model_id = "none"

    def classify(self, vector: Vectors, text: str) -> Mapping[Category, float]:
        return {category: 1.0 / len(Category) for category in Category}


def open_classifier(*, embedder: str) -> LinearClassifier | UniformClassifier:
    """The shipped classifier when it fits the embedder's id, else the one that knows nothing."""
    shipped = load_classifier(WEIGHTS_PATH)
    return shipped if shipped.embedder == embedder else UniformClassifier()


def load_classifier(path: Path) -> LinearClassifier:
    """Read weights. Broken when the file is missing, damaged or of other categories."""
    try:
        # Read whole first: numpy leaves the file open when it is damaged.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            weights, bias = file["weights"].astype(np.float32), file["bias"]
            vocabulary = str(file["vocabulary"]).splitlines()
            names = tuple(str(name) for name in file["categories"])
            embedder = str(file["embedder"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise Broken(f"The triage weights {path} cannot be read.", remedy=REINSTALL) from error
    if names != tuple(Category) or bias.shape != (len(names),) or weights.ndim != 2 or len(weights) != len(names):
        raise Broken(f"The triage weights {path} are not of this version's categories.", remedy=REINSTALL)
    return LinearClassifier(weights=weights, bias=bias, embedder=embedder, vocabulary=vocabulary)


def softmax(logits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Over the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)
