"""Hand-overs on their way out, in memory: the reference. Nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from firstline.domain import Delivery, DeliveryState, HandoffMessage
from firstline.handoff_rules import delivery_key
from firstline.ports import Backlog


def _now() -> datetime:
    return datetime.now(UTC)


class MemoryDeliveryLedger:
    """See ports.DeliveryLedger. `channels`: a message that is added is written once for each of them."""

    def __init__(self, channels: Sequence[str] = (), *, clock: Callable[[], datetime] = _now) -> None:
        self._channels = tuple(channels)
        self._clock = clock
        # In the order of arrival.
        self._deliveries: dict[str, Delivery] = {}

    def add(self, message: HandoffMessage) -> None:
        """For the conversation ledger, in the same step as the turn."""
        now = self._clock()
        for channel in self._channels:
            delivery_id = delivery_key(message.handoff.handoff_id)
            self._deliveries[delivery_id] = Delivery(
                delivery_id=delivery_id,
                channel=channel,
                message=message,
                state=DeliveryState.PENDING,
                attempts=0,
                lease=0,
                due_at=now,
                created_at=now,
            )

    async def claim(self, channel: str, *, limit: int, lease_s: float) -> list[Delivery]:
        now = self._clock()
        first: dict[str, Delivery] = {}
        for each in self._deliveries.values():
            if each.channel == channel and each.state is DeliveryState.PENDING:
                first.setdefault(each.message.handoff.handoff_id, each)
        due = sorted((each for each in first.values() if each.due_at <= now), key=lambda each: each.due_at)[:limit]
        taken = [
            replace(
                each,
                attempts=each.attempts + 1,
                lease=each.lease + 1,
                due_at=now + timedelta(seconds=lease_s),
                message=replace(each.message, thread=self._thread_of(each)),
            )
            for each in due
        ]
        self._deliveries.update({each.delivery_id: each for each in taken})
        return taken

    def _thread_of(self, delivery: Delivery) -> str:
        """Of the first one that arrived and made one; deliveries stand in the order of arrival."""
        for each in self._deliveries.values():
            if each.delivery_id == delivery.delivery_id:
                break
            same = (each.channel, each.message.handoff.handoff_id)
            if (
                same == (delivery.channel, delivery.message.handoff.handoff_id)
                and each.state is DeliveryState.DELIVERED
                and each.message.thread
            ):
                return each.message.thread
        return ""

    async def delivered(self, delivery_id: str, *, thread: str = "") -> None:
        found = self._deliveries.get(delivery_id)
        if found is not None and found.state is not DeliveryState.DELIVERED:
            message = replace(found.message, thread=thread) if thread else found.message
            self._put(
                replace(found, state=DeliveryState.DELIVERED, finished_at=self._clock(), problem="", message=message)
            )

    async def failed(self, delivery_id: str, *, lease: int, problem: str, again_in_s: float | None) -> None:
        found = self._deliveries.get(delivery_id)
        if found is None or found.state is not DeliveryState.PENDING or found.lease != lease:
            return
        now = self._clock()
        if again_in_s is None:
            self._put(replace(found, state=DeliveryState.DEAD, problem=problem, due_at=now, finished_at=now))
        else:
            self._put(replace(found, problem=problem, due_at=now + timedelta(seconds=again_in_s)))

    async def delivery(self, delivery_id: str, *, tenant: str) -> Delivery | None:
        found = self._deliveries.get(delivery_id)
        return found if found is not None and found.message.tenant == tenant else None

    async def deliveries(
        self, *, tenant: str, limit: int, states: Collection[DeliveryState] = frozenset(DeliveryState)
    ) -> list[Delivery]:
        newest = reversed(self._deliveries.values())
        return [each for each in newest if each.message.tenant == tenant and each.state in states][:limit]

    async def retry(self, *, tenant: str, delivery_ids: Sequence[str] | None) -> list[str]:
        dead = [
            each
            for each in self._deliveries.values()
            if each.message.tenant == tenant
            and each.state is DeliveryState.DEAD
            and (delivery_ids is None or each.delivery_id in delivery_ids)
        ]
        for each in dead:
            self._put(replace(each, state=DeliveryState.PENDING, attempts=0, due_at=self._clock(), finished_at=None))
        return [each.delivery_id for each in dead]

    async def backlog(self, *, tenant: str | None) -> list[Backlog]:
        left = [
            each
            for each in self._deliveries.values()
            if each.state is not DeliveryState.DELIVERED and tenant in (None, each.message.tenant)
        ]
        return [
            _backlog(name, [each for each in left if each.channel == name])
            for name in sorted({e.channel for e in left})
        ]

    async def forget(self, *, finished_before: datetime) -> int:
        old = [
            each.delivery_id
            for each in self._deliveries.values()
            if each.finished_at is not None and each.finished_at < finished_before
        ]
        for delivery_id in old:
            del self._deliveries[delivery_id]
        return len(old)

    def _put(self, delivery: Delivery) -> None:
        self._deliveries[delivery.delivery_id] = delivery


def _backlog(channel: str, left: Sequence[Delivery]) -> Backlog:
    waiting = [each.created_at for each in left if each.state is DeliveryState.PENDING]
    return Backlog(
        channel=channel, pending=len(waiting), dead=len(left) - len(waiting), oldest_at=min(waiting, default=None)
    )
