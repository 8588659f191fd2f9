"""What persons do with hand-overs, and the tickets that come of it, in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from firstline.domain import DraftState, DraftTicket, Handoff, HandoffAct, HandoffEntry, HandoffEvent, Session
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.errors import NotFound
from firstline.handoff_rules import (
    CLOSED,
    DRAFTS_LISTED,
    HANDOFFS_LISTED,
    SAID,
    TOLD,
    after_act,
    draft_settled_already,
    event_of,
)

EVENTS_READ_MAX: Final = 1_000


class MemoryHandoffLedger:
    """See ports.HandoffLedger. Acts on the hand-overs of a conversation ledger."""

    def __init__(self, conversations: MemoryConversationLedger) -> None:
        self._conversations = conversations
        self._events: list[HandoffEntry] = []
        self._drafts: dict[str, DraftTicket] = {}

    async def act(
        self,
        handoff_id: str,
        *,
        tenant: str,
        act: HandoffAct,
        by: str,
        at: datetime,
        text: str = "",
        force: bool = False,
        draft: DraftTicket | None = None,
    ) -> tuple[Handoff, HandoffEntry | None]:
        before = await self._conversations.handoff(handoff_id, tenant=tenant)
        if before is None:
            raise NotFound("There is no such hand-over.", remedy=HANDOFFS_LISTED)
        after = after_act(before, act, by=by, text=text, force=force)
        if after == before and act is HandoffAct.TAKE:
            return after, None
        number = 1 + sum(event.handoff_id == handoff_id for event in self._events)
        event = event_of(before, after, act, number=number, by=by, text=text, at=at)
        self._events.append(event)
        self._conversations.handoffs_by_id[handoff_id] = after
        if act in TOLD:
            self._conversations.tell(after, HandoffEvent.UPDATED)
        if after.state in CLOSED:
            self._conversations.closed_at.setdefault(handoff_id, at)
        if draft is not None:
            self._drafts[draft.draft_id] = draft
        return after, event

    async def events(self, handoff_id: str, *, tenant: str) -> list[HandoffEntry]:
        if await self._conversations.handoff(handoff_id, tenant=tenant) is None:
            return []
        return [event for event in self._events if event.handoff_id == handoff_id]

    async def said(self, session_id: str, *, after: tuple[str, int] | None = None) -> list[HandoffEntry]:
        own = [event for event in self._events if event.session_id == session_id]
        known = next((at for at, event in enumerate(own) if (event.handoff_id, event.number) == after), None)
        said = [event for event in own[0 if known is None else known + 1 :] if event.act in SAID]
        return said[-EVENTS_READ_MAX:] if known is None else said[:EVENTS_READ_MAX]

    async def session_of(self, handoff_id: str, *, tenant: str) -> Session | None:
        handoff = await self._conversations.handoff(handoff_id, tenant=tenant)
        return self._conversations.session_of(handoff) if handoff else None

    async def drafts(self, *, tenant: str, limit: int) -> list[DraftTicket]:
        waiting = [one for one in self._drafts.values() if (one.tenant, one.state) == (tenant, DraftState.DRAFT)]
        waiting.sort(key=lambda one: one.draft_id)
        waiting.sort(key=lambda one: one.created_at, reverse=True)
        return waiting[:limit]

    async def draft(self, draft_id: str, *, tenant: str) -> DraftTicket | None:
        found = self._drafts.get(draft_id)
        return found if found is not None and found.tenant == tenant else None

    async def settle_draft(
        self, draft_id: str, *, tenant: str, state: DraftState, doc_id: str = "", snapshot: int | None = None
    ) -> DraftTicket:
        draft = await self.draft(draft_id, tenant=tenant)
        if draft is None:
            raise NotFound("There is no such draft.", remedy=DRAFTS_LISTED)
        if draft.state is not DraftState.DRAFT:
            raise draft_settled_already(draft)
        settled = replace(draft, state=state, doc_id=doc_id, snapshot=snapshot)
        self._drafts[draft_id] = settled
        return settled
