import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.evals.scorers import (
    METRICS,
    aurc,
    auroc,
    citation_precision,
    confusion,
    coverage_at,
    interval,
    is_wrong,
    macro_bootstrap,
    mean_scores,
    normalised_tokens,
    paired_bootstrap,
    ranking_scores,
    token_f1,
)

DOCS = st.lists(st.sampled_from([f"d{i}" for i in range(15)]), max_size=15)
SCORES = st.lists(st.floats(0, 1).map(lambda value: round(value, 2)), min_size=1, max_size=20)


def test_a_ranking_worked_out_by_hand() -> None:
    scores = ranking_scores(["x", "b", "y", "a", "z", "c"], ["a", "b", "c", "missing"])
    assert (scores["hit1"], scores["hit3"], scores["mrr"]) == (0.0, 1.0, 0.5)
    assert (scores["recall5"], scores["recall10"]) == (0.5, 0.75)
    gained = 1 / math.log2(3) + 1 / math.log2(5) + 1 / math.log2(7)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert scores["ndcg10"] == pytest.approx(gained / best)


def test_a_repeated_document_takes_one_place() -> None:
    assert ranking_scores(["x", "x", "x", "a"], ["a"])["mrr"] == 0.5


def test_past_the_tenth_place_nothing_counts() -> None:
    scores = ranking_scores([f"x{i}" for i in range(10)] + ["a"], ["a"])
    assert set(scores.values()) == {0.0}


def test_a_ranking_needs_gold() -> None:
    with pytest.raises(ValueError, match="gold"):
        ranking_scores(["a"], [])


@given(DOCS, st.sets(st.sampled_from([f"d{i}" for i in range(15)]), min_size=1, max_size=4))
def test_ranking_scores_stay_in_bounds_and_in_order(ranked: list[str], gold: set[str]) -> None:
    scores = ranking_scores(ranked, gold)
    assert tuple(scores) == METRICS
    assert all(0 <= value <= 1 + 1e-12 for value in scores.values())
    assert scores["hit1"] <= scores["hit3"] <= scores["hit5"] <= scores["hit10"]
    assert scores["recall5"] <= scores["recall10"] <= scores["hit10"]
    assert scores["hit1"] <= scores["mrr"] <= scores["hit10"]


@given(st.sets(st.sampled_from([f"d{i}" for i in range(15)]), min_size=1, max_size=5))
def test_gold_in_front_is_perfect(gold: set[str]) -> None:
    scores = ranking_scores([*sorted(gold), "other"], gold)
    assert all(value == pytest.approx(1) for value in scores.values())


def test_mean_scores() -> None:
    assert mean_scores([{"a": 1.0}, {"a": 0.0}]) == {"a": 0.5}
    assert mean_scores([]) == {}


def test_token_f1_ignores_case_punctuation_and_articles() -> None:
    assert normalised_tokens("The server, restarted!  An `index`") == ["server", "restarted", "index"]
    assert token_f1("The Server restarted.", "a server RESTARTED") == 1.0
    assert token_f1("one two three four", "two three") == pytest.approx(2 * 2 / 6)
    assert token_f1("go go go", "go") == pytest.approx(0.5)
    assert token_f1("", "something") == 0.0


@given(st.text(max_size=80), st.text(max_size=80))
def test_token_f1_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert token_f1(one, other) == token_f1(other, one)
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, one) == 1


def test_what_a_wrong_answer_is() -> None:
    assert not is_wrong(shown=True, answerable=True, cited=["x", "gold"], gold=["gold"])
    assert is_wrong(shown=True, answerable=True, cited=["x"], gold=["gold"])
    assert is_wrong(shown=True, answerable=False, cited=["gold"], gold=["gold"])
    assert not is_wrong(shown=False, answerable=False, cited=[], gold=[])
    assert citation_precision(["a", "b", "a", "c"], ["a"]) == 0.5
    assert citation_precision([], ["a"]) is None


def test_auroc_by_hand() -> None:
    assert auroc([3, 2], [1, 0]) == 1
    assert auroc([0], [1]) == 0
    assert auroc([1, 1], [1]) == 0.5
    assert math.isnan(auroc([], [1]))


@given(SCORES, SCORES)
def test_auroc_counts_pairs(positive: list[float], negative: list[float]) -> None:
    pairs = [(p > n) + 0.5 * (p == n) for p in positive for n in negative]
    assert auroc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))
    assert auroc(positive, negative) + auroc(negative, positive) == pytest.approx(1)


@given(SCORES, SCORES, st.floats(0, 1))
def test_coverage_keeps_its_bound_and_is_the_largest(
    positive: list[float], negative: list[float], false_share_max: float
) -> None:
    found = coverage_at(positive, negative, false_share_max=false_share_max)
    allowed = [
        sum(p >= threshold for p in positive) / len(positive)
        for threshold in [*positive, 2.0]
        if sum(n >= threshold for n in negative) <= math.floor(false_share_max * len(negative) + 1e-9)
    ]
    assert found == pytest.approx(max(allowed))


def test_aurc_by_hand() -> None:
    assert aurc([0.9, 0.8, 0.1], [False, False, True]) == pytest.approx((0 + 0 + 1 / 3) / 3)
    assert aurc([0.1, 0.8, 0.9], [False, False, True]) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert math.isnan(aurc([], []))
    with pytest.raises(ValueError, match="one confidence"):
        aurc([0.1], [])


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1, max_size=20))
def test_aurc_does_not_depend_on_the_order_of_ties(answers: list[tuple[float, bool]]) -> None:
    backwards = answers[::-1]
    found, again = (aurc([c for c, _ in listed], [w for _, w in listed]) for listed in (answers, backwards))
    assert found == pytest.approx(again)


def test_confusion_counts_every_pair() -> None:
    assert confusion([("a", "x"), ("a", "x"), ("b", "y")]) == {"a": {"x": 2, "y": 0}, "b": {"x": 0, "y": 1}}


def test_bootstrap_sees_a_real_gain_and_no_gain() -> None:
    flip = np.random.default_rng(7)
    before = [float(flip.random() < 0.5) for _ in range(200)]
    better = [min(1.0, value + float(flip.random() < 0.4)) for value in before]
    gain = paired_bootstrap(before, better)
    assert gain.significant
    assert gain.low < gain.mean < gain.high
    assert gain.mean == pytest.approx(sum(better) / 200 - sum(before) / 200)
    same = paired_bootstrap(before, before)
    assert (same.mean, same.low, same.high, same.significant) == (0, 0, 0, False)
    assert paired_bootstrap(before, better) == gain
    assert macro_bootstrap([(before, better), (before, before)]).mean == pytest.approx(gain.mean / 2)


def test_bootstrap_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    flip = np.random.default_rng(3)
    covered = 0
    for trial in range(100):
        low, high = interval([float(flip.random() < 0.7) for _ in range(100)], resamples=300, seed=trial)
        covered += low <= 0.7 <= high
    assert covered >= 87


def test_bootstrap_refuses_unpaired_input() -> None:
    with pytest.raises(ValueError, match="same cases"):
        paired_bootstrap([1.0], [])
    with pytest.raises(ValueError, match="at least one"):
        macro_bootstrap([])
    assert all(math.isnan(bound) for bound in interval([]))
