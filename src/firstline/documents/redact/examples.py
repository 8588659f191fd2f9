"""Which values stand for others, or belong to a desk and no person? On pages they stay: the page is about them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Final

_EXAMPLE_HOST: Final = re.compile(
    r"(?i)(?:@|\.)(?:example\.(?:com|org|net|edu|gov)|test|invalid|localhost|local|localdomain)$"
    r"|@(?:[\w-]+\.)?(?:(?:my|your|some|any)[\w-]*|acme|contoso|fabrikam|domain|company|foo|bar|email|mail|host|serv"
    r"er|xyz|abc)"
    r"\.(?:com|org|net|io|test|co)$"
)
_DESK: Final = re.compile(
    r"(?i)^(?:(?:customer|tech|technical|it|user|developer|product)?[._-]?(?:support|service|care)|info|help|helpdes"
    r"k|sales|contact"
    r"|security|abuse|postmaster|hostmaster|webmaster|admin|administrator|root|no-?reply|do-?not-?reply|feedback|bil"
    r"ling|legal"
    r"|privacy|press|jobs|careers|office|team|hello|dev|devel|announce|announcements|users?|user\d|test|subscribe|un"
    r"subscribe"
    r"|[\w.-]+[._-](?:subscribe|unsubscribe|request|users?|dev|list|announce|support|team|security|discuss)"
    r"|(?:git|ssh|svn|ftp|anonymous|nobody|daemon|postgres|oracle|mysql|www-data))@"
)
_TOLL_FREE: Final = re.compile(r"^(?:00|\+)?1?(?:800|833|844|855|866|877|888)\d{7}$")
_FICTION: Final = re.compile(
    r"^(?:\+?1)?[2-9]\d\d55501\d\d$|^(?:\+?1)?\d{3}555\d{4}$|^55501\d\d$|^0?1?234567|^(?:\+?1)?(\d)\1{6,}$"
)
_TEST_CARDS: Final = frozenset(
    "4111111111111111 4242424242424242 4012888888881881 4000056655665556 4222222222222 5555555555554444 510510510510"
    "5100"
    " 5200828282828210 2223003122003222 378282246310005 371449635398431 378734493671000 6011111111111117 60110009901"
    "39424"
    " 30569309025904 38520000023237 3056930009020004 3530111333300000 3566002020360505 6200000000000005 550000555555"
    "5559"
    " 4000000000000002 4000002500003155 4000000000009995 5454545454545454 4444333322221111".split()
)
_TEST_IBANS: Final = frozenset(
    "GB82WEST12345698765432 DE89370400440532013000 GB29NWBK60161331926819 FR1420041010050500013M02606".split()
)
_TEST_IDS: Final = frozenset("123456789 078051120 219099999 12345678901".split())
_PRIVATE: Final = tuple(
    ipaddress.ip_network(one) for one in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
_WELL_KNOWN: Final = frozenset("1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4 9.9.9.9 1.2.3.4 2001:4860:4860::8888".split())


def is_example(type_: str, value: str) -> bool:
    """By the type that the value was found as."""
    judge = _JUDGES.get(type_)
    return judge is not None and judge(value)


def _mail(value: str) -> bool:
    return bool(_EXAMPLE_HOST.search(value) or _DESK.match(value))


def _digits(value: str) -> str:
    return re.sub(r"[^\d]", "", value)


def _phone(value: str) -> bool:
    digits = _digits(re.split(r"(?i)[ ,]*(?:x|ext)", value)[0])
    return bool(_TOLL_FREE.match(digits) or _FICTION.match(digits))


def _ip(value: str) -> bool:
    address = ipaddress.ip_address(value)
    return value in _WELL_KNOWN or any(address in one for one in _PRIVATE if one.version == address.version)


_JUDGES: Final[dict[str, Callable[[str], bool]]] = {
    "EMAIL": _mail,
    "PHONE": _phone,
    "IP": _ip,
    "CARD": lambda value: _digits(value) in _TEST_CARDS,
    "NATIONAL_ID": lambda value: _digits(value) in _TEST_IDS,
    "IBAN": lambda value: re.sub(r"[ -]", "", value).upper() in _TEST_IBANS,
}
