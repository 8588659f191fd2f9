"""What do roles, references and substitutions of reStructuredText say within a line?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from firstline.documents.parse.marked import inline_code

_INLINE: Final = re.compile(
    r"``(?P<literal>[^`](?:.{0,1000}?\S)?)``(?!`)"
    r"|(?::(?P<role>[a-zA-Z][\w:+.-]{0,60}):)?`(?P<text>[^`]{1,1000})`(?P<after>:[a-zA-Z][\w:+.-]{0,60}:)?(?P<ref>_{1,2}(?!\w))?"
    r"|\[(?P<note>#[\w.-]{0,40}|[\w.-]{1,40}|\*)\]_(?!\w)"
    r"|\|(?P<substitute>[^|\s](?:[^|\n]{0,100}[^|\s])?)\|_{0,2}"
    r"|(?<![\w`])(?P<word>\w[\w.-]{0,80})_{1,2}(?!\w)"
    r"|\\(?P<escaped>.)",
    re.DOTALL,
)
_TARGETED: Final = re.compile(r"(.*?)\s{0,9}<([^<>]{1,900})>$", re.DOTALL)
_CODE_ROLES: Final = frozenset(
    "code file command option envvar program samp literal func meth class mod attr data exc obj const type macro"
    " member function method module confval setting directive role mimetype makevar regexp".split()
)
_SILENT_ROLES: Final = frozenset({"raw-html", "raw", "index", "raw-latex"})


def spoken(text: str, *, targets: Mapping[str, str], substitutes: Mapping[str, str]) -> str:
    """The text of a paragraph as Markdown. `targets` and `substitutes` are by lower-case name."""

    def said(match: re.Match[str]) -> str:
        if match["literal"] is not None:
            return inline_code(match["literal"])
        if match["text"] is not None:
            role = (match["role"] or (match["after"] or "").strip(":")).rsplit(":", 1)[-1].lower()
            return _reference(match["text"], targets) if match["ref"] and not role else _role(role, match["text"])
        if match["note"] is not None:
            return f"[{match['note'].lstrip('#') or '#'}]"
        if match["substitute"] is not None:
            return substitutes.get(" ".join(match["substitute"].lower().split()), match["substitute"])
        if match["word"] is not None:
            url = targets.get(match["word"].lower())
            return match[0] if url is None else _link(match["word"], url)
        escaped: str = match["escaped"]
        return "" if escaped.isspace() else f"\\{escaped}" if escaped in "#*|`" else escaped

    return _INLINE.sub(said, text) if _may_speak(text) else text


def said_by_role(role: str, text: str) -> str:
    """What a role that stands alone says, as Markdown: `{doc}` and a page's title give the title."""
    return _role(role.rsplit(":", 1)[-1].lower(), text)


def _may_speak(text: str) -> bool:
    return any(sign in text for sign in "`|_\\")


def _reference(text: str, targets: Mapping[str, str]) -> str:
    targeted = _TARGETED.match(text)
    if targeted is None:
        return _link(text, targets.get(" ".join(text.lower().split()), ""))
    words, url = targeted[1], targeted[2].strip()
    if url.endswith("_"):
        url = targets.get(url[:-1].strip("`").lower(), "")
    return _link(words or url, url)


def _role(role: str, text: str) -> str:
    if role in _SILENT_ROLES:
        return ""
    targeted = _TARGETED.match(text)
    words = " ".join((targeted[1] if targeted and targeted[1] else text).split())
    if role in _CODE_ROLES:
        if words.startswith("~"):
            words = words[1:].rsplit(".", 1)[-1]
        return inline_code(words.lstrip("!"))
    if role in {"guilabel", "menuselection", "kbd"}:
        return f"**{words.replace('&', '')}**" if role == "guilabel" and "*" not in words else words
    return words.lstrip("!~")


def _link(words: str, url: str) -> str:
    words = " ".join(words.split())
    useful = url and not re.search(r"[\s()<>\[\]]", url) and not url.lower().startswith(("javascript:", "data:"))
    return f"[{words}]({url})" if useful and "[" not in words and words != url else words
