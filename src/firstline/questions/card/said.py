"""The sentences of a customer's messages, as a summary for persons takes them up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from firstline.questions.card.pasted_parts import prose_and_code
from firstline.questions.card.telling_words import GREETING, ITEM, LISTS_TRIED
from firstline.questions.message.person_wanted import wants_person, without_wish
from firstline.questions.message.terms import FUNCTION_WORDS

CHARS_READ_MAX: Final = 8_000
"""Of one message: what was said stands at its start, and logs repeat themselves."""
LINE_CHARS_MAX: Final = 220
WISH_WORDS_MAX: Final = 1
"""Content words beside a wish for a person, up to which its sentence says nothing else."""
_ENDS: Final = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])|\n+")
_LEADS_IN: Final = re.compile(r"^(?:instead|seriously|anyway)\s*[:,]\s*(?=\S)", re.IGNORECASE)
WORD: Final = re.compile(r"[^\W_]+")
_POLITE: Final = frozenset(
    """now asap immediately today ich möchte bitte mit einem einer kann je voudrais s'il vous plaît est ce que de votre
    équipe peut quiero por favor una un persona hi hello dear really actually finally right""".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """`tried`: an item of a list of what was tried, without its bullet. `message`: whose it is, counted from 0."""

    text: str
    message: int
    tried: bool = False


def sentences_of(message: str, at: int) -> list[Sentence]:
    found: list[Sentence] = []
    listing = False
    prose, _ = prose_and_code(message[:CHARS_READ_MAX])
    for part in _ENDS.split(prose):
        text = shortened(_LEADS_IN.sub("", GREETING.sub("", " ".join(part.split()))))
        if not WORD.search(text):
            continue
        heads = LISTS_TRIED.search(text) is not None
        listing = heads or (listing and ITEM.match(part) is not None)
        tried = listing and not heads
        found.append(Sentence(text=ITEM.sub("", text) if tried else text, message=at, tried=tried))
    return found


def only_wish(sentence: str) -> bool:
    """It wishes for a person and says nothing else."""
    if not wants_person(sentence):
        return False
    left = [word for word in WORD.findall(without_wish(sentence).casefold()) if word not in FUNCTION_WORDS | _POLITE]
    return len(left) <= WISH_WORDS_MAX


def shortened(text: str, chars_max: int = LINE_CHARS_MAX) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1].rstrip() + "…"
