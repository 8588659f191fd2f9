"""Does a message lean on what was said before, on which part of it, and which of the offered options does it pick?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Exchange
from firstline.questions.signs import SMALL_TALK
from firstline.questions.terms import all_stems, identifiers, terms

ALONE_TERMS_MIN: Final = 3
"""Fewer content words than this rarely make a question that stands alone."""
NEW_SUBJECT_TERMS_MIN: Final = 4
OPENING_TERMS_MIN: Final = 2
"""A turn with fewer content words ("hi, can you help me?") opens no subject."""
SHARED_TERMS_MIN: Final = 2
OPTIONS_AGE_MAX: Final = 3
"""Turns after which offered options are no longer meant by "the other one"."""
PICK_WORDS_MAX: Final = 8
"""A longer message says what it wants in its own words."""

LEANS: Final = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|then|same|other|others"
    r"|another|one|ones|else|such|former|latter|above|instead|again|still|also|too|more)\b"
    r"|^\W*(?:and|but|or|so|then|no|yes|yeah|ok|okay|not|what about|how about|what if)\b",
    re.IGNORECASE,
)
FRESH_START: Final = re.compile(
    r"^\W*(?:(?:ok|okay|thanks|thank you|great|now|and|by the way)\W+)*(?:an?\s+)?(?:"
    r"(?:new|another|different|unrelated|separate)\s+(?:question|topic|issue|problem|subject)\b"
    r"|(?:something|a question about something)\s+(?:else|different|new)\b"
    r"|on\s+(?:another|a\s+different)\s+(?:note|topic|subject)\b"
    r"|(?:changing|change of|to change|let'?s change)\s+(?:the\s+)?(?:subject|topic)\b)",
    re.IGNORECASE,
)

_SWAP: Final = re.compile(
    r"^\W*(?:(?:ok|okay|and|but|or|so|then|what about|how about|what if|is it|does it|the same)\W+)+"
    r"(?:(?:for|on|with|in|under|using|from|at)\s+)?(?P<new>[\w.+#-]+(?:\s+[\w.+#-]+){0,3})\W*$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?:for|on|with|in|under|using|from|at)\s+(?:the\s+|an?\s+)?"
    r"(?P<old>[A-Z][\w.+#-]*\w(?:\s+[A-Z0-9][\w.+#-]*\w)*|[A-Z]\b)"
)
_VERSION: Final = re.compile(r"\bv?\d+(?:\.\d+)+\b|(?<=version )\d+\b", re.IGNORECASE)

_PLACES: Final = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "last": -1,
    "former": 0,
    "latter": -1,
}
_PLACE: Final = re.compile(
    rf"\b(?:the|option|number)\s+({'|'.join(_PLACES)})(?:\s+(?:one|option|choice|page|link|of\s+(?:these|those|them)))?"
    r"(?:\W+(?:please|thanks|thank\s+you))?\W*$",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"^\W*(?:(?:no|yes|ok|please|i\s+mean|i\s+meant|the|it'?s)\W+)*(?:option|number|no|nr|choice)?\W*(\d{1,2})"
    r"(?:\W+(?:please|thanks|thank\s+you))?\W*$",
    re.IGNORECASE,
)
_OTHER: Final = re.compile(
    r"\bthe\s+other(?:\s+(?:one|option|choice|page|link))?(?:\W+(?:please|thanks|thank\s+you))?\W*$", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_]+")


def stands_alone(question: str) -> bool:
    """Can it be understood without what was said before? Read from its words alone, so it may be wrong."""
    return LEANS.search(question) is None and len(terms(question)) >= ALONE_TERMS_MIN


def begins_anew(question: str) -> bool:
    """It announces a change of subject."""
    return FRESH_START.match(question) is not None


def changes_subject(question: str, said: Sequence[str]) -> bool:
    """It is complete by itself and shares no word with what was said before."""
    own = terms(question)
    if len(own) < NEW_SUBJECT_TERMS_MIN or not stands_alone(question):
        return False
    return all_stems("\n".join(said)).isdisjoint(own)


def of_this_subject(earlier: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges since the newest announced change of subject, that one included."""
    for place in range(len(earlier) - 1, -1, -1):
        if begins_anew(earlier[place].question):
            return tuple(earlier[place:])
    return tuple(earlier)


def resolved(earlier: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges with every "and for Windows?" written out by the question it varies."""
    found: list[Exchange] = []
    for exchange in earlier:
        full = with_swapped(exchange.question, found[-1].question) if found else None
        found.append(replace(exchange, question=full) if full else exchange)
    return tuple(found)


def with_swapped(question: str, before: str) -> str | None:
    """The question before with one name or version exchanged: "How do I install it on Linux?", "and for Windows?"
    become "How do I install it on Windows?". None when it is not that kind of follow-up."""
    follow_up = _SWAP.match(question)
    if follow_up is None or not (new := follow_up["new"]).strip():
        return None
    version = _VERSION.search(f"version {new}" if new.isdigit() else new)
    slots = list((_VERSION if version else _NAMED).finditer(before))
    if len(slots) != 1 or (version is None and not _names_something(new)):
        return None
    start, end = slots[0].span() if version else slots[0].span("old")
    return f"{before[:start]}{version.group() if version else new}{before[end:]}"


def _names_something(new: str) -> bool:
    return LEANS.search(new) is None and any(letter.isupper() for letter in new) and bool(terms(new))


def is_telling(said: str) -> bool:
    """Says something about the matter: small talk does not."""
    return bool(terms(said)) and SMALL_TALK.match(said) is None


def opens_subject(said: str) -> bool:
    """Says enough to name what the conversation is about."""
    return len(terms(said)) >= OPENING_TERMS_MIN or bool(identifiers(said))


def spoken_of(question: str, said: Sequence[str]) -> str | None:
    """The earlier message that shares most words with the question ("the same duplicate key error"), the newest of
    equals; None when none shares enough."""
    own = terms(question)
    best, best_shared = None, SHARED_TERMS_MIN
    for message in said:
        stems = all_stems(message)
        shared = sum(term in stems for term in own)
        if shared >= best_shared:
            best, best_shared = message, shared
    return best


def chosen_option(question: str, earlier: Sequence[Exchange]) -> tuple[str, Exchange] | None:
    """The option that a short message picks ("2", "the first one", "no, the other one"), and the exchange that
    offered it. None when no option is picked, or when it cannot be told which."""
    place = next((at for at in range(len(earlier) - 1, -1, -1) if earlier[at].options), None)
    if place is None or len(earlier) - place > OPTIONS_AGE_MAX or len(_WORD.findall(question)) > PICK_WORDS_MAX:
        return None
    offered = earlier[place]
    option = _picked(question, offered.options)
    if option is None and _OTHER.search(question):
        taken = {_picked(exchange.question, offered.options) for exchange in earlier[place + 1 :]}
        taken.update(title for exchange in earlier[place + 1 :] for title in exchange.cited)
        left = [one for one in offered.options if one not in taken]
        option = left[0] if len(left) == 1 else None
    return (option, offered) if option is not None else None


def _picked(message: str, options: Sequence[str]) -> str | None:
    said = " ".join(_WORD.findall(message.casefold()))
    for option in options:
        if said and said == " ".join(_WORD.findall(option.casefold())):
            return option
    number = _NUMBER.match(message)
    named = _PLACE.search(message)
    if number is not None:
        at = int(number.group(1)) - 1
    elif named is not None:
        at = _PLACES[named.group(1).lower()]
    else:
        return None
    return options[at] if -1 <= at < len(options) else None
