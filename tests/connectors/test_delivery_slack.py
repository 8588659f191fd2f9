"""Hand-overs to Slack, on a real server that plays what Slack is documented to reply."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from messages import HOSTILE, KEY, hostile, message
from receivers import Answer, HttpReceiver, listening

from firstline.connectors.handover.slack import SlackChannel, harmless, slack_message
from firstline.domain import HandoffEvent
from firstline.ports import Receipt

TOKEN = "xoxb-SECRET-TOKEN"


def texts(value: Any) -> Iterator[dict[str, Any]]:
    """Every text object of a message."""
    if isinstance(value, dict):
        if "text" in value and isinstance(value["text"], str) and "type" in value:
            yield value
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


async def bot_reply(answer: Answer) -> tuple[Receipt, HttpReceiver]:
    receiver = HttpReceiver(answers=[answer])
    async with listening(receiver):
        one = SlackChannel(url=receiver.url, token=TOKEN, channel="C0123")
        return await one.send(message(), idempotency_key=KEY), receiver


def says(**fields: Any) -> Answer:
    return Answer(body=json.dumps(fields).encode())


async def test_by_webhook_it_arrives_in_blocks() -> None:
    receiver = HttpReceiver(answers=[Answer()])
    async with listening(receiver):
        assert await SlackChannel(url=receiver.url).send(message(), idempotency_key=KEY) == Receipt()
    (got,) = receiver.got
    body = json.loads(got.body)
    assert "authorization" not in got.headers
    assert "channel" not in body
    shown = "\n".join(one["text"] for one in texts(body))
    for part in ("Why does the upgrade to 4.2 fail?", "is about version 4.1", "Ask for the log.", "h-1", KEY):
        assert part in shown, part
    assert body["blocks"][0]["type"] == "header"


async def test_by_token_it_goes_to_the_channel_and_carries_its_key() -> None:
    receipt, receiver = await bot_reply(says(ok=True, ts="1.2"))
    assert receipt == Receipt(thread="1.2"), "the message that what follows is told under"
    (got,) = receiver.got
    body = json.loads(got.body)
    assert "thread_ts" not in body
    assert got.headers["authorization"] == f"Bearer {TOKEN}"
    assert body["channel"] == "C0123"
    assert body["metadata"]["event_payload"] == {"delivery_id": KEY}


async def test_what_becomes_of_a_hand_over_goes_into_the_thread_of_its_first_message() -> None:
    receiver = HttpReceiver(answers=[says(ok=True, ts="1700000009.000200")])
    async with listening(receiver):
        one = SlackChannel(url=receiver.url, token=TOKEN, channel="C0123")
        await one.send(replace(message(event=HandoffEvent.UPDATED), thread="1700000000.000100"), idempotency_key=KEY)
    assert json.loads(receiver.got[0].body)["thread_ts"] == "1700000000.000100"


@pytest.mark.parametrize("stamp", ["", "not a stamp", 17, None, "1.2\n"])
async def test_a_reply_that_names_its_message_oddly_makes_no_thread(stamp: object) -> None:
    receipt, _ = await bot_reply(says(ok=True, ts=stamp))
    assert receipt == Receipt()


@pytest.mark.parametrize("error", ["channel_not_found", "invalid_auth", "missing_scope", "a_new_error"])
async def test_a_refusal_with_status_200_is_one(error: str) -> None:
    receipt, _ = await bot_reply(says(ok=False, error=error))
    assert not receipt.again
    assert receipt.problem.startswith(f"Slack says {error}: ")


@pytest.mark.parametrize("error", ["ratelimited", "internal_error", "service_unavailable"])
async def test_what_passes_is_tried_again(error: str) -> None:
    receipt, _ = await bot_reply(says(ok=False, error=error))
    assert receipt.again


async def test_429_waits_as_long_as_slack_says() -> None:
    receipt, _ = await bot_reply(Answer(status=429, headers=(("Retry-After", "30"),)))
    assert (receipt.again, receipt.wait_s) == (True, 30.0)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"ok"', b"\xff", b"{}"])
async def test_a_reply_that_is_not_slacks_is_no_delivery(body: bytes) -> None:
    receipt, _ = await bot_reply(Answer(body=body))
    assert receipt.problem


async def test_an_error_is_quoted_only_when_it_is_a_code(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    receipt, _ = await bot_reply(says(ok=False, error=f"no {TOKEN}"))
    assert "Slack says unknown" in receipt.problem
    assert TOKEN not in receipt.problem + caplog.text
    assert "SECRET-IN-PATH" not in caplog.text


@pytest.mark.parametrize("event", HandoffEvent)
def test_a_customers_text_rings_nobody_and_links_nowhere(event: HandoffEvent) -> None:
    body = slack_message(hostile(), idempotency_key=KEY)
    assert (body["parse"], body["link_names"], body["unfurl_links"], body["mrkdwn"]) == ("none", False, False, False)
    found = [*texts(body["blocks"]), {"type": "fallback", "text": body["text"]}]
    assert len(found) > 5
    for one in found:
        assert not re.search(r"[<>]", one["text"]), one
        assert not re.search(r"&(?!amp;|lt;|gt;)", one["text"]), one
        assert not re.search(r"@(channel|here|everyone)", one["text"]), one
        if one["type"] == "mrkdwn":
            assert one["verbatim"] is True


def test_texts_stay_inside_slacks_limits() -> None:
    body = slack_message(message(question="<&>" * 5_000, summary="é<" * 9_000), idempotency_key=KEY)
    assert len(body["blocks"]) <= 50
    for one in texts(body["blocks"]):
        assert 0 < len(one["text"]) <= (150 if one["type"] == "plain_text" else 3_000)
        assert not re.search(r"&(?!amp;|lt;|gt;)", one["text"]), "an entity is not cut in two"


def test_harmless_keeps_what_can_be_read() -> None:
    assert harmless("a < b && c > d") == "a &lt; b &amp;&amp; c &gt; d"
    assert harmless(HOSTILE).replace("\u200d", "").count("@channel") == 1
