"""Messages in German, French, Spanish and Japanese, of every kind, and their look-alikes that a page answers.

messages/<language>.txt is what the signs were written by; <language>_held.txt was written beside it;
<language>_fresh.txt came later, and the signs were mended by what they missed of it (first figures: docs/triage.md).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cost import costs_less

from firstline.domain import Category, Intent, Mood
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.tongues import fold
from firstline.questions.triage import triage

MESSAGES = Path(__file__).parent / "messages"
LANGUAGES = ("de", "fr", "es", "ja")
HIGH = {"cancellation", "deletion", "billing_dispute", "legal", "complaint"}
TALK = {"thanks", "greeting", "farewell", "nod", "solved", "about_me"}
NOTHING_BUT_MISTAKEN = {each: 0.92 if each is Category.IRRELEVANT else 0.02 for each in Category}
"""What the classifier may well say of a language that it does not know."""


def messages(name: str) -> list[tuple[str, str]]:
    lines = (MESSAGES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(kind, text) for kind, text in (line.split("\t") for line in lines)]


def wrong(kind: str, text: str) -> str:
    """What is wrong about its reading, "" when nothing is."""
    found = triage(text, history=(), probabilities=NOTHING_BUT_MISTAKEN)
    match kind:
        case "looked_up":
            right = found.category is Category.ANSWERABLE and found.intent is not Intent.PERSON
        case "high":
            right = found.category is Category.HIGH_STAKES
        case "private_data" | "account":
            right = (found.category, found.intent.value) == (Category.OUT_OF_SCOPE, kind)
        case "how_to" | "cause":
            right = (found.category, found.intent.value) == (Category.ANSWERABLE, kind)
        case "talk":
            right = found.intent is Intent.SMALL_TALK
        case "upset":
            right = found.category is Category.ANSWERABLE and found.mood is Mood.UPSET
        case "off_task":
            right = found.category is Category.IRRELEVANT
        case _ if kind in HIGH:
            right = (found.category, found.intent.value) == (Category.HIGH_STAKES, kind)
        case _:
            assert kind in TALK, kind
            said = small_talk(text)
            right = said is not None and said.value == kind and found.intent is Intent.SMALL_TALK
    return "" if right else f"{kind}: {text} -> {found.category} {found.intent} {found.mood} ({found.language})"


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_are_read_by_the_signs_of_their_language(language: str) -> None:
    rows = messages(language)
    assert sum(kind != "looked_up" for kind, _ in rows) >= 30
    assert sum(kind == "looked_up" for kind, _ in rows) >= 15
    assert [said for kind, text in rows if (said := wrong(kind, text))] == []


@pytest.mark.parametrize("name", [f"{each}_{part}" for each in LANGUAGES for part in ("held", "fresh")])
def test_so_are_other_wordings(name: str) -> None:
    assert [said for kind, text in messages(name) if (said := wrong(kind, text))] == []


@pytest.mark.parametrize("kind", ["talk", "high", "looked_up"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_capitals_and_missing_accents_change_nothing(language: str, kind: str) -> None:
    kinds = {"talk": TALK, "high": HIGH, "looked_up": {"looked_up"}}[kind]
    rows = [(each, text) for each, text in messages(language) if each in kinds]
    assert rows
    for each, text in rows:
        category = triage(text, history=(), probabilities=NOTHING_BUT_MISTAKEN).category
        shouted = triage(text.upper(), history=(), probabilities=NOTHING_BUT_MISTAKEN).category
        assert shouted is category, (each, text, shouted)
        if kind != "looked_up":
            bare = triage(fold(text), history=(), probabilities=NOTHING_BUT_MISTAKEN).category
            assert bare is category, (each, text, bare)


@pytest.mark.parametrize(
    ("text", "talk"),
    [("Gelöst?", None), ("¿Funciona?", None), ("解決しました？", None), ("merci mais ça ne marche pas", None)],
)
def test_what_asks_or_says_more_is_no_small_talk(text: str, talk: object) -> None:
    assert small_talk(text) is talk


@pytest.mark.parametrize(
    "text", ["Was ist das beste Restaurant?", "Où manger ce soir ?", "Qual è la capitale del Perù?", "今日の天気"]
)
def test_no_other_language_is_turned_away_by_the_english_classifier(text: str) -> None:
    found = triage(text, history=(), probabilities=NOTHING_BUT_MISTAKEN)
    assert (found.category, found.settled) == (Category.ANSWERABLE, True)


@pytest.mark.parametrize("text", ["ああああああ", "asdfgh", "qwertz uiop"])
def test_mashed_letters_are_nonsense_in_any_language(text: str) -> None:
    answerable = {each: 0.92 if each is Category.ANSWERABLE else 0.02 for each in Category}
    assert triage(text, history=(), probabilities=answerable).category is Category.NONSENSE


def test_the_mood_of_the_message_before_is_remembered() -> None:
    before = ("Das ist eine Frechheit.",)
    assert triage("Wie starte ich den Dienst?", history=before, probabilities=NOTHING_BUT_MISTAKEN).mood is Mood.UPSET
    assert triage("Wie starte ich den Dienst?", history=(), probabilities=NOTHING_BUT_MISTAKEN).mood is Mood.NEUTRAL


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_signs_take_no_time_to_speak_of(language: str) -> None:
    long = " ".join(text for _, text in messages(language)) * 3 + " mein konto meine mon ma mi su " * 60
    assert costs_less(lambda: triage(long, history=(), probabilities=NOTHING_BUT_MISTAKEN), than_s=0.25)
