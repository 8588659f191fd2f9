"""Which elements of a page does its reader not see? Told by their own attributes, and by simple rules of the page's"
" style.

A rule `display: none` of a style sheet is not taken for hidden: tabs and menus are shown by a script later. What is not
taken for hidden is read like all other text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

WHITE: Final = r"(?:#?fff(?:fff)?(?:ff|f)?\b|white\b|rgba?\(\s{0,4}25[0-5]\s{0,4},\s{0,4}25[0-5]\s{0,4},\s{0,4}25[0-5])"
_ZERO: Final = r"0{1,4}(?:\.0{1,4})?(?:px|pt|em|rem|%)?\s{0,4}(?:;|!|$)"
_UNSEEN: Final = re.compile(
    r"(?:^|[;{\s])(?:"
    rf"font-size\s{{0,4}}:\s{{0,4}}(?:{_ZERO}|[01](?:\.\d{{1,3}})?(?:px|pt)\s{{0,4}}(?:;|!|$)|0?\.0\d{{0,3}}r?em)"
    r"|font\s{0,4}:\s{0,4}0(?:px|pt)?[\s/]"
    rf"|opacity\s{{0,4}}:\s{{0,4}}(?:0{{1,4}}(?:\.0{{0,4}}\d?)?|\.0\d?)\s{{0,4}}(?:;|!|$)"
    r"|(?:left|right|top|bottom|text-indent|margin-left|margin-top)\s{0,4}:\s{0,4}-\d{3,6}(?:\.\d{1,4})?(?:px|em|rem"
    r"|pt|vw|vh|%)"
    r"|clip\s{0,4}:\s{0,4}rect\(\s{0,4}[01](?:px)?[\s,]{1,4}[01]|clip-path\s{0,4}:\s{0,4}(?:inset\(\s{0,4}(?:50"
    r"|100)%|circle\(\s{0,4}0)"
    r"|transform\s{0,4}:\s{0,4}scale\(\s{0,4}0\s{0,4}[,)]"
    r"|color\s{0,4}:\s{0,4}(?:transparent|rgba\([^()]{0,40},\s{0,4}0?\.?0{1,3}\s{0,4}\))"
    r")",
    re.IGNORECASE,
)
_NOT_SHOWN: Final = re.compile(
    r"(?:display\s{0,4}:\s{0,4}none|visibility\s{0,4}:\s{0,4}(?:hidden|collapse)|content-visibility\s{0,4}:\s{0"
    r",4}hidden)",
    re.IGNORECASE,
)
_NO_ROOM: Final = re.compile(rf"(?:^|[;\s])(?:max-)?(?:height|width)\s{{0,4}}:\s{{0,4}}{_ZERO}", re.IGNORECASE)
_COLOR: Final = re.compile(r"(?:^|[;{\s])color\s{0,4}:\s{0,4}([^;{}!]{1,60})", re.IGNORECASE)
_BACKGROUND: Final = re.compile(r"background(?:-color)?\s{0,4}:\s{0,4}([^;{}!]{1,60})", re.IGNORECASE)
_WHITE: Final = re.compile(WHITE, re.IGNORECASE)
_RULE: Final = re.compile(r"([^{}@]{1,300})\{([^{}]{0,2000})\}")
_SIMPLE: Final = re.compile(r"^\s{0,8}([.#][\w-]{1,80})\s{0,8}$")
_CLASSES: Final = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only"}
)

RULES_MAX: Final = 5_000


def unseen(attributes: Mapping[str, str | None], rules: frozenset[str] = frozenset()) -> bool:
    """`rules` as `hiding_rules` found them. White on nothing that the element itself makes dark counts as unseen."""
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    classes = (attributes.get("class") or "").split()
    if rules and (any(f".{name}" in rules for name in classes) or f"#{attributes.get('id') or ''}" in rules):
        return True
    if not _CLASSES.isdisjoint(classes):
        return True
    color = (attributes.get("color") or "").strip()
    style = attributes.get("style") or ""
    return (bool(color) and _WHITE.match(color) is not None) or (bool(style) and hides(style))


def hides(style: str) -> bool:
    """Whether these declarations leave nothing to be seen."""
    if _NOT_SHOWN.search(style) or _UNSEEN.search(style):
        return True
    if _NO_ROOM.search(style) and re.search(r"overflow(?:-[xy])?\s{0,4}:\s{0,4}(?:hidden|clip)", style, re.IGNORECASE):
        return True
    return _as_background(style)


def hiding_rules(sheet: str) -> frozenset[str]:
    """Single classes and ids (`.x`, `#y`) whose text a style sheet makes invisible for good."""
    found: set[str] = set()
    for number, rule in enumerate(_RULE.finditer(sheet)):
        if number >= RULES_MAX:
            break
        if _UNSEEN.search(rule.group(2)) or _as_background(rule.group(2)):
            found.update(name.group(1) for part in rule.group(1).split(",") if (name := _SIMPLE.match(part)))
    return frozenset(found)


def _as_background(style: str) -> bool:
    color, background = _COLOR.search(style), _BACKGROUND.search(style)
    if color is None:
        return False
    shade = color.group(1).strip().lower()
    if background is None:
        return _WHITE.match(shade) is not None
    behind = background.group(1).strip().lower()
    return shade == behind or (_WHITE.match(shade) is not None and _WHITE.match(behind) is not None)
