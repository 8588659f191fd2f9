"""What kind of message is this? Rules that read the words, weighed with the classifier that reads the meaning.

A wrong deflection costs more than a retrieval in vain: what is not surely something else is answerable. The thresholds
were chosen on held-out industries (training/triage) for at most one false alarm in a hundred answerable questions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from firstline.domain import Category, Intent, Mood, Triage
from firstline.questions.language import language_of
from firstline.questions.manner import HOW_FIRST, INTENTS, entities, upset
from firstline.questions.signs import (
    ACCOUNT,
    ASKS,
    HIGH_STRONG,
    HIGH_WEAK,
    MINE,
    OFF_TASK,
    ON_YOUR_SIDE,
    OTHERS,
    PERSON,
    POLICY,
    PRIVATE,
    first_sign,
)
from firstline.questions.small_talk import small_talk

DEFLECT_MIN: Final = 0.8
DEFLECT_WITH_SIGN_MIN: Final = 0.3
DEFLECT_IN_CONVERSATION_MIN: Final = 0.97
PRIVATE_MIN: Final = 0.4
OUT_OF_SCOPE_MIN: Final = 0.5
HIGH_WITH_STRONG_MIN: Final = 0.03
HIGH_WITH_WEAK_MIN: Final = 0.6
ENTITIES_MAX: Final = 12
CHARS_MAX: Final = 2_000
"""Rules read the start of a message: what somebody wants stands there, logs follow."""
SHORT_WORDS_MAX: Final = 40
"""Requests for a person, another's data or a poem are short; a longer message describes a problem."""
WITHOUT_CLASSIFIER: Final[Mapping[Category, float]] = MappingProxyType(
    {
        Category.ANSWERABLE: 1.0 - HIGH_WITH_STRONG_MIN,
        Category.HIGH_STAKES: HIGH_WITH_STRONG_MIN,
        Category.OUT_OF_SCOPE: 0.0,
        Category.IRRELEVANT: 0.0,
        Category.NONSENSE: 0.0,
    }
)
"""When the embedder is down: the words alone decide, and what they leave open is looked up."""
WORD: Final = re.compile(r"[^\W_]+")
VOWELS: Final = frozenset("aeiouyäöüáàâéèêëíìîóòôúùûåæøœ")
CONSONANTS: Final = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}|^[bcdfghjklmnpqrstvwxz]{3,}$")
SALAD_WORDS_MIN: Final = 4
SHORT_NONSENSE_MIN: Final = 0.97
"""A single noun or two can be a search; only longer strings without a question can be word salad."""
KEY_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm")


def triage(
    question: str,
    *,
    history: Sequence[str],
    probabilities: Mapping[Category, float],
    deflect_min: float = DEFLECT_MIN,
    out_of_scope_min: float = OUT_OF_SCOPE_MIN,
    high_stakes_min: float = HIGH_WITH_WEAK_MIN,
) -> Triage:
    """Sort one message. `history` holds the asker's earlier messages, oldest first; `probabilities` sum to 1.

    A wish for a person is answerable with intent `person`; other people's data and secrets are out of scope with
    intent `private_data`. Takes well under a millisecond.
    """
    text = _visible(question)[:CHARS_MAX]
    named = entities(text, entities_max=ENTITIES_MAX, chars_max=CHARS_MAX)
    category, intent, confidence, reason = (
        _unreadable(text)
        or _small_talk(text, probabilities)
        or _high_stakes(text, probabilities, high_stakes_min)
        or _asks_for_person_or_secret(text)
        or _mashed(text)
        or _off_topic(text, bool(history), bool(named), probabilities, deflect_min)
        or _out_of_scope(text, bool(history), probabilities, out_of_scope_min)
        or (Category.ANSWERABLE, _intent(text), probabilities[Category.ANSWERABLE], "a question to look up")
    )
    return Triage(
        category=category,
        confidence=round(confidence, 4),
        intent=intent,
        entities=named,
        language=language_of(text),
        mood=Mood.UPSET if upset(text, history) else Mood.NEUTRAL,
        reason=reason,
    )


Verdict = tuple[Category, Intent, float, str]


def _visible(question: str) -> str:
    """Without control and formatting characters; every kind of white space becomes a blank."""
    kept = (
        " " if letter.isspace() else letter
        for letter in question[: 2 * CHARS_MAX]
        if letter.isspace() or unicodedata.category(letter)[0] != "C"
    )
    return "".join(kept).strip()


def _unreadable(text: str) -> Verdict | None:
    if any(letter.isalnum() for letter in text):
        return None
    return Category.NONSENSE, Intent.OTHER, 1.0, "no letter or digit" if text else "empty"


def _small_talk(text: str, probabilities: Mapping[Category, float]) -> Verdict | None:
    if small_talk(text) is None:
        return None
    return Category.IRRELEVANT, Intent.SMALL_TALK, max(probabilities[Category.IRRELEVANT], 0.9), "small talk"


def _high_stakes(text: str, probabilities: Mapping[Category, float], weak_min: float) -> Verdict | None:
    share = probabilities[Category.HIGH_STAKES]
    if share >= HIGH_WITH_STRONG_MIN:
        strong = first_sign(HIGH_STRONG, text)
        if strong is not None:
            return Category.HIGH_STAKES, strong, max(share, 0.9), f"says {strong.value} outright"
    # Somebody who asks how it works in general has no case of their own.
    if share >= weak_min and MINE.search(text) and not POLICY.search(text) and not HOW_FIRST.match(text):
        weak = first_sign(HIGH_WEAK, text)
        if weak is not None:
            return Category.HIGH_STAKES, weak, share, f"words and meaning of {weak.value}"
    return None


def _asks_for_person_or_secret(text: str) -> Verdict | None:
    if len(WORD.findall(text)) > SHORT_WORDS_MAX:
        text = _last_sentence(text)
    if PRIVATE.search(text):
        return Category.OUT_OF_SCOPE, Intent.PRIVATE_DATA, 0.9, "asks for private data or secrets"
    if PERSON.search(text):
        return Category.ANSWERABLE, Intent.PERSON, 0.9, "asked for a person"
    return None


def _last_sentence(text: str) -> str:
    """A long message that wants a person says so at its end."""
    return re.split(r"[.!?\n]\s+", text.rstrip(" .!?"))[-1]


def _mashed(text: str) -> Verdict | None:
    words = WORD.findall(text.casefold())
    if not words or not all(_is_mash(word) for word in words):
        return None
    return Category.NONSENSE, Intent.OTHER, 0.95, "keyboard mash"


def _is_mash(word: str) -> bool:
    """Letters no language puts together: one letter over and over, a stretch of a keyboard row, no vowel at length."""
    if not word.isascii() or not word.isalpha():
        return False
    if len(word) >= 4 and len(set(word)) <= 2:
        return True
    if len(word) >= 5 and any(word in row or word[::-1] in row for row in KEY_ROWS):
        return True
    return len(word) >= 6 and not VOWELS.intersection(word)


def _off_topic(
    text: str, in_conversation: bool, technical: bool, probabilities: Mapping[Category, float], deflect_min: float
) -> Verdict | None:
    irrelevant, nonsense = probabilities[Category.IRRELEVANT], probabilities[Category.NONSENSE]
    words = len(WORD.findall(text))
    if words <= SHORT_WORDS_MAX and OFF_TASK.search(text) and irrelevant >= DEFLECT_WITH_SIGN_MIN:
        return Category.IRRELEVANT, Intent.OTHER, irrelevant, "a task or talk, not a question about the knowledge"
    if technical:
        return None
    if in_conversation:
        # A follow-up says little by itself: only what no follow-up would say is turned away.
        sure = irrelevant >= DEFLECT_IN_CONVERSATION_MIN
        return (Category.IRRELEVANT, Intent.SMALL_TALK, irrelevant, "the classifier is sure") if sure else None
    if irrelevant + nonsense < deflect_min:
        return None
    if irrelevant >= nonsense:
        return Category.IRRELEVANT, Intent.SMALL_TALK, irrelevant, "the classifier is sure"
    if not ASKS.search(text) and (words >= SALAD_WORDS_MIN or _half_mashed(text) or nonsense >= SHORT_NONSENSE_MIN):
        return Category.NONSENSE, Intent.OTHER, nonsense, "the classifier is sure"
    return None


def _half_mashed(text: str) -> bool:
    return any(CONSONANTS.search(word) for word in WORD.findall(text.casefold()))


def _out_of_scope(
    text: str, in_conversation: bool, probabilities: Mapping[Category, float], share_min: float
) -> Verdict | None:
    share = probabilities[Category.OUT_OF_SCOPE]
    if ON_YOUR_SIDE.search(text):
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, max(share, 0.9), "wants something looked at on our side"
    if HOW_FIRST.match(text):
        return None
    # A follow-up is personal in tone and seldom a request: more certainty is asked for.
    caution = (1 - share_min) / 2 if in_conversation else 0.0
    if share >= PRIVATE_MIN + caution and OTHERS.search(text):
        return Category.OUT_OF_SCOPE, Intent.PRIVATE_DATA, share, "words and meaning of other people's data"
    if share >= share_min + caution and ACCOUNT.search(text):
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, share, "needs an account or a decision"
    return None


def _intent(text: str) -> Intent:
    if HOW_FIRST.match(text):
        return Intent.HOW_TO
    return first_sign(INTENTS, text) or Intent.OTHER
