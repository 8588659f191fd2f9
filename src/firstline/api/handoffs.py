"""The support engineers' side: what was handed over, and who has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request

from firstline.api.auth import CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import HandoffsShown, StateWanted
from firstline.domain import Handoff, HandoffState
from firstline.errors import Conflict, NotFound

HANDOFFS_SHOWN_MAX: Final = 500

ALLOWED: Final[Mapping[HandoffState, frozenset[HandoffState]]] = {
    HandoffState.OPEN: frozenset({HandoffState.ACKNOWLEDGED}),
    HandoffState.ACKNOWLEDGED: frozenset({HandoffState.IN_PROGRESS}),
    HandoffState.IN_PROGRESS: frozenset({HandoffState.RESOLVED, HandoffState.RETURNED}),
    HandoffState.RESOLVED: frozenset(),
    HandoffState.RETURNED: frozenset(),
}

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
    """open -> acknowledged -> in_progress -> resolved | returned. Needs level internal."""
    require_internal(who, "hand-overs")
    firstline = running(request).firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    tenant = who.principal.tenant
    known = await firstline.conversations.handoffs(tenant=tenant, limit=HANDOFFS_SHOWN_MAX)
    found = next((each for each in known if each.handoff_id == handoff_id), None)
    if found is None:
        raise NotFound("There is no such hand-over.", remedy="GET /v1/handoffs lists them.")
    if wanted.state not in ALLOWED[found.state]:
        allowed = " or ".join(sorted(state.value for state in ALLOWED[found.state]))
        raise Conflict(
            f"A hand-over that is {found.state.value} cannot become {wanted.state.value}.",
            remedy=f"It can become {allowed}." if allowed else "It is finished.",
        )
    return await firstline.conversations.set_handoff_state(handoff_id, tenant=tenant, state=wanted.state)
