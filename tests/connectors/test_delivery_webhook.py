"""Hand-overs to a webhook, on a real server that plays what webhooks reply."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from messages import HOSTILE, KEY, hostile, message
from receivers import CLOSE, HANG, Answer, HttpReceiver, listening, unused_port

from firstline.connectors.handover.replies import WAIT_S_MAX, retry_after_s
from firstline.connectors.handover.webhook import WebhookChannel, secret_bytes
from firstline.ports import Receipt

SECRET = b"a secret of sixteen bytes or more"


def channel(url: str, *, timeout_s: float = 5.0) -> WebhookChannel:
    return WebhookChannel(url=url, secret=SECRET, timeout_s=timeout_s)


async def reply_to(answer: Answer, *, timeout_s: float = 5.0) -> Receipt:
    receiver = HttpReceiver(answers=[answer])
    async with listening(receiver):
        return await channel(receiver.url, timeout_s=timeout_s).send(message(), idempotency_key=KEY)


async def test_a_hand_over_arrives_whole_signed_and_with_its_key() -> None:
    receiver = HttpReceiver(answers=[Answer(status=204, body=b"")])
    async with listening(receiver):
        assert await channel(receiver.url).send(message(), idempotency_key=KEY) == Receipt()
    (got,) = receiver.got
    assert got.line == "POST /hooks/SECRET-IN-PATH HTTP/1.1"
    assert got.headers["idempotency-key"] == got.headers["webhook-id"] == KEY
    stamp = got.headers["webhook-timestamp"]
    assert abs(int(stamp) - time.time()) < 60
    # As a receiver does it, with nothing of ours.
    signed = f"{KEY}.{stamp}.".encode() + got.body
    expected = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    assert got.headers["webhook-signature"] == f"v1,{expected}"
    body = json.loads(got.body)
    assert (body["type"], body["id"], body["test"], body["tenant"]) == ("handoff.opened", KEY, False, "acme")
    assert body["handoff"]["question"] == "Why does the upgrade to 4.2 fail?"
    assert body["handoff"]["tried"][0]["why_not"] == "is about version 4.1"
    assert datetime.fromisoformat(body["timestamp"]) == datetime(2026, 3, 1, 12, tzinfo=UTC)


async def test_a_repeated_send_has_the_same_key_and_body() -> None:
    receiver = HttpReceiver(answers=[Answer(status=500), Answer()])
    async with listening(receiver):
        one = channel(receiver.url)
        assert (await one.send(message(), idempotency_key=KEY)).again
        assert await one.send(message(), idempotency_key=KEY) == Receipt()
    first, second = receiver.got
    assert first.body == second.body
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]


async def test_whatever_a_customer_writes_is_a_value_in_the_json() -> None:
    receiver = HttpReceiver(answers=[Answer()])
    async with listening(receiver):
        assert await channel(receiver.url).send(hostile(), idempotency_key=KEY) == Receipt()
    (got,) = receiver.got
    assert json.loads(got.body)["handoff"]["question"] == HOSTILE.replace("\ud800", "?")
    assert "bcc" not in got.headers


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    receipt = await reply_to(Answer(status=status))
    assert receipt.again
    assert str(status) in receipt.problem


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 422])
async def test_what_will_not_pass_is_given_up_with_what_to_do(status: int) -> None:
    receipt = await reply_to(Answer(status=status))
    assert not receipt.again
    assert str(status) in receipt.problem
    assert len(receipt.problem) > len(f"status {status}: ") + 10


async def test_a_redirect_is_not_followed() -> None:
    elsewhere = HttpReceiver(answers=[Answer()])
    async with listening(elsewhere):
        receipt = await reply_to(Answer(status=307, headers=(("Location", elsewhere.url),)))
    assert receipt.problem
    assert elsewhere.got == []


async def test_retry_after_is_passed_on() -> None:
    assert (await reply_to(Answer(status=429, headers=(("Retry-After", "17"),)))).wait_s == 17.0
    assert (await reply_to(Answer(status=503, headers=(("Retry-After", "soon"),)))).wait_s == 0.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("-5", 0.0),
        ("", 0.0),
        ("99999999999999999999", WAIT_S_MAX),
        ("Sun, 01 Mar 2026 12:01:30 GMT", 90.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("Fri, 01 Mar 2030 11:00:00 GMT", WAIT_S_MAX),
        ("Fri, 01 Mar 20300000000000000000 11:00:00 GMT", 0.0),
        ("Fri, 01 Mar 2030 11:00:00 +99999999999999999999", 0.0),
        ("9" * 400, WAIT_S_MAX),
        (", , ,", 0.0),
        ("\x00", 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float) -> None:
    assert retry_after_s({"Retry-After": value}, now=datetime(2026, 3, 1, 12, tzinfo=UTC)) == seconds


async def test_no_reply_is_tried_again() -> None:
    assert await reply_to(Answer(how=HANG), timeout_s=0.3) == Receipt(problem="no reply in time", again=True)
    broken = await reply_to(Answer(how=CLOSE))
    assert broken == Receipt(problem="the connection broke before the reply", again=True)
    refused = await channel(f"http://127.0.0.1:{unused_port()}/").send(message(), idempotency_key=KEY)
    assert refused.again
    assert refused.problem.startswith("no connection")


async def test_a_reply_that_never_ends_is_cut() -> None:
    assert await reply_to(Answer(body=b"x" * 5_000_000)) == Receipt()


async def test_neither_the_address_nor_the_secret_is_ever_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answers = [Answer(status=404, body=b"SECRET-IN-PATH"), Answer(how=CLOSE), Answer(status=302)]
    receiver = HttpReceiver(answers=answers)
    async with listening(receiver):
        one = channel(receiver.url)
        told = [(await one.send(message(), idempotency_key=KEY)).problem for _ in answers]
    nowhere = channel("http://nowhere.invalid/SECRET-IN-PATH")
    told.append((await nowhere.send(message(), idempotency_key=KEY)).problem)
    assert all(told)
    for text in [*told, repr(one), caplog.text]:
        assert "SECRET-IN-PATH" not in text
        assert SECRET.decode() not in text


def test_a_secret_is_base64_or_text() -> None:
    assert secret_bytes("whsec_" + base64.b64encode(b"key").decode()) == b"key"
    assert secret_bytes("plain") == b"plain"
    with pytest.raises(ValueError, match="base64"):
        secret_bytes("whsec_!!")


async def test_a_receiver_checks_the_signature_as_the_documentation_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "delivery.md").read_text(encoding="utf-8")
    scope: dict[str, Any] = {}
    exec(page.partition("```python\n")[2].partition("```")[0], scope)  # noqa: S102 (our own documentation)
    receiver = HttpReceiver(answers=[Answer()])
    async with listening(receiver):
        await channel(receiver.url).send(message(), idempotency_key=KEY)
    (got,) = receiver.got
    is_genuine = scope["is_genuine"]
    assert is_genuine(got.headers, got.body, SECRET)
    assert not is_genuine(got.headers, got.body + b" ", SECRET)
    assert not is_genuine(got.headers, got.body, b"another")
    assert not is_genuine({**got.headers, "webhook-id": "another"}, got.body, SECRET)
    assert not is_genuine({**got.headers, "webhook-timestamp": "1"}, got.body, SECRET)
