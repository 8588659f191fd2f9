"""What does a reader see where a page says `{{< ... >}}` or `{{% ... %}}`?

The rule is by parameter, not by name: a readable parameter (text, title, caption...) is shown, machinery is not.
Shortcodes that frame a note become the `:::` form that every admonition is brought to first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_PARAMETER: Final = re.compile(
    r"([\w-]{1,60})=(?:\"([^\"]{0,2000})\"|`([^`]{0,2000})`|([^\s\"`]{1,500}))|\"([^\"]{0,2000})\"|`([^`]{0,500})`|(\S{1,500})"
)
_NAME: Final = re.compile(r"^[ \t\n]*(/?)[ \t]*([\w./-]{1,100})")
READABLE: Final = ("text", "title", "caption", "summary", "alt", "label", "name", "heading", "header")
_HEADED: Final = frozenset({"tab", "details", "expand", "collapse", "accordion"})
ADMONITIONS: Final = frozenset(
    {
        "note",
        "warning",
        "caution",
        "tip",
        "info",
        "important",
        "danger",
        "alert",
        "callout",
        "hint",
        "notice",
        "admonition",
    }
)
_LINKS: Final = frozenset({"ref", "relref", "link", "xref"})
_FILES: Final = frozenset({"code", "codenew", "code_sample", "codefile", "highlight-file"})
_HEADINGS: Final = {
    "whatsnext": "What's next",
    "prerequisites": "Before you begin",
    "objectives": "Objectives",
    "cleanup": "Clean up",
    "synopsis": "Synopsis",
    "options": "Options",
    "examples": "Examples",
    "seealso": "See also",
}
CHARS_MAX: Final = 4_000
"""A longer one is taken for text that happens to hold the braces."""


def without_shortcodes(text: str) -> str:
    for opening, closing in (("{{<", ">}}"), ("{{%", "%}}")):
        if opening in text:
            text = _replace(text, opening, closing, _readable)
    return text


def _replace(text: str, opening: str, closing: str, readable: Callable[[str, str], str]) -> str:
    parts: list[str] = []
    at = 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + 3)
        if end < 0:
            break  # none further on either: one search settles it
        if end - start > CHARS_MAX:
            # Go on behind the last opening before that close, so that text is looked at once.
            nearest = text.rfind(opening, start + 3, end)
            if nearest < 0 or end - nearest > CHARS_MAX:
                parts.append(text[at : end + 3])
                at = end + 3
                continue
            parts.append(text[at:nearest])
            at, start = nearest, nearest
        else:
            parts.append(text[at:start])
        line = text[max(0, start - 64) : start].rsplit("\n", 1)[-1]
        indent = line if not line.strip() else ""
        parts.append(
            readable(
                text[start + 3 : end].strip("/ \t\n") if text[start + 3 : start + 5] == "/*" else text[start + 3 : end],
                indent,
            )
        )
        at = end + 3
    return "".join((*parts, text[at:]))


def _readable(inner: str, indent: str) -> str:
    name_match = _NAME.match(inner)
    if name_match is None:
        return ""
    closes, name = bool(name_match.group(1)), name_match.group(2).lower()
    named, positional = _parameters(inner[name_match.end() :])
    if name in ADMONITIONS:
        if closes:
            return f"\n{indent}:::\n"
        kind = named.get("type") or named.get("color") or name
        kind = kind if kind in ADMONITIONS else name
        title = named.get("title", "") or (positional[0] if positional and " " in positional[0] else "")
        return f":::{kind} {title}".rstrip() + f"\n{indent}"
    if closes:
        return ""
    if name in _LINKS:
        return positional[0] if positional else ""
    if name in _FILES:
        file = named.get("file") or (positional[0] if positional else "")
        return f"`{file}`" if file else ""
    if name == "heading" and positional:
        return _HEADINGS.get(positional[0], positional[0].replace("-", " ").replace("_", " ").capitalize())
    if name in _HEADED and positional and not any(named.get(key) for key in READABLE):
        return f"**{positional[0]}**\n\n"
    return _shown(name, named)


def _shown(name: str, named: dict[str, str]) -> str:
    if "state" in named:
        version = next((value for key, value in named.items() if key.endswith("version")), "")
        return f"**State:** {version} {named['state']}".replace("  ", " ")
    for key in READABLE:
        if named.get(key):
            # A tab or a collapsed part is headed by its name.
            return f"**{named[key]}**\n\n" if name in _HEADED else named[key]
    if name.endswith(("tooltip", "term", "abbr")):
        term = named.get("term_id") or named.get("term") or ""
        return term.replace("-", " ")
    return ""


def _parameters(rest: str) -> tuple[dict[str, str], list[str]]:
    named: dict[str, str] = {}
    positional: list[str] = []
    for match in _PARAMETER.finditer(rest):
        if match.group(1):
            value = next((group for group in match.group(2, 3, 4) if group is not None), "")
            named[match.group(1).lower()] = " ".join(value.split())
        else:
            value = next((group for group in match.group(5, 6, 7) if group is not None), "")
            if value not in {"/", ""}:
                positional.append(value)
    return named, positional
