"""Which addresses point at somebody's machine? IPv4 and IPv6, apart from versions and well-known addresses."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.redact.spans import Span

_V4: Final = re.compile(r"(?<![\w.])(?<![\d]-)\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d|-\d)")
_V6: Final = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,39}\d)(?:[0-9A-Fa-f]{0,4}:){2,8}[0-9A-Fa-f]{0,4}(?![\w:.])")
_VERSION_BEFORE: Final = re.compile(
    r"(?i)(?:\bversions?|\bver|\bv|\breleases?|\brel|\bfix ?pack|\bfp|\bpatch"
    r"|\bupgrad\w{1,4}(?: to| from)?|\bupdat\w{1,4}(?: to)?"
    r"|\bbuild|\bfirmware|\blevel|\bmodification)[ .:=(]{0,3}$"
)
_ADDRESS_BEFORE: Final = re.compile(
    r"(?i)(?:\bip(?:v4|v6)?(?:[ _-]?addr\w{0,8})?|\baddress(?:es)?|\baddr|\bhost(?:name|s)?"
    r"|\bping|\bgateway|\bdns|\bpeer"
    r"|\bnameserver|\b(?:src|dst|source|remote|local)|://|@)[ \t:=\[(\"'`]{0,4}(?:(?:is|was)[ ])?$"
)
_ADDRESS_AFTER: Final = re.compile(r":\d{1,5}\b|/\d{1,2}\b")
_PREFIX: Final = re.compile(r"/(\d{1,3})(?!\d)")
_DOCUMENTATION: Final = tuple(
    ipaddress.ip_network(name) for name in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)
_SMALL_FIRST, _SMALL_REST, _SMALL_REST_TEN = 30, 99, 25
"""Octets of a version are small: 8.5.5.12. Real addresses with four such octets are rare and pass for versions;
10.x is as often a private network, so that less passes there."""


_MAC: Final = re.compile(
    r"(?<![\w:.-])(?:[0-9A-Fa-f]{2}(?P<mark>[:-])(?:[0-9A-Fa-f]{2}(?P=mark)){4}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2"
    r"}[0-9A-Fa-f]{4})(?![\w:.-]\w|\w)"
)
# Groups, examples and made-up ones: 01:00:5e, 33:33, 00:00:5e, ff:ff, the same over and over, and runs such as
# 00:11:22.
_NO_DEVICE: Final = re.compile(
    r"^(?:01005e|3333|00005e|0180c2|(..)\1{3,}|001122|001a2b|112233|aabbcc|123456|012345|deadbeef|cafe)"
)


def hardware(text: str) -> Iterator[Span]:
    """MAC addresses of devices: those of groups and examples stay."""
    for match in _MAC.finditer(text):
        digits = re.sub(r"[:.-]", "", match.group()).lower()
        if not _NO_DEVICE.match(digits):
            yield Span(start=match.start(), end=match.end(), type="MAC")


def addresses(text: str) -> Iterator[Span]:
    for match in _V4.finditer(text):
        if _is_v4(text, match):
            yield Span(start=match.start(), end=match.end(), type="IP")
    if ":" not in text:
        return
    for match in _V6.finditer(text):
        value = match.group()
        if value.count(":") >= 3 and _parsed(value) is not None and not _stays(text, match.end(), value):
            yield Span(start=match.start(), end=match.end(), type="IP")


def _is_v4(text: str, match: re.Match[str]) -> bool:
    value = match.group()
    if _parsed(value) is None or _stays(text, match.end(), value):
        return False
    before = text[max(0, match.start() - 28) : match.start()]
    if _VERSION_BEFORE.search(before):
        return False
    first, *rest = (int(octet) for octet in value.split("."))
    if first > _SMALL_FIRST or max(rest) > (_SMALL_REST_TEN if first == 10 else _SMALL_REST):
        return True
    return bool(_ADDRESS_BEFORE.search(before) or _ADDRESS_AFTER.match(text, match.end()))


def _parsed(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


def _stays(text: str, end: int, value: str) -> bool:
    """Addresses that name no machine of anybody."""
    address = ipaddress.ip_address(value)
    if address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast:
        return True
    if any(address in network for network in _DOCUMENTATION if network.version == address.version):
        return True
    if address.version == 4 and (int(address) >= 0xF0000000 or int(address) >> 24 == 0):
        return True  # netmasks, broadcast and reserved
    prefix = _PREFIX.match(text, end)
    if prefix is None or int(prefix.group(1)) >= address.max_prefixlen:
        return False
    # A network such as 10.96.0.0/12 is configuration; 10.1.2.3/16 is a machine in it.
    return int(address) & ((1 << (address.max_prefixlen - int(prefix.group(1)))) - 1) == 0
