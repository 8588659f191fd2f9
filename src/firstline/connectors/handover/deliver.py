"""Send what waits in the outbox: one loop per channel, so that a slow one holds up itself alone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from firstline.domain import Delivery, HandoffMessage
from firstline.errors import FirstlineError
from firstline.ports import DeliveryChannel, DeliveryLedger, Receipt

logger = logging.getLogger(__name__)

SENT_AT_ONCE: Final = 4
PROBLEM_CHARS_MAX: Final = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How often, how far apart, how long. The defaults try for about ten hours.

    A channel that asks to wait is left alone with everything for that long, `channel_wait_s_max` at most. Sends under
    way when the server stops get `ending_s_max`; what is cut off then is sent again after its lease, with its key.
    """

    attempts_max: int = 20
    backoff_s: float = 5.0
    backoff_s_max: float = 3600.0
    lease_s: float = 90.0
    poll_s: float = 1.0
    ledger_down_s: float = 5.0
    channel_wait_s_max: float = 300.0
    ending_s_max: float = 5.0
    kept_days: int = 90
    forget_every_s: float = 3600.0

    def pause_s(self, attempt: int) -> float:
        """After this attempt, counted from 1. Jitter: what failed together must not come back together."""
        full = min(self.backoff_s_max, self.backoff_s * 2.0 ** min(attempt - 1, 30))
        return full * (0.5 + random.random() / 2)  # noqa: S311 (not a secret)


class Deliverer:
    """Claims, sends and marks, until its block ends. `counts`: by (channel, delivered | again | dead)."""

    def __init__(
        self, *, ledger: DeliveryLedger, channels: Sequence[DeliveryChannel], patience: Patience | None = None
    ) -> None:
        self.ledger = ledger
        self.channels = tuple(channels)
        self.counts: Counter[tuple[str, str]] = Counter()
        self._patience = patience or Patience()
        self._stopping = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Deliver while the block runs."""
        self._stopping.clear()
        loops = [asyncio.create_task(self._loop(channel)) for channel in self.channels]
        if loops:
            loops.append(asyncio.create_task(self._forget()))
        try:
            yield
        finally:
            self._stopping.set()
            if loops:
                _, late = await asyncio.wait(loops, timeout=self._patience.ending_s_max)
                for loop in late:
                    loop.cancel()
                await asyncio.gather(*loops, return_exceptions=True)

    async def deliver(self, channel: DeliveryChannel) -> float:
        """Send what is due now, `SENT_AT_ONCE` at most. Returns the seconds until it is worth asking again. Errors are
        the ledger's."""
        due = await self.ledger.claim(channel.name, limit=SENT_AT_ONCE, lease_s=self._patience.lease_s)
        # Every send ends before this does, whatever happens to the one beside it: what is left behind would go on
        # sending beside the next claim, and after the server has stopped.
        ended = await asyncio.gather(*(self._send(channel, delivery) for delivery in due), return_exceptions=True)
        receipts = [one for one in ended if isinstance(one, Receipt)]
        for one in ended:
            if isinstance(one, BaseException):
                raise one
        # Who asked us to wait means all that we have for it, and not this one alone.
        asked_s = min(self._patience.channel_wait_s_max, max((receipt.wait_s for receipt in receipts), default=0.0))
        # Full hands mean that more may wait.
        return max(asked_s, 0.0 if len(due) == SENT_AT_ONCE else self._patience.poll_s)

    async def _loop(self, channel: DeliveryChannel) -> None:
        pause_s = 0.0
        while not await self._stopped_within(pause_s):
            try:
                pause_s = await self.deliver(channel)
            except FirstlineError as error:
                pause_s = self._patience.ledger_down_s
                logger.warning("deliveries by %s wait for the ledger: %s", channel.name, error.message)
            except Exception as error:
                # One broken record must not end deliveries until somebody restarts the server.
                pause_s = self._patience.ledger_down_s
                logger.exception("deliveries by %s failed in a way that was not foreseen", channel.name, exc_info=error)

    async def _send(self, channel: DeliveryChannel, delivery: Delivery) -> Receipt:
        if delivery.attempts > self._patience.attempts_max:
            # Its last attempt was cut off before it could be marked.
            receipt = Receipt(problem=delivery.problem or "the process ended during the last attempt")
        else:
            receipt = await sent(channel, delivery.message, idempotency_key=delivery.delivery_id)
        if not receipt.problem:
            self.counts[channel.name, "delivered"] += 1
            await self.ledger.delivered(delivery.delivery_id, thread=receipt.thread)
            return receipt
        again_in_s = self._again_in_s(receipt, delivery.attempts)
        self.counts[channel.name, "dead" if again_in_s is None else "again"] += 1
        problem = receipt.problem
        if again_in_s is None:
            if receipt.again:
                problem += f" ({delivery.attempts} attempts; `firstline deliveries retry` when it works again)"
            logger.error("hand-over delivery %s by %s is given up: %s", delivery.delivery_id, channel.name, problem)
        await self.ledger.failed(
            delivery.delivery_id, lease=delivery.lease, problem=problem[:PROBLEM_CHARS_MAX], again_in_s=again_in_s
        )
        return receipt

    def _again_in_s(self, receipt: Receipt, attempts: int) -> float | None:
        if not receipt.again or attempts >= self._patience.attempts_max:
            return None
        return max(receipt.wait_s, self._patience.pause_s(attempts))

    async def _forget(self) -> None:
        pause_s = 0.0
        while not await self._stopped_within(pause_s):
            pause_s = self._patience.forget_every_s
            try:
                await self.ledger.forget(finished_before=datetime.now(UTC) - timedelta(days=self._patience.kept_days))
            except FirstlineError as error:
                logger.warning("old deliveries could not be removed: %s", error.message)

    async def _stopped_within(self, pause_s: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), pause_s)
        return self._stopping.is_set()


async def sent(channel: DeliveryChannel, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
    """What became of one send. A channel that breaks in a way nobody foresaw is tried again."""
    try:
        return await channel.send(message, idempotency_key=idempotency_key)
    except Exception as error:
        # Not the exception's own text: it may quote an address with a secret in it.
        logger.error("the channel %s broke: %s", channel.name, type(error).__name__)
        return Receipt(problem=f"the channel broke ({type(error).__name__})", again=True)
