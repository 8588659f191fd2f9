"""Two pages that say different things about the same."""

import pytest
from tests.steps.evidence import piece

from firstline.questions.compose import compose

OURS = "The server closes an idle connection after 30 minutes."


@pytest.mark.parametrize(
    "theirs",
    [
        "The server closes an idle connection after 10 minutes.",
        "The server never closes an idle connection after 30 minutes.",
        "An idle connection is closed by the server after 5 minutes.",
    ],
)
def test_what_another_page_says_against_the_answer_is_shown_with_its_source(theirs: str):
    pieces = [piece(OURS), piece(f"Something about logs. {theirs}", doc_id="other")]
    claims = compose("When is an idle connection closed?", pieces, chars_max=1000).claims
    assert [(claim.text, claim.citations[0].doc_id) for claim in claims] == [(OURS, "doc"), (theirs, "other")]


@pytest.mark.parametrize(
    "theirs",
    [
        OURS,
        "The server closes an idle connection after 30 minutes, in all versions since 4.",
        "The client opens a new session after 10 minutes.",
        "The server closes a cursor after 10 minutes without a read.",
        "See https://example.com/10 for how the server closes an idle connection after 10 minutes.",
    ],
)
def test_pages_that_agree_or_speak_of_something_else_do_not_conflict(theirs: str):
    pieces = [piece(OURS), piece(theirs, doc_id="other")]
    claims = compose("When is an idle connection closed?", pieces, chars_max=1000).claims
    assert {claim.citations[0].doc_id for claim in claims} == {"doc"}


def test_numbered_steps_do_not_conflict_by_their_numbers():
    other = piece("2. Stop the server and wait for it.", doc_id="other")
    pieces = [piece("1. Stop the server and wait for it."), other]
    assert len(compose("stop the server", pieces, chars_max=1000).claims) == 1


def test_a_page_does_not_conflict_with_itself():
    pieces = [piece(OURS), piece("The server closes an idle connection after 10 minutes.", ordinal=1)]
    assert len(compose("When is an idle connection closed?", pieces, chars_max=1000).claims) == 1


def test_another_version_of_the_page_does_not_contradict_it():
    pieces = [piece(OURS), piece("The server closes an idle connection after 10 minutes.", doc_id="other")]
    claims = compose("When is an idle connection closed?", pieces, chars_max=1000, aside={"other"}).claims
    assert {claim.citations[0].doc_id for claim in claims} == {"doc"}
