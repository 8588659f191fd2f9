"""The parts of the benchmarks that decide: does the crash trial see a broken promise, do figures report as agreed?"""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import figures
from benchmarks.crash_ingest import Corpus, CrashReport, State, _check_equal, _check_final, _check_killed
from benchmarks.evaluate import baselines, sample
from benchmarks.measured import Measured, NotMeasurable
from benchmarks.turn_latency import nearest_rank

from firstline.evals.cases import Case


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path / "corpus", seed=3)


def state_of(corpus: Corpus, *, snapshot: int = 1, text: str = "old") -> State:
    published = {name: f"{text} {name}" for name in corpus.names()}
    return State(
        snapshot=snapshot,
        published=published,
        acknowledged=dict(published),
        chunks={name: (blob,) for name, blob in published.items()},
        strays=[],
    )


def killed(before: State, after: State, corpus: Corpus) -> list[str]:
    report = CrashReport(kills=1)
    _check_killed(report, before, after, before.acknowledged, corpus)
    return report.findings


def test_the_corpus_changes_in_all_three_ways(corpus: Corpus, tmp_path: Path) -> None:
    before = {path.name: path.read_text() for path in (tmp_path / "corpus").iterdir()}
    corpus.change()
    after = {path.name: path.read_text() for path in (tmp_path / "corpus").iterdir()}
    assert before.keys() - after.keys()
    assert after.keys() - before.keys()
    assert sum(before[name] != after[name] for name in before.keys() & after.keys()) > 40


def test_an_untouched_state_passes(corpus: Corpus) -> None:
    before = state_of(corpus)
    assert killed(before, before, corpus) == []


def test_every_kind_of_loss_is_seen(corpus: Corpus) -> None:
    before = state_of(corpus)
    some = sorted(before.published)[0]
    without = {name: blob for name, blob in before.published.items() if name != some}
    assert "changed" in killed(before, replace(before, published=without), corpus)[0]
    assert "gone" in killed(before, replace(before, acknowledged=without), corpus)[0]
    assert "pointer" in killed(before, replace(before, snapshot=9), corpus)[0]
    assert killed(before, replace(before, strays=["chunk x is not in the index"]), corpus) != []


def test_a_half_published_snapshot_is_seen(corpus: Corpus) -> None:
    before = state_of(corpus)
    corpus.change()
    complete = state_of(corpus, snapshot=2, text="new")
    assert killed(before, complete, corpus) == []
    stale = sorted(corpus.changed & corpus.names())[0]
    mixture = replace(complete, published=complete.published | {stale: before.published[stale]})
    assert "old text" in killed(before, mixture, corpus)[0]
    short = {name: blob for name, blob in complete.published.items() if name != stale}
    assert "not complete" in killed(before, replace(complete, published=short), corpus)[0]


def test_the_final_state_must_be_complete_and_equal_a_fresh_one(corpus: Corpus) -> None:
    state, report = state_of(corpus), CrashReport()
    _check_final(report, state, corpus, "end")
    _check_equal(report, state, state)
    assert report.lost == 0
    some = sorted(state.published)[0]
    _check_final(report, replace(state, published={}), corpus, "end")
    _check_equal(report, state, replace(state, chunks=state.chunks | {some: ("other",)}))
    _check_equal(report, state, replace(state, published=state.published | {some: "other"}))
    assert report.lost == 3


def test_an_unknown_figure_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert figures.main(["no.such"]) == 2
    shown = capsys.readouterr().err
    for name in ("retrieval.techqa.hit3", "ingest.embedder_share", "crash.ingest_lost", "install.size_mb"):
        assert f"  {name}\n" in shown


def test_a_figure_ends_with_its_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async def good() -> Measured:
        return Measured(value=0.95082, unit="ratio")

    async def impossible() -> Measured:
        raise NotMeasurable("there is no such machine")

    async def empty() -> Measured:
        return Measured(value=float("nan"), unit="ratio")

    monkeypatch.setattr(figures, "registry", lambda: {"a.b": good, "c.d": impossible, "e.f": empty})
    assert figures.main(["a.b"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "a.b = 0.9508 ratio"
    assert figures.main(["c.d"]) == 3
    assert "no such machine" in capsys.readouterr().err
    assert figures.main(["e.f"]) == 3


def test_without_the_data_a_figure_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FIRSTLINE_DATA", str(tmp_path))
    assert figures.main(["retrieval.techqa.hit3"]) == 3
    assert "FIRSTLINE_DATA" in capsys.readouterr().err


def test_all_figures_go_on_past_a_failure() -> None:
    async def good() -> Measured:
        return Measured(value=2.0, unit="s")

    async def impossible() -> Measured:
        raise NotMeasurable("why")

    async def mistaken() -> Measured:
        raise ZeroDivisionError("by zero")

    kept: list[int] = []
    measures = {"x": impossible, "m": mistaken, "y": good}
    found = asyncio.run(figures.measure_all(measures, lambda so_far: kept.append(len(so_far))))
    assert found["x"] == {"why_not": "why"}
    assert found["m"] == {"why_not": "measuring it failed: ZeroDivisionError: by zero"}
    assert found["y"] == {"value": 2.0, "unit": "s"}
    assert kept == [1, 2, 3], "an interrupted run keeps what it has"
    assert json.dumps(found)


def test_samples_are_stable_and_in_order() -> None:
    cases = [Case(case_id=str(place), turns=("q",)) for place in range(50)]
    few = sample(cases, 10)
    assert few == sample(cases, 10)
    assert [int(case.case_id) for case in few] == sorted(int(case.case_id) for case in few)
    assert len(few) == 10
    assert sample(cases, 0) == cases


def test_nearest_rank() -> None:
    assert nearest_rank([5.0, 1.0, 3.0], 0.5) == 3.0
    assert nearest_rank([float(place) for place in range(100)], 0.95) == 94.0


def test_baselines_name_known_metrics() -> None:
    from firstline.evals.scorers import METRICS

    assert set(baselines()) == {"BM25", "floor", "aim"}
    assert all(metric in METRICS for sets in baselines().values() for own in sets.values() for metric in own)
