"""Laws of reranking."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firstline.domain import RankedDocument, Scores
from firstline.questions.rerank import passages, rerank

SCORES = Scores(dense=0.5, words=1.0, document=0.5, fused=1.0)


def ranked(*scores: float) -> tuple[RankedDocument, ...]:
    """Documents d0, d1, ... best first, each with three chunks."""
    ordered = sorted(scores, reverse=True)
    return tuple(
        RankedDocument(
            doc_id=f"d{number}", score=score, hits=tuple((f"d{number}-{chunk}", SCORES) for chunk in range(3))
        )
        for number, score in enumerate(ordered)
    )


def names(found: tuple[RankedDocument, ...]) -> list[str]:
    return [document.doc_id for document in found]


SCORE = st.floats(0, 4, allow_nan=False, width=32)


@given(st.lists(SCORE, max_size=12), st.data())
def test_documents_are_only_put_in_another_order(scores: list[float], data: st.DataObject) -> None:
    before = ranked(*scores)
    chunks = passages(before, limit=data.draw(st.integers(0, 30)))
    judged = {chunk: data.draw(SCORE) for chunk in chunks}
    after = rerank(before, judged, weight=data.draw(st.floats(0, 1)))

    assert sorted(names(after)) == sorted(names(before))
    assert sorted(one.score for one in after) == sorted(one.score for one in before)
    assert {one.doc_id: one.hits for one in after} == {one.doc_id: one.hits for one in before}
    assert [one.score for one in after] == sorted((one.score for one in after), reverse=True)


@given(st.lists(SCORE, max_size=12, unique=True), st.data())
def test_weight_0_changes_nothing_and_weight_1_lets_the_reranker_decide(
    scores: list[float], data: st.DataObject
) -> None:
    before = ranked(*scores)
    judged = {document.hits[0][0]: float(data.draw(st.integers(0, 9))) for document in before}

    assert rerank(before, judged, weight=0.0) == before
    alone = [judged[document.hits[0][0]] for document in rerank(before, judged, weight=1.0)]
    assert alone == sorted(alone, reverse=True)


def test_documents_that_were_not_judged_stay_behind_the_others() -> None:
    before = ranked(4, 3, 2, 1)

    after = rerank(before, {"d0-0": 0.1, "d1-1": 0.9, "d2-0": 0.5}, weight=1.0)

    assert names(after) == ["d1", "d2", "d0", "d3"]


def test_the_best_two_passages_of_each_document_are_judged_up_to_the_limit() -> None:
    assert passages(ranked(2, 1), limit=3) == ["d0-0", "d0-1", "d1-0"]
