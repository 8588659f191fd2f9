"""Conversations: begin one, send a message, read it back."""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from firstline.api import stream
from firstline.api.auth import AskerOf, Caller, CallerOf, require_internal
from firstline.api.limits import take_message, take_read
from firstline.api.running import Running, running
from firstline.api.shapes import MessageSent, PersonShown, SaidShown, SessionMade, SessionShown, TurnShown, WhyNotShown
from firstline.domain import PERSON_OWNS, Session
from firstline.errors import NotFound
from firstline.turn_context import continue_trace

TURNS_SHOWN_MAX: Final = 200
PAGE_CHARS_MAX: Final = 2_000
SAID_ID: Final = r"^(?:[0-9a-zA-Z-]{1,64}\.[0-9]{1,9})?$"

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])

SessionId = Annotated[str, Path(max_length=64, pattern=r"^[0-9a-zA-Z-]+$")]


@router.post("", status_code=201)
async def create_session(request: Request, who: AskerOf) -> SessionMade:
    """Begin a conversation in the knowledge base of the key."""
    firstline = running(request).firstline
    await take_message(who, None, limiter=firstline.limiter, settings=firstline.settings)
    session = Session(
        session_id=str(uuid.uuid4()),
        tenant=who.principal.tenant,
        kb=who.key.kb,
        user=who.principal.user,
        created_at=datetime.now(UTC),
    )
    await firstline.conversations.create_session(session)
    return SessionMade(session_id=session.session_id)


@router.post(
    "/{session_id}/messages",
    response_model=TurnShown,
    responses={200: {"content": {stream.MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def send_message(
    request: Request,
    session_id: SessionId,
    message: MessageSent,
    who: AskerOf,
    accept: Annotated[str, Header(description="`text/event-stream` streams the turn.")] = "application/json",
    explain: Annotated[bool, Query(description="Add the turn's record; needs level internal.")] = False,
) -> TurnShown | Response:
    """Ask. With `Accept: text/event-stream` the events are ack, status, delta, final (or error)."""
    run = running(request)
    continue_trace(request.headers.get("traceparent", ""))
    if explain:
        require_internal(who, "how an answer came about")
    session = await own_session(run, who, session_id)
    await take_message(who, session_id, limiter=run.firstline.limiter, settings=run.firstline.settings)
    if stream.MEDIA_TYPE in accept.lower():
        events = stream.begin(
            run,
            session=session,
            principal=who.principal,
            question=message.text,
            explain=explain,
            request_id=request.state.request_id,
        )
        return StreamingResponse(events, media_type=stream.MEDIA_TYPE, headers=stream.HEADERS)
    # Its answer is its first byte: other turns need not give way to it for so long.
    request.state.answered()
    task = run.start_turn(session=session, principal=who.principal, question=message.text)
    # Shielded: a client that leaves must not take the turn's record with it.
    return TurnShown.of(await asyncio.shield(task), run.wording, explain=explain)


@router.get("/{session_id}/turns/{turn}/why-not")
async def why_not(
    request: Request,
    session_id: SessionId,
    turn: Annotated[int, Path(ge=1)],
    who: CallerOf,
    page: Annotated[str, Query(min_length=1, max_length=PAGE_CHARS_MAX, description="A document's id.")],
) -> WhyNotShown:
    """Why a page was not found for this message, stage by stage; needs level internal. Counts as a message."""
    run = running(request)
    require_internal(who, "how an answer came about")
    session = await own_session(run, who, session_id)
    # The turn is searched again, and more widely: no read costs as much.
    await take_message(who, session_id, limiter=run.firstline.limiter, settings=run.firstline.settings)
    turns = await run.firstline.conversations.turns(session_id, limit=TURNS_SHOWN_MAX)
    found = next((each for each in turns if each.number == turn), None)
    if found is None:
        raise NotFound("There is no such turn in this conversation.", remedy="GET /v1/sessions/{id} lists its turns.")
    return WhyNotShown.of(await run.firstline.questions.why_not(found, page, who.principal, kb=session.kb))


@router.get("/{session_id}/person")
async def read_person(
    request: Request,
    session_id: SessionId,
    who: AskerOf,
    after: Annotated[str, Query(pattern=SAID_ID, description="The `id` of the last that is known already.")] = "",
) -> PersonShown:
    """What persons of the team have said here, for pages that wait for a reply. At most 1,000 at once."""
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    await own_session(run, who, session_id)
    handoff_id, _, number = after.rpartition(".")
    known = (handoff_id, int(number)) if after else None
    said = await run.firstline.handoffs.said(session_id, after=known)
    newest = await run.firstline.conversations.turns(session_id, limit=1) if said else []
    voice = run.wording.voice(newest[-1].language if newest else "")
    stands = await run.firstline.conversations.open_handoff(session_id)
    return PersonShown(
        said=[SaidShown.of(entry, voice) for entry in said],
        person_has_it=stands is not None and stands.state in PERSON_OWNS,
    )


@router.get("/{session_id}")
async def read_session(request: Request, session_id: SessionId, who: AskerOf) -> SessionShown:
    """The conversation so far, every citation checked anew against what this key may see now."""
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    session = await own_session(run, who, session_id)
    turns = await run.firstline.conversations.turns(session_id, limit=TURNS_SHOWN_MAX)
    readable = [await run.firstline.questions.readable(turn, who.principal, kb=session.kb) for turn in turns]
    voice = run.wording.voice(turns[-1].language if turns else "")
    return SessionShown(
        session_id=session.session_id,
        kb=session.kb,
        created_at=session.created_at,
        turns=[TurnShown.of(turn, run.wording) for turn in readable],
        said=[SaidShown.of(entry, voice) for entry in await run.firstline.handoffs.said(session_id)],
        ratings={each.turn: each.rating for each in await run.firstline.feedback.ratings(session_id)},
    )


async def own_session(run: Running, who: Caller, session_id: str) -> Session:
    """NotFound for a session of somebody else exactly as for one that does not exist."""
    found = await run.firstline.conversations.session(session_id, tenant=who.principal.tenant, user=who.principal.user)
    if found is None:
        raise NotFound("There is no such conversation.", remedy="Begin a new one with POST /v1/sessions.")
    return found
