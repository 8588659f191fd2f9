"""What stands in prose without any marks and is code all the same?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.errors import error_name
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.page import Page
from firstline.documents.extract.shape import CIPHER, ENV, FILE, FLAG, SNAKE, is_blank, is_no_key, made_up
from firstline.domain import EntityKind

_METHOD: Final = re.compile(r"(?<![\w$])((?:[A-Za-z_$][\w$]{0,60}(?:\.|::|->)){0,6}[A-Za-z_]\w{2,60})\(\)")
_JVM_FLAG: Final = re.compile(r"(?<![\w-])-XX:[+-]?([A-Z]\w{3,60})")
_DOTTED_PROSE: Final = re.compile(
    r"(?<![\w./@:-])([a-z][a-z0-9]{1,30}(?:\.[a-z][A-Za-z0-9_-]{1,40}){2,8})(?![\w(/@]|\.\w)"
)
_ASSIGNED: Final = re.compile(r"(?<![\w./$-])([A-Za-z][a-z0-9]{1,30}(?:[A-Z][a-z0-9]{0,30}){1,8})=(?=[\w\"'/<-])")
_ATTRIBUTE: Final = re.compile(r"(?<![\w-])[A-Za-z]\w{0,20}:$")
"""Before an attribute of another vocabulary: `xsi:schemaLocation=`. A flag's own is a knob: `-Xgc:name=`."""
_KNOB: Final = re.compile(
    r"(?:\b(?:parameters?|settings?|propert(?:y|ies)|variables?|options?|fields?|flags?|attributes?|metrics?|set|sets"
    r"|export|keys?|env|directives?|switch(?:es)?|arguments?|labels?)\b|^\s*\|)",
    re.IGNORECASE | re.MULTILINE,
)
_KNOB_AFTER: Final = re.compile(
    r"[\"'*_”’]{0,3}(?:\s?=|\s(?:[a-z]{2,12} ){0,3}(?:parameters?|settings?|propert(?:y|ies)|variables?"
    r"|options?|fields?|flags?|attributes?|metrics?|keys?|directives?)\b)",
    re.IGNORECASE,
)


def code_in_prose(page: Page) -> Iterator[Mention]:
    prose = page.prose
    for found in _METHOD.finditer(prose):
        yield from _one(mention(EntityKind.METHOD, f"{found[1]}()", *found.span(), weight=3))
    for found in _JVM_FLAG.finditer(prose):
        yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=3))
    for found in FLAG.finditer(prose):
        yield from _one(mention(EntityKind.SETTING, found.group(), *found.span(), weight=3))
    for found in ENV.finditer(prose):
        if is_blank(prose, *found.span(1)):
            continue
        if not error_name(found[1]) and not CIPHER.match(found[1]) and is_knob(prose, *found.span(1)):
            yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=2))
    for pattern in (SNAKE, _DOTTED_PROSE):
        for found in pattern.finditer(prose):
            if (
                not FILE.fullmatch(found[1])
                and is_knob(prose, *found.span(1))
                and not made_up(found[1])
                and not is_no_key(found[1])
                and not found[1].endswith(("_t", "_", "-"))
                and prose[found.start(1) - 1 : found.start(1)] != "<"
            ):
                yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=2))
    for found in _ASSIGNED.finditer(prose):
        if _ATTRIBUTE.search(prose, max(0, found.start() - 30), found.start()):
            continue
        if found[1][0].isupper() and re.match(r"=(?:True|False)\b", prose[found.end(1) : found.end(1) + 8]):
            # A state, not a knob.
            continue
        yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=2))
    for found in FILE.finditer(prose):
        if not made_up(found.group()):
            yield from _one(mention(EntityKind.COMPONENT, found.group(), *found.span(), weight=2))


def is_knob(prose: str, start: int, end: int) -> bool:
    """Prose says beside it what it is, gives it a value, or lists it in a table."""
    before = prose[max(0, start - 60) : start].rpartition("\n\n")[2]
    return bool(_KNOB.search(before) or _KNOB_AFTER.match(prose, end))


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
