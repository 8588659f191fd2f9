import numpy as np
import pytest

from firstline.evals.crossfit import crossfit
from firstline.evals.scorers import auroc


def rows(count: int, *, signal: float, seed: int = 0) -> tuple[list[dict[str, float]], list[bool], list[str]]:
    random = np.random.default_rng(seed)
    labels = [bool(random.random() < 0.3) for _ in range(count)]
    features = [
        {"useful": float(random.normal()) + signal * label, "noise": float(random.normal()), "constant": 1.0}
        for label in labels
    ]
    return features, labels, [f"q{place}" for place in range(count)]


def separated(features: list[dict[str, float]], labels: list[bool], groups: list[str]) -> float:
    scores = crossfit(features, labels, groups)
    assert all(0 <= score <= 1 for score in scores)
    return auroc(
        [score for score, label in zip(scores, labels, strict=True) if label],
        [score for score, label in zip(scores, labels, strict=True) if not label],
    )


def test_a_signal_is_found_and_noise_is_not() -> None:
    assert separated(*rows(400, signal=2.0)) > 0.85
    assert 0.35 < separated(*rows(400, signal=0.0)) < 0.65


def test_a_group_is_never_read_by_a_model_that_saw_it() -> None:
    """Each question twice with one label of its own: a leak would separate them perfectly."""
    random = np.random.default_rng(1)
    features, labels, groups = [], [], []
    for place in range(60):
        row = {f"only{place}": 1.0}
        label = bool(random.random() < 0.5)
        features += [row, row]
        labels += [label, label]
        groups += [f"q{place}"] * 2
    assert abs(separated(features, labels, groups) - 0.5) < 0.25


def test_it_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="groups"):
        crossfit([{"a": 1.0}], [True], ["q"])
