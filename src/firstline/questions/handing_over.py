"""Is a conversation that is handed over with the team already, and has it been there before?

One conversation has one hand-over that is not closed: a further escalation joins it, and says so. A conversation that
keeps coming back after a hand-over was closed goes to the same person again, so that bot and person do not play ball
with a customer.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeGuard

from firstline.domain import (
    PERSON_OWNS,
    Category,
    Escalated,
    Handoff,
    HandoffState,
    HighStakes,
    Intent,
    Outcome,
    Reason,
    Triage,
    Tried,
    Turn,
)
from firstline.errors import Conflict
from firstline.ports import ConversationLedger, KnowledgeLedger
from firstline.questions.asked import Asked
from firstline.questions.card.case import Case
from firstline.questions.card.matters import ACCOUNT, THEIRS, is_commercial
from firstline.questions.card.not_enough import named_by
from firstline.questions.card.pages import keeps
from firstline.questions.card.problem import OF_THE_BOT
from firstline.questions.card.read import BRIEF_CHARS_MAX, MESSAGE_CHARS_MAX, read_of
from firstline.questions.card.support_hours import Support, availability
from firstline.questions.card.telling_words import FAILS, TRIED
from firstline.questions.handoff import handoff
from firstline.questions.looked_up import Holding, coded_pages, found_before, offered_pages, versions_in
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.signs import HIGH_STRONG, HIGH_WEAK, PRIVATE, first_sign
from firstline.questions.message.small_talk import small_talk
from firstline.questions.trail import Trail

TURNS_READ_MAX: Final = 200
TRIED_MAX: Final = 5
CARD_S_MAX: Final = 2.0
RETURNS_MAX: Final = 2
"""A conversation that comes back more often than this, within RETURNS_WITHIN, goes straight to its last owner."""
RETURNS_WITHIN: Final = timedelta(hours=24)
_WEIGHTY: Final = frozenset({Intent.LEGAL, Intent.BILLING_DISPUTE, Intent.COMPLAINT})


async def with_handoff(
    outcome: Outcome,
    asked: Asked,
    trail: Trail,
    *,
    conversations: ConversationLedger,
    knowledge: KnowledgeLedger,
    holding: Holding,
    support: Support,
    now: datetime,
) -> tuple[Outcome, Handoff | None]:
    """The outcome with its hand-over in full; any other outcome as it is. Beside it the hand-over to record: the new
    one, or the one that stands, told anew with every message that says something while nobody owns it."""
    waits = trail.stands is not None and trail.stands.state not in PERSON_OWNS
    if not _hands_over(outcome) and (not waits or small_talk(asked.question) is not None):
        return outcome, None
    session_id = asked.session.session_id
    turns = await conversations.turns(session_id, limit=TURNS_READ_MAX)
    *said, newest = read_of([*(turn.question for turn in turns), asked.question])
    earlier = [replace(turn, question=text) for turn, text in zip(turns, said, strict=True)]
    coded = await coded_pages([*said, newest], asked.scope, holding)
    offered = await offered_pages(turns, asked.question, asked.scope, knowledge)
    found = [*trail.evidence, *(one for each in coded.values() for one in each)]
    documents = dict.fromkeys((*(piece.chunk.doc_id for piece in found), *(one.doc_id for one in offered)))
    case = Case(
        session_id=session_id,
        turn=asked.number,
        reason=_own_reason(outcome, trail.stands),
        question=newest,
        earlier=earlier,
        triage=trail.triage,
        evidence=trail.evidence,
        coded=coded,
        gates=trail.gates,
        sought=(trail.plan.standalone if trail.plan else newest)[:MESSAGE_CHARS_MAX],
        versions=await versions_in(list(documents), asked.scope, knowledge),
        offered=offered,
        availability=availability(support, now),
        outcome=outcome,
        before=() if trail.evidence or any(coded.values()) else await found_before(turns, asked.scope, knowledge),
    )
    if trail.stands is not None:
        told = await _told(partial(joined, trail.stands), case)
        return (replace(outcome, handoff=told, again=True) if _hands_over(outcome) else outcome), told
    made = await _told(partial(handoff, handoff_id=str(uuid.uuid4()), created_at=now), case)
    made = _come_back(made, await conversations.closed_handoffs(session_id, since=now - RETURNS_WITHIN))
    return (replace(outcome, handoff=made) if _hands_over(outcome) else outcome), made


async def _told(make: Callable[[Case], Handoff], case: Case) -> Handoff:
    """Made beside the event loop. What takes too long is told from the newest message alone."""
    try:
        async with asyncio.timeout(CARD_S_MAX):
            return await asyncio.to_thread(make, case)
    except TimeoutError:
        brief = replace(case, question=case.question[:BRIEF_CHARS_MAX], earlier=(), evidence=(), coded={})
        return await asyncio.to_thread(make, brief)


def _hands_over(outcome: Outcome) -> TypeGuard[Escalated | HighStakes]:
    return isinstance(outcome, Escalated | HighStakes)


def _own_reason(outcome: Outcome, stands: Handoff | None) -> Reason:
    if _hands_over(outcome):
        return outcome.handoff.reason
    return stands.reason if stands is not None else Reason.LOW_CONFIDENCE


async def append(turn: Turn, new: Handoff | None, *, conversations: ConversationLedger) -> None:
    """Record both. A turn that hands nothing over is recorded though its hand-over was closed meanwhile. Conflict when
    the conversation got another message at the same time."""
    try:
        await conversations.append_turn(turn, new)
    except Conflict as error:
        if new is not None and not isinstance(turn.outcome, Escalated | HighStakes):
            await append(turn, None, conversations=conversations)
            return
        raise Conflict(
            "This conversation got another message at the same time.", remedy="Send the message again."
        ) from error


def joined(stands: Handoff, case: Case) -> Handoff:
    """The standing hand-over, told anew with the newest message."""
    own = [turn for turn in case.earlier if _handed(turn) is not None and _handed(turn) == stands.handoff_id]
    reason = _reason(stands, case, own)
    told = replace(case, reason=reason, also=_also(own, case, reason), looked=stands.tried)
    newest = handoff(told, handoff_id=stands.handoff_id, created_at=stands.created_at)
    return replace(
        newest,
        state=stands.state,
        owner=stands.owner,
        returns=stands.returns,
        reopens=stands.reopens,
        tried=_tried_so_far(newest, stands, nothing_found=not case.evidence and not any(case.coded.values())),
        measured=newest.measured or stands.measured,
    )


def _handed(turn: Turn) -> str | None:
    return turn.outcome.handoff.handoff_id if isinstance(turn.outcome, Escalated | HighStakes) else None


def _reason(stands: Handoff, case: Case, own: Sequence[Turn]) -> Reason:
    """What is said outright stays: high stakes, then the wish for a person. Of the rest the newest counts, but for a
    guess at high stakes, which takes the place of nothing."""
    said = [(turn.question, turn.triage) for turn in own]
    hands_over = case.outcome is not None and _hands_over(case.outcome)
    newest = [(case.question, case.triage)] if hands_over else []
    if any(_weighty(question, triage) for question, triage in (*said, *newest)):
        return Reason.HIGH_STAKES
    if any(wants_person(question) for question, _ in (*said, (case.question, None))):
        return Reason.USER_ASKED
    guessed = case.reason is Reason.HIGH_STAKES or (
        case.reason is Reason.PRIVATE_DATA and not _asks_for_others(case.question)
    )
    return stands.reason if not hands_over or guessed else case.reason


def _weighty(question: str, triage: Triage | None) -> bool:
    """High stakes by words that say so: of a law suit, a bill or a complaint any word, of the rest only what is never
    said of a product."""
    if triage is None or triage.category is not Category.HIGH_STAKES:
        return False
    return first_sign(HIGH_STRONG, question) is not None or first_sign(HIGH_WEAK, question) in _WEIGHTY


def _asks_for_others(question: str) -> bool:
    """For secrets, or for what belongs to others, in so many words."""
    if OF_THE_BOT.search(question) is not None and THEIRS.search(question) is None:
        return False
    return PRIVATE.search(question) is not None or THEIRS.search(question) is not None


def _of_an_account(question: str, triage: Triage) -> bool:
    """In words that say so, or by an operator's own phrase; what the classifier guessed of a complaint is none."""
    return triage.intent is Intent.OTHER or ACCOUNT.search(question) is not None or is_commercial(question)


def _may_be_one(question: str, triage: Triage) -> bool:
    """A word of disputes and farewells, in a message that tells of no failure and no attempt."""
    technical = FAILS.search(question) is not None or TRIED.search(question) is not None
    return not technical and not _weighty(question, triage) and first_sign(HIGH_WEAK, question) is not None


def _also(own: Sequence[Turn], case: Case, reason: Reason) -> tuple[tuple[Reason, int], ...]:
    """Needs of the conversation that are not the reason, each with the newest message that gave it."""
    found: dict[Reason, int] = {}
    for question, number, triage in (
        *((turn.question, turn.number, turn.triage) for turn in own),
        (case.question, case.turn, case.triage),
    ):
        if triage is None or not triage.settled:
            continue
        if triage.category is Category.OUT_OF_SCOPE:
            private = triage.intent is Intent.PRIVATE_DATA
            if not (_asks_for_others(question) if private else _of_an_account(question, triage)):
                continue
            found[Reason.PRIVATE_DATA if private else Reason.UNSUPPORTED_CATEGORY] = number
        elif triage.category is Category.HIGH_STAKES and _may_be_one(question, triage):
            found[Reason.HIGH_STAKES] = number
    return tuple((each, number) for each, number in found.items() if each is not reason)


def _tried_so_far(newest: Handoff, stands: Handoff, *, nothing_found: bool) -> tuple[Tried, ...]:
    """Each page once, whichever part of it was read, with what was found out about it last. Of the messages
    before those stay that name what was asked about or say so in their title, and all of them where nothing was looked
    up for this one."""
    about = f"{newest.question}\n{newest.summary.partition(chr(10))[0]}"
    kept = [tried for tried in stands.tried if nothing_found or keeps(tried, about)]
    told: dict[str, Tried] = {}
    for tried in (*newest.tried, *kept):
        told.setdefault(tried.title.partition(" > ")[0], tried)
    named = [tried for tried in told.values() if named_by(tried.why_not) or not tried.score]
    return tuple(dict.fromkeys((*named, *told.values())))[:TRIED_MAX]


def _come_back(made: Handoff, closed: list[Handoff]) -> Handoff:
    """`closed`: those of the session that were closed lately, the last one first."""
    owner = next((one.owner for one in closed if one.owner is not None), None)
    if len(closed) <= RETURNS_MAX or owner is None:
        return replace(made, returns=len(closed))
    return replace(
        made,
        returns=len(closed),
        owner=owner,
        # A person owns it from here: the bot is silent and cannot bounce it back once more.
        state=HandoffState.ACKNOWLEDGED,
        reopens=closed[0].handoff_id,
    )
