"""Which errors does a text name by a number? HTTP status, exit and return codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.page import Page
from firstline.domain import EntityKind

_STATUS_WORDS: Final = (
    "400 Bad Request|401 Unauthorized|402 Payment Required|403 Forbidden|404 Not Found|405 Method Not Allowed|406 Not"
    " Acceptable"
    "|407 Proxy Authentication Required|408 Request Timeout|409 Conflict|410 Gone|411 Length Required|412"
    " Precondition Failed"
    "|413 Payload Too Large|413 Request Entity Too Large|414 URI Too Long|415 Unsupported Media Type|416 Range Not"
    " Satisfiable"
    "|417 Expectation Failed|422 Unprocessable Entity|423 Locked|425 Too Early|426 Upgrade Required|428 Precondition"
    " Required"
    "|429 Too Many Requests|431 Request Header Fields Too Large|451 Unavailable For Legal Reasons|500 Internal Server"
    " Error"
    "|501 Not Implemented|502 Bad Gateway|503 Service Unavailable|504 Gateway Timeout|504 Gateway Time-out"
    "|505 HTTP Version Not Supported|507 Insufficient Storage|508 Loop Detected|511 Network Authentication Required"
)
_STATUS: Final = re.compile(
    r"\b(?:(?P<told>" + _STATUS_WORDS.replace(" ", r"[\s_-]{1,2}") + r")"
    r"|HTTP(?:/\d\.\d)?[\s_-]{1,2}(?:(?:status|error|response|code|return|result|a|an|of"
    r"|is)[\s:]{1,2}){0,3}(?P<http>[45]\d\d)"
    r"|(?P<word>[45]\d\d)[\s-](?:errors?|responses?|HTTP))\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"\b(?P<what>SQLCODE|SQLSTATE|exit (?:code|status)|error (?:code|number)|error|return code|reason code|errno"
    r"|status code|rc|abend(?: code)?)"
    r"\s{0,2}(?:of|is|was|[:=#])?\s{0,2}(?P<number>-?\d{1,6}|0x[0-9A-Fa-f]{2,8}|[A-Z]?\d{2,4}[A-Z]?)(?!\w|\.\d|-\d)",
    re.IGNORECASE,
)
_LOOSE: Final = frozenset({"error", "rc"})


def statuses(page: Page) -> Iterator[Mention]:
    for found in _STATUS.finditer(page.text):
        number = found["told"][:3] if found["told"] else found["http"] or found["word"]
        yield from _one(
            mention(EntityKind.ERROR, found["told"] or f"HTTP {number}", *found.span(), weight=3, key=f"http{number}")
        )
    for found in _NUMBERED.finditer(page.text):
        what = " ".join(found["what"].lower().split())
        number = found["number"]
        bare = number.lstrip("-")
        if what in _LOOSE and len(bare) < 2 and what != "rc":
            continue
        if bare in ("0", "00") or (number.startswith("0x") and len(number) == 10):
            continue
        if what in ("status code",):
            if not re.fullmatch(r"[45]\d\d", number):
                continue
            yield from _one(mention(EntityKind.ERROR, f"HTTP {number}", *found.span(), weight=3, key=f"http{number}"))
            continue
        what = {
            "error": "error",
            "error number": "error",
            "error code": "error",
            "rc": "return code",
            "abend code": "abend",
        }.get(what, what)
        if what == "error" and number.isdigit() and _is_count(page.text, found):
            continue
        shown = what.upper() if what in ("sqlcode", "sqlstate") else what
        sign = "minus" if number.startswith("-") else ""
        key = f"{what}{sign}{bare}".replace(" ", "").lower()
        yield from _one(mention(EntityKind.ERROR, f"{shown} {number}", *found.span(), weight=3, key=key))


def _is_count(text: str, found: re.Match[str]) -> bool:
    """ "error 3 times": the number counts."""
    return bool(
        re.match(
            r"\s{1,2}(?:times?|errors?|seconds?|minutes?|hours?|days?|of|percent|%)",
            text[found.end() : found.end() + 12],
        )
    )


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
