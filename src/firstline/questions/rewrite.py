"""The conversation, rewritten as stand-alone queries. No language model: what earlier turns said is carried by words.

Measured on multi-turn development questions: repeating the last turn and adding the last three user turns raised
recall@5 from .78 to .88 against the last turn alone, because a follow-up rarely names its topic again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstline.domain import PlannedQuery, Route, SearchPlan
from firstline.questions.terms import all_stems, identifiers, terms

TURNS_CARRIED_MAX = 3
CARRIED_CHARS_MAX = 1_500
"""An earlier turn is cut here: a pasted log must not drown the question that follows it."""

LAST_TURN_TIMES = 2

NEW_SUBJECT_WEIGHT = 0.6

ALONE_TERMS_MIN = 4
"""Fewer content words than this rarely make a question that stands alone."""

LEANS = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|he|she|him|her|there|then|same|again|still|also|too|instead|else|"
    r"other|another|one|ones|former|latter|above|more)\b|^\s*(?:and|but|or|so|what about|how about|no|yes|ok)\b",
    re.IGNORECASE,
)
FRESH_START = re.compile(
    r"^\s*(?:new (?:question|topic)|(?:something|a question about something) (?:else|different)|"
    r"(?:another|different|unrelated) (?:question|topic)|on (?:another|a different) (?:note|topic)|"
    r"changing (?:the )?subject)\b",
    re.IGNORECASE,
)


def rewrite(question: str, *, earlier: Sequence[str]) -> SearchPlan:
    """`earlier` are the user's turns before this one, oldest first. Weights of the queries sum to 1."""
    if not earlier or FRESH_START.match(question):
        return _plan((question, 1.0), standalone=question, carried=())
    carried = tuple(turn[:CARRIED_CHARS_MAX] for turn in earlier[-TURNS_CARRIED_MAX:])
    # Newest first: an embedder that cuts long input must cut what was said longest ago.
    text = "\n".join((*([question] * LAST_TURN_TIMES), *reversed(carried)))
    if _changes_subject(question, carried):
        # It may be wrong: a new wording of the old problem shares no word either. So both are searched.
        return _plan((question, NEW_SUBJECT_WEIGHT), (text, 1 - NEW_SUBJECT_WEIGHT), standalone=question, carried=())
    standalone = f"{question}\n{' '.join(reversed(carried))}"
    return _plan((text, 1.0), standalone=standalone, carried=_names(question, carried))


def _changes_subject(question: str, carried: Sequence[str]) -> bool:
    """A question that is complete by itself and shares no word with what was said before begins something new."""
    own = terms(question)
    if len(own) < ALONE_TERMS_MIN or LEANS.search(question):
        return False
    return all_stems(" ".join(carried)).isdisjoint(own)


def _plan(*queries: tuple[str, float], standalone: str, carried: tuple[str, ...]) -> SearchPlan:
    return SearchPlan(
        queries=tuple(PlannedQuery(text=text, weight=weight) for text, weight in queries),
        standalone=standalone,
        carried=carried,
        filters={},
        route=Route.CLASSIC,
    )


def _names(question: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """Identifiers of earlier turns that the question does not repeat: errors, versions, dotted names."""
    said = question.lower()
    found = (match for turn in earlier for match in identifiers(turn))
    return tuple(dict.fromkeys(name for name in found if name.lower() not in said))[:10]
