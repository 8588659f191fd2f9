"""Which elements of a page does its reader not see? Told by their own attributes, and by the page's own style sheet.

A rule `display: none` of a style sheet is not taken for hidden: tabs and menus are shown by a script later. What is not
taken for hidden is read like all other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from firstline.documents.parse.colours import WHITE, Colour, colour, lost_on, transparent

_ZERO: Final = r"0{1,4}(?:\.0{1,4})?(?:px|pt|em|rem|%)?\s{0,4}(?:;|!|$)"
_FAR: Final = r"-\d{3,6}(?:\.\d{1,4})?(?:px|em|rem|pt|vw|vh|%)"
_FAR_OUT: Final = r"\d{4,6}(?:\.\d{1,4})?(?:px|em|rem|pt|vw|vh|%)"
_UNSEEN: Final = re.compile(
    r"(?:^|[;{\s])(?:"
    rf"font-size\s{{0,4}}:\s{{0,4}}(?:{_ZERO}|[01](?:\.\d{{1,3}})?(?:px|pt)\s{{0,4}}(?:;|!|$)|0?\.0\d{{0,3}}r?em|[0-5]%)"
    r"|font\s{0,4}:\s{0,4}(?:[a-z]{1,12}\s{1,4}){0,3}[01](?:px|pt)?[\s/]"
    r"|(?:filter\s{0,4}:[^;{}]{0,60}?)?opacity\s{0,4}[:(]\s{0,4}(?:0{1,4}(?:\.0{1,4}\d?)?|\.0\d?|[0-5]%)\s{0,4}(?:;|!|\)|$)"
    rf"|(?:left|right|top|bottom|text-indent|margin-left|margin-top|inset)\s{{0,4}}:\s{{0,4}}(?:{_FAR}|{_FAR_OUT})"
    rf"|margin\s{{0,4}}:[^;{{}}]{{0,60}}{_FAR}"
    r"|clip\s{0,4}:\s{0,4}rect\(\s{0,4}[01](?:px)?[\s,]{1,4}[01]"
    r"|clip-path\s{0,4}:\s{0,4}(?:inset\(\s{0,4}(?:[5-9]\d|100)(?:\.\d{1,4})?%|circle\(\s{0,4}0|ellipse\(\s{0,4}0"
    r"|polygon\(\s{0,4}0(?:px|%)?\s{1,4}0(?:px|%)?\s{0,4}(?:,\s{0,4}0(?:px|%)?\s{1,4}0(?:px|%)?\s{0,4})*\))"
    rf"|(?:transform\s{{0,4}}:[^;{{}}]{{0,60}}?(?:scale[xy]?\(\s{{0,4}}0?\.?0{{1,3}}\s{{0,4}}[,)]|translate[xy]?\([^()]{{0,20}}{_FAR}))"
    r"|(?:scale|zoom)\s{0,4}:\s{0,4}0?\.?0{1,3}\s{0,4}(?:;|!|$)"
    r")",
    re.IGNORECASE,
)
_NOT_SHOWN: Final = re.compile(
    r"(?:display\s{0,4}:\s{0,4}none|visibility\s{0,4}:\s{0,4}(?:hidden|collapse)|content-visibility\s{0,4}:\s{0"
    r",4}hidden)",
    re.IGNORECASE,
)
_NO_ROOM: Final = re.compile(
    rf"(?:^|[;\s])(?:max-)?(?:height|width|line-height)\s{{0,4}}:\s{{0,4}}(?:{_ZERO}|[01]px)", re.IGNORECASE
)
_OVERFLOW: Final = re.compile(r"overflow(?:-[xy])?\s{0,4}:\s{0,4}(?:hidden|clip)", re.IGNORECASE)
_COLOUR: Final = re.compile(r"(?:^|[;{\s])(?:-webkit-text-fill-)?color\s{0,4}:\s{0,4}([^;{}!]{1,60})", re.IGNORECASE)
_BACKGROUND: Final = re.compile(r"background(?:-color|-image)?\s{0,4}:\s{0,4}([^;{}!]{1,200})", re.IGNORECASE)
_RULE: Final = re.compile(r"([^{}@]{1,300})\{([^{}]{0,2000})\}")
_COMMENT: Final = re.compile(r"/\*.{0,5000}?\*/", re.DOTALL)
_SELECTOR: Final = re.compile(r"[\w\s.#>~+*\[\]=\"'-]{1,120}$")
_CLASSES: Final = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only"}
)

RULES_MAX: Final = 5_000
SELECTORS_MAX: Final = 500
"""Rules that hide something: each one is looked for in the whole page."""


def unseen(
    attributes: Mapping[str, str | None], *, behind: Colour | None = WHITE, style: str = "", tag: str = ""
) -> bool:
    """`behind`: what the element stands on, None when that is not known; `style`: what it has besides its own."""
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    if not _CLASSES.isdisjoint((attributes.get("class") or "").split()):
        return True
    own = attributes.get("style") or ""
    if own and _NOT_SHOWN.search(own):
        return True
    if attributes.get("color"):
        own = f"color:{attributes['color']};{own}"
    whole = f"{style};{own}" if style else own
    return bool(whole) and _leaves_nothing(whole, behind)


def backdrop(attributes: Mapping[str, str | None], behind: Colour | None, style: str = "") -> Colour | None:
    """What stands behind the element's content: its own background when it has one, else what was behind it."""
    if attributes.get("bgcolor"):
        behind = colour(attributes["bgcolor"] or "")
    found = _BACKGROUND.findall(f"{style};{attributes.get('style') or ''}")
    if not found:
        return behind
    value = found[-1].strip().lower()
    if value in {"none", "transparent", "inherit", "initial", "unset"}:
        return behind
    return colour(value) or next(filter(None, map(colour, value.split())), None)


def styling_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """(selector, declarations) of a style sheet's rules that say something about colour, size or place. At most
    SELECTORS_MAX, and none of those that a selector engine would have to be guarded against."""
    told = 0
    for number, rule in enumerate(_RULE.finditer(_COMMENT.sub("", sheet))):
        if number >= RULES_MAX or told >= SELECTORS_MAX:
            return
        declared = rule.group(2)
        if not any(said.search(declared) for said in (_COLOUR, _BACKGROUND, _UNSEEN, _NO_ROOM)):
            continue
        for part in rule.group(1).split(","):
            if _SELECTOR.match(part.strip()):
                told += 1
                yield part.strip(), declared


def _leaves_nothing(style: str, behind: Colour | None) -> bool:
    if _UNSEEN.search(style) or _no_room(style):
        return True
    said = _COLOUR.findall(style)
    if not said:
        return False
    if transparent(said[-1]):
        # Letters cut out of a picture or a gradient are seen.
        return "background-clip" not in style.lower()
    shade, on = colour(said[-1]), backdrop({"style": style}, behind)
    return shade is not None and on is not None and lost_on(shade, on)


def _no_room(style: str) -> bool:
    return _NO_ROOM.search(style) is not None and _OVERFLOW.search(style) is not None
