"""Which messages does a text call errors? In quotes, in code, in logs; with their variable parts masked.

"port 8080 in use" and "port 9090 in use" are one.
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


def messages(page: Page) -> Iterator[Mention]:
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


def masked(message: str) -> str:
    """The message with its variable parts as `<n>`, `<path>`, `<name>`, ..."""
    for pattern, sign in _MASKS:
        message = pattern.sub(sign, message)
    return " ".join(message.split())


def message_key(message: str) -> str:
    """The letters of a masked message, cut: two messages that begin alike for so long are one."""
    bare = re.sub(r"<[a-z]+>", " ", message).casefold()
    return "".join(sign for sign in bare if sign.isalnum())[:KEY_CHARS_MAX]


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
