"""Which errors does a text name? Codes of many makers' shapes, names of exceptions, HTTP status, messages.

A message is kept with its variable parts masked, so that "port 8080 in use" and "port 9090 in use" are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.messages import messages
from firstline.documents.extract.page import Page, sentence_around
from firstline.documents.extract.statuses import statuses
from firstline.domain import EntityKind

_CODES: Final = re.compile(
    r"(?<![\w./\\-])(?:"
    r"(?P<graded>[A-Z][A-Z0-9]{2,4}\d{3,5}[EWIAFST])"
    r"|(?P<dashed>[A-Z]{2,6}-\d{4,6})"
    r"|(?P<posix>E(?:CONN(?:REFUSED|RESET|ABORTED)|ACCES|PERM|NOENT|NOSPC|XIST|ADDRINUSE|ADDRNOTAVAIL|TIMEDOUT"
    r"|HOSTUNREACH|NETUNREACH"
    r"|PIPE|MFILE|NFILE|INVAL|AGAIN|BADF|BUSY|NOTDIR|ISDIR|NOTFOUND|NOTEMPTY|ROFS|IO|NOMEM|INTR|PROTO|INTEGRITY"
    r"|RESOLVE|AUTH))"
    r"|(?P<numbered>E\d{4,6})"
    r"|(?P<symbol>(?:[A-Z][A-Z0-9]{1,20}_){1,6}[A-Z0-9]{2,24})"
    r"|(?P<hex>0x[0-9A-Fa-f]{8})"
    r"|(?P<plain>[A-Z]{3,5}\d{4,5}N?|[A-Z]{2}\d{4}N?)"
    r")(?![\w-]|\.\w)"
)
_SAYS_ERROR: Final = re.compile(
    r"\b(?:error|err|exception|fail(?:s|ed|ure|ures|ing)?|message|messages|code|codes|errno|sqlcode|abend|warning"
    r"|crash\w*|fault|returns?|fatal)\b"
    r"|错误|エラー|异常|例外",
    re.IGNORECASE,
)
_ERROR_WORD: Final = re.compile(
    r"ERR(?!NO)|FAIL|INVALID|DENIED|REFUSED|TIMEOUT|TIMED_OUT|EXCEPTION|FORBIDDEN|UNAUTHORIZED|NOT_FOUND|EXCEEDED"
    r"|UNAVAILABLE|MISMATCH|CORRUPT|OVERFLOW|NOT_AVAILABLE|NOT_AUTHORIZED|UNKNOWN_|_FAIL|REJECTED|BROKEN|EXPIRED|ABORT"
)
_NAMED: Final = re.compile(
    r"(?<![\w$-])(?:[a-z_][\w$]{0,40}\.){0,8}(?P<name>[A-Z][A-Za-z0-9]{1,60}(?:Exception|Error|Fault|Failure))(?![\w(])"
    r"|(?<![\w.$-])(?P<state>(?:Err|Failed|Invalid)[A-Z][a-z]\w{1,50}|[A-Z][a-z]\w{1,40}(?:BackOff|Killed|Failed"
    r"|Failing|Evicted|NotReady|Unavailable"
    r"|TimedOut|Exceeded|Denied|Refused|Unhealthy|Unreachable|Mismatch|Crashing|CrashLooping))(?![\w(.-])"
)
_TICKETS_SKIPPED: Final = frozenset(
    {
        "CVE",
        "RFC",
        "ISO",
        "UTF",
        "SHA",
        "TCP",
        "UDP",
        "IEC",
        "KB",
        "PR",
        "GMT",
        "UTC",
        "FIPS",
        "ECMA",
        "ANSI",
        "AES",
        "RSA",
    }
)


def errors(page: Page) -> Iterator[Mention]:
    """In prose and code. A code that only looks like one needs a word beside it that says so."""
    yield from _codes(page)
    yield from statuses(page)
    yield from messages(page)


def error_name(text: str) -> str:
    """The error that these words alone are the name of; "" when they are none."""
    found = _NAMED.fullmatch(text)
    if found and _is_camel(found["name"] or found["state"]):
        return found["name"] or found["state"]
    code = _CODES.fullmatch(text)
    if code and (code["graded"] or code["posix"] or code["numbered"] or (code["symbol"] and _ERROR_WORD.search(text))):
        return text
    return ""


def _codes(page: Page) -> Iterator[Mention]:
    text = page.text
    for found in _CODES.finditer(text):
        name = found.group()
        if _is_code(found, text, page):
            yield from _one(mention(EntityKind.ERROR, name, *found.span(), weight=3))
    for found in _NAMED.finditer(text):
        name = found["name"] or found["state"]
        if _is_camel(name):
            group = "name" if found["name"] else "state"
            yield from _one(mention(EntityKind.ERROR, name, *found.span(group), weight=3))


def _is_code(found: re.Match[str], text: str, page: Page) -> bool:
    name = found.group()
    match found.lastgroup:
        case "graded" | "posix":
            return True
        case "numbered":
            return True
        case "symbol":
            said = bool(
                re.search(
                    r"(?:error|reason|code|exception|failed)[\s\d:=(]{1,12}$",
                    text[max(0, found.start() - 24) : found.start()],
                    re.IGNORECASE,
                )
            )
            return (said or bool(_ERROR_WORD.search(name))) and text[found.start() - 1 : found.start()] not in (
                "$",
                "{",
                "%",
            )
        case "dashed":
            head, _, number = name.partition("-")
            if head in _TICKETS_SKIPPED:
                return False
            return number.startswith("0") or len(number) >= 5 or _near(text, found)
        case _:
            return name[:2] != "KB" and _near(text, found) and not name.startswith(("ISO", "RFC", "SHA", "UTF"))


def _near(text: str, found: re.Match[str]) -> bool:
    before = sentence_around(text, found.start(), reach=40)
    return bool(_SAYS_ERROR.search(before)) or bool(
        re.match(r":\s|\s+(?:error|message|exception)", text[found.end() : found.end() + 12])
    )


def _is_camel(name: str) -> bool:
    """Two humps at least: `Error` and `Failure` are words. `Failed` behind a name is said of it."""
    return sum(sign.isupper() for sign in name) >= 2 and any(sign.islower() for sign in name)


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
