"""One question back: it names what would tell the pages apart."""

import pytest
from tests.steps.evidence import piece

from firstline.domain import Asks
from firstline.questions.clarify import clarify
from firstline.questions.message.terms import codes
from firstline.questions.render import render


def pages(*titles: str, text: str = "The driver is installed with the package manager."):
    return [piece(text, doc_id=title, title=title) for title in titles]


def test_titles_that_differ_in_one_place_make_the_question():
    asked = clarify("How do I install it?", pages("Install the driver on Linux", "Install the driver on macOS"))
    assert (asked.asks, asked.names) == (Asks.WHICH, ("Linux", "macOS"))
    assert render(asked).notice == "Which do you mean: Linux or macOS?"
    assert asked.options == ("Install the driver on Linux", "Install the driver on macOS")


@pytest.mark.parametrize(
    "titles",
    [
        ("Connection limits", "Timeouts"),
        ("Install", "Install on Linux"),
        ("The driver", "The driver"),
    ],
)
def test_titles_without_one_place_of_difference_are_offered_as_they_are(titles):
    asked = clarify("How do I install it?", pages(*titles))
    assert asked.names == ()
    assert asked.asks is (Asks.PICK if len(set(titles)) > 1 else Asks.DETAIL)


def test_a_code_that_nothing_mentions_is_said_to_be_unknown():
    asked = clarify("What does LK9999 mean?", pages("Error codes", "Logs"))
    assert (asked.asks, asked.names, asked.options) == (Asks.UNKNOWN, ("LK9999",), ())
    assert "LK9999" in render(asked).notice


def test_an_unknown_code_in_a_question_with_a_subject_leaves_the_pages_about_it_on_offer():
    found = pages("Connection limits of the driver", "Timeouts of the driver")
    asked = clarify("The driver stops with LK9999 while we import a large table over VPN", found)
    assert (asked.asks, asked.names, len(asked.options), len(asked.pages)) == (Asks.UNKNOWN, ("LK9999",), 2, 2)
    assert "LK9999" in render(asked).notice and "one of these" in render(asked).notice


@pytest.mark.parametrize("code", ["CVE-2015-0138", "J2CA0024E", "SQL0911N", "LK-1100"])
def test_a_code_of_several_parts_is_one_code(code: str):
    assert codes(f"What about {code}?") == (code,)
    assert clarify(f"What about {code}?", pages("Bulletins", "Logs", text=f"This is about {code}.")).asks is Asks.PICK


def test_a_code_that_some_page_mentions_is_not_unknown():
    found = pages("Error codes", "Logs", text="LK9999 means that the disk is full.")
    assert clarify("What does LK9999 mean?", found).asks is Asks.PICK


def test_a_code_is_matched_whole():
    found = pages("Error codes", "Logs", text="LK99990 means that the disk is full.")
    assert clarify("What does LK9999 mean?", found).names == ("LK9999",)


def test_another_language_than_the_pages_is_said_and_nothing_is_offered():
    asked = clarify("Wie kann ich den Treiber installieren und warum geht das nicht?", pages("Drivers", "Logs"))
    assert (asked.asks, asked.names, asked.options) == (Asks.LANGUAGE, ("en",), ())


def test_nothing_found_asks_for_detail():
    assert clarify("It does not work", []).asks is Asks.DETAIL
