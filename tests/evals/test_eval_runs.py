"""From cases to judged results, reports and comparisons, with a retriever and a journey made of dictionaries."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstline.domain import (
    Answered,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    GateReading,
    Outcome,
    Turn,
)
from firstline.errors import InvalidInput, Unavailable
from firstline.evals.cases import Case, with_known_documents
from firstline.evals.compare import compare, differences, paired
from firstline.evals.evaluate import LABELLED, NOT_COMPOSED, REMOVED, Judged, ask_cases, judge, rank_cases
from firstline.evals.report import full_report, retrieval_report, table
from firstline.evals.results import Results, load, save
from firstline.evals.summary import kind_of, mean_f1, risk_area, separation, shown, wrong_rate

CASES = [
    Case(case_id="1", turns=("how?",), docs=("d/a",), answerable=True, reference="use the flag", set_name="d"),
    Case(case_id="2", turns=("first", "why?"), docs=("d/b",), answerable=True, set_name="d"),
    Case(case_id="3", turns=("never",), answerable=False, outcomes=("clarify",), set_name="d"),
    Case(case_id="4", turns=("unlabelled",), set_name="d"),
]


def answered(doc_id: str, text: str = "Use the flag.") -> Answered:
    citation = Citation(chunk_id="c", doc_id=doc_id, blob="b", start=0, end=3, title="t", url=None)
    claim = Claim(text=text, kind=ClaimKind.SENTENCE, citations=(citation,))
    return Answered(completeness=Completeness.FULL, claims=(claim,), confidence=0.9)


ASK_BACK = Clarify(question="Which?", options=())


def turn(outcome: Outcome, *, relevance: float = 0.7, confidence: float | None = 0.8) -> Turn:
    gates = [GateReading(name="relevance", value=relevance, threshold=0.5)]
    if confidence is not None:
        gates.append(GateReading(name="confidence", value=confidence, threshold=0.5))
    return Turn(
        session_id="s",
        number=1,
        question="q",
        asked_at=datetime(2026, 1, 1, tzinfo=UTC),
        scope_hash="",
        snapshot=1,
        settings_hash="",
        model_ids=(),
        triage=None,
        plan=None,
        evidence=(),
        gates=tuple(gates),
        outcome=outcome,
        timings_ms={},
    )


async def rank(case: Case, exclude: frozenset[str]) -> Sequence[str]:
    return [doc for doc in ("d/b", "d/a", "d/c") if doc not in exclude]


async def ask(case: Case, exclude: frozenset[str]) -> Turn:
    match case.case_id:
        case "1":
            return turn(answered("d/x" if exclude else "d/a"), confidence=0.4 if exclude else 0.9)
        case "2":
            return turn(ASK_BACK, confidence=None) if exclude else turn(answered("d/wrong"), confidence=0.3)
        case "3":
            return turn(ASK_BACK, relevance=0.2, confidence=None)
        case _:
            raise Unavailable("the index is down")


async def judged_all() -> list[Judged]:
    return [*await ask_cases(CASES, ask), *await ask_cases(CASES, ask, condition=REMOVED)]


async def test_ranking_is_scored_where_there_is_gold() -> None:
    heard: list[tuple[int, int]] = []
    ranked = await rank_cases(CASES, rank, on_done=lambda done, total: heard.append((done, total)))
    assert [one.key for one in ranked] == ["d/1", "d/2"]
    assert [one.scores["mrr"] for one in ranked] == [0.5, 1.0]
    assert heard == [(1, 2), (2, 2)]


async def test_turns_are_judged_by_citation_condition_and_expectation() -> None:
    first, second, third, fourth, first_removed, second_removed = await judged_all()
    assert (first.shown, first.wrong, first.f1, first.citation_precision) == (True, False, 1.0, 1.0)
    assert (second.shown, second.wrong, second.f1) == (True, True, None)
    assert (third.came, third.wrong, third.met, third.confidence) == ("clarify", False, True, NOT_COMPOSED)
    assert (fourth.outcome, fourth.error, kind_of(fourth)) == ("error", "unavailable: the index is down", None)
    assert (first_removed.condition, first_removed.wrong, first_removed.f1) == (REMOVED, True, None)
    assert second_removed.shown is False


async def test_the_summary_counts_them() -> None:
    judged = await judged_all()
    assert shown(j for j in judged if kind_of(j) == "answerable").wrong_share == 0.5
    # answerable 1 of 2 wrong, unanswerable 0 of 1, removed 1 of 2: mixed in equal parts.
    assert wrong_rate(judged) == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert math.isnan(wrong_rate([j for j in judged if j.condition == LABELLED]))
    removed = separation(judged, against="removed", value="confidence")
    assert removed.auroc == pytest.approx((1 + 1 + 1 + 0) / 4)
    assert removed.coverage_at_1 == 0.5
    assert separation(judged, against="unanswerable", value="relevance").auroc == 1
    # By falling confidence: right (.9), wrong (.4), wrong (.3).
    assert risk_area(judged) == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)
    assert mean_f1(judged) == 1.0


def test_must_contain_is_part_of_the_expectation() -> None:
    case = Case(case_id="1", turns=("q",), docs=("d/a",), outcomes=("answered",), must_contain=("FLAG",))
    assert judge(case, turn(answered("d/a"))).met is True
    assert judge(replace(case, must_contain=("other",)), turn(answered("d/a"))).met is False
    assert judge(case, None, error="x").met is False


async def test_results_survive_the_disk(tmp_path: Path) -> None:
    judged = tuple(await judged_all())
    results = Results(
        name="A", about={"split": "dev"}, ranked=tuple(await rank_cases(CASES, rank)), judged=judged, judged_open=judged
    )
    path = tmp_path / "deep" / "a.json"
    save(results, path)
    assert load(path) == results
    path.write_text('{"format": 99}')
    with pytest.raises(InvalidInput, match="format 99"):
        load(path)
    path.write_text("[]")
    with pytest.raises(InvalidInput, match="not a results file"):
        load(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        load(tmp_path / "none.json")


async def test_the_report_shows_sets_baselines_and_misses() -> None:
    judged = tuple(await judged_all())
    ranked = tuple(await rank_cases(CASES, rank))
    text = full_report(
        Results(name="A", about={"split": "dev"}, ranked=ranked, judged=judged, judged_open=judged),
        {"BM25": {"d": {"mrr": 0.123}}},
    )
    assert "0.750" in text
    assert "  BM25" in text
    assert "0.123" in text
    assert "= 1 : 1 : 1: 0.3333" in text
    assert "d: 1 of 1 came to the expected outcome" in text
    assert "BM25" not in retrieval_report(ranked, {"BM25": {"other": {"mrr": 0.1}}})


def test_tables_are_aligned() -> None:
    assert table(["set", "n"], [["a", "1"], ["longer", "100"]]).splitlines() == [
        "set       n",
        "------  ---",
        "a         1",
        "longer  100",
    ]


async def test_a_comparison_names_what_changed() -> None:
    before = Results(name="A", ranked=tuple(await rank_cases(CASES, rank)), judged=tuple(await ask_cases(CASES, ask)))

    async def better(case: Case, exclude: frozenset[str]) -> Sequence[str]:
        return list(case.docs)

    async def silent(case: Case, exclude: frozenset[str]) -> Turn:
        return turn(ASK_BACK)

    after = Results(
        name="B", ranked=tuple(await rank_cases(CASES, better)), judged=tuple(await ask_cases(CASES, silent))
    )
    by_metric = differences(paired(before.ranked, after.ranked))["d"]
    assert by_metric["mrr"].mean == pytest.approx(0.25)
    assert by_metric["mrr"].cases == 2
    text = compare(before, after)
    assert "1 questions found their document at another place" in text
    assert "d/1: place 2 -> 1" in text
    assert "d/2 (labelled): answered full, wrong -> clarify" in text


async def test_a_case_with_other_gold_is_not_compared() -> None:
    ranked = await rank_cases(CASES, rank)
    changed = [replace(one, gold=("d/z",)) for one in ranked]
    assert paired(ranked, changed) == {}


def test_the_report_names_the_text_that_was_missing() -> None:
    case = Case(
        case_id="1", turns=("q",), docs=("d/a",), outcomes=("answered:full",), must_contain=("flag", "retryable")
    )
    missed = judge(case, turn(answered("d/a")))
    assert missed.lacking == ("retryable",) and missed.met is False
    report = full_report(Results(name="own", judged=(missed,)))
    assert "expected answered:full with 'retryable', came answered full" in report
    assert judge(case, turn(ASK_BACK)).lacking == ()


def test_a_gold_document_that_is_not_there_makes_no_case_answerable() -> None:
    cases = [
        Case(case_id="1", turns=("q",), docs=("a", "gone"), answerable=True),
        Case(case_id="2", turns=("q",), docs=("gone", "lost"), answerable=True),
        Case(case_id="3", turns=("q",)),
    ]
    found, missing = with_known_documents(cases, {"a", "b"})
    assert [(case.docs, case.answerable) for case in found] == [(("a",), True), ((), False), ((), None)]
    assert missing == ["gone", "lost"]
