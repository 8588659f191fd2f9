"""Does a message lean on what was said before, on which part of it, and which of the offered options does it pick?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Exchange
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import all_stems, identifiers, terms

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

_PREPOSITIONS: Final = "for|on|with|in|under|using|from|at"
_SWAP: Final = re.compile(
    r"^\W*(?:(?P<lead>ok|okay|and|but|or|so|then|what about|how about|what if|is it|does it|the same)\W+)*"
    rf"(?:(?P<where>{_PREPOSITIONS})\s+)?(?P<new>[\w.+#-]+(?:\s+[\w.+#-]+){{0,3}}?)"
    r"(?P<too>\s+(?:too|also|as well|instead))?\W*$",
    re.IGNORECASE,
)
_ASKS_FOR_ANOTHER: Final = frozenset({"and", "or", "what about", "how about"})
"""After any other opening ("but", "so", "is it") only a preposition tells a name from a complaint."""
SWAP_CHARS_MAX: Final = 120
_LOWER_CASE_MAX: Final = 1
"""Of the words after a preposition: "on Windows server". More of them are a sentence."""
_NAMED: Final = re.compile(
    rf"\b(?:{_PREPOSITIONS})\s+(?:the\s+|an?\s+)?"
    r"(?P<old>[A-Z][\w.+#-]*\w(?:\s+[A-Z0-9][\w.+#-]*\w)*|[A-Z]\b)"
)
_VERSION: Final = re.compile(r"\bv?\d+(?:\.\d+)+\b|(?:(?<=version )|(?<=release ))\d+\b|\bv?\d+\.x\b", re.IGNORECASE)
_NEW_VERSION: Final = re.compile(
    r"(?P<said>(?:version|release)\s+)?(?P<number>v?\d{1,4}(?P<dotted>(?:\.\d+)+)?)", re.IGNORECASE
)
_LEADS_TO_VERSION: Final = frozenset({"in", "on", "for"})
_CODE: Final = re.compile(r"[A-Z]{1,10}[-_]?\d{3,6}[A-Z]?")
_NEVER_NAMES: Final = re.compile(
    r"(?:\w*(?:errors?|exceptions?|timeouts?)|err|warnings?|codes?|exit(?:s|ed)?|status|signals?|traces?|traceback|null"
    r"|fail(?:s|ed|ing|ures?)?|crash(?:e[sd]|ing)?|den(?:y|ied|ial)|refused|rejected|aborted|killed|panics?|fatal"
    r"|permissions?|forbidden|unauthori[sz]ed|invalid|missing|broken|stuck|lost|hangs?|hung|segfaults?|corrupt(?:ed)?"
    r"|unavailable|unreachable|unknown|unsupported|timed|cannot|bugs?|problems?|issues?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|yesterday|tomorrow)",
    re.IGNORECASE,
)
"""Words of trouble and of time: what they stand in is said about the matter, it is no other matter."""

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
    become "How do I install it on Windows?". None when it is not that kind of follow-up.

    A short complaint ("but Permission denied", "is it 27017") looks much the same: in doubt it is none.
    """
    follow_up = _SWAP.match(question) if len(question) <= SWAP_CHARS_MAX else None
    if follow_up is None or not _asks_for_another(follow_up):
        return None
    new, where = follow_up["new"], (follow_up["where"] or "").lower()
    version = _new_version(new, where)
    slots = list((_VERSION if version else _NAMED).finditer(before))
    if len(slots) != 1:
        return None
    start, end = slots[0].span() if version else slots[0].span("old")
    if version is None and not (_names_something(new, bool(where)) and _of_one_kind(new, before[start:end], before)):
        return None
    return f"{before[:start]}{version or new}{before[end:]}"


def _asks_for_another(follow_up: re.Match[str]) -> bool:
    lead = (follow_up["lead"] or "").lower()
    return lead in _ASKS_FOR_ANOTHER or (follow_up["where"] is not None and bool(lead or follow_up["too"]))


def _new_version(new: str, where: str) -> str | None:
    """A whole number is one only where that is said, or after "in", "on", "for": it may be a port or an exit code."""
    found = _NEW_VERSION.fullmatch(new)
    told = found is not None and (found["said"] or found["dotted"] or where in _LEADS_TO_VERSION)
    return found["number"] if found is not None and told else None


def _names_something(new: str, after_preposition: bool) -> bool:
    words = new.split()
    if LEANS.search(new) or not terms(new) or any(_NEVER_NAMES.fullmatch(word) for word in words):
        return False
    plain = sum(word.islower() for word in words)
    named = any(letter.isupper() for letter in new) and not words[0].islower()
    return named and plain <= (_LOWER_CASE_MAX if after_preposition else 0)


def _of_one_kind(new: str, old: str, before: str) -> bool:
    """No error code takes the place of a name, and no "Larkspur 4.3" that of a name in a question about 4.2."""
    if any(map(_CODE.fullmatch, new.split())) != any(map(_CODE.fullmatch, old.split())):
        return False
    return not (_VERSION.search(new) and _VERSION.search(before)) or _VERSION.search(old) is not None


def is_telling(said: str) -> bool:
    """Says something about the matter: small talk does not."""
    return bool(terms(said)) and small_talk(said) is None


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
    told = terms(message)
    telling = [option for option in options if told and all_stems(option).issuperset(told)]
    if number is None and len(telling) == 1 and "?" not in message:
        return telling[0]
    if number is not None:
        at = int(number.group(1)) - 1
    elif named is not None:
        at = _PLACES[named.group(1).lower()]
    else:
        return None
    return options[at] if -1 <= at < len(options) else None
