from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cost import grows_evenly

from firstline.documents.redact import PatternRedactor

redactor = PatternRedactor()
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SLACK = "xoxb-" + "123456789012-abcdefGHIJKL"
GOOGLE = "AIza" + "SyA-1234567890abcdefghijklmnopqrstu"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to jane.doe+x@mail.corp.com.", "write to [EMAIL_1]."),
        ("a@b.co, c@d.org, A@B.CO", "[EMAIL_1], [EMAIL_2], [EMAIL_1]"),
        ("call +49 30 901820 now", "call [PHONE_1] now"),
        ("(212) 555-0199 or 212-555-0199 ext. 4", "[PHONE_1] or [PHONE_2]"),
        ("phone: 5403926876", "phone: [PHONE_1]"),
        ("card 4111 1111 1111 1111 expired", "card [CARD_1] expired"),
        ("5500005555555559", "[CARD_1]"),
        ("DE89 3704 0044 0532 0130 00 please", "[IBAN_1] please"),
        ("gb82west12345698765432", "[IBAN_1]"),
        ("from 203.1.113.7 to 10.20.30.40:5432", "from [IP_1] to [IP_2]:5432"),
        ("host 2a02:8109:9c40:2d00::1f4 is down", "host [IP_1] is down"),
        (f"Authorization: Bearer {JWT}", "Authorization: Bearer [SECRET_1]"),
        (f"key {AWS}, {GITHUB}, {SLACK}, {GOOGLE}", "key [SECRET_1], [SECRET_2], [SECRET_3], [SECRET_4]"),
        ("password: hunter22", "password: [SECRET_1]"),
        ("my password is Hunter2!x ok", "my password is [SECRET_1] ok"),
        ('{"api_key": "9f8e7d6c5b4a39281706"}', '{"api_key": "[SECRET_1]"}'),
        ("postgres://app:s3cr3tpw@db.internal:5432/x", "postgres://[SECRET_1]@db.internal:5432/x"),
        ("Server=db;User Id=sa;Password=Str0ngP4ss;", "Server=db;User Id=sa;Password=[SECRET_1];"),
        ("curl --token abcdef.0123456789abcdef x", "curl --token [SECRET_1] x"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nafter",
            "[PRIVATE_KEY_1]\nafter",
        ),
        ("-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n" + "B" * 64, "[PRIVATE_KEY_1]"),
    ],
)
def test_takes_out(text: str, expected: str) -> None:
    assert redactor.redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "E11000 duplicate key error collection: shop.orders index: email_1",
        "version 10.1.0.2 and 8.5.5.12, v4.1.1.2, Fix Pack 7.0.0.45",
        "SQL0911N SQLSTATE=40001 at 2024-05-01T12:30:45.123Z",
        "2024-05-01 12:30:45,123 [main] 1714566645123",
        "127.0.0.1 0.0.0.0 255.255.255.0 192.0.2.10 ::1 fe80::1 2001:db8::5",
        "10.96.0.0/12 and 192.168.0.0/16",
        "sha256:9b74c9897bac770ffc029102a200c5de3f3a1d4f9b74c9897bac770ffc029102",
        "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
        "std::vector<int> DB::add 12:30:45 00:1A:2B:3C:4D:5E",
        "password: <your password>, PASSWORD=$DB_PASSWORD, password=****",
        "The password must not be empty. Token: a string that names the session.",
        "git clone git@github.com:org/repo.git icon@2x.png aes128-gcm@openssh.com",
        "http://localhost:8080/a?x=1 pages 120-135, 100 000 000 rows, 1-2-3",
        "[EMAIL_1] wrote",
        "ORA-01555 ISBN 978-3-16-148410-0 port 27017 errno 11000",
    ],
)
def test_engineers_text_survives(text: str) -> None:
    assert redactor.redact(text).text == text


def test_spans_point_into_the_given_text_and_say_no_value() -> None:
    text = "é a@b.org, call +1 212 555 0100"
    result = redactor.redact(text)
    assert [(r.type, text[r.start : r.end]) for r in result.redactions] == [
        ("EMAIL", "a@b.org"),
        ("PHONE", "+1 212 555 0100"),
    ]
    assert all("@" not in r.placeholder for r in result.redactions)


def test_numbers_that_the_text_uses_are_not_given_again() -> None:
    assert redactor.redact("[EMAIL_1] and a@b.org").text == "[EMAIL_1] and [EMAIL_2]"


@given(st.text(max_size=400))
def test_the_rest_is_returned_to_the_letter(text: str) -> None:
    result = redactor.redact(text)
    rebuilt, at = [], 0
    for redaction in result.redactions:
        assert at <= redaction.start < redaction.end <= len(text)
        rebuilt += [text[at : redaction.start], redaction.placeholder]
        at = redaction.end
    assert "".join([*rebuilt, text[at:]]) == result.text


@given(st.text(alphabet="a1.@:=- /+(password", max_size=300))
def test_redacting_twice_changes_nothing_more_than_once(text: str) -> None:
    once = redactor.redact(text).text
    assert redactor.redact(once).text.count("[") >= once.count("[")


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1 ",
        "a@",
        "a.",
        "1.",
        "a:",
        "password=",
        "http://a:",
        "eyJaaaaaaaa.",
        "GB82 ",
        "(1-",
        "-",
        "xoxb-",
        "::",
        "-----BEGIN PRIVATE KEY-----",
        "password ",
        "1234-",
        "+1 (",
        "token is ",
        "password for a ",
        "login a/",
        "curl -u a:b",
        "-u a -p ",
        "mysql ",
    ],
)
def test_time_is_linear_on_a_long_line(unit: str) -> None:
    assert grows_evenly(lambda length: redactor.redact(unit * (length // len(unit))), 50_000, free_s=0.5)
