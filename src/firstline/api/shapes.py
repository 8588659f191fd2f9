"""What the API sends, as types: the OpenAPI page and every surface read the same ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from firstline.documents.publish_ticket import TAG_CHARS_MAX, TAGS_MAX
from firstline.domain import (
    EVERYONE,
    DraftTicket,
    GateReading,
    Handoff,
    HandoffAct,
    HandoffEntry,
    Level,
    Rating,
    Reply,
    Turn,
)
from firstline.questions.missed import ChunkSeen, Missed, QuerySeen
from firstline.questions.render import render, render_entry, render_turn
from firstline.questions.transcript import Line
from firstline.questions.wording.voice import Voice, Wording


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionMade(Shape):
    session_id: str


def _encodable(text: str) -> str:
    """JSON can spell half of a surrogate pair, which no encoding can store."""
    return text.encode(errors="replace").decode()


Text = Annotated[str, AfterValidator(_encodable)]
"""What people write."""


class MessageSent(Shape):
    text: Annotated[str, AfterValidator(_encodable)] = Field(description="The message, as the person wrote it.")


class TurnShown(Shape):
    """One message with its reply: the body of a JSON answer, and the data of the stream's `final` event."""

    session_id: str
    turn: int = Field(description="Counted from 1 within the session.")
    question: str = Field(description="As recorded: personal data and secrets replaced by placeholders.")
    asked_at: datetime
    snapshot: int
    reply: Reply
    timings_ms: dict[str, float]
    record: dict[str, Any] | None = Field(None, description="With ?explain=true: everything needed to replay the turn.")

    @classmethod
    def of(cls, turn: Turn, wording: Wording, *, explain: bool = False) -> TurnShown:
        return cls(
            session_id=turn.session_id,
            turn=turn.number,
            question=turn.question,
            asked_at=turn.asked_at,
            snapshot=turn.snapshot,
            reply=render_turn(turn, wording),
            timings_ms={step: round(spent, 3) for step, spent in turn.timings_ms.items()},
            record=record_of(turn) if explain else None,
        )


class SaidShown(Shape):
    """What a person of the team said or did, as the customer is told."""

    id: str = Field(description="Names it: `GET /v1/sessions/{id}/person?after=ID` gives what came later.")
    at: datetime
    act: HandoffAct = Field(description="reply, or that the hand-over was resolved or returned.")
    text: str

    @classmethod
    def of(cls, entry: HandoffEntry, voice: Voice) -> SaidShown:
        name = f"{entry.handoff_id}.{entry.number}"
        return cls(id=name, at=entry.at, act=entry.act, text=render_entry(entry, voice))


class PersonShown(Shape):
    said: list[SaidShown]
    person_has_it: bool = Field(description="A person looks after the conversation now, and the bot is silent.")


class SessionShown(Shape):
    session_id: str
    kb: str
    created_at: datetime
    turns: list[TurnShown]
    said: list[SaidShown] = Field(description="By persons of the team, oldest first; it belongs between the turns.")
    ratings: dict[int, Rating] = Field(description="What was said of the turns, by their numbers.")


class CitedSpan(Shape):
    """`number` is the citation's number in the reply. Offsets count Unicode code points of `text`."""

    number: int
    start: int
    end: int
    page: int | None = Field(description="Of a document on paper, from 1.")


class ChunkShown(Shape):
    """What a citation opens: the chunk within the text around it. Offsets count Unicode code points of `text`."""

    chunk_id: str
    doc_id: str
    title: str
    section_path: tuple[str, ...]
    url: str | None = Field(description="Of the page as a whole; a PDF's leads to the cited page.")
    page: int | None = Field(description="Where it was cited, else where the chunk begins; null without pages.")
    kind: str
    document_kind: str
    snapshot: int
    text: str
    text_start: int = Field(description="Where `text` begins, in bytes of the document's text: edges count these.")
    chunk_start: int
    chunk_end: int
    cited: list[CitedSpan]
    cut_before: bool = Field(description="The document goes on before this text.")
    cut_after: bool = Field(description="The document goes on after this text.")


class WhyNotShown(Shape):
    """Where a page was lost on the way of one message. Places count from 1; null: it was not there any more."""

    doc_id: str
    title: str
    verdict: str = Field(description='In plain words; "There is no such page for you." for what the key may not see.')
    lost_at: str = Field(
        description="candidates, documents_ranked, rerank, prefer, traverse, evidence_chunks, gate; empty: it was read."
    )
    queries: list[QuerySeen]
    fused_place: int | None
    preferred_place: int | None
    gate: dict[str, Any] | None
    lacks: list[str] = Field(description="Words of the question that stand nowhere in the page.")
    chunks: list[ChunkSeen]

    @classmethod
    def of(cls, missed: Missed) -> WhyNotShown:
        return cls.model_validate(plain(missed))


class Me(Shape):
    key_id: str
    key_name: str
    tenant: str
    kb: str
    user: str
    level: str
    acl_tags: list[str]
    topics: tuple[str, ...]


class HandoffsShown(Shape):
    handoffs: list[Handoff]


class HandoffShown(Shape):
    """A hand-over with what has happened since."""

    handoff: Handoff
    since: list[str] = Field(description="The customer's messages after it, oldest first.")
    entries: list[HandoffEntry]


class TranscriptShown(Shape):
    session_id: str
    lines: list[Line]


class TakeWanted(Shape):
    force: bool = Field(False, description="Take it over from the colleague who has it.")


class TextSent(Shape):
    text: Annotated[str, AfterValidator(_encodable)] = Field(description="Redacted before it is kept.")


class TextMaySend(Shape):
    text: Annotated[str, AfterValidator(_encodable)] = Field("", description="For colleagues; may be empty.")


class DraftsShown(Shape):
    drafts: list[DraftTicket]


class PublishWanted(Shape):
    level: str = Field("internal", description="Who may see it: public, customer, internal or restricted.")
    acl: list[Annotated[str, Field(min_length=1, max_length=TAG_CHARS_MAX)]] = Field(
        [EVERYONE], min_length=1, max_length=TAGS_MAX, description="Tags, one of which a reader must hold."
    )


def record_of(turn: Turn) -> dict[str, Any]:
    """The whole turn as plain JSON values, for people who may look behind it."""
    shown = cast(dict[str, Any], plain(turn))
    shown["evidence"] = [
        {"chunk_id": chunk_id, "rank": rank, "scores": plain(scores)}
        for rank, (chunk_id, scores) in enumerate(turn.evidence, start=1)
    ]
    shown["outcome"]["kind"] = render(turn.outcome).outcome
    return shown


def plain(value: object) -> object:
    """Nouns of the domain as JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        shown = {each.name: plain(getattr(value, each.name)) for each in fields(value)}
        if isinstance(value, GateReading):
            shown["passed"] = value.passed
        return shown
    if isinstance(value, Level):
        return value.label
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in cast(Mapping[object, object], value).items()}
    if isinstance(value, (tuple, list, frozenset)):
        return [plain(each) for each in cast(tuple[object, ...], value)]
    return value
