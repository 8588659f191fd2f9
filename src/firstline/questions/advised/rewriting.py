"""A model's wording of a message, searched beside the words that the customer wrote.

The customer's own words stay what filters, route, gates, critique and the answer are made from: they were set for
those. What a model adds is searched, so it can change which pages are found, and nothing of what they are worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from firstline.domain import Part, PlannedQuery, SearchPlan
from firstline.questions.advised.asking import Adviser, Wanted, advised, kept
from firstline.questions.advised.sane import QUERIES_MAX, fallen
from firstline.questions.asked import Asked
from firstline.questions.prompted import harmless, prompt_named
from firstline.questions.trail import Trail

STEP: Final = "rewrite"
INSTEAD: Final = "the words' rewrite stood"
WITHIN_S: Final = 1.5
TOKENS_MAX: Final = 250
LONG_CHARS_MIN: Final = 600
"""A first message is sent from this length on: shorter ones are searched as they are."""
MESSAGE_CHARS_MAX: Final = 2_000
EARLIER_MAX: Final = 6
EARLIER_CHARS_MAX: Final = 600
SHARE: Final = 0.5
"""Of a plan's weight that a model's words get. Not fitted: `python -m benchmarks.model_steps rewrite` tells."""
QUESTION_SHARE: Final = 0.6
"""Of that, for the question when there are queries too."""
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "queries": {"type": "array", "items": {"type": "string"}, "maxItems": QUERIES_MAX},
    },
    "required": ["question", "queries"],
    "additionalProperties": False,
}


async def rewritten(adviser: Adviser, plan: SearchPlan, asked: Asked, trail: Trail) -> SearchPlan:
    """The plan with a model's queries; as it is where a model could not help, or did not."""
    message = trail.read_as
    if not may_help(plan, message, asked.earlier):
        return plan
    found = await advised(adviser, wanted(message, asked.earlier), asked, trail)
    if found is None:
        return plan
    # The message as it was sent too: a word that was read otherwise may be repeated as it was written.
    said = (asked.question, *_bounded(asked.earlier))
    why = why_not(found.said, message=message, earlier=said, language=asked.language)
    kept(replace(found, fell=why), trail, instead=INSTEAD)
    return plan if why else with_queries(plan, found.said)


def may_help(plan: SearchPlan, message: str, earlier: Sequence[str]) -> bool:
    """It leans on what was said before, or is long. Who picked an option has said what is meant."""
    return not plan.picked and (bool(earlier and len(plan.queries) > 1) or len(message) >= LONG_CHARS_MIN)


def wanted(message: str, earlier: Sequence[str]) -> Wanted:
    said = [Part(text=harmless(one), label=f"message {at}") for at, one in enumerate(_bounded(earlier), start=1)]
    newest = Part(text=harmless(message[:MESSAGE_CHARS_MAX]), label="newest message")
    return Wanted(
        step=STEP,
        prompt=prompt_named("rewrite"),
        parts=(*said, newest),
        schema=SCHEMA,
        read=read,
        instead=INSTEAD,
        within_s=WITHIN_S,
        max_tokens=TOKENS_MAX,
    )


def read(value: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The question, then the queries."""
    question, queries = value.get("question"), value.get("queries")
    if not isinstance(question, str) or not isinstance(queries, list):
        return None
    texts = (question, *cast("list[Any]", queries))
    if len(texts) > 1 + QUERIES_MAX or not all(isinstance(one, str) for one in texts):
        return None
    return tuple(" ".join(cast(str, one)[:MESSAGE_CHARS_MAX].split()) for one in texts)


def why_not(said: Sequence[str], *, message: str, earlier: Sequence[str], language: str) -> str:
    """Why it is not searched; "" when it may be."""
    return fallen(said[0], said[1:], message=message, earlier=earlier, language=language) if said else "it says nothing"


def with_queries(plan: SearchPlan, said: Sequence[str]) -> SearchPlan:
    """The customer's words first, with the rest of the weight; weights sum to 1 as before."""
    written = {query.text.casefold() for query in plan.queries}
    fresh = [one for one in dict.fromkeys(said) if one.casefold() not in written]
    if not fresh:
        return plan
    own = tuple(replace(query, weight=query.weight * (1 - SHARE)) for query in plan.queries)
    first = SHARE if len(fresh) == 1 else SHARE * QUESTION_SHARE
    rest = (SHARE - first) / max(1, len(fresh) - 1)
    more = (PlannedQuery(text=one, weight=first if at == 0 else rest) for at, one in enumerate(fresh))
    return replace(plan, queries=(*own, *more))


def _bounded(earlier: Sequence[str]) -> list[str]:
    return [one[:EARLIER_CHARS_MAX] for one in earlier[-EARLIER_MAX:]]
