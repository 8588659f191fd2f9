"""Who writes: in which language and mood, with which intent, and of which things by name?"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from firstline.domain import Intent, Mood, Reason, Triage
from firstline.questions.card.bearing import CODE
from firstline.questions.card.case import Case
from firstline.questions.card.codes import apart
from firstline.questions.card.pasted_parts import prose_and_code
from firstline.questions.message.language import DEFAULT, language_of
from firstline.questions.message.manner import entities
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.terms import FUNCTION_WORDS

INTENT_MIN: Final = 0.9
ENTITIES_MAX: Final = 12
CHARS_READ_MAX: Final = 2_000
TURNS_OF_MOOD: Final = 3
WEIGHED_CHARS_MAX: Final = 120
"""Of a message, for its language: a pasted log is nobody's."""
SAYS_LITTLE: Final = frozenset({Intent.PERSON, Intent.SMALL_TALK, Intent.OTHER})
"""Intents that an earlier message says more than: who asks for a person has asked something before."""

_UNITS: Final = frozenset({"KB", "MB", "GB", "TB", "KIB", "MIB", "GIB", "TIB", "MS"})
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:]\s+|\n\s*)\W*$")


def shown_intent(case: Case) -> Intent:
    """The one to be named on a card: only where it is certain, OTHER else. What is at stake is never left out."""
    sure = [one.intent for one in triages_of(case) if one.confidence >= INTENT_MIN]
    if case.reason is Reason.HIGH_STAKES:
        return intent_of(case)
    newest = intent_of(case)
    said = (intent for intent in sure if intent not in SAYS_LITTLE)
    return newest if newest in SAYS_LITTLE else next(said, Intent.OTHER)


def intent_of(case: Case) -> Intent:
    """The newest that says something, whatever was said last."""
    known = [triage.intent for triage in triages_of(case)]
    return next((intent for intent in known if intent not in SAYS_LITTLE), known[0] if known else Intent.OTHER)


def triages_of(case: Case) -> list[Triage]:
    """Newest first."""
    return [found for found in (case.triage, *(turn.triage for turn in reversed(case.earlier))) if found is not None]


def entities_of(case: Case) -> tuple[str, ...]:
    """Of the whole conversation, in the order they came up, each in its first spelling."""
    found: dict[str, str] = {}
    for message in (apart(prose_and_code(one)[0]) for one in case.messages):
        for name in entities(message, entities_max=ENTITIES_MAX, chars_max=CHARS_READ_MAX):
            cleaned = _name(name, message)
            # Anger writes in capitals, as acronyms do.
            if cleaned and not (cleaned.isupper() and cleaned.isalpha() and _angry(message)):
                found.setdefault(cleaned.casefold(), cleaned)
    return tuple(found.values())[:ENTITIES_MAX]


def _name(name: str, message: str) -> str:
    """Without the word in front of a code, and without the one that only opens its sentence; "" when none is left."""
    words = name.split()
    coded = [word for word in words if CODE.fullmatch(word)]
    if coded:
        return coded[0]
    if f"[{name}]" in message or name.upper() in _UNITS or name.casefold() in FUNCTION_WORDS:
        return ""
    if len(words) > 1 and name.replace(" ", "").isalpha():
        opens = _SENTENCE_START.search(message[: message.find(name)]) is not None
        if opens or words[0].casefold() in FUNCTION_WORDS:
            return " ".join(words[1:]) if len(words) > 2 or words[1].isupper() else ""
    return name


def _angry(message: str) -> bool:
    return "!!" in message or wants_person(message)


def language_of_case(case: Case) -> str:
    """The one that most was written in: a short message is easily mistaken for another language."""
    written: Counter[str] = Counter()
    if case.triage is not None:
        written[case.triage.language] += min(len(case.question), WEIGHED_CHARS_MAX)
    for turn in case.earlier:
        if turn.triage is not None:
            written[turn.triage.language] += min(len(turn.question), WEIGHED_CHARS_MAX)
    most = written.most_common(1)[0][0] if written else DEFAULT
    # What is too little in every message may be enough in all of them.
    said = " ".join(prose_and_code(message[:CHARS_READ_MAX])[0] for message in case.messages)
    return language_of(said) if most == DEFAULT else most


def mood_of(case: Case) -> Mood:
    lately = triages_of(case)[:TURNS_OF_MOOD]
    return Mood.UPSET if any(found.mood is Mood.UPSET for found in lately) else Mood.NEUTRAL
