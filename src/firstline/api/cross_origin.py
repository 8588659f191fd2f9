"""Pages of other sites may call with a widget token, and with nothing else.

Browsers ask first whether a page of another origin may send an Authorization header. Of the routes with which a
conversation is held the answer is yes, to whomever: no cookie opens anything here, and the token itself names the one
origin that it is good for.
"""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstline.api.widget_tokens import ORIGIN, ORIGIN_CHARS_MAX, PREFIX

ASKING: Final = "/v1/sessions"
_WIDGET: Final = f"bearer {PREFIX}".encode()
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"authorization, content-type, accept"),
    (b"access-control-max-age", b"600"),
)
_EXPOSED: Final = (b"access-control-expose-headers", b"retry-after, x-request-id")


class CrossOrigin:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = _origin(scope) if scope["type"] == "http" and scope["path"].startswith(ASKING) else None
        if origin is None:
            await self._app(scope, receive, send)
            return
        headers = dict[bytes, bytes](scope["headers"])
        allowed = [(b"access-control-allow-origin", origin), (b"vary", b"origin")]
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
            await send({"type": "http.response.start", "status": 204, "headers": [*allowed, *_PREFLIGHT]})
            await send({"type": "http.response.body"})
            return
        if not headers.get(b"authorization", b"").lower().startswith(_WIDGET):
            await self._app(scope, receive, send)
            return

        async def readable(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *allowed, _EXPOSED]
            await send(message)

        await self._app(scope, receive, readable)


def _origin(scope: Scope) -> bytes | None:
    """As the browser sent it; None when it is none that a token could name."""
    found = next((value for name, value in scope["headers"] if name == b"origin"), b"")
    text = found.decode("latin-1")
    return found if len(text) <= ORIGIN_CHARS_MAX and ORIGIN.fullmatch(text) else None
