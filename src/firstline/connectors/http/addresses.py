"""Which addresses may a source be read from?

A name is looked up once, checked, and the connection goes to the address that was checked: a name that answers
differently the second time leads nowhere else.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from typing import Any, Final, cast

import httpcore

from firstline.errors import Forbidden

ADDRESSES_TRIED_MAX: Final = 4
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def refusal(address: Address, *, allow_private: bool) -> str:
    """Why nothing is read from this address; "" when it may be."""
    inner = _inner(address)
    reserved = inner.is_reserved and not inner.is_loopback
    if inner.is_link_local or inner.is_multicast or inner.is_unspecified or reserved:
        # Machines tell their own secrets under link-local addresses: no setting opens those.
        return "an address that no source has"
    if allow_private or inner.is_global:
        return ""
    return "an address inside this machine or network"


def _inner(address: Address) -> Address:
    """The address that this one stands for: IPv6 can wrap IPv4 in several ways."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else address)


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects as httpcore does, to addresses that may be read from. Forbidden when a name has none."""

    def __init__(self, *, allow_private: bool) -> None:
        self._inner = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())
        self._allow_private = allow_private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        error: Exception = httpcore.ConnectError("no address")
        for address in await self._allowed(host, port):
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
        raise error

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 the signature is httpcore's
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("sources are not read from sockets of this machine")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)

    async def _allowed(self, host: str, port: int) -> list[str]:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError("the name is not known") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        # A zone (`fe80::1%eth0`) is part of link-local addresses alone.
        refused = {each: refusal(ipaddress.ip_address(each.split("%")[0]), allow_private=self._allow_private)
                   for each in addresses}  # fmt: skip
        allowed = [each for each in addresses if not refused[each]]
        if addresses and not allowed:
            raise Forbidden(
                f"{host} has {next(iter(refused.values()))}: nothing is read from there.",
                remedy="When that is meant, add `allow_private=true` to the source on the machine itself.",
            )
        return allowed[:ADDRESSES_TRIED_MAX]
