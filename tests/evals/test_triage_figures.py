"""The figures about triage have names, and the held-out sentences stay apart from those trained on."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.figures import registry
from training.triage.report import calibration_error
from training.triage.train import WRITTEN, sentences, unseen


def test_their_names() -> None:
    names = {"triage.macro_f1", "triage.high_stakes_recall", "triage.oos_recall", "triage.p95_ms"}
    assert names <= set(registry())


def test_no_held_out_industry_or_sentence_is_trained_on() -> None:
    assert "field_held" not in WRITTEN
    trained = [row for name in WRITTEN for row in sentences(name)]
    held = unseen("field_held")
    assert len(held) >= 380
    industries = {row["industry"] for row in held} - {"none_held"}
    assert industries.isdisjoint(row["industry"] for row in trained)
    assert len(industries) >= 8
    shared = {row["text"].casefold() for row in held} & {row["text"].casefold() for row in trained}
    assert shared == set()


def test_the_calibration_error_of_a_sure_and_wrong_reading_is_one() -> None:
    assert calibration_error(np.array([1.0, 1.0]), np.array([False, False])) == pytest.approx(1.0)
    assert calibration_error(np.array([1.0, 0.0]), np.array([True, False])) == pytest.approx(0.0)
