"""Does a message ask more than one thing, and which? English question words; it calls no step.

"How do I X and how do I Y?", "What is A, and does it support B?", two question marks, a numbered list. A situation that
is told before the question is no part of it, and neither is the same question in other words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from firstline.questions.message.terms import terms

CHARS_MAX: Final = 2_000
PARTS_MAX: Final = 6
PART_CHARS_MAX: Final = 120

_AUXILIARY: Final = r"(?:can|could|do|does|did|is|are|was|were|will|would|should|may|must|has|have)"
_SUBJECT: Final = r"(?:i|we|you|one|it|they|there|this|that|these|those|the|an?|my|our|your|any|(?-i:[A-Z]\w*))"
# "When I click ..." and "which is why ..." tell a situation: they ask where a question mark says so.
_ASKS: Final = re.compile(
    rf"\W*(?:(?:and|also|or|but|so|then|please|secondly|finally)\W+)*"
    rf"(?:how|why|what|who|whose|{_AUXILIARY}\s+(?i:{_SUBJECT}))\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[?!.;])\s+|\n+")
_NUMBER: Final = re.compile(r"(?:(?<=\s)|^)\(?(?:\d{1,2}|[a-h])[.)]\s+(?=\S)")
_AND: Final = re.compile(
    rf",?\s+(?:and|or|but|plus)\s+(?:also\s+|then\s+|secondly,?\s+)?(?="
    rf"(?:how|why|what|who|whether)\b|(?:which|where|when)\s+{_AUXILIARY}\b|{_AUXILIARY}\s+{_SUBJECT}\b)",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"^\W*(?:(?:and|also|or|but|so|then|please|secondly|finally)\b\W*)+", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One thing that is asked, in the asker's words; `own`: stems that no earlier part has."""

    text: str
    own: tuple[str, ...]


def asked_parts(message: str) -> tuple[Part, ...]:
    """The things that a message asks, in its order; fewer than two: it is no compound question."""
    found: list[Part] = []
    seen: set[str] = set()
    numbered, sentences = _sentences(message[:CHARS_MAX])
    for sentence in sentences:
        if not (sentence.rstrip().endswith("?") or _ASKS.match(sentence)):
            continue
        for place, piece in enumerate(_AND.split(sentence)):
            said = terms(piece)
            own = tuple(term for term in said if term not in seen)
            seen.update(own)
            # "Is it a bug?" behind a question adds little to it; "... and is it free?" is asked on purpose.
            if not own or len(said) < (1 if place or numbered else 2):
                continue
            found.append(Part(text=_worded(piece), own=own))
    return tuple(found[:PARTS_MAX])


def _sentences(message: str) -> tuple[bool, list[str]]:
    """(whether they are numbered, the sentences)."""
    numbered = len(_NUMBER.findall(message)) > 1
    text = _NUMBER.sub("\n", message) if numbered else message
    return numbered, [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def _worded(piece: str) -> str:
    text = " ".join(_LEAD.sub("", piece).split()).rstrip("?!.;:, ")
    if len(text) > PART_CHARS_MAX:
        text = text[:PART_CHARS_MAX].rsplit(" ", 1)[0] + " …"
    return text
