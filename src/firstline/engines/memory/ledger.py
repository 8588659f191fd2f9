"""The ledgers in memory: the reference that says what the others must do. Nothing is kept.

No method awaits anything, so each one is atomic on its event loop.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from firstline.domain import (
    PERSON_OWNS,
    ApiKey,
    AuditEntry,
    Handoff,
    HandoffEvent,
    HandoffMessage,
    HandoffState,
    Session,
    Turn,
    audited_category,
)
from firstline.engines.memory.deliveries import MemoryDeliveryLedger
from firstline.engines.memory.knowledge import MemoryKnowledgeLedger
from firstline.errors import Conflict, NotFound
from firstline.handoff_rules import CLOSED, is_news

__all__ = ["MemoryConversationLedger", "MemoryKeyLedger", "MemoryKnowledgeLedger"]


class MemoryConversationLedger:
    """See ports.ConversationLedger."""

    def __init__(self, *, outbox: MemoryDeliveryLedger | None = None) -> None:
        self._outbox = outbox or MemoryDeliveryLedger()
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, dict[int, Turn]] = {}
        self.handoffs_by_id: dict[str, Handoff] = {}
        self.closed_at: dict[str, datetime] = {}
        self.opened_turn: dict[str, int] = {}
        self.audit: list[AuditEntry] = []

    async def create_session(self, session: Session) -> None:
        if session.session_id in self._sessions:
            raise Conflict("That is already there.", remedy="Use another id, or read what is there.")
        self._sessions[session.session_id] = session

    async def session(self, session_id: str, *, tenant: str, user: str) -> Session | None:
        found = self._sessions.get(session_id)
        return found if found is not None and (found.tenant, found.user) == (tenant, user) else None

    def session_in(self, session_id: str, *, tenant: str) -> Session | None:
        """Whoever's it is. For the feedback ledger beside it."""
        found = self._sessions.get(session_id)
        return found if found is not None and found.tenant == tenant else None

    async def append_turn(self, turn: Turn, handoff: Handoff | None) -> None:
        if turn.session_id not in self._sessions:
            raise NotFound("There is no such session.", remedy="Open a new session.")
        turns = self._turns.setdefault(turn.session_id, {})
        if turn.number in turns or (handoff is not None and not self._may_put(handoff)):
            raise Conflict(
                f"The session already has a turn {turn.number}: another message was answered meanwhile.",
                remedy="Read the session again, then repeat.",
            )
        turns[turn.number] = turn
        if handoff is not None:
            self._put(handoff)
        category = audited_category(turn)
        if category is not None:
            session = self._sessions[turn.session_id]
            self.audit.append(
                AuditEntry(
                    tenant=session.tenant,
                    kb=session.kb,
                    user=session.user,
                    session_id=session.session_id,
                    turn=turn.number,
                    category=category,
                    at=turn.asked_at,
                )
            )

    async def audited(self, *, tenant: str, limit: int) -> list[AuditEntry]:
        """See ports.AuditLedger."""
        return [entry for entry in reversed(self.audit) if entry.tenant == tenant][:limit]

    def _may_put(self, handoff: Handoff) -> bool:
        stands = self.handoffs_by_id.get(handoff.handoff_id)
        return stands is None or (stands.session_id == handoff.session_id and stands.state not in CLOSED)

    def _put(self, handoff: Handoff) -> None:
        """A new one is opened; one that stands already gets its new payload, and moves nowhere."""
        stands = self.handoffs_by_id.get(handoff.handoff_id)
        if stands is not None:
            kept = {name: getattr(stands, name) for name in ("state", "owner", "resolution", "created_at")}
            handoff = replace(handoff, **kept)
        self.handoffs_by_id[handoff.handoff_id] = handoff
        self.opened_turn.setdefault(handoff.handoff_id, handoff.turn)
        if stands is None:
            self.tell(handoff, HandoffEvent.OPENED)
        elif is_news(stands, handoff):
            self.tell(handoff, HandoffEvent.UPDATED)

    def tell(self, handoff: Handoff, event: HandoffEvent) -> None:
        session = self.session_of(handoff)
        self._outbox.add(
            HandoffMessage(
                event=event, tenant=session.tenant, kb=session.kb, handoff=handoff, occurred_at=datetime.now(UTC)
            )
        )

    async def turns(self, session_id: str, *, limit: int) -> list[Turn]:
        turns = self._turns.get(session_id, {})
        newest = sorted(turns, reverse=True)[:limit]
        return [turns[number] for number in reversed(newest)]

    def recorded(self) -> list[tuple[Session, Turn]]:
        """Every turn with its session. For the gate ledger beside it."""
        return [(self._sessions[key], turn) for key, turns in self._turns.items() for turn in turns.values()]

    def replace_turn(self, turn: Turn) -> None:
        """For the ledger that takes quotations out."""
        self._turns[turn.session_id][turn.number] = turn

    def forget_tenant(self, tenant: str) -> None:
        gone = {key for key, session in self._sessions.items() if session.tenant == tenant}
        self.handoffs_by_id = {key: one for key, one in self.handoffs_by_id.items() if one.session_id not in gone}
        for key in gone:
            self._turns.pop(key, None)
            del self._sessions[key]

    async def open_handoff(self, session_id: str) -> Handoff | None:
        still = [
            handoff
            for handoff in self._newest_first()
            if handoff.session_id == session_id and handoff.state not in CLOSED
        ]
        return next((handoff for handoff in still if handoff.state in PERSON_OWNS), still[0] if still else None)

    async def handoff(self, handoff_id: str, *, tenant: str) -> Handoff | None:
        found = self.handoffs_by_id.get(handoff_id)
        return found if found is not None and self._tenant(found) == tenant else None

    async def closed_handoffs(self, session_id: str, *, since: datetime) -> list[Handoff]:
        closed = [
            (self.closed_at[handoff_id], handoff)
            for handoff_id, handoff in self.handoffs_by_id.items()
            if handoff.session_id == session_id and handoff_id in self.closed_at
        ]
        closed.sort(key=lambda entry: entry[0])
        return [handoff for at, handoff in reversed(closed) if at >= since]

    def session_of(self, handoff: Handoff) -> Session:
        return self._sessions[handoff.session_id]

    async def handoffs(
        self, *, tenant: str, limit: int, states: Collection[HandoffState] = frozenset(HandoffState)
    ) -> list[Handoff]:
        own = [handoff for handoff in self._newest_first() if self._tenant(handoff) == tenant]
        return [handoff for handoff in own if handoff.state in states][:limit]

    def _tenant(self, handoff: Handoff) -> str:
        return self._sessions[handoff.session_id].tenant

    def _newest_first(self) -> list[Handoff]:
        arrived = list(enumerate(self.handoffs_by_id.values()))
        arrived.sort(key=lambda entry: (entry[1].created_at, entry[0]), reverse=True)
        return [handoff for _, handoff in arrived]


class MemoryKeyLedger:
    """See ports.KeyLedger."""

    def __init__(self) -> None:
        self._keys: dict[str, ApiKey] = {}

    async def add_key(self, key: ApiKey) -> None:
        if key.key_id in self._keys:
            raise Conflict("That is already there.", remedy="Use another id, or read what is there.")
        self._keys[key.key_id] = key

    async def key(self, key_id: str) -> ApiKey | None:
        return self._keys.get(key_id)

    async def keys(self, *, tenant: str) -> list[ApiKey]:
        own = [key for key in self._keys.values() if key.principal.tenant == tenant]
        return sorted(own, key=lambda key: (key.created_at, key.key_id))

    async def revoke_key(self, key_id: str, *, tenant: str, at: datetime) -> None:
        key = self._keys.get(key_id)
        if key is None or key.principal.tenant != tenant:
            raise NotFound("There is no such key.", remedy="`firstline key list` shows the keys of this tenant.")
        # The first revocation stands: a later one must not make the key look valid for longer.
        revoked_at = at if key.revoked_at is None else min(key.revoked_at, at)
        self._keys[key_id] = replace(key, revoked_at=revoked_at)
