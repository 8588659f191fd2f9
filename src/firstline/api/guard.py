"""The outermost wrapper: request ids, security headers, and the last word on exceptions nobody expected."""

from __future__ import annotations

import logging
import traceback
import uuid
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstline.api.arrivals import Arrivals
from firstline.api.metrics import Metrics
from firstline.api.problems import problem_fields, problem_response
from firstline.domain import EVERY_TENANT, NOBODY, acting_for

logger = logging.getLogger(__name__)

SECURITY_HEADERS: Final = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
# As they go over the wire: they are added to every response, and header by header that takes longer than routing it.
_ADDED: Final = tuple((name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS)
_ADDED_NAMES: Final = frozenset(name for name, _ in _ADDED) | {b"x-request-id"}
_CACHE_CONTROL: Final = b"cache-control"
FRAMES_LOGGED_MAX: Final = 8


class Guard:
    def __init__(self, app: ASGIApp, *, metrics: Metrics, arrivals: Arrivals) -> None:
        self._app = app
        self._arrivals = arrivals
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        answered = self._arrivals.arrived()
        scope["state"] = {**scope.get("state", {}), "request_id": request_id, "answered": answered}
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._metrics.count_response(message["status"])
                _add_headers(message, request_id, private=scope["path"].startswith("/v1/"))
            elif message.get("body"):
                answered()
            await send(message)

        try:
            with acting_for(NOBODY if _asks_who(scope["path"]) else EVERY_TENANT):
                await self._app(scope, receive, guarded_send)
        except ClientDisconnect:
            return
        except Exception as error:
            log_unexpected(error, request_id=request_id)
            if started:
                return
            found = {**problem_fields(error), "request_id": request_id}
            await problem_response(found)(scope, receive, guarded_send)
        finally:
            answered()


def _asks_who(path: str) -> bool:
    """A request works for nobody until somebody has proved who it is from. Hooks prove it by the signature of a source
    that this server has registered; health and metrics show no tenant's rows."""
    return path.startswith("/v1/") and not path.startswith("/v1/hooks/")


def log_unexpected(error: BaseException, *, request_id: str) -> None:
    """Where it happened and what kind it was. Not its message: that may quote what a person wrote, or a key."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_LOGGED_MAX:]
    where = " <- ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in reversed(frames))
    logger.error("request %s failed: %s at %s", request_id, type(error).__name__, where)


def _add_headers(message: Message, request_id: str, *, private: bool) -> None:
    kept = [pair for pair in message.get("headers", ()) if pair[0] not in _ADDED_NAMES]
    if private and not any(name == _CACHE_CONTROL for name, _ in kept):
        kept.append((_CACHE_CONTROL, b"no-store"))
    message["headers"] = [*kept, (b"x-request-id", request_id.encode()), *_ADDED]
