"""The support engineers' side of a conversation: take it, answer, hand it back. What they write is redacted too."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from firstline.domain import Handoff, HandoffAct, HandoffEntry, Session, Turn, readable_message
from firstline.errors import NotFound
from firstline.handoff_rules import HANDOFFS_LISTED
from firstline.ports import ConversationLedger, HandoffLedger, Redactor
from firstline.questions.draft import draft_of

TEXT_CHARS_MAX: Final = 20_000
TURNS_READ_MAX: Final = 500
BY_CHARS_MAX: Final = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffFile:
    """A hand-over with the whole conversation: the customer's turns and what persons did, each oldest first."""

    handoff: Handoff
    session: Session
    turns: tuple[Turn, ...]
    entries: tuple[HandoffEntry, ...]


class HandoffDesk:
    """What a person does with hand-overs, on every surface."""

    def __init__(self, *, conversations: ConversationLedger, handoffs: HandoffLedger, redactor: Redactor) -> None:
        self._conversations = conversations
        self._handoffs = handoffs
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
            file = await self.file(handoff_id, tenant=tenant)
            draft = draft_of(
                file.handoff,
                [turn.question for turn in file.turns],
                clean,
                tenant=tenant,
                kb=file.session.kb,
                created_at=now,
            )
        return await self._handoffs.act(
            handoff_id, tenant=tenant, act=act, by=by[:BY_CHARS_MAX], at=now, text=clean, force=force, draft=draft
        )

    async def file(self, handoff_id: str, *, tenant: str) -> HandoffFile:
        """NotFound when the tenant has no such hand-over."""
        handoff = await self._conversations.handoff(handoff_id, tenant=tenant)
        session = await self._handoffs.session_of(handoff_id, tenant=tenant)
        if handoff is None or session is None:
            raise NotFound("There is no such hand-over.", remedy=HANDOFFS_LISTED)
        return HandoffFile(
            handoff=handoff,
            session=session,
            turns=tuple(await self._conversations.turns(session.session_id, limit=TURNS_READ_MAX)),
            entries=tuple(await self._handoffs.events(handoff_id, tenant=tenant)),
        )
