"""How much and how often: the size of a body, and messages per key, user and session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstline.api.auth import Caller
from firstline.api.problems import fields, problem_response
from firstline.errors import TooManyRequests
from firstline.ports import RateLimiter
from firstline.settings import Settings

BODY_S_MAX: Final = 30.0
NOTHING_LARGER: Final[Mapping[str, int]] = MappingProxyType({})
READS_PER_MESSAGE: Final = 10
"""A page reads more often than it asks: sessions on reload, chunks behind citations."""


async def take_message(who: Caller, session_id: str | None, *, limiter: RateLimiter, settings: Settings) -> None:
    """Count one message (or a new session). TooManyRequests when the session, the user or the key is at its limit."""
    # Smallest first: what one session is refused must not use up what its key may still do.
    buckets = [
        (f"user:{who.principal.tenant}:{who.principal.user}", settings.rate_user_per_minute, "This user"),
        (f"key:{who.key.key_id}", settings.rate_key_per_minute, "This API key"),
    ]
    if session_id is not None:
        buckets.insert(0, (f"session:{session_id}", settings.rate_session_per_minute, "This conversation"))
    for bucket, per_minute, name in buckets:
        await _take(bucket, per_minute, name, limiter)


async def take_read(who: Caller, *, limiter: RateLimiter, settings: Settings) -> None:
    await _take(f"read:{who.key.key_id}", settings.rate_key_per_minute * READS_PER_MESSAGE, "This API key", limiter)


async def take_event(hook: str, *, limiter: RateLimiter, settings: Settings) -> None:
    await _take(f"hook:{hook}", settings.rate_hook_per_minute, "This hook", limiter)


async def _take(bucket: str, per_minute: int, name: str, limiter: RateLimiter) -> None:
    wait_s = await limiter.take(bucket, per_minute=per_minute)
    if wait_s > 0:
        raise TooManyRequests(
            f"{name} has reached its {per_minute} requests a minute.",
            retry_after_s=wait_s,
            remedy="Wait as long as Retry-After says, then repeat.",
        )


class BodyLimit:
    """ASGI wrapper that reads a body up to `bytes_max`, and refuses a larger one before reading the rest. `larger`:
    other limits, by what the path begins with."""

    def __init__(self, app: ASGIApp, *, bytes_max: int, larger: Mapping[str, int] = NOTHING_LARGER) -> None:
        self._app = app
        self._bytes_max = bytes_max
        self._larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        own = (limit for start, limit in self._larger.items() if scope["path"].startswith(start))
        bytes_max = next(own, self._bytes_max)
        if _declared_bytes(scope) > bytes_max:
            await self._refuse_large(scope, receive, send, bytes_max)
            return
        try:
            async with asyncio.timeout(BODY_S_MAX):
                body = await self._read(receive, bytes_max)
        except TimeoutError:
            late = fields(408, code="too_slow", detail="The request did not arrive in time.", remedy="Send it again.")
            await problem_response(late, headers={"Connection": "close"})(scope, receive, send)
            return
        if body is None:
            await self._refuse_large(scope, receive, send, bytes_max)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _read(self, receive: Receive, bytes_max: int) -> bytes | None:
        """None when the body is too large. A client that leaves midway has sent what it has sent."""
        parts: list[bytes] = []
        size = 0
        more = True
        while more:
            message = await receive()
            part: bytes = message.get("body", b"")
            size += len(part)
            if size > bytes_max:
                return None
            parts.append(part)
            more = message["type"] == "http.request" and message.get("more_body", False)
        return b"".join(parts)

    async def _refuse_large(self, scope: Scope, receive: Receive, send: Send, bytes_max: int) -> None:
        found = fields(
            413,
            code="too_large",
            detail=f"A request may have {bytes_max:,} bytes.",
            remedy="Send the error message and the lines around it, not the whole log.",
        )
        await problem_response(found, headers={"Connection": "close"})(scope, receive, send)


def _declared_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
