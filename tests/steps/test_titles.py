"""Titles decide between documents that are otherwise alike."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.test_prefer import document

from firstline.domain import Document, DocumentKind, RankedDocument
from firstline.questions.rewrite import rewrite
from firstline.questions.titles import asked_for_first, by_titles


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


def first(question: str, *documents: Document, picked: str = "") -> str:
    ranked = tuple(RankedDocument(doc_id=one.doc_id, score=1.0, hits=()) for one in documents)
    plan = replace(rewrite(question, earlier=()), picked=picked)
    return asked_for_first(ranked, {one.doc_id: one for one in documents}, plan)[0].doc_id


LIST = document("list", "Error codes")
OWN = document("own", "E11000: duplicate key")
OTHER = document("other", "E1100: too many indexes")
STORY = document("story", "Import stops with E11000", kind=DocumentKind.TICKET)


@pytest.mark.parametrize("question", ["E11000", "what does E11000 mean?", "how do I fix error E11000"])
def test_a_code_by_itself_gets_the_page_that_is_titled_by_it(question: str):
    assert first(question, LIST, OTHER, STORY, OWN) == "own"


def test_a_question_that_says_more_than_a_code_is_ranked_by_all_it_says():
    assert first("E11000 while I build an index over old data", LIST, OWN) == "list"


def test_without_a_page_of_the_code_the_order_stays():
    assert first("E11001", LIST, OTHER) == "list"


def test_the_page_that_was_picked_stands_in_front():
    assert first("E11000", LIST, OWN, OTHER, picked="E1100: too many indexes") == "other"
