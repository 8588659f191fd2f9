"""Does a sentence give orders to whoever answers? A small classifier of its own, for wordings that no sign knows.

Logistic regression on what a sentence speaks of (`concepts.py`) and on its words, trained on sentences written for it
against sentences of documentation (`training/orders`). The weights lie in `orders.json`, beside the two thresholds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from firstline.orders.concepts import WORD, concepts, features

WEIGHTS_PATH: Final = Path(__file__).with_name("orders.json")
_SIGN: Final = r"|[.!?](?!\s|$))"
SENTENCE: Final = re.compile(rf"(?:[^.!?|\n。！？]{_SIGN}{{1,160}}(?:[^.!?,;|\n。！？]{_SIGN}{{0,80}}")
"""A sentence, a table's cell, or a part of a long one: 240 signs give an order or none, whatever stands around them."""
DISTINCT_MIN: Final = 3
"""Who speaks of fewer things gives no order that could be told from a how-to step."""
_ACTS: Final = frozenset({"say", "advise", "ask", "include", "reveal", "message", "money", "human"})
_OF_REPLIES: Final = frozenset({"only", "must", "edge", "include", "message", "user", "always", "say", "your"})
_SPEAKS: Final = frozenset({"say", "advise", "reply", "reading", "user", "rules", "must", "message"})
_OF_RULES: Final = frozenset({"your", "ignore", "you"})
ASSISTANT: Final = "assistant"
STEM_CHARS: Final = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """Weights of things and of words; the scores from which a sentence is doubtful, may be an order, and is likely one.
    One that names an assistant needs less for that: few sentences of a documentation do."""

    things: dict[str, float]
    words: dict[str, float]
    bias: float
    doubtful: float
    possible: float
    likely: float
    likely_named: float


@cache
def model() -> Model:
    return Model(**json.loads(WEIGHTS_PATH.read_text(encoding="utf-8")))


def inputs(sentence: str) -> tuple[list[str], list[str]] | None:
    """(things, words), each once; None when the sentence is not about answering. In lower case."""
    said = concepts(sentence)
    if not _about_answering(set(said)):
        return None
    words = dict.fromkeys(word[:STEM_CHARS] for word in WORD.findall(sentence))
    return list(features(said)), list(words)


def _about_answering(things: set[str]) -> bool:
    """Whether it speaks of an assistant, of what a reply holds, of what people are told, or of whose rules count."""
    return len(things) >= DISTINCT_MIN and (
        ASSISTANT in things
        or ("reply" in things and not _OF_REPLIES.isdisjoint(things))
        or ("user" in things and not _ACTS.isdisjoint(things))
        or ("rules" in things and not _OF_RULES.isdisjoint(things))
        or ("machine" in things and len(things & _SPEAKS) > 1)
        or ("role" in things and "you" in things)
        or ("secret" in things and "reveal" in things)
        or ("talk" in things and not _ACTS.isdisjoint(things))
        or ("proof" in things and "here" in things)
    )


def score(things: list[str], words: list[str]) -> float:
    """The larger, the more an order. Longer sentences do not weigh more."""
    weighs = model()
    total = weighs.bias
    for weights, found in ((weighs.things, things), (weighs.words, words)):
        known = [weights[name] for name in found if name in weights]
        if known:
            total += sum(known) / math.sqrt(len(known))
    return total


def orders_in(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether it is likely and not only possible) of sentences that give orders. In lower case."""
    weighs = model()
    for start, end, named, found in _scored(text):
        likely = found >= (weighs.likely_named if named else weighs.likely)
        if likely or found >= weighs.possible:
            yield start, end, likely


def doubtful(text: str) -> bool:
    """Whether a sentence of the text (in any case) gives orders or might, so that it is not quoted. Of a documentation
    that the model has seen one sentence in a thousand is doubtful; of another one, some more."""
    return any(found >= model().doubtful for *_, found in _scored(text.lower()))


def _scored(text: str) -> Iterator[tuple[int, int, bool, float]]:
    for sentence in SENTENCE.finditer(text):
        read = inputs(sentence.group())
        if read is not None:
            yield sentence.start(), sentence.end(), ASSISTANT in read[0], score(*read)
