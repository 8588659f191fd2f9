"""One POST: bounded in time and size, following nothing."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from typing import Final

import httpx

from firstline.connectors.handover.replies import receipt_of_trouble
from firstline.ports import Receipt

POST_S_MAX: Final = 15.0
CONNECT_S_MAX: Final = 5.0
REPLY_BYTES_MAX: Final = 16_384

_posting: Final[ContextVar[bool]] = ContextVar("posting", default=False)


class _Unwritten(logging.Filter):
    """httpx writes every address that it calls into the log, and these addresses are secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _posting.get()


logging.getLogger("httpx").addFilter(_Unwritten())


@cache
def _trusted() -> ssl.SSLContext:
    """Made once: reading the certificates takes tens of milliseconds, in which nobody is answered."""
    return httpx.create_ssl_context()


async def post(
    url: str, *, content: bytes, headers: Mapping[str, str], timeout_s: float = POST_S_MAX
) -> tuple[int, httpx.Headers, bytes] | Receipt:
    """(status, headers, the first 16 KiB of the body), or the receipt of having got none.

    A client per call: deliveries are rare, and a kept connection that the other side closed would cost an attempt.
    """
    before = _posting.set(True)
    try:
        async with (
            asyncio.timeout(timeout_s),
            httpx.AsyncClient(
                timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_S_MAX, timeout_s)),
                verify=_trusted(),
                follow_redirects=False,
            ) as client,
            client.stream("POST", url, content=content, headers=dict(headers)) as reply,
        ):
            body = b""
            async for piece in reply.aiter_raw():
                body = (body + piece)[:REPLY_BYTES_MAX]
                if len(body) == REPLY_BYTES_MAX:
                    break
            return reply.status_code, reply.headers, body
    except (httpx.HTTPError, TimeoutError, OSError) as error:
        return receipt_of_trouble(error)
    finally:
        _posting.reset(before)
