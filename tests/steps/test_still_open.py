"""What is left of an answer, or of a choice, when pages were closed since."""

from __future__ import annotations

import pytest

from firstline.domain import Answered, Asks, Citation, Claim, ClaimKind, Clarify, Completeness, Note
from firstline.questions.still_open import answer_left, options_left

DIFFER = Note(key="answered.pages_differ")
OLD = Note(key="answered.outdated")
READ = Note(key="answered.read_as", values={"written": ("tiemout",), "read": ("timeout",)})


def claim(doc_id: str, text: str = "The limit is 30 minutes.", kind: ClaimKind = ClaimKind.SENTENCE) -> Claim:
    cited = Citation(chunk_id=f"{doc_id}#0", doc_id=doc_id, blob="b", start=0, end=9, title=doc_id, url=None)
    return Claim(text=text, kind=kind, citations=(cited,))


def answered(*claims: Claim, completeness: Completeness = Completeness.FULL, notes: tuple[Note, ...] = ()) -> Answered:
    return Answered(completeness=completeness, claims=claims, confidence=0.9, notes=notes)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Completeness.FULL, Completeness.PARTIAL),
        (Completeness.PARTIAL, Completeness.PARTIAL),
        (Completeness.UNSURE, Completeness.UNSURE),
    ],
)
def test_what_is_left_is_never_surer_than_the_whole(before: Completeness, after: Completeness) -> None:
    left = answer_left(answered(claim("a"), claim("b"), completeness=before), {"a#0"})
    assert isinstance(left, Answered)
    assert left.completeness is after
    assert [each.citations[0].doc_id for each in left.claims] == ["a"]


def test_all_that_is_open_stays_as_it_was() -> None:
    whole = answered(claim("a"), claim("b"), notes=(DIFFER, OLD, READ))
    assert answer_left(whole, {"a#0", "b#0"}) is whole


@pytest.mark.parametrize(
    ("visible", "notes"), [({"a#0", "c#0"}, (DIFFER, OLD, READ)), ({"a#0"}, (OLD, READ)), ({"c#0"}, (READ,))]
)
def test_notes_on_withheld_claims_go(visible: set[str], notes: tuple[Note, ...]) -> None:
    left = answer_left(answered(claim("a"), claim("b"), claim("c"), notes=(DIFFER, OLD, READ)), visible)
    assert isinstance(left, Answered)
    assert left.notes == notes


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (claim("a", "1. Stop the server.", ClaimKind.STEP), claim("b", "2. Delete the lock.", ClaimKind.STEP)),
        (claim("a", "Never do it on a primary."), claim("b", "Otherwise run it at night.")),
        (claim("a", "Run this:"), claim("b", "`drop`", ClaimKind.CODE)),
        (claim("a", "The limit is 5."), claim("b", "Limits", ClaimKind.HEADING)),
    ],
)
def test_what_cannot_be_read_without_the_rest_is_withheld_too(first: Claim, second: Claim) -> None:
    assert answer_left(answered(first, second), {"b#0"}) == Clarify(asks=Asks.AGAIN)


def test_an_answer_of_which_nothing_is_left_asks_for_the_question_again() -> None:
    assert answer_left(answered(claim("a")), set()) == Clarify(asks=Asks.AGAIN)


THREE = Clarify(options=("On A", "On B", "On C"), asks=Asks.WHICH, names=("A", "B", "C"), pages=("a", "b", "c"))


def test_a_closed_page_is_neither_an_option_nor_a_name() -> None:
    left = options_left(THREE, {"a", "c"})
    assert left == Clarify(options=("On A", "On C"), asks=Asks.WHICH, names=("A", "C"), pages=("a", "c"))


@pytest.mark.parametrize(
    ("asked", "pages"),
    [
        (THREE, {"b"}),
        (THREE, set[str]()),
        (Clarify(options=("On A", "On B"), asks=Asks.WHICH, names=("A", "B")), {"a", "b"}),
        (Clarify(question="Which do you mean: On A or On B?", options=("On A", "On B")), {"a", "b"}),
    ],
)
def test_without_two_pages_known_to_be_open_nothing_is_offered(asked: Clarify, pages: set[str]) -> None:
    assert options_left(asked, pages) == Clarify(asks=Asks.DETAIL)


@pytest.mark.parametrize(
    "asked", [THREE, Clarify(asks=Asks.UNKNOWN, names=("LK9",)), Clarify(asks=Asks.LANGUAGE, names=("en",))]
)
def test_a_question_back_that_names_no_closed_page_stays(asked: Clarify) -> None:
    assert options_left(asked, {"a", "b", "c"}) is asked


UNKNOWN_AMONG = Clarify(
    options=("On A", "On B", "On C"), asks=Asks.UNKNOWN, names=("LK1", "LK2", "LK3"), pages=("a", "b", "c")
)


def test_unknown_codes_stay_named_whichever_of_the_pages_are_open() -> None:
    left = options_left(UNKNOWN_AMONG, {"a", "c"})
    assert (left.options, left.pages, left.names) == (("On A", "On C"), ("a", "c"), ("LK1", "LK2", "LK3"))
    assert options_left(UNKNOWN_AMONG, {"a"}) == Clarify(asks=Asks.UNKNOWN, names=("LK1", "LK2", "LK3"))
