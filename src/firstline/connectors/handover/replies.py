"""What an HTTP reply to a delivery means: taken, try again, or give up. Quotes neither the address nor the body."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from firstline.ports import Receipt

WAIT_S_MAX: Final = 24 * 3600.0
"""A Retry-After beyond a day is read as a day."""

AGAIN: Final = frozenset({408, 425, 429})
"""The 4xx that may pass by themselves. Every 5xx may, every other 4xx may not."""

REMEDIES: Final[Mapping[int, str]] = {
    401: "the receiver did not accept who we are: check the secret or token on both sides",
    403: "the receiver does not let us in: check the secret or token on both sides",
    404: "there is nothing at that address: correct it",
    405: "that address takes no POST: correct it",
    410: "that address is gone: set the new one",
    413: "the receiver takes no message of this size: raise its limit",
}


def receipt_of(status: int, headers: Mapping[str, str]) -> Receipt:
    """By status alone. 2xx is taken; 3xx is not followed: a hand-over goes only where the operator sends it."""
    if 200 <= status < 300:
        return Receipt()
    if 300 <= status < 400:
        return Receipt(problem=f"status {status}: redirects are not followed; set the address that it leads to")
    if status in AGAIN or status >= 500:
        return Receipt(problem=f"status {status}", again=True, wait_s=retry_after_s(headers))
    return Receipt(problem=f"status {status}: {REMEDIES.get(status, 'the receiver refuses it: look into its log')}")


def retry_after_s(headers: Mapping[str, str], *, now: datetime | None = None) -> float:
    """Seconds asked for by Retry-After, a number or a date; 0.0 when there is none that can be read."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return min(WAIT_S_MAX, float(value[:9]))
    try:
        until = parsedate_to_datetime(value)
        if until.tzinfo is None:
            until = until.replace(tzinfo=UTC)
        return min(WAIT_S_MAX, max(0.0, (until - (now or datetime.now(UTC))).total_seconds()))
    except (ValueError, OverflowError, TypeError, IndexError):
        # Headers are somebody else's text: a year of twenty digits is no date either.
        return 0.0


def receipt_of_trouble(error: Exception) -> Receipt:
    """No reply at all. Only the kind of trouble: the exception's own text may quote the address."""
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            said = "no connection in time"
        case TimeoutError() | httpx.TimeoutException():
            said = "no reply in time"
        case httpx.ConnectError():
            said = "no connection (refused, unknown host, or its certificate is not trusted)"
        case httpx.RemoteProtocolError() | httpx.ReadError() | httpx.WriteError():
            said = "the connection broke before the reply"
        case _:
            said = f"no reply ({type(error).__name__})"
    return Receipt(problem=said, again=True)
