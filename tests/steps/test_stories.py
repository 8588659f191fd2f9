"""A general question is for the documentation."""

import pytest
from tests.steps.test_prefer import SCORES, document

from firstline.domain import DocumentKind, RankedDocument
from firstline.questions.stories import AS_NEAR, stories_behind

TICKET = document("ticket", "Old appliance cannot connect", kind=DocumentKind.TICKET)
PAGE = document("page", "TLS")
NOTE = document("note", "On call", kind=DocumentKind.NOTE)


def order(*scored: tuple[str, float], question: str) -> list[tuple[str, float]]:
    ranked = tuple(RankedDocument(doc_id=doc_id, score=score, hits=((doc_id, SCORES),)) for doc_id, score in scored)
    documents = {one.doc_id: one for one in (TICKET, PAGE, NOTE)}
    return [(one.doc_id, one.score) for one in stories_behind(ranked, documents, question=question)]


@pytest.mark.parametrize(
    "question",
    [
        "How do I enable TLS?",
        "Is TLS available on 4.4?",
        "what does the tls mode do",
        "What is the default session timeout?",
    ],
)
def test_a_general_question_gets_the_page_before_the_ticket_each_with_its_own_score(question: str):
    assert order(("ticket", 2.0), ("note", 1.9), ("page", 1.8), question=question) == [
        ("page", 1.8),
        ("ticket", 2.0),
        ("note", 1.9),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "The old appliance cannot connect",
        "why does it refuse my certificate",
        "LK1004 since this morning",
        "the primary steps down at each renewal",
    ],
)
def test_a_reported_problem_may_be_answered_by_a_ticket(question: str):
    assert order(("ticket", 2.0), ("page", 1.8), question=question)[0][0] == "ticket"


def test_a_page_far_behind_was_not_asked_for():
    assert order(("ticket", 2.0), ("page", 1.9 - AS_NEAR), question="How do I enable TLS?")[0][0] == "ticket"


def test_the_first_page_stays_first_and_a_lone_ticket_too():
    assert order(("page", 2.0), ("ticket", 1.9), question="How do I enable TLS?")[0][0] == "page"
    assert order(("ticket", 2.0), question="How do I enable TLS?")[0][0] == "ticket"
