"""Tickets that came of resolved hand-overs: reviewed, then published or discarded."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request

from firstline.api.auth import CallerOf
from firstline.api.handoffs import admitted
from firstline.api.shapes import DraftsShown, PublishWanted
from firstline.documents.publish_ticket import publish_ticket
from firstline.domain import DraftState, DraftTicket, Level
from firstline.errors import Forbidden, InvalidInput

DRAFTS_SHOWN_MAX: Final = 500

router = APIRouter(prefix="/v1/handoffs/drafts", tags=["handoffs"])

DraftId = Annotated[str, Path(max_length=64)]


@router.get("")
async def list_drafts(request: Request, who: CallerOf) -> DraftsShown:
    """Those that wait for a review, newest first. Needs level internal, as everything here."""
    run = await admitted(request, who)
    return DraftsShown(drafts=await run.firstline.handoffs.drafts(tenant=who.principal.tenant, limit=DRAFTS_SHOWN_MAX))


@router.post("/{draft_id}/publish")
async def publish(request: Request, draft_id: DraftId, wanted: PublishWanted, who: CallerOf) -> DraftTicket:
    """Publish it as a ticket in the next snapshot of its knowledge base. 409 while an ingest is running there."""
    run = await admitted(request, who)
    try:
        level = Level.parse(wanted.level)
    except KeyError:
        names = ", ".join(level.label for level in Level)
        raise InvalidInput("There is no such level.", remedy=f"Use one of: {names}.") from None
    if level > who.principal.level:
        raise Forbidden("This key may not publish what it may not see.", remedy="Choose a lower level.")
    settled, _ = await publish_ticket(
        draft_id,
        tenant=who.principal.tenant,
        level=level,
        acl=frozenset(wanted.acl),
        kb=None,
        documents=run.firstline.documents,
        handoffs=run.firstline.handoffs,
        knowledge=run.firstline.knowledge,
    )
    return settled


@router.post("/{draft_id}/discard")
async def discard(request: Request, draft_id: DraftId, who: CallerOf) -> DraftTicket:
    """It does not become a ticket."""
    run = await admitted(request, who)
    return await run.firstline.handoffs.settle_draft(draft_id, tenant=who.principal.tenant, state=DraftState.DISCARDED)
