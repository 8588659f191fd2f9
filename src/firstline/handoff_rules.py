"""Who may do what with a hand-over, and where does it go from there? One set of rules for every engine and surface."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from firstline.domain import DraftTicket, Handoff, HandoffAct, HandoffEntry, HandoffState
from firstline.errors import Conflict, FirstlineError, InvalidInput

HANDOFF_MOVES: Final[Mapping[HandoffState, frozenset[HandoffState]]] = MappingProxyType(
    {
        HandoffState.OPEN: frozenset({HandoffState.ACKNOWLEDGED}),
        HandoffState.ACKNOWLEDGED: frozenset({HandoffState.IN_PROGRESS, HandoffState.RESOLVED, HandoffState.RETURNED}),
        HandoffState.IN_PROGRESS: frozenset({HandoffState.RESOLVED, HandoffState.RETURNED}),
        HandoffState.RESOLVED: frozenset(),
        HandoffState.RETURNED: frozenset(),
    }
)
"""Where a hand-over may go from each state. What is closed stays so: the next escalation opens another."""

CLOSED: Final = frozenset({HandoffState.RESOLVED, HandoffState.RETURNED})
LEADS_TO: Final[Mapping[HandoffAct, HandoffState]] = MappingProxyType(
    {
        HandoffAct.TAKE: HandoffState.ACKNOWLEDGED,
        HandoffAct.REPLY: HandoffState.IN_PROGRESS,
        HandoffAct.RESOLVE: HandoffState.RESOLVED,
        HandoffAct.RETURN: HandoffState.RETURNED,
    }
)
WORDED: Final = frozenset({HandoffAct.REPLY, HandoffAct.NOTE, HandoffAct.RESOLVE})
"""Acts that are nothing without a text."""
SAID: Final = frozenset({HandoffAct.REPLY, HandoffAct.RESOLVE, HandoffAct.RETURN})
"""Acts that the customer hears of: a reply to the letter, the others as a fact."""
TOLD: Final = frozenset({HandoffAct.TAKE, HandoffAct.RESOLVE, HandoffAct.RETURN})
"""Acts that are told outside, through the channels that hand-overs are delivered by."""
SAID_LAST: Final = ("Also said: ", "Latest: ")
"""Lines of a summary that change with every message; the second is how older cards called it."""
KEY_CHARS: Final = 12
HANDOFFS_LISTED: Final = "`firstline handoffs` and GET /v1/handoffs list them."
DRAFTS_LISTED: Final = "`firstline handoffs drafts` and GET /v1/handoffs/drafts list them."
_DONE: Final[Mapping[HandoffAct, str]] = MappingProxyType(
    {
        HandoffAct.TAKE: "taken",
        HandoffAct.REPLY: "replied to",
        HandoffAct.NOTE: "noted on",
        HandoffAct.RESOLVE: "resolved",
        HandoffAct.RETURN: "returned",
    }
)


def after_act(handoff: Handoff, act: HandoffAct, *, by: str, text: str = "", force: bool = False) -> Handoff:
    """The hand-over once `by` has acted on it. `force` takes it over from another owner.

    Only the owner moves it on; anybody may leave a note. Taking what one has already changes nothing. InvalidInput
    when a text is missing; Conflict, with what can be done instead, when the act is not allowed.
    """
    if act in WORDED and not text.strip():
        raise InvalidInput(f"A {act.value} needs a text.", remedy="Write what was said, found or done.")
    if act is HandoffAct.NOTE:
        return handoff
    if handoff.state in CLOSED:
        raise Conflict(
            f"A hand-over that is {handoff.state.value} cannot be {_DONE[act]}.",
            remedy="It is finished and stays as it is; a note can still be left.",
        )
    if act is HandoffAct.TAKE:
        return _taken(handoff, by, force)
    if handoff.owner != by:
        raise _not_yours(handoff, act)
    state = LEADS_TO[act] if LEADS_TO[act] in HANDOFF_MOVES[handoff.state] else handoff.state
    return replace(handoff, state=state, resolution=text if act is HandoffAct.RESOLVE else "")


def _taken(handoff: Handoff, by: str, force: bool) -> Handoff:
    if handoff.owner not in (None, by) and not force:
        raise Conflict(
            f"{handoff.owner} has this hand-over.",
            remedy="Leave it to them, or take it over with --force (in the API: force), which is recorded.",
        )
    state = HandoffState.ACKNOWLEDGED if handoff.state is HandoffState.OPEN else handoff.state
    return replace(handoff, owner=by, state=state)


def _not_yours(handoff: Handoff, act: HandoffAct) -> FirstlineError:
    if handoff.owner is None:
        return Conflict(f"A hand-over that nobody has taken cannot be {_DONE[act]}.", remedy="Take it first.")
    return Conflict(
        f"{handoff.owner} has this hand-over: only they can do that.",
        remedy="Leave a note for them, or take it over with --force (in the API: force), which is recorded.",
    )


def event_of(
    before: Handoff, after: Handoff, act: HandoffAct, *, number: int, by: str, text: str, at: datetime
) -> HandoffEntry:
    """The record of an act that was allowed."""
    return HandoffEntry(
        handoff_id=before.handoff_id,
        session_id=before.session_id,
        number=number,
        act=act,
        by=by,
        text=text,
        at=at,
        before=before.state,
        after=after.state,
        owner_before=before.owner,
    )


def delivery_key(handoff_id: str) -> str:
    """The idempotency key of one message about a hand-over: all of them begin alike, no two are the same."""
    return f"{handoff_id}.{uuid.uuid4().hex[:KEY_CHARS]}"


def is_news(before: Handoff, after: Handoff) -> bool:
    """A card told anew is worth a message to people who have read the one before: another reason, question, mood or
    owner, or something in the summary under a label of its own. What was only said last, looked up or measured is read
    on the card when somebody opens it."""
    return _weighed(before) != _weighed(after)


def _weighed(handoff: Handoff) -> tuple[object, ...]:
    told = tuple(line for line in handoff.summary.splitlines() if not line.startswith(SAID_LAST))
    return (handoff.reason, handoff.question, handoff.mood, handoff.state, handoff.owner, handoff.reopens, told)


def draft_settled_already(draft: DraftTicket) -> Conflict:
    return Conflict(f"This draft was {draft.state.value} already.", remedy=DRAFTS_LISTED)
