"""Which errors does a text name? Codes of many makers' shapes, names of exceptions, HTTP status, messages.

A message is kept with its variable parts masked, so that "port 8080 in use" and "port 9090 in use" are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.mention import PLACEHOLDER, Mention, mention
from firstline.documents.extract.page import HIDDEN, Code, Page, sentence_around
from firstline.domain import EntityKind

MESSAGE_CHARS_MAX: Final = 300
MESSAGE_WORDS_MIN: Final = 3
KEY_CHARS_MAX: Final = 80

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
_QUOTED: Final = re.compile(
    r"[\"“]([^\"“”\n\x01]{8,300}?)[\"”]|「([^「」\n]{4,200})」|『([^『』\n]{4,200})』|“([^“”\n]{4,200})”"
)
_LEADS: Final = re.compile(
    r"\b(?:errors?|exceptions?|warnings?|fail(?:s|ed)? with|throws?)\b|错误|エラー|异常|例外|报错",
    re.IGNORECASE,
)
_LOGGED: Final = re.compile(
    r"^[ \t>*-]{0,12}(?:\S{1,40}[ \t]){0,5}?(?:(?:FATAL|ERROR|SEVERE|fatal|Error|error|CRITICAL|Caused by"
    r"|Exception)\b[^:\n]{0,60}:[ \t]+)([^\n]{12,300})$",
    re.MULTILINE,
)
_MASKS: Final = (
    (PLACEHOLDER, "<private>"),
    (re.compile(r"https?://\S{1,400}"), "<url>"),
    (
        re.compile(
            r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\b[0-9a-f]{12,64}\b", re.IGNORECASE
        ),
        "<id>",
    ),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"), "<ip>"),
    (re.compile(r"(?<![\w<])(?:[A-Za-z]:)?[\\/][\w.@%+-]{1,80}(?:[\\/][\w.@%+-]{1,80}){1,20}[\\/]?"), "<path>"),
    (
        re.compile(
            r"'[^'\n]{1,80}'|`[^`\n]{1,80}`|\"[^\"\n]{1,80}\"|<(?!(?:private|url|id|ip|path|name)>)[^<>\n]{1,60}>"
            r"|\$\{[^{}\n]{1,60}\}"
        ),
        "<name>",
    ),
    (re.compile(r"(?<![\w.])-?\d[\d.,:]*(?![\w])"), "<n>"),
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
    yield from _statuses(page)
    yield from _messages(page)


def error_name(text: str) -> str:
    """The error that these words alone are the name of; "" when they are none."""
    found = _NAMED.fullmatch(text)
    if found and _is_camel(found["name"] or found["state"]):
        return found["name"] or found["state"]
    code = _CODES.fullmatch(text)
    if code and (code["graded"] or code["posix"] or code["numbered"] or (code["symbol"] and _ERROR_WORD.search(text))):
        return text
    return ""


def masked(message: str) -> str:
    """The message with its variable parts as `<n>`, `<path>`, `<name>`, ..."""
    for pattern, sign in _MASKS:
        message = pattern.sub(sign, message)
    return " ".join(message.split())


def message_key(message: str) -> str:
    """The letters of a masked message, cut: two messages that begin alike for so long are one."""
    bare = re.sub(r"<[a-z]+>", " ", message).casefold()
    return "".join(sign for sign in bare if sign.isalnum())[:KEY_CHARS_MAX]


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


def _statuses(page: Page) -> Iterator[Mention]:
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
        if what == "error" and number.isdigit() and text_is_count(page.text, found):
            continue
        shown = what.upper() if what in ("sqlcode", "sqlstate") else what
        sign = "minus" if number.startswith("-") else ""
        key = f"{what}{sign}{bare}".replace(" ", "").lower()
        yield from _one(mention(EntityKind.ERROR, f"{shown} {number}", *found.span(), weight=3, key=key))


def text_is_count(text: str, found: re.Match[str]) -> bool:
    """ "error 3 times": the number counts."""
    return bool(
        re.match(
            r"\s{1,2}(?:times?|errors?|seconds?|minutes?|hours?|days?|of|percent|%)",
            text[found.end() : found.end() + 12],
        )
    )


def _messages(page: Page) -> Iterator[Mention]:
    text = page.text
    for found in _QUOTED.finditer(text):
        body = next(group for group in found.groups() if group)
        before = sentence_around(text, found.start(), reach=70)
        if _LEADS.search(before.replace(HIDDEN, " ")) and _is_message(body):
            yield from _message(body, found.start(), found.end())
    for code in page.codes:
        if code.block:
            yield from _logged(code, text)
        elif _is_message(code.text):
            before = sentence_around(text, code.start, reach=70)
            if _LEADS.search(before):
                yield from _message(code.text, code.start, code.end)
    for found in _LOGGED.finditer(page.prose):
        if _is_message(found[1]) and HIDDEN not in found[1]:
            yield from _message(found[1], found.start(1), found.end(1))


def _logged(code: Code, text: str) -> Iterator[Mention]:
    for found in _LOGGED.finditer(text, code.start, code.end):
        if _is_message(found[1]) and "$" not in found[1]:
            yield from _message(found[1], found.start(1), found.end(1))


def _is_message(body: str) -> bool:
    if any("぀" <= sign <= "鿿" for sign in body):
        return len(body) >= 4
    words = re.findall(r"[A-Za-z]{2,}", body)
    return len(words) >= MESSAGE_WORDS_MIN and not body.lstrip().startswith(("-", "/", "$", "{", "http"))


def _message(body: str, start: int, end: int) -> Iterator[Mention]:
    told = masked(body[:MESSAGE_CHARS_MAX])
    # Without the mark in front that only says how grave it is.
    told = re.sub(r"^(?:error|fatal|warning|exception)\s?:\s", "", told, flags=re.IGNORECASE)
    key = message_key(told)
    if len(key) >= 4:
        name = told if len(told) <= 120 else f"{told[:119].rsplit(' ', 1)[0]}…"
        yield from _one(mention(EntityKind.ERROR, name, start, end, weight=2, key=key))


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
