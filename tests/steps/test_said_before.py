"""What a few words mean after what was said before."""

from __future__ import annotations

import pytest

from firstline.questions.said_before import accepts, read_with


@pytest.mark.parametrize(
    ("message", "earlier", "read"),
    [
        ("and cancel it", ["what is in my premium plan?"], "and cancel my premium plan"),
        ("ok, close it then", ["how do I rename my account?"], "ok, close my account then"),
        ("and delete it", ["how do I see a query of my account?"], "and delete it"),
        ("cancel it", ["how do I export a report?"], "cancel it"),
        ("cancel it", ["what does my contract say?", "how do I export a report of last year?"], "cancel it"),
        ("how do I cancel a query", ["what is in my plan?"], "how do I cancel a query"),
        ("cancel it", [], "cancel it"),
        ("delete it", ["where are my account settings?"], "delete it"),
    ],
)
def test_it_is_named_when_it_is_something_the_asker_has(message: str, earlier: list[str], read: str) -> None:
    assert read_with(message, earlier) == read


@pytest.mark.parametrize("text", ["yes, please", "Yes", "sure, go ahead", "ok please", "I'd like that", "ja bitte"])
def test_a_yes_is_a_yes(text: str) -> None:
    assert accepts(text)


@pytest.mark.parametrize("text", ["ok", "yes, on Windows", "no", "yes but how?", "thanks", "great"])
def test_a_nod_or_more_than_a_yes_is_none(text: str) -> None:
    assert not accepts(text)
