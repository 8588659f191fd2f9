"""The linear triage classifier: calibrated numbers in, probabilities out, honest about foreign vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firstline.domain import Category
from firstline.errors import Broken
from firstline.models.classifier import (
    WEIGHTS_PATH,
    LinearClassifier,
    UniformClassifier,
    load_classifier,
    open_classifier,
    softmax,
)


def test_probabilities_sum_to_one_in_the_order_of_the_categories() -> None:
    weights = np.eye(5, 8, dtype=np.float32) * 4
    classifier = LinearClassifier(weights=weights, bias=np.zeros(5, dtype=np.float32), embedder="e")
    for row, category in enumerate(Category):
        vector = np.zeros(8, dtype=np.float32)
        vector[row] = 1.0
        found = classifier.classify(vector, "")
        assert sum(found.values()) == pytest.approx(1.0)
        assert max(found, key=lambda each: found[each]) is category


def test_a_vector_of_another_model_is_refused() -> None:
    with pytest.raises(Broken, match="384"):
        load_classifier(WEIGHTS_PATH).classify(np.zeros(3, dtype=np.float32), "")


def test_an_embedder_it_was_not_trained_on_gets_the_classifier_that_knows_nothing() -> None:
    shipped = load_classifier(WEIGHTS_PATH)
    assert isinstance(open_classifier(embedder=shipped.embedder), LinearClassifier)
    other = open_classifier(embedder="other@1")
    assert isinstance(other, UniformClassifier)
    assert set(other.classify(np.zeros(3, dtype=np.float32), "").values()) == {0.2}


def test_missing_damaged_and_foreign_weights_are_broken(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="cannot be read"):
        load_classifier(tmp_path / "absent.npz")
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(WEIGHTS_PATH.read_bytes()[:900])
    with pytest.raises(Broken, match="cannot be read"):
        load_classifier(damaged)
    foreign = tmp_path / "foreign.npz"
    np.savez(
        foreign,
        weights=np.zeros((2, 4), dtype=np.float32),
        bias=np.zeros(2, dtype=np.float32),
        categories=np.array(["yes", "no"]),
        embedder=np.array("e"),
        vocabulary=np.array(""),
    )
    with pytest.raises(Broken, match="categories"):
        load_classifier(foreign)


def test_its_name_changes_with_whatever_its_verdicts_rest_on() -> None:
    weights, bias = np.zeros((5, 4), dtype=np.float32), np.zeros(5, dtype=np.float32)
    vector, phrase, shifted = weights.copy(), weights.copy(), bias.copy()
    vector[0, 0] = phrase[0, 3] = shifted[0] = 1.0
    words = ("cancel my", "pay")
    names = [
        LinearClassifier(weights=each, bias=offset, embedder="e", vocabulary=vocabulary).model_id
        for each, offset, vocabulary in (
            (weights, bias, words),
            (vector, bias, words),
            (phrase, bias, words),
            (weights, shifted, words),
            (weights, bias, ("cancel my", "pays")),
            (weights, bias, words[::-1]),
            (weights, bias, ()),
        )
    ]
    assert len(set(names)) == len(names)
    assert LinearClassifier(weights=weights, bias=bias, embedder="e", vocabulary=words).model_id == names[0]


def test_softmax_does_not_overflow() -> None:
    assert softmax(np.array([1000.0, 0.0])).tolist() == [1.0, 0.0]


def test_the_shipped_weights_are_small() -> None:
    assert WEIGHTS_PATH.stat().st_size < 300_000


def test_phrases_count_beside_the_vector_whatever_their_number() -> None:
    weights = np.zeros((5, 3), dtype=np.float32)
    weights[4, 2] = 8.0  # the phrase "cancel my" speaks for the last category
    classifier = LinearClassifier(
        weights=weights, bias=np.zeros(5, dtype=np.float32), embedder="e", vocabulary=["cancel my"]
    )
    vector = np.zeros(2, dtype=np.float32)
    assert max(classifier.classify(vector, "Cancel my plan").items(), key=lambda each: each[1])[0] is list(Category)[4]
    assert max(classifier.classify(vector, "cancel the query").values()) == pytest.approx(0.2)


def test_many_phrases_together_weigh_as_much_as_one() -> None:
    weights = np.zeros((5, 4), dtype=np.float32)
    weights[0] = 2.0  # each of the four phrases speaks for the first category
    vocabulary = ["alpha", "beta", "gamma", "delta"]
    classifier = LinearClassifier(
        weights=weights, bias=np.zeros(5, dtype=np.float32), embedder="e", vocabulary=vocabulary
    )
    nothing = np.zeros(0, dtype=np.float32)

    def weight(text: str) -> float:
        found = list(classifier.classify(nothing, text).values())
        return float(np.log(found[0] / found[1]))

    assert weight("alpha") == pytest.approx(2.0)
    assert weight("alpha beta gamma delta") == pytest.approx(4 * 2.0 / np.sqrt(4))
