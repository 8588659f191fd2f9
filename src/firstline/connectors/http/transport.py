"""One request over a guarded connection: httpx's messages on httpcore's pool."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Generator
from functools import cache
from typing import Any

import httpcore
import httpx

from firstline.connectors.http.addresses import GuardedBackend


@cache
def _trusted() -> ssl.SSLContext:
    """Made once: reading the certificates takes tens of milliseconds."""
    return httpx.create_ssl_context()


@contextlib.contextmanager
def _as_httpx() -> Generator[None]:
    try:
        yield
    except httpcore.TimeoutException as error:
        raise httpx.ReadTimeout(str(error)) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
        raise httpx.NetworkError(str(error)) from error


class _Body(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx():
            async for piece in self._stream:
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class GuardedTransport(httpx.AsyncBaseTransport):
    """Used without httpx's client: that one follows settings of the environment, and writes addresses into the log."""

    def __init__(self, *, allow_private: bool, connections_max: int) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_trusted(),
            max_connections=connections_max,
            max_keepalive_connections=connections_max,
            keepalive_expiry=20.0,
            network_backend=GuardedBackend(allow_private=allow_private),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx():
            answered = await self._pool.handle_async_request(asked)
        return httpx.Response(
            status_code=answered.status,
            headers=answered.headers,
            stream=_Body(answered.stream),
            request=request,
        )

    async def aclose(self) -> None:
        await self._pool.aclose()
