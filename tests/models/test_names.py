"""The name finder that ships: persons and addresses in what people write, and what only looks like them."""

from __future__ import annotations

import pytest
from tests.cost import grows_evenly

from firstline.documents.redact import PatternRedactor
from firstline.domain import DocumentKind
from firstline.models.names import WORDS_KEPT, open_name_finder

redactor = PatternRedactor(names=open_name_finder())
ticket = redactor.for_document(DocumentKind.TICKET)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hi, my name is Anna Schmidt and the export fails.", ["Anna Schmidt"]),
        ("I spoke with Tomasz Kowalczyk last Tuesday.", ["Tomasz Kowalczyk"]),
        ("Thanks, Priya", ["Priya"]),
        ("Please add Jean-Luc Moreau to our account", ["Jean-Luc Moreau"]),
        ("my name is maria lopez", ["maria lopez"]),
        ("Best regards,\nOluwaseun Adeyemi\nSupport Engineer", ["Oluwaseun Adeyemi"]),
        ("Dear Mrs. Takahashi, the printer works again.", ["Takahashi"]),
        ("Reported by: Ingrid Johansson", ["Ingrid Johansson"]),
        ("Mit freundlichen Grüßen\nJürgen Müller", ["Jürgen Müller"]),
    ],
)
def test_persons_are_found(text: str, names: list[str]) -> None:
    for found in (redactor.redact(text).redactions, ticket.redact(text).redactions):
        assert [text[one.start : one.end] for one in found if one.type == "PERSON"] == names


@pytest.mark.parametrize(
    "text",
    [
        "Please ship it to 12 Baker Street, London NW1 6XE.",
        "Meine Adresse ist Hauptstraße 15, 10115 Berlin.",
        "I live at 350 Fifth Avenue, New York, NY 10118",
        "please send it to 14 rue de la paix, 75002 paris",
    ],
)
def test_addresses_are_found(text: str) -> None:
    result = redactor.redact(text)
    assert "ADDRESS" in {one.type for one in result.redactions}
    assert not any(sign.isdigit() for sign in result.text.replace("[ADDRESS_1]", "").replace("[ADDRESS_2]", ""))


@pytest.mark.parametrize(
    "text",
    [
        "How do I configure a Kubernetes Ingress with NGINX on Ubuntu 22.04?",
        "java.lang.NullPointerException at com.acme.Server.start(Server.java:42)",
        "Open Settings > Network > Proxy and choose Manual.",
        "The Order Service returns error E1234 after the update to version 10.2.1.",
        "2024-05-01 12:30:45,123 [main] ERROR Scheduler - Job failed",
        "Security bulletin: CVE-2016-1000031, CVE-2017-15670 and IV22637",
        "Which ports does the Load Balancer use on port 30062?",
        "Set JAVA_HOME and restart Tomcat on host db-01.internal",
        "Hello Support, Outlook does not start.",
        "Monday's release of Firefox and Chrome for macOS Ventura",
        "```\nAnna Schmidt\n```",
        "`Anna Schmidt` is a variable",
    ],
)
def test_engineers_text_names_nobody(text: str) -> None:
    assert redactor.redact(text).text == text
    assert ticket.redact(text).text == text


@pytest.mark.parametrize(
    "text",
    ["Who is John Middleton?", "Where did Sylvia Burke's husband die?", "Was Felix Schuster born before Angus Wagner?"],
)
def test_a_question_about_somebody_keeps_the_name_and_a_ticket_does_not(text: str) -> None:
    assert redactor.redact(text).text == text
    assert ticket.redact(text).text != text


def test_pages_name_whom_they_name() -> None:
    text = "The algorithm was described by Anna Schmidt of 12 Baker Street, London."
    assert redactor.for_document(DocumentKind.DOCUMENTATION).redact(text).text == text
    assert redactor.for_document(DocumentKind.TICKET).redact(text).text != text


def test_a_person_is_one_person_in_a_document() -> None:
    text = "Hi, my name is Anna Schmidt.\nPlease call Peter Novak.\nRegards,\nAnna Schmidt"
    assert redactor.for_document(DocumentKind.TICKET).redact(text).text == (
        "Hi, my name is [PERSON_1].\nPlease call [PERSON_2].\nRegards,\n[PERSON_1]"
    )


def test_words_are_forgotten_and_found_again() -> None:
    finder = open_name_finder()
    text = "my name is Anna Schmidt"
    before = list(finder.spans(text))
    for at in range(0, WORDS_KEPT + 2_000, 1_000):
        list(finder.spans(" ".join(f"w{number}x" for number in range(at, at + 1_000))))
    assert list(finder.spans(text)) == before


def test_a_long_text_is_read_in_pieces() -> None:
    text = "The server was slow. " * 1_500 + "My name is Anna Schmidt. " + "The server was slow. " * 500
    assert [text[one.start : one.end] for one in ticket.redact(text).redactions] == ["Anna Schmidt"]


@pytest.mark.parametrize("unit", ["JANE SMITH, ", "`", "~", "A"])
def test_time_is_linear_in_names_and_marks(unit: str) -> None:
    def read(length: int) -> None:
        ticket.redact(f"Dear Jane Smith,\n{(unit * length)[:length]}")

    assert grows_evenly(read, 20_000, free_s=0.5, slack=3.0)
