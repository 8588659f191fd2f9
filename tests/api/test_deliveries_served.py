"""A server delivers while it runs, and its metrics say how that goes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from conftest import client_of
from fake_firstline import FakeFirstline

from firstline.connectors.handover.deliver import Deliverer, Patience
from firstline.domain import Handoff, HandoffEvent, HandoffMessage, HandoffState, Intent, Mood, Reason
from firstline.engines.memory.deliveries import MemoryDeliveryLedger
from firstline.errors import Unavailable
from firstline.ports import Receipt


class Channel:
    def __init__(self, name: str, receipt: Receipt) -> None:
        self.name = name
        self._receipt = receipt
        self.sent = asyncio.Event()

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        self.sent.set()
        return self._receipt


def message() -> HandoffMessage:
    now = datetime.now(UTC)
    handoff = Handoff(
        handoff_id="h",
        session_id="s",
        turn=1,
        reason=Reason.USER_ASKED,
        question="?",
        summary="",
        intent=Intent.PERSON,
        entities=(),
        tried=(),
        language="en",
        mood=Mood.NEUTRAL,
        next_step="",
        state=HandoffState.OPEN,
        created_at=now,
    )
    return HandoffMessage(event=HandoffEvent.OPENED, tenant="acme", kb="docs", handoff=handoff, occurred_at=now)


async def test_what_waits_is_sent_and_counted(firstline: FakeFirstline) -> None:
    ledger = MemoryDeliveryLedger(("email", "slack", "webhook"))
    ledger.add(message())
    channels = [Channel("webhook", Receipt()), Channel("email", Receipt(problem="status 535"))]
    firstline.deliverer = Deliverer(ledger=ledger, channels=channels, patience=Patience(poll_s=0.01))
    async with client_of(firstline) as client, asyncio.timeout(5):
        for channel in channels:
            await channel.sent.wait()
        await asyncio.sleep(0)
        text = (await client.get("/metrics")).text
    assert 'firstline_deliveries_total{channel="webhook",result="delivered"} 1' in text
    assert 'firstline_deliveries_total{channel="email",result="dead"} 1' in text
    assert 'firstline_deliveries_waiting{channel="slack",state="pending"} 1' in text
    assert 'firstline_deliveries_waiting{channel="email",state="dead"} 1' in text
    assert 'firstline_deliveries_waiting{channel="webhook"' not in text
    assert 'firstline_deliveries_oldest_seconds{channel="slack"} 0' in text
    assert "acme" not in text


async def test_metrics_go_on_without_the_ledger(firstline: FakeFirstline, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(**_: object) -> None:
        raise Unavailable("down", remedy="wait")

    monkeypatch.setattr(firstline.deliverer.ledger, "backlog", down)
    async with client_of(firstline) as client:
        response = await client.get("/metrics")
    assert response.status_code == 200
    assert "firstline_turns_running 0" in response.text
