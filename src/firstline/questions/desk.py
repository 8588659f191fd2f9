"""The support engineers' side of a conversation: take it, answer, hand it back. What they write is redacted too."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from firstline.domain import (
    Handoff,
    HandoffAct,
    HandoffEntry,
    HandoffState,
    Principal,
    Session,
    Turn,
    readable_message,
)
from firstline.errors import NotFound
from firstline.handoff_rules import HANDOFFS_LISTED
from firstline.ports import ConversationLedger, HandoffLedger, KnowledgeLedger, Redactor
from firstline.questions.draft import draft_of
from firstline.questions.readable import readable, readable_handoff

TEXT_CHARS_MAX: Final = 20_000
TURNS_READ_MAX: Final = 500
BY_CHARS_MAX: Final = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffFile:
    """A hand-over with the whole conversation: the customer's turns and what persons did, each oldest first. Turns and
    hand-over show what their reader may see now, and nothing else."""

    handoff: Handoff
    session: Session
    turns: tuple[Turn, ...]
    entries: tuple[HandoffEntry, ...]


class HandoffDesk:
    """What a person does with hand-overs, on every surface."""

    def __init__(
        self,
        *,
        conversations: ConversationLedger,
        handoffs: HandoffLedger,
        knowledge: KnowledgeLedger,
        redactor: Redactor,
    ) -> None:
        self._conversations = conversations
        self._handoffs = handoffs
        self._knowledge = knowledge
        self._redactor = redactor

    async def act(
        self, handoff_id: str, act: HandoffAct, *, tenant: str, by: str, text: str = "", force: bool = False
    ) -> tuple[Handoff, HandoffEntry | None]:
        """Do it, and record it; None when it was so already. Resolving leaves a draft ticket.

        InvalidInput, Conflict and NotFound as in HandoffLedger.act; InvalidInput for a text that is too long.
        """
        clean = self._redactor.redact(readable_message(text, chars_max=TEXT_CHARS_MAX)).text if text.strip() else ""
        now = datetime.now(UTC)
        draft = None
        if act is HandoffAct.RESOLVE:
            handoff, session, turns = await self._recorded(handoff_id, tenant=tenant)
            messages = [turn.question for turn in turns]
            draft = draft_of(handoff, messages, clean, tenant=tenant, kb=session.kb, created_at=now)
        return await self._handoffs.act(
            handoff_id, tenant=tenant, act=act, by=by[:BY_CHARS_MAX], at=now, text=clean, force=force, draft=draft
        )

    async def listed(
        self, principal: Principal, *, limit: int, states: Collection[HandoffState] = frozenset(HandoffState)
    ) -> list[Handoff]:
        """Newest first, in these states alone. Without what names pages (`tried` and `next_step`): who may see which is
        looked up for one hand-over, by `file`, and not for hundreds."""
        found = await self._conversations.handoffs(tenant=principal.tenant, limit=limit, states=states)
        return [replace(handoff, tried=(), next_step="") for handoff in found]

    async def shown(self, handoff: Handoff, principal: Principal) -> Handoff:
        """What `act` returned, as this principal may see it."""
        session = await self._handoffs.session_of(handoff.handoff_id, tenant=principal.tenant)
        if session is None:
            raise NotFound("There is no such hand-over.", remedy=HANDOFFS_LISTED)
        turns = await self._conversations.turns(session.session_id, limit=TURNS_READ_MAX)
        return await readable_handoff(handoff, turns, principal, kb=session.kb, knowledge=self._knowledge)

    async def file(self, handoff_id: str, principal: Principal) -> HandoffFile:
        """NotFound when the principal's tenant has no such hand-over."""
        handoff, session, turns = await self._recorded(handoff_id, tenant=principal.tenant)
        kb, knowledge = session.kb, self._knowledge
        return HandoffFile(
            handoff=await readable_handoff(handoff, turns, principal, kb=kb, knowledge=knowledge),
            session=session,
            turns=tuple([await readable(turn, principal, kb=kb, knowledge=knowledge) for turn in turns]),
            entries=tuple(await self._handoffs.events(handoff_id, tenant=principal.tenant)),
        )

    async def _recorded(self, handoff_id: str, *, tenant: str) -> tuple[Handoff, Session, list[Turn]]:
        handoff = await self._conversations.handoff(handoff_id, tenant=tenant)
        session = await self._handoffs.session_of(handoff_id, tenant=tenant)
        if handoff is None or session is None:
            raise NotFound("There is no such hand-over.", remedy=HANDOFFS_LISTED)
        return handoff, session, await self._conversations.turns(session.session_id, limit=TURNS_READ_MAX)
