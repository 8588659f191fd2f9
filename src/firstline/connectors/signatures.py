"""Who sent this, and was it changed on the way? The signatures of webhooks, compared in constant time.

| headers | what is signed | who sends it |
|---|---|---|
| `webhook-id`, `webhook-timestamp`, `webhook-signature` | id, time, body (Standard Webhooks) | push, many vendors |
| `x-zendesk-webhook-signature` and its `-timestamp` | time and body | Zendesk |
| `x-hub-signature-256` | body | GitHub |
| `x-discourse-event-signature` | body | Discourse |
| `x-hub-signature` | body | Intercom |
| `x-gitlab-token` | nothing: the secret itself is sent | GitLab |

Only the first names its event and its time under the signature. The others cannot be kept from being sent again under
another id, so they never carry a document: they make a source look for itself.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from firstline.errors import InvalidInput, Unauthenticated

CLOCKS_S_MAX: Final = 300.0
"""So far the sender's clock and ours may be apart: an event that was recorded is worth nothing after it."""
EVENT_ID_CHARS_MAX: Final = 200
SIGNATURES_MAX: Final = 10
SECRET_BYTES_MIN: Final = 16
_PREFIX: Final = "whsec_"
_REFUSED: Final = "The signature does not fit, or there is no such hook."
_REMEDY: Final = "Check the name, the tenant, the knowledge base and the secret (docs/events.md)."


@dataclass(frozen=True, kw_only=True, slots=True)
class Signed:
    """`whole`: id and time are under the signature, too."""

    event_id: str
    whole: bool


def refused() -> Unauthenticated:
    """The same for a hook that is not there and for a signature that does not fit: neither is told from the other."""
    return Unauthenticated(_REFUSED, remedy=_REMEDY)


def secret_bytes(secret: str) -> bytes:
    """`whsec_` and base64 stands for its bytes, any other text for itself. InvalidInput when it is too short."""
    found = secret.encode()
    if secret.startswith(_PREFIX):
        try:
            found = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput(
                "The secret of a hook begins with whsec_ and is no base64.", remedy="Copy it once more, whole."
            ) from None
    if len(found) < SECRET_BYTES_MIN:
        raise InvalidInput(
            f"The secret of a hook has less than {SECRET_BYTES_MIN} bytes.", remedy="Use a longer one, made by chance."
        )
    return found


def verified(headers: Mapping[str, str], body: bytes, *, secret: str, now: float) -> Signed:
    """`headers` in lower case; `now` in seconds. Unauthenticated when no signature fits or its time is far off."""
    key = secret_bytes(secret)
    if "webhook-signature" in headers:
        return _standard(headers, body, key, now)
    if "x-zendesk-webhook-signature" in headers:
        stamp = headers.get("x-zendesk-webhook-signature-timestamp", "")
        _fit(headers["x-zendesk-webhook-signature"], _base64(key, stamp.encode("utf-8", "replace") + body))
        _recent(_moment(stamp), now)
        return Signed(event_id=_id(headers.get("x-zendesk-webhook-invocation-id", ""), body), whole=False)
    for header, digest, named in (
        ("x-hub-signature-256", "sha256", "x-github-delivery"),
        ("x-discourse-event-signature", "sha256", "x-discourse-event-id"),
        ("x-hub-signature", "sha1", "x-request-id"),
    ):
        if header in headers:
            _fit(headers[header], f"{digest}={hmac.new(key, body, digest).hexdigest()}")
            return Signed(event_id=_id(headers.get(named, ""), body), whole=False)
    if "x-gitlab-token" in headers:
        _fit(headers["x-gitlab-token"], secret)
        return Signed(event_id=_id(headers.get("x-gitlab-event-uuid", ""), body), whole=False)
    raise refused()


def _standard(headers: Mapping[str, str], body: bytes, key: bytes, now: float) -> Signed:
    event_id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not 0 < len(event_id) <= EVENT_ID_CHARS_MAX or not stamp.isascii() or not stamp.isdigit():
        raise refused()
    wanted = "v1," + _base64(key, b".".join((event_id.encode("utf-8", "replace"), stamp.encode(), body)))
    # Several while a secret is changed for another. All are compared, so that the time taken tells nothing.
    given = headers["webhook-signature"].split()[:SIGNATURES_MAX]
    fits = [_same(one, wanted) for one in given]
    if not any(fits):
        raise refused()
    _recent(float(stamp[:15]), now)
    return Signed(event_id=event_id, whole=True)


def _fit(given: str, wanted: str) -> None:
    if not _same(given.strip(), wanted):
        raise refused()


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _base64(key: bytes, signed: bytes) -> str:
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _recent(at: float, now: float) -> None:
    if abs(now - at) > CLOCKS_S_MAX:
        raise Unauthenticated(
            "The event was signed too long ago, or by a clock that is far from ours.",
            remedy="Set both clocks, and send it signed anew.",
        )


def _moment(stamp: str) -> float:
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError:
        raise refused() from None


def _id(named: str, body: bytes) -> str:
    return named[:EVENT_ID_CHARS_MAX] or hashlib.sha256(body).hexdigest()
