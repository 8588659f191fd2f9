"""The conversation, rewritten as stand-alone queries. No language model: what was said before is carried by words.

Two queries are searched and their scores added: the message alone, and the message with what it may lean on (the
turn before, the turn that speaks of the same thing, the turn that opened the subject, the first sentence of the
bot's last answer). `docs/retrieval.md` has the figures behind every constant here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Answered, Clarify, Exchange, PlannedQuery, Route, SearchPlan, Turn
from firstline.questions.card.pointed import is_pointed
from firstline.questions.message.asked_for import asked_for
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.references import (
    LEANS,
    begins_anew,
    changes_subject,
    chosen_option,
    is_telling,
    of_this_subject,
    opens_subject,
    resolved,
    spoken_of,
    stands_alone,
    with_swapped,
)
from firstline.questions.message.terms import identifiers, terms
from firstline.questions.page.outright import codes_alone

EARLIER_MAX: Final = 12
"""Exchanges looked at, the newest ones."""
RECENT_TURNS_MAX: Final = 3
RECENT_TERMS_ENOUGH: Final = 4
"""One turn back is carried; of a burst of short messages as many as make a question, RECENT_TURNS_MAX at most."""
CARRIED_CHARS_MAX: Final = 1_500
"""An earlier turn is cut here: a pasted log must not drown the question that follows it."""
REPLY_CHARS_MAX: Final = 200
NAMES_MAX: Final = 10

ALONE_WEIGHT: Final = 0.4
SWAPPED_ALONE_WEIGHT: Final = 0.3
"""Of the message alone beside the question it varies: nothing said is lost when it was no variation."""
COMPLETE_WEIGHT: Final = 0.7
"""Of a message that can be understood by itself: it may be about something else that shares the product's name."""
NEW_SUBJECT_WEIGHT: Final = 0.75
"""Of the message alone. Never 1: a new wording of the old problem shares no word with it either."""

DETAIL_WORDS_MAX: Final = 15

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|\n")


def rewrite(question: str, *, earlier: Sequence[Exchange | str]) -> SearchPlan:
    """`earlier` is the conversation before this message, oldest first; a plain string is a message whose reply is not
    known. Weights of the queries sum to 1.

    Filters and `standalone` are made of what the asker said and of options the asker picked, never of replies.
    """
    subject = resolved(of_this_subject([_cut(turn) for turn in earlier[-EARLIER_MAX:]]))
    if not subject or begins_anew(question):
        return _plan((question, 1.0), standalone=question, carried=(), said=(question,))
    choice = chosen_option(question, subject)
    if choice is not None:
        return _of_choice(choice[0], choice[1])
    full = with_swapped(question, subject[-1].question)
    if full is not None:
        return _plan(
            (full, 1 - SWAPPED_ALONE_WEIGHT),
            (question, SWAPPED_ALONE_WEIGHT),
            standalone=full,
            carried=(),
            said=(full, *(turn.question for turn in subject[::-1])),
        )
    asked = [exchange.question for exchange in subject]
    # A message that repeats the last one leans on it all the same.
    said = _leant_on(question, asked) or (asked[-1],)
    reply = _first_sentence(subject[-1].reply)
    context = "\n".join((question, *said, *([reply] if reply else ())))
    detail = _gives_detail(question, subject[-1])
    if changes_subject(question, said) and not detail:
        return _plan(
            (question, NEW_SUBJECT_WEIGHT),
            (context, 1 - NEW_SUBJECT_WEIGHT),
            standalone=question,
            carried=(),
            said=(question,),
        )
    # A code is a whole question, whatever was spoken of before it; "and E11000" goes on.
    coded = bool(codes_alone(question)) and LEANS.search(question) is None
    complete = coded or (stands_alone(question) and not detail)
    alone = COMPLETE_WEIGHT if complete else ALONE_WEIGHT
    return _plan(
        (question, alone),
        (context, 1 - alone),
        standalone=question if complete else "\n".join((question, " ".join(said))),
        carried=_names(question, said),
        said=(question, *reversed(asked)),
    )


def _gives_detail(question: str, last: Exchange) -> bool:
    """ "Our cluster has five members", in reply to a question back, asks nothing by itself: it is about what was asked
    before."""
    short = len(question.split()) <= DETAIL_WORDS_MAX
    return last.asked_back and short and not is_pointed(question) and not wants_person(question)


def _cut(turn: Exchange | str) -> Exchange:
    if isinstance(turn, str):
        return Exchange(question=turn[:CARRIED_CHARS_MAX])
    return replace(turn, question=turn.question[:CARRIED_CHARS_MAX], reply=turn.reply[:CARRIED_CHARS_MAX])


def exchange(turn: Turn) -> Exchange:
    """A recorded turn as the rewriter reads it, misspelt words as they were read then."""
    outcome, question = turn.outcome, turn.question
    for written, read in turn.plan.corrections if turn.plan else ():
        question = re.sub(rf"\b{re.escape(written)}\b", read, question)
    if isinstance(outcome, Clarify):
        return Exchange(question=question, options=outcome.options, asked_back=True)
    if isinstance(outcome, Answered):
        titles = dict.fromkeys(citation.title for claim in outcome.claims for citation in claim.citations)
        return Exchange(question=question, reply=outcome.claims[0].text, cited=tuple(titles))
    return Exchange(question=question)


def _of_choice(option: str, offered: Exchange) -> SearchPlan:
    """What was asked, about the option that was picked."""
    together = f"{option}\n{offered.question}"
    plan = _plan(
        (option, ALONE_WEIGHT),
        (together, 1 - ALONE_WEIGHT),
        standalone=together,
        carried=(option,),
        # Who picks "Write concern (5.x)" no longer asks about the version named before.
        said=(option,) if any(letter.isdigit() for letter in option) else (option, offered.question),
    )
    return replace(plan, picked=option)


def _leant_on(question: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """The asker's messages that this one may lean on, each once: newest first, the opening of the subject last."""
    telling = [turn for turn in earlier if is_telling(turn) and turn != question[:CARRIED_CHARS_MAX]]
    if not telling:
        return ()
    recent: list[str] = []
    found = 0
    for turn in reversed(telling[-RECENT_TURNS_MAX:]):
        if recent and found >= RECENT_TERMS_ENOUGH:
            break
        recent.append(turn)
        found += len(terms(turn))
    spoken = spoken_of(question, telling)
    opening = next((turn for turn in telling if opens_subject(turn)), telling[0])
    return tuple(dict.fromkeys((*recent, *([spoken] if spoken else ()), opening)))


def _first_sentence(reply: str) -> str:
    return _SENTENCE_END.split(reply.strip(), maxsplit=1)[0][:REPLY_CHARS_MAX]


def _plan(*queries: tuple[str, float], standalone: str, carried: tuple[str, ...], said: Sequence[str]) -> SearchPlan:
    return SearchPlan(
        queries=tuple(PlannedQuery(text=text, weight=weight) for text, weight in queries),
        standalone=standalone,
        carried=carried,
        filters=asked_for(said),
        route=Route.CLASSIC,
    )


def _names(question: str, said: Sequence[str]) -> tuple[str, ...]:
    """Identifiers of earlier turns that the question does not repeat: errors, versions, dotted names."""
    own = question.lower()
    found = (match for turn in said for match in identifiers(turn))
    return tuple(dict.fromkeys(name for name in found if name.lower() not in own))[:NAMES_MAX]
