"""The support engineers' side: what was handed over, and who has it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request

from firstline.api.auth import CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import HandoffsShown, StateWanted
from firstline.domain import Handoff

HANDOFFS_SHOWN_MAX: Final = 500

router = APIRouter(prefix="/v1/handoffs", tags=["handoffs"])


@router.get("")
async def list_handoffs(request: Request, who: CallerOf) -> HandoffsShown:
    """Newest first. Needs level internal."""
    require_internal(who, "hand-overs")
    firstline = running(request).firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    return HandoffsShown(
        handoffs=await firstline.conversations.handoffs(tenant=who.principal.tenant, limit=HANDOFFS_SHOWN_MAX)
    )


@router.post("/{handoff_id}/state")
async def move_handoff(
    request: Request, handoff_id: Annotated[str, Path(max_length=64)], wanted: StateWanted, who: CallerOf
) -> Handoff:
    """open -> acknowledged -> in_progress -> resolved | returned, one step at a time. Needs level internal.

    409 names the states that may follow, also when somebody else was quicker.
    """
    require_internal(who, "hand-overs")
    firstline = running(request).firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    return await firstline.conversations.set_handoff_state(handoff_id, tenant=who.principal.tenant, state=wanted.state)
