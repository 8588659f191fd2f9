"""Where no sign speaks, the pieces of words do; a language that nothing tells is told by its own words."""

from __future__ import annotations

import pytest

from firstline.domain import Category, Intent
from firstline.questions.message.tongue_reading import made_of_known_words, pieces_of, read_as, stakes_of
from firstline.questions.message.tongues import fold

HIGH = (
    "Ich will mit dem Vertrag nichts mehr zu tun haben, beenden Sie ihn",
    "Je souhaite que mon contrat s'arrête là",
    "No quiero seguir pagando, den de baja mi plan",
    "契約はもう続けません、終わらせてください",
)
LOOKED_UP = (
    "Wie exportiere ich eine Tabelle?",
    "Comment exporter une table ?",
    "¿Cómo exporto una tabla?",
    "テーブルの出力方法",
)


@pytest.mark.parametrize("text", HIGH)
def test_a_farewell_sounds_like_one(text: str) -> None:
    assert read_as(fold(text))[Category.HIGH_STAKES] >= 0.5


@pytest.mark.parametrize("text", LOOKED_UP)
def test_a_question_sounds_like_one(text: str) -> None:
    shares = read_as(fold(text))
    assert max(shares, key=lambda category: shares[category]) is Category.ANSWERABLE
    assert sum(shares.values()) == pytest.approx(1.0)


def test_numbers_say_nothing() -> None:
    assert pieces_of("fehler 503") == pieces_of("fehler 12")


def test_words_of_a_language_tell_it_and_english_ones_do_not() -> None:
    assert made_of_known_words(fold("Exijo un reembolso"))
    assert not made_of_known_words(fold("release notes firmware"))
    assert not made_of_known_words("")


def test_the_matter_is_named_by_its_stems() -> None:
    assert stakes_of(fold("Mein Anwalt meldet sich")) is Intent.LEGAL
    assert stakes_of(fold("Rendez-moi l'argent")) is Intent.BILLING_DISPUTE
    assert stakes_of(fold("Borren mis datos")) is Intent.DELETION
    assert stakes_of(fold("契約を終わらせたい")) is Intent.CANCELLATION
    assert stakes_of(fold("Der Fahrer war frech")) is Intent.COMPLAINT
