"""Words that several languages write alike do not tell which one it is."""

import pytest

from firstline.questions.message.language import language_of


@pytest.mark.parametrize(
    "text",
    [
        "Aren't they considered as inheritance, therefore not as ordinary income?",
        "no suitable server found within 30000 ms: set rs0, as a Secondary",
        "Exception as a result of no memory",
    ],
)
def test_words_that_two_languages_write_alike_tell_neither(text: str) -> None:
    assert language_of(text) == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Como posso cancelar a minha conta se não tenho a senha?", "pt"),
        ("Als ik de server start, is er een fout met het wachtwoord", "nl"),
        ("Warum ist der Server nicht da?", "de"),
    ],
)
def test_other_languages_are_still_told(text: str, language: str) -> None:
    assert language_of(text) == language
