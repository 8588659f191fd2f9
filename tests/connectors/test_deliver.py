"""From the outbox to the receiver: retries, crashes, order, dead letters. On the memory ledger, with real receivers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from messages import NOON, message
from receivers import CLOSE, HANG, Answer, HttpReceiver, listening, unused_port

from firstline.connectors.handover.deliver import SENT_AT_ONCE, Deliverer, Patience
from firstline.connectors.handover.mail import MAIL_S_MAX
from firstline.connectors.handover.post import POST_S_MAX
from firstline.connectors.handover.webhook import WebhookChannel
from firstline.domain import Delivery, DeliveryState, HandoffEvent, HandoffMessage
from firstline.engines.memory.deliveries import MemoryDeliveryLedger
from firstline.errors import Unavailable
from firstline.ports import Receipt

QUICK = Patience(backoff_s=0.02, backoff_s_max=0.05, poll_s=0.01, ledger_down_s=0.02, attempts_max=4, lease_s=0.3)
SECRET = b"0123456789abcdef"


def webhook(url: str, *, timeout_s: float = 2.0) -> WebhookChannel:
    return WebhookChannel(url=url, secret=SECRET, timeout_s=timeout_s)


def numbered(number: int) -> HandoffMessage:
    return message(handoff_id=f"h-{number}")


async def state_of(ledger: MemoryDeliveryLedger) -> list[Delivery]:
    return await ledger.deliveries(tenant="acme", limit=1000)


async def until(true: Callable[[], Awaitable[bool]], *, seconds: float = 8.0) -> None:
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 (what is awaited is a ledger's state, which sends no event)
            await asyncio.sleep(0.01)


async def settled(ledger: MemoryDeliveryLedger) -> None:
    async def nothing_pending() -> bool:
        return all(one.state is not DeliveryState.PENDING for one in await state_of(ledger))

    await until(nothing_pending)


async def delivered_by(answers: list[Answer], *, timeout_s: float = 2.0) -> tuple[Delivery, HttpReceiver]:
    """One hand-over through these answers, until it has ended."""
    ledger, receiver = MemoryDeliveryLedger(("webhook",)), HttpReceiver(answers=answers)
    ledger.add(message())
    async with listening(receiver):
        deliverer = Deliverer(ledger=ledger, channels=[webhook(receiver.url, timeout_s=timeout_s)], patience=QUICK)
        async with deliverer.running():
            await settled(ledger)
    (one,) = await state_of(ledger)
    return one, receiver


@pytest.mark.parametrize(
    "first",
    [
        Answer(status=500),
        Answer(status=503, headers=(("Retry-After", "0"),)),
        Answer(status=429),
        Answer(how=CLOSE),
        Answer(how=HANG),
    ],
    ids=["500", "503", "429", "closed", "timeout"],
)
async def test_what_fails_once_arrives_at_the_second_attempt_with_the_same_key(first: Answer) -> None:
    one, receiver = await delivered_by([first, Answer()], timeout_s=0.2)
    assert (one.state, one.attempts, one.problem) == (DeliveryState.DELIVERED, 2, "")
    assert {got.headers["idempotency-key"] for got in receiver.got} == {one.delivery_id}
    assert len(receiver.got) == 2


async def test_a_refusal_for_good_is_dead_at_once() -> None:
    one, receiver = await delivered_by([Answer(status=401)])
    assert (one.state, one.attempts) == (DeliveryState.DEAD, 1)
    assert "secret" in one.problem
    assert len(receiver.got) == 1


async def test_patience_ends_and_the_reason_says_what_to_do() -> None:
    one, receiver = await delivered_by([Answer(status=502)])
    assert (one.state, one.attempts) == (DeliveryState.DEAD, QUICK.attempts_max)
    assert "502" in one.problem
    assert "firstline deliveries retry" in one.problem
    assert len(receiver.got) == QUICK.attempts_max


async def test_nobody_listens_then_somebody_does() -> None:
    ledger = MemoryDeliveryLedger(("webhook",))
    ledger.add(message())
    receiver = HttpReceiver(answers=[Answer()], port=unused_port())
    patient = Patience(backoff_s=0.05, backoff_s_max=0.1, poll_s=0.01, attempts_max=100)
    async with Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=patient).running():

        async def refused() -> bool:
            return (await state_of(ledger))[0].attempts >= 2

        await until(refused)
        async with listening(receiver):
            await settled(ledger)
    assert len(receiver.got) == 1


async def test_a_dead_one_that_is_retried_arrives_with_its_old_key() -> None:
    ledger, receiver = MemoryDeliveryLedger(("webhook",)), HttpReceiver(answers=[Answer(status=404), Answer()])
    ledger.add(message())
    async with (
        listening(receiver),
        Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=QUICK).running(),
    ):
        await settled(ledger)
        assert len(await ledger.retry(tenant="acme", delivery_ids=None)) == 1
        await settled(ledger)
    (one,) = await state_of(ledger)
    assert (one.state, one.attempts) == (DeliveryState.DELIVERED, 1)
    assert [got.headers["idempotency-key"] for got in receiver.got] == [one.delivery_id] * 2


class DiesBeforeMarking(MemoryDeliveryLedger):
    """The process is killed between the send and the mark, `deaths` times."""

    deaths = 1

    async def delivered(self, delivery_id: str, *, thread: str = "") -> None:
        if self.deaths:
            self.deaths -= 1
            raise Unavailable("killed", remedy="none")
        await super().delivered(delivery_id, thread=thread)


async def test_a_crash_between_send_and_mark_sends_it_again_with_the_same_key() -> None:
    ledger, receiver = DiesBeforeMarking(("webhook",)), HttpReceiver(answers=[Answer()])
    ledger.add(message())
    async with (
        listening(receiver),
        Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=QUICK).running(),
    ):
        await settled(ledger)
    (one,) = await state_of(ledger)
    assert one.state is DeliveryState.DELIVERED
    first, second = receiver.got
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"] == one.delivery_id
    assert first.body == second.body


async def test_what_kills_its_worker_every_time_dies_in_the_end() -> None:
    ledger, receiver = DiesBeforeMarking(("webhook",)), HttpReceiver(answers=[Answer()])
    ledger.deaths = 1_000
    ledger.add(message())
    patience = Patience(poll_s=0.01, ledger_down_s=0.01, attempts_max=3, lease_s=0.03)
    async with (
        listening(receiver),
        Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=patience).running(),
    ):
        await settled(ledger)
    assert len(receiver.got) == patience.attempts_max
    (one,) = await state_of(ledger)
    assert one.problem


async def test_two_servers_deliver_each_once() -> None:
    ledger, receiver = MemoryDeliveryLedger(("webhook",)), HttpReceiver(answers=[Answer()])
    for number in range(40):
        ledger.add(numbered(number))
    async with (
        listening(receiver),
        Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=QUICK).running(),
        Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=QUICK).running(),
    ):
        await settled(ledger)
    keys = Counter(got.headers["idempotency-key"] for got in receiver.got)
    assert len(keys) == 40
    assert set(keys.values()) == {1}


async def test_news_of_a_hand_over_stays_in_order_though_the_first_fails() -> None:
    ledger, receiver = MemoryDeliveryLedger(("webhook",)), HttpReceiver(answers=[Answer(status=500), Answer()])
    ledger.add(message())
    ledger.add(message(event=HandoffEvent.UPDATED))
    async with (
        listening(receiver),
        Deliverer(ledger=ledger, channels=[webhook(receiver.url)], patience=QUICK).running(),
    ):
        await settled(ledger)
    assert [json.loads(got.body)["type"] for got in receiver.got] == [
        "handoff.opened",
        "handoff.opened",
        "handoff.updated",
    ]


class Scripted:
    """A channel that does what it is told."""

    def __init__(self, name: str, *results: Receipt | Exception, slow_s: float = 0.0) -> None:
        self.name = name
        self.sent: list[str] = []
        self._results = list(results)
        self._slow_s = slow_s

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        self.sent.append(idempotency_key)
        await asyncio.sleep(self._slow_s)
        result = self._results.pop(0) if self._results else Receipt()
        if isinstance(result, Exception):
            raise result
        return result


async def test_a_slow_channel_holds_up_itself_alone() -> None:
    ledger = MemoryDeliveryLedger(("slow", "quick"))
    for number in range(3 * SENT_AT_ONCE):
        ledger.add(numbered(number))
    slow, quick = Scripted("slow", slow_s=60), Scripted("quick")
    deliverer = Deliverer(ledger=ledger, channels=[slow, quick], patience=Patience(poll_s=0.01, ending_s_max=0.05))
    async with deliverer.running():

        async def quick_is_done() -> bool:
            return deliverer.counts["quick", "delivered"] == 3 * SENT_AT_ONCE

        await until(quick_is_done, seconds=2)
        assert len(slow.sent) == SENT_AT_ONCE, "no more at once"


async def test_retry_after_is_honoured_and_longer_than_the_back_off() -> None:
    ledger = MemoryDeliveryLedger(("one",))
    ledger.add(message())
    one = Scripted("one", Receipt(problem="status 429", again=True, wait_s=120.0))
    before = datetime.now(UTC)
    await Deliverer(ledger=ledger, channels=[one], patience=QUICK).deliver(one)
    (waiting,) = await state_of(ledger)
    assert timedelta(seconds=119) < waiting.due_at - before < timedelta(seconds=125)


async def test_who_asks_to_wait_is_left_alone_with_everything() -> None:
    ledger = MemoryDeliveryLedger(("one",))
    for number in range(5 * SENT_AT_ONCE):
        ledger.add(numbered(number))
    one = Scripted("one", *[Receipt(problem="status 429", again=True, wait_s=0.3)] * SENT_AT_ONCE)
    async with Deliverer(ledger=ledger, channels=[one], patience=QUICK).running():
        await asyncio.sleep(0.15)
        assert len(one.sent) == SENT_AT_ONCE
        await settled(ledger)
    assert {each.state for each in await state_of(ledger)} == {DeliveryState.DELIVERED}


async def test_a_channel_that_breaks_is_tried_again_and_its_words_are_told_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    ledger = MemoryDeliveryLedger(("one",))
    ledger.add(message())
    one = Scripted("one", RuntimeError("https://hooks.example/SECRET"))
    deliverer = Deliverer(ledger=ledger, channels=[one], patience=QUICK)
    await deliverer.deliver(one)
    (waiting,) = await state_of(ledger)
    assert (waiting.state, waiting.problem) == (DeliveryState.PENDING, "the channel broke (RuntimeError)")
    assert "SECRET" not in caplog.text
    async with deliverer.running():
        await settled(ledger)
    assert deliverer.counts == {("one", "again"): 1, ("one", "delivered"): 1}


async def test_what_is_of_a_channel_that_is_not_configured_waits() -> None:
    ledger = MemoryDeliveryLedger(("one", "other"))
    ledger.add(message())
    async with Deliverer(ledger=ledger, channels=[Scripted("one")], patience=QUICK).running():

        async def one_is_done() -> bool:
            return any(each.state is DeliveryState.DELIVERED for each in await state_of(ledger))

        await until(one_is_done)
    assert {each.channel: (each.state, each.attempts) for each in await state_of(ledger)} == {
        "one": (DeliveryState.DELIVERED, 1),
        "other": (DeliveryState.PENDING, 0),
    }


async def test_a_ledger_that_is_down_ends_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = MemoryDeliveryLedger(("one",))
    ledger.add(message())
    claim, downs = ledger.claim, [Unavailable("down", remedy="wait"), RuntimeError("a broken record")]

    async def down(channel: str, *, limit: int, lease_s: float) -> list[Delivery]:
        if downs:
            raise downs.pop()
        return await claim(channel, limit=limit, lease_s=lease_s)

    monkeypatch.setattr(ledger, "claim", down)
    async with Deliverer(ledger=ledger, channels=[Scripted("one")], patience=QUICK).running():
        await settled(ledger)
    assert downs == []


class MarksOneBadly(MemoryDeliveryLedger):
    async def delivered(self, delivery_id: str, *, thread: str = "") -> None:
        (first, *_) = await state_of(self)
        if delivery_id == first.delivery_id:
            raise Unavailable("The database is gone.")
        await super().delivered(delivery_id)


async def test_when_one_mark_fails_the_sends_beside_it_end_first() -> None:
    ledger = MarksOneBadly(("slow",))
    for number in range(SENT_AT_ONCE):
        ledger.add(numbered(number))
    (last, *_) = await state_of(ledger)
    under_way: set[str] = set()

    class Slow:
        name = "slow"

        async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
            under_way.add(idempotency_key)
            await asyncio.sleep(0.0 if idempotency_key == last.delivery_id else 0.1)
            under_way.remove(idempotency_key)
            return Receipt()

    deliverer = Deliverer(ledger=ledger, channels=[Slow()], patience=QUICK)
    with pytest.raises(Unavailable):
        await deliverer.deliver(Slow())
    assert not under_way, "no orphan sends on"
    states = Counter(one.state for one in await state_of(ledger))
    assert states == {DeliveryState.DELIVERED: SENT_AT_ONCE - 1, DeliveryState.PENDING: 1}


async def test_what_ended_long_ago_is_removed() -> None:
    ledger = MemoryDeliveryLedger(("one",), clock=lambda: NOON)
    ledger.add(message())
    (one,) = await state_of(ledger)
    await ledger.delivered(one.delivery_id)

    async def gone() -> bool:
        return not await state_of(ledger)

    async with Deliverer(ledger=ledger, channels=[Scripted("one")], patience=QUICK).running():
        await until(gone)


def test_pauses_grow_with_jitter_up_to_their_bound() -> None:
    patience = Patience()
    for attempt in range(1, patience.attempts_max + 50):
        full = min(patience.backoff_s_max, patience.backoff_s * 2 ** (attempt - 1))
        assert full / 2 <= patience.pause_s(attempt) <= full
    assert len({patience.pause_s(3) for _ in range(20)}) > 1
    hours = sum(min(patience.backoff_s_max, patience.backoff_s * 2**n) for n in range(patience.attempts_max - 1)) / 3600
    assert 8 < hours < 14


def test_a_lease_outlives_the_longest_send() -> None:
    assert Patience().lease_s >= 2 * max(MAIL_S_MAX, POST_S_MAX)
