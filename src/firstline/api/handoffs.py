"""The support engineers' side: what was handed over, who has it, and what they do with it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request

from firstline.api.auth import Caller, CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import (
    HandoffShown,
    HandoffsShown,
    TakeWanted,
    TextMaySend,
    TextSent,
    TranscriptShown,
)
from firstline.domain import Handoff, HandoffAct, HandoffState
from firstline.questions.transcript import transcript

HANDOFFS_SHOWN_MAX: Final = 500

router = APIRouter(prefix="/v1/handoffs", tags=["handoffs"])

HandoffId = Annotated[str, Path(max_length=64)]


@router.get("")
async def list_handoffs(
    request: Request, who: CallerOf, state: Annotated[HandoffState | None, Query(description="Only these.")] = None
) -> HandoffsShown:
    """Newest first, 500 at most; `tried` and `next_step` stand in the single one. Needs level internal, as everything
    here."""
    run = await admitted(request, who)
    states = frozenset(HandoffState) if state is None else frozenset({state})
    return HandoffsShown(
        handoffs=await run.firstline.desk.listed(who.principal, limit=HANDOFFS_SHOWN_MAX, states=states)
    )


@router.get("/{handoff_id}")
async def show_handoff(request: Request, handoff_id: HandoffId, who: CallerOf) -> HandoffShown:
    """One hand-over, with the messages and the acts since."""
    run = await admitted(request, who)
    file = await run.firstline.desk.file(handoff_id, who.principal)
    since = [turn.question for turn in file.turns if turn.number > file.handoff.turn]
    return HandoffShown(handoff=file.handoff, since=since, entries=list(file.entries))


@router.get("/{handoff_id}/transcript")
async def show_transcript(request: Request, handoff_id: HandoffId, who: CallerOf) -> TranscriptShown:
    """The whole conversation: customer, bot, persons and their notes."""
    run = await admitted(request, who)
    file = await run.firstline.desk.file(handoff_id, who.principal)
    return TranscriptShown(
        session_id=file.session.session_id, lines=list(transcript(file.turns, file.entries, run.wording))
    )


@router.post("/{handoff_id}/take")
async def take(request: Request, handoff_id: HandoffId, who: CallerOf, wanted: TakeWanted | None = None) -> Handoff:
    """Become its owner: from now on the bot is silent in this conversation. 409 when a colleague was quicker."""
    return await _act(request, handoff_id, who, HandoffAct.TAKE, force=wanted is not None and wanted.force)


@router.post("/{handoff_id}/reply")
async def reply(request: Request, handoff_id: HandoffId, sent: TextSent, who: CallerOf) -> Handoff:
    """Say something to the customer, as its owner. They see it in their conversation."""
    return await _act(request, handoff_id, who, HandoffAct.REPLY, text=sent.text)


@router.post("/{handoff_id}/note")
async def note(request: Request, handoff_id: HandoffId, sent: TextSent, who: CallerOf) -> Handoff:
    """Leave a note for colleagues; the customer does not see it."""
    return await _act(request, handoff_id, who, HandoffAct.NOTE, text=sent.text)


@router.post("/{handoff_id}/resolve")
async def resolve(request: Request, handoff_id: HandoffId, sent: TextSent, who: CallerOf) -> Handoff:
    """Close it, as its owner, and say what solved it: that becomes a draft ticket for the knowledge base."""
    return await _act(request, handoff_id, who, HandoffAct.RESOLVE, text=sent.text)


@router.post("/{handoff_id}/return")
async def give_back(request: Request, handoff_id: HandoffId, who: CallerOf, sent: TextMaySend | None = None) -> Handoff:
    """Hand the conversation back to the bot, as its owner."""
    return await _act(request, handoff_id, who, HandoffAct.RETURN, text=sent.text if sent else "")


async def admitted(request: Request, who: Caller) -> Running:
    """Refuses keys below level internal, and counts the request."""
    require_internal(who, "hand-overs")
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    return run


async def _act(
    request: Request, handoff_id: str, who: Caller, act: HandoffAct, *, text: str = "", force: bool = False
) -> Handoff:
    run = await admitted(request, who)
    changed, entry = await run.firstline.desk.act(
        handoff_id, act, tenant=who.principal.tenant, by=who.principal.user, text=text, force=force
    )
    if entry is not None:
        run.metrics.count_act(entry)
    return await run.firstline.desk.shown(changed, who.principal)
