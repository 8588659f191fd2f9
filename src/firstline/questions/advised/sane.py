"""Does what a model made of a message still ask what the message asks, in words that the customer wrote?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from firstline.orders import doubtful
from firstline.questions.message.manner import entities
from firstline.questions.message.opposites import opposed
from firstline.questions.message.spoken import spoken
from firstline.questions.message.terms import TOKEN, all_stems, identifiers, terms

QUESTION_CHARS_MAX: Final = 400
QUERY_CHARS_MAX: Final = 200
QUERIES_MAX: Final = 3
NAMES_MAX: Final = 40
SHARE_SAID_MIN: Final = 0.7
"""Of the question's words that carry meaning: so many are the customer's own."""
QUERY_SHARE_SAID_MIN: Final = 0.5
"""A query may bring words that a page uses where the customer used others."""
_QUOTED: Final = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«([^»\n]{1,200})»|„([^“\n]{1,200})“|`([^`\n]{1,200})`"
)
_NAME: Final = re.compile(r"(?<![.!?:\n\"(“]\s)(?<![\w.-])(?<!\A)([A-Z][\w-]+)")
"""A word with a capital that begins no sentence. German nouns are among them: they are kept, too."""
_MARKS: Final = re.compile(r"[<>{}\[\]|\\^~`\x00-\x08\x0b-\x1f]|https?:|www\.|\n", re.IGNORECASE)
_NOT: Final = re.compile(
    r"\b(?:no|not|never|without|cannot|\w+n['’]t|nicht|kein\w*|nie|ohne|pas|jamais|sans|nunca|sin)\b|ない|ません",
    re.IGNORECASE,
)


def fallen(question: str, queries: Sequence[str], *, message: str, earlier: Sequence[str], language: str) -> str:
    """Why it is not searched; "" when it may be. `earlier`: what the customer wrote before; `language`: of the
    conversation, "" when nothing tells."""
    if not question.strip() or any(not one.strip() for one in queries):
        return "it says nothing"
    if len(question) > QUESTION_CHARS_MAX or any(len(one) > QUERY_CHARS_MAX for one in queries):
        return "it is too long"
    if len(queries) > QUERIES_MAX:
        return "it has too many queries"
    said = "\n".join((message, *earlier))
    made = (question, *queries)
    if any(mark not in said for one in made for mark in _MARKS.findall(one)):
        return "it holds signs that no question has"
    if any(doubtful(one) for one in made):
        return "it might be an order to whoever answers"
    if not question.rstrip().endswith(("?", "？")):
        return "it is no question"
    if any(spoken(one) not in ("", language or spoken(one)) for one in made):
        return "it is in another language"
    return _lost(question, message) or _invented(made, said) or _astray(question, queries, message, said)


def _lost(question: str, message: str) -> str:
    """What the message names that the question does not."""
    own = question.casefold()
    if any(name.casefold() not in own for name in _names(message)):
        return "a code, a number or a name of the message is not in it"
    if any(quoted.casefold() not in own for quoted in _quoted(message)):
        return "what the message quotes is not in it"
    if (_NOT.search(message) is None) != (_NOT.search(question) is None) or opposed(message, question):
        return "it asks the opposite"
    return ""


def _invented(made: Iterable[str], said: str) -> str:
    known = set(TOKEN.findall(said.casefold()))
    folded = said.casefold()
    for one in made:
        if any(name.casefold() not in folded for name in _names(one)):
            return "it names what nobody named"
        if any(token not in known for token in TOKEN.findall(one.casefold()) if any(map(str.isdigit, token))):
            return "it names what nobody named"
    return ""


def _astray(question: str, queries: Sequence[str], message: str, said: str) -> str:
    known, own = all_stems(said), terms(message)
    if own and not all_stems(question).intersection(own):
        return "no word of the message is in it"
    if _share(question, known) < SHARE_SAID_MIN or any(_share(one, known) < QUERY_SHARE_SAID_MIN for one in queries):
        return "most of its words are not the customer's"
    return ""


def _share(text: str, known: frozenset[str]) -> float:
    own = terms(text)
    return sum(term in known for term in own) / len(own) if own else 0.0


def _names(text: str) -> tuple[str, ...]:
    """Codes, versions, numbers, identifiers, and names of products as far as their form tells."""
    numbers = (token for token in TOKEN.findall(text) if any(map(str.isdigit, token)))
    named = entities(text, entities_max=NAMES_MAX, chars_max=len(text))
    return tuple(dict.fromkeys((*identifiers(text), *numbers, *named, *_NAME.findall(text))))


def _quoted(text: str) -> list[str]:
    return [found for groups in _QUOTED.findall(text) for found in groups if found]
