"""Passwords that are told in a sentence."""

from __future__ import annotations

import pytest

from firstline.documents.redact import PatternRedactor

PASSWORD = "Xk9!mmPq2"


@pytest.mark.parametrize(
    "text",
    [
        "I log in with user anna and password {} but it fails",
        "my password is {}, why does it fail?",
        "the password I use is {}",
        "Password {} does not work",
        "pw: {}",
        "mein Passwort ist {}.",
        "Passwort lautet {}",
        "mot de passe : {}",
        "contraseña: {}",
        "パスワードは {} です",
    ],
)
@pytest.mark.parametrize("password", [PASSWORD, "Tr0ub4dor&3!x"])
def test_a_password_in_a_sentence_is_replaced_whole(text: str, password: str) -> None:
    redacted = PatternRedactor().redact(text.format(password)).text
    assert redacted == text.format("[SECRET_1]")


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.",
        "password authentication v2.1.3 is the default",
        "the password was added in 4.2.1",
        "password is set in config.yaml",
        "passwords are base64-encoded",
        "password: ${DB_PASS1}",
        "The password is at least 8 characters long.",
        "Set the password to your own.",
        "password file /etc/passwd1",
    ],
)
def test_prose_about_passwords_stays(text: str) -> None:
    assert PatternRedactor().redact(text).text == text
