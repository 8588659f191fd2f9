"""Feedback, the review queue and judgements in memory: the reference that says what the others must do.

No method awaits anything but memory, so each one is atomic on its event loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from firstline.domain import Feedback, HandoffAct, Judgement, ReviewItem, Session, Turn
from firstline.engines.memory.handoffs import MemoryHandoffLedger
from firstline.engines.memory.ledger import MemoryConversationLedger
from firstline.errors import Conflict, NotFound
from firstline.ports import Changed, ChangedAfter

REVIEWS_LISTED = "`firstline review --list` and GET /v1/review list turns."

Key = tuple[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Hold:
    by: str
    until: datetime


class MemoryFeedbackLedger:
    """See ports.FeedbackLedger. On the turns of a conversation ledger and the hand-overs beside it."""

    def __init__(self, conversations: MemoryConversationLedger, handoffs: MemoryHandoffLedger) -> None:
        self._conversations = conversations
        self._handoffs = handoffs
        self._feedback: dict[Key, Feedback] = {}
        self._waiting: dict[Key, ReviewItem] = {}
        self._holds: dict[Key, _Hold] = {}
        self._skipped: set[tuple[Key, str]] = set()
        self._judgements: dict[Key, Judgement] = {}
        self._seen_until: dict[str, datetime] = {}

    async def rate(self, feedback: Feedback) -> None:
        if (feedback.session_id, feedback.turn) not in self._recorded():
            raise NotFound("There is no such turn.", remedy="Read the conversation again.")
        self._feedback[feedback.session_id, feedback.turn] = feedback

    async def ratings(self, session_id: str) -> list[Feedback]:
        own = [feedback for feedback in self._feedback.values() if feedback.session_id == session_id]
        return sorted(own, key=lambda feedback: feedback.turn)

    async def session_of(self, session_id: str, *, tenant: str) -> Session | None:
        return self._conversations.session_in(session_id, tenant=tenant)

    async def changes(self, *, tenant: str, after: ChangedAfter, without_user: str, limit: int) -> list[Changed]:
        found = [
            replace(known, at=at)
            for session, turn in self._recorded().values()
            if session.tenant == tenant and session.user != without_user
            for known in (await self._changed(session, turn),)
            for at in self._times(turn)
        ]
        newer = [one for one in found if _place(one) > after]
        return sorted(newer, key=_place)[:limit]

    async def seen_until(self, *, tenant: str) -> datetime | None:
        return self._seen_until.get(tenant)

    async def put_queue(
        self, items: Sequence[ReviewItem], *, gone: Sequence[Key], tenant: str, seen_until: datetime | None
    ) -> None:
        self._waiting |= {(item.session_id, item.turn): item for item in items}
        for key in gone:
            item = self._waiting.get(key)
            if item is not None and item.tenant == tenant:
                self._forget(key)
        if seen_until is not None:
            self._seen_until[tenant] = seen_until

    async def queue(self, *, tenant: str, limit: int) -> list[ReviewItem]:
        waiting = [item for key, item in self._waiting.items() if item.tenant == tenant and key not in self._judgements]
        waiting.sort(key=lambda item: (item.session_id, item.turn))
        waiting.sort(key=lambda item: item.asked_at, reverse=True)
        waiting.sort(key=lambda item: item.rank, reverse=True)
        return waiting[:limit]

    async def claim(self, *, tenant: str, by: str, limit: int, lease_s: float) -> list[ReviewItem]:
        now = datetime.now(UTC)
        claimed: list[ReviewItem] = []
        for item in await self.queue(tenant=tenant, limit=len(self._waiting)):
            key = (item.session_id, item.turn)
            if len(claimed) < limit and (key, by) not in self._skipped and not self._held_from(key, by, now):
                self._holds[key] = _Hold(by=by, until=now + timedelta(seconds=lease_s))
                claimed.append(item)
        return claimed

    async def release(self, *, tenant: str, by: str) -> None:
        for key, hold in list(self._holds.items()):
            if hold.by == by and self._waiting[key].tenant == tenant:
                del self._holds[key]

    async def skip(self, session_id: str, turn: int, *, tenant: str, by: str) -> None:
        key = (session_id, turn)
        if key in self._waiting and self._waiting[key].tenant == tenant:
            self._skipped.add((key, by))
            if key in self._holds and self._holds[key].by == by:
                del self._holds[key]

    async def judge(self, judgement: Judgement) -> None:
        key = (judgement.session_id, judgement.turn)
        if await self.turn(*key, tenant=judgement.tenant) is None:
            raise NotFound("There is no such turn.", remedy=REVIEWS_LISTED)
        if self._held_from(key, judgement.by, datetime.now(UTC)):
            raise Conflict(
                f"{self._holds[key].by} is reviewing this turn.", remedy="Leave it to them, and take the next one."
            )
        self._judgements[key] = judgement
        self._forget(key)

    async def judgements(self, *, tenant: str, kb: str, limit: int) -> list[Judgement]:
        own = [one for one in self._judgements.values() if (one.tenant, one.kb) == (tenant, kb)]
        own.sort(key=lambda one: (one.session_id, one.turn))
        return sorted(own, key=lambda one: one.at, reverse=True)[:limit]

    async def turn(self, session_id: str, number: int, *, tenant: str) -> Changed | None:
        found = self._recorded().get((session_id, number))
        return await self._changed(*found) if found is not None and found[0].tenant == tenant else None

    def _recorded(self) -> dict[Key, tuple[Session, Turn]]:
        return {(turn.session_id, turn.number): (session, turn) for session, turn in self._conversations.recorded()}

    def _held_from(self, key: Key, by: str, now: datetime) -> bool:
        hold = self._holds.get(key)
        return hold is not None and hold.by != by and hold.until > now

    def _forget(self, key: Key) -> None:
        self._waiting.pop(key, None)
        self._holds.pop(key, None)
        self._skipped = {(skipped, by) for skipped, by in self._skipped if skipped != key}

    def _closed(self, turn: Turn) -> dict[str, datetime]:
        """When hand-overs that this turn opened or joined last were closed, by their ids."""
        return {
            handoff_id: self._conversations.closed_at[handoff_id]
            for handoff_id, handoff in self._conversations.handoffs_by_id.items()
            if handoff.session_id == turn.session_id
            and turn.number in (self._conversations.opened_turn[handoff_id], handoff.turn)
            and handoff_id in self._conversations.closed_at
        }

    def _times(self, turn: Turn) -> list[datetime]:
        feedback = self._feedback.get((turn.session_id, turn.number))
        return [turn.asked_at, *([feedback.at] if feedback else []), *self._closed(turn).values()]

    async def _changed(self, session: Session, turn: Turn) -> Changed:
        answered = False
        for handoff_id in self._closed(turn):
            acts = await self._handoffs.events(handoff_id, tenant=session.tenant)
            answered |= any(entry.act in (HandoffAct.REPLY, HandoffAct.RESOLVE) for entry in acts)
        return Changed(
            session=session,
            turn=turn,
            feedback=self._feedback.get((turn.session_id, turn.number)),
            person_answered=answered,
            at=turn.asked_at,
        )


def _place(changed: Changed) -> ChangedAfter:
    return changed.at, changed.turn.session_id, changed.turn.number
