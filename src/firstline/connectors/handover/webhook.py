"""Hand-overs to a webhook: JSON, signed as the Standard Webhooks specification says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Final

from pydantic import TypeAdapter

from firstline.connectors.handover.post import POST_S_MAX, post
from firstline.connectors.handover.replies import receipt_of
from firstline.domain import Handoff, HandoffMessage
from firstline.ports import Receipt

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 (marks a secret, is none)
HANDOFF: Final = TypeAdapter(Handoff)


class WebhookChannel:
    """Implements `ports.DeliveryChannel`."""

    name = "webhook"

    def __init__(self, *, url: str, secret: bytes, timeout_s: float = POST_S_MAX) -> None:
        self._url = url
        self._secret = secret
        self._timeout_s = timeout_s

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        body = json.dumps(payload(message, idempotency_key), ensure_ascii=False).encode("utf-8", "replace")
        timestamp = str(int(time.time()))
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "firstline",
            "Idempotency-Key": idempotency_key,
            "Webhook-Id": idempotency_key,
            "Webhook-Timestamp": timestamp,
            "Webhook-Signature": signature(self._secret, idempotency_key, timestamp, body),
        }
        reply = await post(self._url, content=body, headers=headers, timeout_s=self._timeout_s)
        return reply if isinstance(reply, Receipt) else receipt_of(reply[0], reply[1])


def payload(message: HandoffMessage, idempotency_key: str) -> dict[str, Any]:
    """The body: the same on every attempt. `handoff` has the fields that GET /v1/handoffs shows."""
    return {
        "type": f"handoff.{message.event.value}",
        "id": idempotency_key,
        "timestamp": message.occurred_at.isoformat(),
        "test": message.test,
        "tenant": message.tenant,
        "kb": message.kb,
        "handoff": HANDOFF.dump_python(message.handoff, mode="json"),
    }


def signature(secret: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`."""
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


def secret_bytes(secret: str) -> bytes:
    """`whsec_` and base64 stands for its bytes, any other text for itself. ValueError when the base64 is none."""
    if secret.startswith(SECRET_PREFIX):
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    return secret.encode()
