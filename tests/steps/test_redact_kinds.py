"""Kinds of personal data beyond the first: what goes and, as important, what stays."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.cost import costs_less

from firstline.documents.redact import PatternRedactor, Span, own_pattern, wholly
from firstline.documents.redact.own import OwnTime
from firstline.domain import DocumentKind
from firstline.errors import InvalidInput, NotAccepted

redactor = PatternRedactor()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my SSN is 536-22-8731.", "my SSN is [NATIONAL_ID_1]."),
        ("NI number QQ 12 34 56 C and AB123456C", "NI number QQ 12 34 56 C and [NATIONAL_ID_1]"),
        ("NHS number 943 476 5919", "NHS number [NATIONAL_ID_1]"),
        ("Steuer-ID 36 574 261 809", "Steuer-ID [NATIONAL_ID_1]"),
        ("NIR 2 95 10 99 126 111 93", "NIR [NATIONAL_ID_1]"),
        ("DNI 54362315K, NIE X5253868R", "DNI [NATIONAL_ID_1], NIE [NATIONAL_ID_2]"),
        ("codice fiscale RCCMNL83S18D969H", "codice fiscale [NATIONAL_ID_1]"),
        ("BSN 1112.22.333", "BSN [NATIONAL_ID_1]"),
        ("rijksregisternummer 85.07.30-033.28", "rijksregisternummer [NATIONAL_ID_1]"),
        ("PESEL 44051401359", "PESEL [NATIONAL_ID_1]"),
        ("personnummer 880320-0016", "personnummer [NATIONAL_ID_1]"),
        ("HETU 131052-308T", "HETU [NATIONAL_ID_1]"),
        ("fødselsnummer 151086 95088", "fødselsnummer [NATIONAL_ID_1]"),
        ("AHV 756.9217.0769.85", "AHV [NATIONAL_ID_1]"),
        ("CPF 390.533.447-05", "CPF [NATIONAL_ID_1]"),
        ("Aadhaar 2341 2341 2346", "Aadhaar [NATIONAL_ID_1]"),
        ("my passport number is C01X00T47", "my passport number is [NATIONAL_ID_1]"),
        ("my driver's license is D123-4567-8901", "my driver's license is [NATIONAL_ID_1]"),
    ],
)
def test_national_ids(text: str, expected: str) -> None:
    assert redactor.redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Build 201509140325 and order 123 476 5919",
        "ticket 85073003328, job 44051401359, 201709131450/4769716.3",
        "NHS number 123 476 5919",
        "CPF 390.533.447-06",
        "the passport strategy of express, passport 0.7.0",
    ],
)
def test_numbers_without_a_person_stay(text: str) -> None:
    assert redactor.redact(text).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MAC 3c:22:fb:7a:91:0e is blocked", "MAC [MAC_1] is blocked"),
        ("on 3C-22-FB-7A-91-0E", "on [MAC_1]"),
        ("switch 3c22.fb7a.910e", "switch [MAC_1]"),
        ("my license plate is B-MW 4711", "my license plate is [PLATE_1]"),
        ("Kennzeichen: M AB 1234", "Kennzeichen: [PLATE_1]"),
        ("the number plate AB12 CDE was", "the number plate [PLATE_1] was"),
        ("Cookie: sid=abc123def456; theme=dark", "Cookie: sid=[SECRET_1]; theme=dark"),
        ("Set-Cookie: s=af83be10c2; Path=/; HttpOnly", "Set-Cookie: s=[SECRET_1]; Path=/; HttpOnly"),
        ("JSESSIONID=0A1B2C3D4E5F60718293", "JSESSIONID=[SECRET_1]"),
        ("https://x.io/r?token=8f3a9c0b7d1e&next=/a", "https://x.io/r?token=[SECRET_1]&next=/a"),
        ("https://s3.io/b?X-Amz-Signature=9f2c7d0a11bb34", "https://s3.io/b?X-Amz-Signature=[SECRET_1]"),
        ("AccountName=a;AccountKey=Zm9vYmFyMTIzNDU2Nzg5MA==;E=b", "AccountName=a;AccountKey=[SECRET_1];E=b"),
    ],
)
def test_devices_vehicles_and_what_lets_somebody_in(text: str, expected: str) -> None:
    assert redactor.redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "ff:ff:ff:ff:ff:ff and 00:00:00:00:00:00, 01:00:5e:00:00:fb",
        "the license plate recognition model v2 is slow",
        "Set the Cookie header. Cookie: name=<value>",
        "https://x.io/?token=YOUR_TOKEN_HERE&key=value",
        "sha1 3c22fb7a910e3c22fb7a910e3c22fb7a910e3c22",
        "uuid 123e4567-e89b-12d3-a456-426614174000 at 12:30:45:123",
    ],
)
def test_their_like_stays(text: str) -> None:
    assert redactor.redact(text).text == text


EXAMPLES = (
    "Write to user@example.com or support@vendor.io, call +1 800 555 0100, pay with 4111 1111 1111 1111 from 10.1.2.3 "
    "(gateway 192.168.7.1, DNS 8.8.8.8)."
)


def test_pages_keep_their_examples_and_tickets_do_not() -> None:
    assert redactor.for_document(DocumentKind.DOCUMENTATION).redact(EXAMPLES).text == EXAMPLES
    assert redactor.for_document(DocumentKind.FAQ).redact(EXAMPLES).text == EXAMPLES
    ticket = redactor.for_document(DocumentKind.TICKET).redact(EXAMPLES)
    assert {one.type for one in ticket.redactions} == {"EMAIL", "PHONE", "CARD", "IP"}


def test_a_page_still_loses_what_is_somebodys() -> None:
    page = redactor.for_document(DocumentKind.DOCUMENTATION).redact("j.doe@corp.io, 203.1.113.7, +49 30 901820")
    assert page.text == "[EMAIL_1], [IP_1], [PHONE_1]"


def test_parts_of_one_document_share_their_placeholders() -> None:
    of_document = redactor.for_document(DocumentKind.TICKET)
    assert of_document.redact("from a@b.org and c@d.org").text == "from [EMAIL_1] and [EMAIL_2]"
    assert of_document.redact("Re: c@d.org").text == "Re: [EMAIL_2]"
    assert redactor.for_document(DocumentKind.TICKET).redact("c@d.org").text == "[EMAIL_1]"


def test_own_patterns_come_first_and_have_their_own_placeholders() -> None:
    own = PatternRedactor(own=[own_pattern("CUSTOMER", r"\bCU-\d{6}\b"), own_pattern("SITE", r"site [A-Z]{3}")])
    assert (
        own.redact("CU-123456 at site BER, CU-123456, x@y.org").text
        == "[CUSTOMER_1] at [SITE_1], [CUSTOMER_1], [EMAIL_1]"
    )


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (r"(a+)+b", "without a bound"),
        (r"\w*@corp", "without a bound"),
        (r"(\w{1,50}){1,50}x", "ways"),
        (r"a{0,200}a{0,200}a{0,200}b", "ways"),
        (r"(a|aa){1,60}c", "ways"),
        (r"(x)\1{1,3}", "refers back"),
        (r"a{0,5}", "nothing at all"),
        (r"(", "no regular expression"),
        (r"a{1,9999}", "more than 256"),
        (r"(?:a{256}){256}b", "more than 4,096 signs"),
        (r"a(?=(?:b{250}){250})", "more than 4,096 signs"),
        ("", "no or too many"),
    ],
)
def test_patterns_that_could_take_long_are_refused(expression: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        own_pattern("CUSTOMER", expression)


@pytest.mark.parametrize("name", ["", "customer", "A", "X" * 21, "CUSTOMER-1", "[A]"])
def test_a_name_is_capitals(name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot name"):
        own_pattern(name, "abc")


@pytest.mark.parametrize(
    "expression", [r"\b[A-Z]{2}-\d{4,8}\b", r"(?i)case \d{1,10}", r"(?:AB|CD)\d{3}", r"K\d{2,5}(?=\s)"]
)
def test_patterns_in_use_are_taken(expression: str) -> None:
    assert own_pattern("CUSTOMER", expression).pattern.pattern == expression


SLOW = r"(?:[a-z]{1,16}[a-z]{1,16}){1}[a-z]{1,16}!"


def test_a_document_is_searched_in_parts_as_if_it_were_one() -> None:
    """Whatever is seen around a place must be seen across the edges of parts, too."""
    expressions = (
        r"\bCU-\d{2,6}\b", r"(?<=id )\w{2,9}", r"(?<!x)ab{1,3}", r"a{1,3}(?=bb)", r"^l\d{1,3}", r"(?m)^l\d{1,3}",
        r"\d{1,3}$", r"(?m)\d{1,3}$", r"ab(?!\d)", r"(?s)a.{1,12}b", r"[ab]{1,5}\Z", r"(?i)cu", SLOW,
    )  # fmt: skip
    pieces = ("CU-123456", "id abc", "xab", "abbb", "l12\n", "aab b", "12\n", " ", "ab7", "\n", "abba!", "CUCU", "b")
    chance = random.Random(7)  # noqa: S311 (repeatable, not secret)
    for expression in expressions:
        own = own_pattern("OWN_ONE", expression)
        for _ in range(60):
            text = "".join(chance.choices(pieces, k=chance.randrange(1, 60)))
            wanted = [match.span() for match in own.pattern.finditer(text) if match.end() > match.start()]
            for ways in (own.ways, 10**9, 10**6 // own.width):
                found = replace(own, ways=max(1, ways)).spans(text, OwnTime())
                assert [(one.start, one.end) for one in found] == wanted, (expression, text, ways)


def test_what_time_did_not_suffice_for_is_hidden_and_told() -> None:
    own = own_pattern("CUSTOMER", r"CU-\d{6}")
    within = OwnTime(0.0)
    assert list(own.spans("CU-123456 and more", within)) == [Span(start=0, end=18, type="CUSTOMER")]
    assert list(within.unapplied) == ["CUSTOMER"]
    assert list(own.spans("", OwnTime(0.0))) == []


def test_a_slow_pattern_ends_in_time_on_a_long_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstline.documents.redact.redactor.OwnTime", lambda: OwnTime(0.3))
    slow = PatternRedactor(own=[own_pattern("CUSTOMER", SLOW), own_pattern("SITE", r"site [A-Z]{3}")])
    text = "CU a secret " + "a" * 2_000_000 + " site BER"
    assert costs_less(lambda: slow.for_document(DocumentKind.NOTE).redact(text), 5)
    redacted = slow.for_document(DocumentKind.NOTE).redact(text)
    assert redacted.unapplied == ("CUSTOMER", "SITE")
    assert "site BER" not in redacted.text and len(redacted.text) < len(text)
    with pytest.raises(NotAccepted, match="CUSTOMER, SITE could not be tried on all of it"):
        wholly(redacted)
    assert wholly(slow.redact("at site BER")).text == "at [SITE_1]", "the next document has its own time"


def test_the_parts_of_a_document_share_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstline.documents.redact.redactor.OwnTime", lambda: OwnTime(0.05))
    of_document = PatternRedactor(own=[own_pattern("CUSTOMER", SLOW)]).for_document(DocumentKind.NOTE)
    of_document.redact("a" * 500_000)
    assert of_document.redact("A title").text == "[CUSTOMER_2]"


def test_figures_of_another_script_break_no_checksum() -> None:
    said = "codice RSSMRA\u0668\u0665T10A562S"
    assert PatternRedactor().redact(said).text == said
