"""Quotations in conversations and hand-overs in memory: the reference that says what the others must do."""

from __future__ import annotations

from collections.abc import Iterator

from firstline.domain import Handoff, Turn
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.scrub import scrubbed
from firstline.ports import Marks


class MemoryRecordLedger:
    """See ports.RecordLedger. Knows the turns and hand-overs of one conversation ledger."""

    def __init__(self, conversations: MemoryConversationLedger) -> None:
        self._conversations = conversations

    async def scrub(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        changed = {"turns": 0, "hand-overs": 0}
        for turn, clean in list(self._turns(marks, tenant)):
            self._conversations.replace_turn(clean)
            changed["turns"] += turn != clean
        for handoff, clean in list(self._handoffs(marks, tenant)):
            self._conversations.handoffs_by_id[handoff.handoff_id] = clean
            changed["hand-overs"] += handoff != clean
        return changed

    async def quoting(self, marks: Marks, *, tenant: str) -> dict[str, int]:
        return {
            "turns": len(list(self._turns(marks, tenant))),
            "hand-overs": len(list(self._handoffs(marks, tenant))),
        }

    async def forget_tenant(self, tenant: str) -> dict[str, int]:
        counts = await self.of_tenant(tenant)
        self._conversations.forget_tenant(tenant)
        return counts

    async def of_tenant(self, tenant: str) -> dict[str, int]:
        turns = [turn for session, turn in self._conversations.recorded() if session.tenant == tenant]
        handed = await self._conversations.handoffs(tenant=tenant, limit=1_000_000)
        return {"turns": len(turns), "hand-overs": len(handed)}

    def _turns(self, marks: Marks, tenant: str) -> Iterator[tuple[Turn, Turn]]:
        for session, turn in self._conversations.recorded():
            record = encode(turn)
            if session.tenant == tenant and (clean := scrubbed(record, marks)) != record:
                yield turn, decode(Turn, clean)

    def _handoffs(self, marks: Marks, tenant: str) -> Iterator[tuple[Handoff, Handoff]]:
        for handoff in self._conversations.handoffs_by_id.values():
            record = encode(handoff)
            mine = self._conversations.session_of(handoff).tenant == tenant
            if mine and (clean := scrubbed(record, marks)) != record:
                yield handoff, decode(Handoff, clean)
