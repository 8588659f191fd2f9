"""What a model takes a message for, where the classifier is unsure of it.

Rules come first and last. What a sign told (high stakes, a wish for a person, other people's data, small talk) is not
asked about, and neither is what the classifier takes for high stakes with any weight. A model may move the rest between
answerable, irrelevant, out of scope and nonsense; what it moves away from answerable is not settled by that: the
knowledge base has the last word, as on the classifier's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from firstline.domain import Category, Intent, Part, Triage
from firstline.questions.advised.asking import Adviser, Wanted, advised, kept
from firstline.questions.asked import Asked
from firstline.questions.message.language import DEFAULT
from firstline.questions.prompted import harmless, prompt_named
from firstline.questions.sorting import ruled
from firstline.questions.topics import TopicRules
from firstline.questions.trail import Trail
from firstline.questions.triage import LOOKED_UP, UNSETTLED

STEP: Final = "triage"
INSTEAD: Final = "the classifier's reading stood"
WITHIN_S: Final = 1.0
TOKENS_MAX: Final = 40
SURE_MIN: Final = 0.9
"""The classifier decides when one reading has this share: from here on it is right in more than nine of ten messages of
an industry that it has not seen, and below in less (`python -m training.triage.band`)."""
HIGH_STAKES_MAX: Final = 0.1
"""With a larger share of high stakes nobody else is asked."""
MESSAGE_CHARS_MAX: Final = 1_000
EARLIER_MAX: Final = 3
EARLIER_CHARS_MAX: Final = 300
MOVES: Final = (Category.ANSWERABLE, Category.OUT_OF_SCOPE, Category.IRRELEVANT, Category.NONSENSE)
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"category": {"type": "string", "enum": [one.value for one in MOVES]}},
    "required": ["category"],
    "additionalProperties": False,
}


async def sorted_again(adviser: Adviser, asked: Asked, trail: Trail, rules: Mapping[str, TopicRules]) -> Triage | None:
    """The reading; the trail's own where nobody is asked, or what is said is of no use."""
    found = trail.triage
    if found is None or not is_unsure(found, trail.probabilities):
        return found
    told = await advised(adviser, wanted(asked.question, asked.earlier), asked, trail)
    if told is None:
        return found
    category = next((one for one in MOVES if (one.value,) == told.said), None)
    kept(replace(told, fell="" if category else "it is no category"), trail, instead=INSTEAD)
    return found if category is None else ruled(moved(found, category), asked, rules)


def is_unsure(found: Triage, probabilities: Mapping[Category, float]) -> bool:
    """No sign told what it is, and no reading of the classifier's is sure."""
    if not probabilities or not undecided(found):
        return False
    return max(probabilities.values()) < SURE_MIN and probabilities[Category.HIGH_STAKES] <= HIGH_STAKES_MAX


def undecided(found: Triage) -> bool:
    """No sign told what it is. The classifier knows English alone."""
    by_shares = found.reason in (LOOKED_UP, *UNSETTLED) and found.intent is not Intent.PERSON
    return by_shares and found.language == DEFAULT and found.category in MOVES


def wanted(message: str, earlier: Sequence[str]) -> Wanted:
    before = [
        Part(text=harmless(one[:EARLIER_CHARS_MAX]), label=f"earlier message {at}")
        for at, one in enumerate(earlier[-EARLIER_MAX:], start=1)
    ]
    return Wanted(
        step=STEP,
        prompt=prompt_named("triage"),
        parts=(*before, Part(text=harmless(message[:MESSAGE_CHARS_MAX]), label="message")),
        schema=SCHEMA,
        read=read,
        instead=INSTEAD,
        within_s=WITHIN_S,
        max_tokens=TOKENS_MAX,
    )


def read(value: Mapping[str, Any]) -> tuple[str, ...] | None:
    said = value.get("category")
    return (said,) if isinstance(said, str) and said in {one.value for one in MOVES} else None


def moved(found: Triage, category: Category) -> Triage:
    """As a model takes it. The intent of a question stays while it is one."""
    if category is found.category:
        return found
    if category is Category.ANSWERABLE:
        return replace(
            found, category=category, intent=Intent.OTHER, settled=True, reason="looked up: a model's reading"
        )
    intent = Intent.ACCOUNT if category is Category.OUT_OF_SCOPE else Intent.OTHER
    return replace(found, category=category, intent=intent, settled=False, reason="a model's reading")
