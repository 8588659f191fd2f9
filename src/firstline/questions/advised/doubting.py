"""Whether verified sentences answer the question, as a model sees it: it may doubt them, and never vouch for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from firstline.domain import Claim, Coverage, Part
from firstline.questions.advised.asking import Adviser, Wanted, advised, kept
from firstline.questions.asked import Asked
from firstline.questions.prompted import harmless, prompt_named
from firstline.questions.trail import Trail

STEP: Final = "critique"
INSTEAD: Final = "the words' critique stood"
WITHIN_S: Final = 1.5
TOKENS_MAX: Final = 40
QUESTION_CHARS_MAX: Final = 2_000
ANSWER_CHARS_MAX: Final = 6_000
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"coverage": {"type": "string", "enum": [one.value for one in Coverage]}},
    "required": ["coverage"],
    "additionalProperties": False,
}


async def doubted(adviser: Adviser, claims: Sequence[Claim], asked: Asked, trail: Trail) -> Coverage:
    """As much as a model allows; FULLY where nobody is asked, or what is said is of no use."""
    told = await advised(adviser, wanted(trail.standalone, claims), asked, trail)
    if told is None:
        return Coverage.FULLY
    coverage = next((one for one in Coverage if (one.value,) == told.said), None)
    kept(replace(told, fell="" if coverage else "it is no coverage"), trail, instead=INSTEAD)
    return coverage or Coverage.FULLY


def wanted(question: str, claims: Sequence[Claim]) -> Wanted:
    answer = "\n".join(f"- {claim.text}" for claim in claims)[:ANSWER_CHARS_MAX]
    return Wanted(
        step=STEP,
        prompt=prompt_named("critique"),
        parts=(
            Part(text=harmless(answer), label="answer"),
            Part(text=harmless(question[:QUESTION_CHARS_MAX]), label="question"),
        ),
        schema=SCHEMA,
        read=read,
        instead=INSTEAD,
        within_s=WITHIN_S,
        max_tokens=TOKENS_MAX,
    )


def read(value: Mapping[str, Any]) -> tuple[str, ...] | None:
    said = value.get("coverage")
    return (said,) if isinstance(said, str) and said in {one.value for one in Coverage} else None
