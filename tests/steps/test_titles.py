"""Titles decide between documents that are otherwise alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firstline.domain import RankedDocument
from firstline.questions.titles import by_titles


def ranked(*scores: float) -> tuple[RankedDocument, ...]:
    return tuple(RankedDocument(doc_id=f"d{place}", score=score, hits=()) for place, score in enumerate(scores))


def names(found: tuple[RankedDocument, ...]) -> list[str]:
    return [document.doc_id for document in found]


def test_the_one_word_that_differs_decides() -> None:
    titles = {
        "d0": "Install the agent on macOS",
        "d1": "Install the agent on Linux",
        "d2": "Install the agent on Windows",
    }

    assert names(by_titles(ranked(2.1, 2.0, 1.9), titles, question="install the agent on Linux", weight=0.2)) == [
        "d1",
        "d0",
        "d2",
    ]


def test_a_large_lead_stays() -> None:
    titles = {"d0": "Limits", "d1": "Install the agent on Linux"}

    assert names(by_titles(ranked(3.0, 2.0), titles, question="install the agent on Linux", weight=0.2)) == ["d0", "d1"]


@given(
    st.lists(st.floats(0, 4, width=32), max_size=8), st.lists(st.text(max_size=30), max_size=8), st.text(max_size=40)
)
def test_it_adds_at_most_the_weight_and_loses_nothing(scores: list[float], titles: list[str], question: str) -> None:
    before = ranked(*sorted(scores, reverse=True))
    after = by_titles(before, {f"d{n}": title for n, title in enumerate(titles)}, question=question, weight=0.2)

    assert sorted(names(after)) == sorted(names(before))
    assert [one.score for one in after] == sorted((one.score for one in after), reverse=True)
    gained = {one.doc_id: one.score for one in after}
    assert all(0 <= gained[one.doc_id] - one.score <= 0.2 + 1e-9 for one in before)
    assert by_titles(before, {}, question=question, weight=0.2) == before
