"""GET and POST for connectors: bounded in time, size, tries and redirects, inside the hosts that were given."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

import httpx

from firstline.connectors.http.reply import HttpReply, joined, shown_url, wait_wanted
from firstline.connectors.http.transport import GuardedTransport
from firstline.errors import Forbidden, InvalidInput, NotAccepted, TooManyRequests, Unavailable

USER_AGENT: Final = "firstline/0.1 (support knowledge sync)"
BACK_OFF_S: Final = 0.5
BACK_OFF_S_MAX: Final = 30.0
CONNECTIONS_MAX: Final = 8
URL_CHARS_MAX: Final = 4_000
_PORTS: Final = {"http": 80, "https": 443}
_UNPACKED: Final = frozenset({"gzip", "x-gzip", "deflate", "identity"})


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpLimits:
    """`try_s` bounds one try, slow bodies included; `wait_s_max` what is waited for the other side before a try: who
    wants more gets it from the next sync. `bytes_max` is of the body, unpacked."""

    connect_s: float = 10.0
    read_s: float = 30.0
    try_s: float = 120.0
    bytes_max: int = 64 * 1024 * 1024
    redirects_max: int = 5
    tries_max: int = 5
    wait_s_max: float = 120.0


class HttpClient:
    """For one source, for the length of one sync: `async with HttpClient(...) as http`.

    `hosts`: the names that may be read from, each with its port unless it is the scheme's own ("docs.example.com",
    "127.0.0.1:8080"); redirects elsewhere are not followed. `secret_headers` go to the first of them alone. `pace_s`:
    the least time between two requests; connectors may raise it.
    """

    def __init__(
        self,
        *,
        hosts: Collection[str],
        limits: HttpLimits | None = None,
        allow_private: bool = False,
        headers: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, str] | None = None,
        pace_s: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._hosts = [host.lower() for host in hosts]
        self.limits = limits or HttpLimits()
        self._allow_private = allow_private
        self._headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate", **(headers or {})}
        self._secret_headers = dict(secret_headers or {})
        self.pace_s = pace_s
        self._sleep = sleep
        self._transport: GuardedTransport | None = None
        self._next_at = 0.0
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> HttpClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None

    def allows(self, url: str) -> bool:
        """Whether this address is one of the source's own."""
        try:
            parts = urlsplit(url)
            port = parts.port or _PORTS.get(parts.scheme, 0)
            httpx.URL(url)
        except (ValueError, httpx.InvalidURL):
            return False
        if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None:
            return False
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{host}:{port}" in self._hosts or (port in _PORTS.values() and host in self._hosts)

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        etag: str = "",
        modified: str = "",
        bytes_max: int | None = None,
    ) -> HttpReply:
        """A reply with 2xx, or 304 when `etag` or `modified` (of an earlier reply) still hold. Else Unauthenticated,
        Forbidden, NotFound, InvalidInput by the status; TooManyRequests, Unavailable after all tries; NotAccepted when
        the body is too large."""
        reply = await self.fetch(url, params=params, headers=headers, etag=etag, modified=modified, bytes_max=bytes_max)
        reply.raise_for_status()
        return reply

    async def post(
        self,
        url: str,
        *,
        data: object,
        headers: Mapping[str, str] | None = None,
        bytes_max: int | None = None,
    ) -> HttpReply:
        """`data` as JSON, for questions that some ask by POST: it is repeated as a GET is. Errors as `get`."""
        reply = await self.fetch(url, method="POST", data=data, headers=headers, bytes_max=bytes_max)
        reply.raise_for_status()
        return reply

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        params: Mapping[str, str] | None = None,
        data: object = None,
        headers: Mapping[str, str] | None = None,
        etag: str = "",
        modified: str = "",
        bytes_max: int | None = None,
    ) -> HttpReply:
        """As `get`, with any final status. 429, 5xx and lost connections are tried again, no sooner than asked."""
        asked = {**self._headers, **(headers or {})}
        if etag:
            asked["If-None-Match"] = etag
        if modified:
            asked["If-Modified-Since"] = modified
        content = None if data is None else json.dumps(data).encode()
        if content is not None:
            asked["Content-Type"] = "application/json"
        target = str(httpx.URL(url).copy_merge_params(dict(params))) if params else url
        bytes_most = self.limits.bytes_max if bytes_max is None else bytes_max
        problem = ""
        for number in range(self.limits.tries_max):
            try:
                reply = await self._followed(target, method, asked, content, bytes_most)
            except (httpx.HTTPError, TimeoutError, OSError) as error:
                problem, wait_s = _trouble(error), 0.0
            else:
                wanted = wait_wanted(reply.status, reply.headers)
                if wanted is None:
                    return reply
                problem, wait_s = f"status {reply.status}", wanted
                if wait_s > self.limits.wait_s_max:
                    raise _later(target, wait_s)
            if number + 1 < self.limits.tries_max:
                await self._sleep(max(wait_s, _back_off(number)))
            elif problem == "status 429":
                raise _later(target, max(wait_s, BACK_OFF_S_MAX))
        raise Unavailable(
            f"{shown_url(target)} cannot be read: {problem}, {self.limits.tries_max} times.",
            remedy="The next sync goes on from here; check the other side when it stays so.",
        )

    async def _followed(
        self, url: str, method: str, headers: Mapping[str, str], content: bytes | None, bytes_max: int
    ) -> HttpReply:
        if not self.allows(url):
            raise InvalidInput(
                f"{shown_url(url)} is not an address of this source.", remedy="Check the address of the source."
            )
        for _ in range(self.limits.redirects_max + 1):
            reply = await self._once(url, method, headers, content, bytes_max)
            location = reply.headers.get("location", "")
            if reply.status not in (301, 302, 303, 307, 308) or not location:
                return reply
            target = joined(url, location)
            if not target:
                return reply
            downgraded = url.startswith("https:") and not target.startswith("https:")
            if len(target) > URL_CHARS_MAX or downgraded or not self.allows(target):
                return HttpReply(url=url, status=reply.status, headers=reply.headers, body=b"", outside=target)
            if reply.status in (301, 302, 303):
                method, content = ("HEAD" if method == "HEAD" else "GET"), None
            url = target
        raise NotAccepted(
            f"{shown_url(url)} redirects in a circle, or more than {self.limits.redirects_max} times.",
            remedy="Name the address that it leads to in the end.",
        )

    async def _once(
        self, url: str, method: str, headers: Mapping[str, str], content: bytes | None, bytes_max: int
    ) -> HttpReply:
        await self._paced()
        if self._transport is None:
            transport = GuardedTransport(allow_private=self._allow_private, connections_max=CONNECTIONS_MAX)
            self._transport = transport
        limits = self.limits
        request = httpx.Request(
            method,
            url,
            headers={**headers, **self._secrets_for(url)},
            content=content,
            extensions={
                "timeout": {
                    "connect": limits.connect_s,
                    "read": limits.read_s,
                    "write": limits.read_s,
                    "pool": limits.try_s,
                }
            },
        )
        async with asyncio.timeout(limits.try_s):
            response = await self._transport.handle_async_request(request)
            try:
                body = await _read(response, url, bytes_max)
            finally:
                await response.aclose()
        return HttpReply(
            url=url,
            status=response.status_code,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=body,
        )

    def _secrets_for(self, url: str) -> Mapping[str, str]:
        if not self._secret_headers:
            return {}
        parts = urlsplit(url)
        if parts.netloc.lower() != self._hosts[0]:
            return {}
        if parts.scheme == "http" and not self._allow_private:
            raise Forbidden(
                f"A token would go to {shown_url(url)} in clear.", remedy="Write the address with https://."
            )
        return self._secret_headers

    async def _paced(self) -> None:
        if self.pace_s <= 0:
            return
        async with self._turn:
            wait_s = self._next_at - time.monotonic()
            if wait_s > 0:
                await self._sleep(wait_s)
            self._next_at = time.monotonic() + self.pace_s


async def _read(response: httpx.Response, url: str, bytes_max: int) -> bytes:
    packed = [one.strip() for one in response.headers.get("content-encoding", "").lower().split(",") if one.strip()]
    if len(packed) > 1 or not _UNPACKED.issuperset(packed):
        # Packed twice, a piece of some kilobytes unpacks to gigabytes before anybody can count them.
        raise NotAccepted(
            f"{shown_url(url)} is packed in a way that was not asked for.",
            remedy="Leave it out; the other side is to send gzip, once, or nothing packed.",
        )
    told = response.headers.get("content-length", "")
    if told.isdigit() and int(told) > bytes_max:
        raise _too_large(url, bytes_max)
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > bytes_max:
            raise _too_large(url, bytes_max)
    return bytes(body)


def _too_large(url: str, bytes_max: int) -> NotAccepted:
    return NotAccepted(
        f"{shown_url(url)} has more than {bytes_max:,} bytes.",
        remedy="Leave it out, or raise the setting `file_bytes_max`.",
    )


def _later(url: str, wait_s: float) -> TooManyRequests:
    host = urlsplit(url).hostname or "the other side"
    return TooManyRequests(
        f"{host} wants us to wait {wait_s:,.0f} s.",
        retry_after_s=wait_s,
        remedy="The next sync goes on from here; sync less often, or use a token with a higher limit.",
    )


def _back_off(number: int) -> float:
    """Twice as long each time, spread so that many who failed together do not come back together."""
    return min(BACK_OFF_S_MAX, BACK_OFF_S * 2**number) * random.uniform(0.5, 1.0)  # noqa: S311 (spreads load)


def _trouble(error: Exception) -> str:
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "it did not answer in time"
    if isinstance(error, httpx.DecodingError):
        return "its answer cannot be unpacked"
    return "the connection failed"
