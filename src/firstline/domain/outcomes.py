"""What a turn came to, and the hand-over to a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from firstline.domain.search import Category, Claim, Intent, Mood


class Completeness(StrEnum):
    FULL = "full"
    PARTIAL = "partial"
    UNSURE = "unsure"


class Reason(StrEnum):
    LOW_CONFIDENCE = "low_confidence"
    NO_VERIFIED_CONTEXT = "no_verified_context"
    PRIVATE_DATA = "private_data"
    UNSUPPORTED_CATEGORY = "unsupported_category"
    HIGH_STAKES = "high_stakes"
    USER_ASKED = "user_asked"
    PROVIDER_FAILURE = "provider_failure"
    BUDGET_EXCEEDED = "budget_exceeded"
    POLICY = "policy"


class HandoffState(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    IN_PROGRESS = "in_progress"
    RESOLVED = "resolved"
    RETURNED = "returned"


PERSON_OWNS: Final = frozenset({HandoffState.ACKNOWLEDGED, HandoffState.IN_PROGRESS})
"""While a hand-over is in one of these states a person owns the session and the bot is silent."""


class HandoffAct(StrEnum):
    """What a person does with a hand-over. A reply is for the customer, a note for colleagues."""

    TAKE = "take"
    REPLY = "reply"
    NOTE = "note"
    RESOLVE = "resolve"
    RETURN = "return"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """Evidence that was looked at, and why it was not enough, in words. `score` is its fused score; 0 for a page that
    was shown as the answer to an earlier message."""

    chunk_id: str
    title: str
    url: str | None
    score: float
    why_not: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Availability:
    """Whether somebody of the team was there when a conversation was handed over, as the customer was told.

    `back_at` carries the team's own offset from UTC; None: not known. `zone` is the IANA name of their time zone.
    `reply_time` is the operator's own words ("within one working day"), or empty.
    """

    available: bool
    back_at: datetime | None
    zone: str
    reply_time: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoff:
    """What a person needs to take over without the transcript. A conversation has one that is not closed.

    `question` is the newest one; `summary` is made of the customer's own words; `missing` names what an answer would
    need. `measured` is the gate that failed, with its numbers. `owner` is who took it. `returns` counts how often the
    conversation came back after a hand-over was closed, lately; `reopens` is the one that was closed last, when this
    one went straight to the same owner. `transcript` is the API's path. `availability` is None where the operator has
    set no hours.
    """

    handoff_id: str
    session_id: str
    turn: int
    reason: Reason
    question: str
    summary: str
    intent: Intent
    entities: tuple[str, ...]
    tried: tuple[Tried, ...]
    language: str
    mood: Mood
    next_step: str
    state: HandoffState
    created_at: datetime
    missing: tuple[str, ...] = ()
    measured: str = ""
    owner: str | None = None
    resolution: str = ""
    returns: int = 0
    reopens: str | None = None
    transcript: str = ""
    availability: Availability | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffEntry:
    """One act of a person on a hand-over. `number` counts from 1 within it; `text` is redacted. `owner_before` differs
    from `by` where somebody took it over from a colleague."""

    handoff_id: str
    session_id: str
    number: int
    act: HandoffAct
    by: str
    text: str
    at: datetime
    before: HandoffState
    after: HandoffState
    owner_before: str | None


class HandoffEvent(StrEnum):
    """What is told of a hand-over outside."""

    OPENED = "opened"
    UPDATED = "updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffMessage:
    """A hand-over as it goes out: what happened to it, whose it is, and how it was then. `test`: nobody asked anything,
    somebody tries a channel. `thread` names what the channel made of the first message of this hand-over, so that the
    next ones are told there; "" where it made none."""

    event: HandoffEvent
    tenant: str
    kb: str
    handoff: Handoff
    occurred_at: datetime
    test: bool = False
    thread: str = ""


class DeliveryState(StrEnum):
    """PENDING is waiting or being sent; DEAD is given up, until somebody has it tried again."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """A message on its way through one channel. `delivery_id` is its idempotency key, on every attempt.

    `attempts` counts sends since it was written or retried by hand. `lease` counts the claims: who holds an older one
    has lost it. `due_at`: when it may be claimed (again). `problem` says why the last attempt failed, without secrets
    or addresses.
    """

    delivery_id: str
    channel: str
    message: HandoffMessage
    state: DeliveryState
    attempts: int
    lease: int
    due_at: datetime
    created_at: datetime
    finished_at: datetime | None = None
    problem: str = ""


class DraftState(StrEnum):
    DRAFT = "draft"
    PUBLISHED = "published"
    DISCARDED = "discarded"


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftTicket:
    """A resolved hand-over as a ticket for the knowledge base, to be reviewed before it is published.

    `draft_id` is the hand-over's id. `symptom` is the customer's words, `resolution` the person's; both are redacted.
    `doc_id` and `snapshot` say where it was published, and are empty before.
    """

    draft_id: str
    tenant: str
    kb: str
    title: str
    symptom: str
    resolution: str
    state: DraftState
    created_at: datetime
    doc_id: str = ""
    snapshot: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """Something to say in the customer's language: the `key` of a text and what is put into it, by placeholder."""

    key: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of_text(cls, text: str) -> Note:
        """A finished sentence, as records held them before texts had keys."""
        return cls(key="answered.as_written", values={"text": (text,)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """An answer whose every claim carries a citation: it cannot be built otherwise (invariant 1).

    `notes` are what must be known before reading it ("This page is about version 4.1; you asked about 4.2."): keys of
    texts, with our own words and numbers, and the asker's: never a document's text.
    """

    completeness: Completeness
    claims: tuple[Claim, ...]
    confidence: float
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if not self.claims:
            raise ValueError("an Answered needs at least one claim")
        for claim in self.claims:
            if not claim.citations:
                raise ValueError(f"a claim without a citation cannot be answered: {claim.text[:80]!r}")


class Asks(StrEnum):
    """What a clarifying question asks for.

    WHICH: one of `names`, in which the pages found differ. PICK: one of the pages found. UNKNOWN: whether `names`,
    which nothing here mentions, are written as they were read, and whether it is about one of the options, if any.
    LANGUAGE: the question once more, in the language of what was found, whose code is in `names`. DETAIL: whatever
    tells more. AGAIN: the same once more, because the answer that stood here may not be shown any longer.
    """

    WHICH = "which"
    PICK = "pick"
    UNKNOWN = "unknown"
    LANGUAGE = "language"
    DETAIL = "detail"
    AGAIN = "again"


@dataclass(frozen=True, kw_only=True, slots=True)
class Clarify:
    """One question back, made of what it `asks` and `names`; `options` are titles that can be picked, `pages` the ids
    of their documents in the same order (empty in older records). `question` is the finished English text in records
    from before texts had keys, and empty since."""

    question: str = ""
    options: tuple[str, ...] = ()
    asks: Asks = Asks.DETAIL
    names: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Escalated:
    """`again`: the conversation was with the team already, and this message was added to that hand-over."""

    handoff: Handoff
    again: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class HighStakes:
    """Never a how-to answer: an acknowledgement, the configured offer, if any, a hand-over. `again` as in Escalated.
    `acknowledgement` is the operator's own, or that of an older record; empty: the catalogue words it by the
    hand-over's intent."""

    acknowledgement: str = ""
    offer: str | None = None
    handoff: Handoff
    again: bool = False


class Talk(StrEnum):
    """Kinds of small talk: ABOUT_ME asks what the assistant is, NOD is an "ok", SOLVED says that it works now."""

    THANKS = "thanks"
    GREETING = "greeting"
    FAREWELL = "farewell"
    NOD = "nod"
    SOLVED = "solved"
    ABOUT_ME = "about_me"


@dataclass(frozen=True, kw_only=True, slots=True)
class Deflected:
    """Not a question to look up. `talk`: which kind of small talk it was, if it was."""

    category: Category
    topics: tuple[str, ...]
    talk: Talk | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Silent:
    """A person owns the session: the message is passed on to them and the bot says nothing of its own."""

    handoff: Handoff


Outcome = Answered | Clarify | Escalated | HighStakes | Deflected | Silent
