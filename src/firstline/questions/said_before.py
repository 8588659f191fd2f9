"""What does a message of a few words mean after what was said before it?

"And cancel it" ends a contract after a question about a subscription, and stops a query after one about a query.
"Yes, please" accepts what was offered last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from firstline.domain import Answered, Clarify, Completeness, HighStakes, Turn
from firstline.questions.card.urgent_words import tells_of_harm
from firstline.questions.message.signs import ENDS_IT

WORDS_MAX: Final = 9
TURNS_BACK_MAX: Final = 2
CHARS_MAX: Final = 2_000
_WORD: Final = re.compile(r"[^\W_]+")
# What a customer has with a company, as the thing that the earlier message is about: "query of my account" is not.
_HAD: Final = re.compile(
    r"(?P<before>(?<!\bis )(?<!\bare )"
    r"\b(?:of|in|from|on|with|to|by|under|into|for|at|inside|via|using)\s+)?"
    r"\b(?P<whose>my|our)\s+"
    r"(?P<had>(?:[\w-]+\s+){0,2}?(?:subscription|membership|contract|account|profile|licen[cs]e|plan|insurance|policy"
    r"|agreement|tariff))\b(?!\s+(?:settings?|page|table|key|id|name|query|job|limit|view|token))",
    re.IGNORECASE,
)
_YES: Final = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|do|that|it|go\s+ahead|of\s+course|absolutely|gladly|i\s+would"
    r"|i'd|like|would\s+be|great|good|nice|thanks|thank\s+you|why\s+not|by\s+all\s+means|ja|bitte|oui|s[ií])\W*){1,6}$",
    re.IGNORECASE,
)
_SAYS_YES: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|please|go\s+ahead|of\s+course|absolutely|gladly|i\s+would|i'd\s+like|why\s+not"
    r"|by\s+all\s+means|ja|oui|s[ií])\b",
    re.IGNORECASE,
)


class Offer(StrEnum):
    PERSON = "person"
    CHOICE = "choice"


def read_with(message: str, earlier: Sequence[str]) -> str:
    """The message with "it" named, when it ends something that the asker has with the company; else as it is."""
    found = ENDS_IT.search(message[:CHARS_MAX]) if len(_WORD.findall(message)) <= WORDS_MAX else None
    if found is None:
        return message
    for before in list(reversed(earlier))[:TURNS_BACK_MAX]:
        named = [one for one in _HAD.finditer(before[:CHARS_MAX]) if not one["before"]]
        if named:
            said = f"{found['verb']} {named[-1]['whose']} {named[-1]['had']}"
            return f"{message[: found.start()]}{said}{message[found.end() :]}"
        if len(_WORD.findall(before)) > WORDS_MAX or not ENDS_IT.search(before):
            # The nearest message that names a thing decides; one that says "it" too looks further back.
            return message
    return message


def offered(last: Turn | None) -> Offer | None:
    """What the bot offered in its last turn: a person, or a choice of pages."""
    if last is None:
        return None
    if isinstance(last.outcome, HighStakes) and last.outcome.offer:
        return Offer.PERSON
    if isinstance(last.outcome, Answered) and last.outcome.completeness is not Completeness.FULL:
        return Offer.PERSON
    if isinstance(last.outcome, Clarify) and not last.outcome.options and tells_of_harm(last.question):
        return Offer.PERSON
    return Offer.CHOICE if isinstance(last.outcome, Clarify) else None


def accepts(message: str) -> bool:
    """A yes and nothing else. "Ok" alone is a nod, "ok please" a yes."""
    return _YES.match(message[:CHARS_MAX]) is not None and _SAYS_YES.search(message[:CHARS_MAX]) is not None
