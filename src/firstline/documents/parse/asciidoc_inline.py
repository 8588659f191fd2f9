"""What do macros, references and quotes of AsciiDoc say within a line?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from firstline.documents.parse.marked import inline_code

_ATTRIBUTE: Final = re.compile(r"(\\?)\{([\w][\w-]{0,60})\}")
_KNOWN: Final[Mapping[str, str]] = {
    "nbsp": " ",
    "zwsp": "",
    "empty": "",
    "blank": "",
    "sp": " ",
    "plus": "+",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "apos": "'",
    "quot": '"',
    "startsb": "[",
    "endsb": "]",
    "vbar": "|",
    "caret": "^",
    "asterisk": "*",
    "tilde": "~",
    "backslash": "\\",
    "backtick": "`",
    "two-colons": "::",
    "two-semicolons": ";;",
}
_INLINE: Final = re.compile(
    r"``(?P<open_code>[^`\n]{1,500})``"
    r"|(?<![\w`])`(?P<code>[^`\n]{1,500})`(?![\w`])"
    r"|(?<!\w)\+{3}(?P<raw>[^+\n]{0,500})\+{3}|(?<!\w)\+{1,2}(?P<plus>[^+\s][^+\n]{0,500})\+{1,2}(?!\w)"
    r"|(?P<macro>\b(?:image|link|xref|mailto|kbd|btn|menu|footnote|footnoteref|pass|stem|latexmath|asciimath|icon|anchor"
    r"|indexterm2?|video|audio|counter2?))::?(?P<target>[^\s\[\]]{0,900})\[(?P<words>[^\]\n]{0,900})\]"
    r"|(?P<url>\bhttps?://[^\s\[\]<>()]{1,900})\[(?P<url_words>[^\]\n]{0,500})\]"
    r"|<<(?P<ref>[^<>\n,]{1,200})(?:,(?P<ref_words>[^<>\n]{0,300}))?>>"
    r"|\[\[(?P<anchor>[^\[\]\n]{1,200})\]\]"
    r"|\(\(\((?P<index>[^()\n]{1,300})\)\)\)|\(\((?P<index_shown>[^()\n]{1,300})\)\)"
    r"|(?:\[[.#\w][^\[\]\n]{0,100}\])?(?<![\w#&])#{1,2}(?P<marked>[^#\s](?:[^#\n]{0,300}[^#\s])?)#{1,2}(?!\w)"
    r"|(?<![\w*\\])\*(?P<bold>[^*\s](?:[^*\n]{0,500}[^*\s])?)\*(?![\w*])"
)
_POSITIONAL: Final = re.compile(r"\s{0,8}(?:\"([^\"]{0,500})\"|([^,=]{0,500}))(?:,|$)")


def spoken(text: str, attributes: Mapping[str, str]) -> str:
    """Text of one or several lines as Markdown; attributes that are not known stay as they were written."""
    return _INLINE.sub(_said, valued(text, attributes))


def valued(text: str, attributes: Mapping[str, str]) -> str:
    """The text with the values of attributes in their places."""
    return _ATTRIBUTE.sub(lambda match: _valued(match, attributes), text) if "{" in text else text


def _valued(match: re.Match[str], attributes: Mapping[str, str]) -> str:
    if match[1]:
        return match[0][1:]
    name = match[2].lower()
    return attributes.get(name, _KNOWN.get(name, match[0]))


def _said(match: re.Match[str]) -> str:
    code = match["open_code"] or match["code"]
    if code is not None:
        return inline_code(code.removeprefix("+").removesuffix("+") if code.startswith("+") else code)
    if match["raw"] is not None or match["plus"] is not None:
        return match["plus"] or ""
    if match["macro"] is not None:
        return _macro(match["macro"], match["target"], match["words"])
    if match["url"] is not None:
        return _link(_first(match["url_words"]).rstrip("^"), match["url"])
    if match["ref"] is not None:
        return match["ref_words"].strip() if match["ref_words"] else match["ref"].strip("#")
    if match["anchor"] is not None or match["index"] is not None:
        return ""
    if match["bold"] is not None:
        return f"**{match['bold']}**"
    return match["index_shown"] or match["marked"]


def _macro(name: str, target: str, words: str) -> str:
    match name:
        case "link" | "mailto" | "xref":
            said = _first(words).rstrip("^")
            address = f"mailto:{target}" if name == "mailto" else target
            return _link(said, address) if name != "xref" or ".adoc" not in target else said or target
        case "image":
            return _first(words)
        case "menu":
            return " > ".join(part for part in (target, *re.split(r"\s*>\s*", words)) if part)
        case "footnote" | "footnoteref":
            return f" ({words})" if words else ""
        case "kbd" | "btn" | "stem" | "latexmath" | "asciimath" | "indexterm2" | "pass":
            return words
        case _:
            return ""


def _first(words: str) -> str:
    """The first positional attribute: the text of a link, the alternative text of a picture."""
    found = _POSITIONAL.match(words)
    return " ".join((found[1] or found[2] or "").split()) if found else ""


def _link(words: str, url: str) -> str:
    url = url.removeprefix("++").removesuffix("++")
    useful = url and not re.search(r"[\s()<>\[\]]", url) and not url.lower().startswith(("javascript:", "data:"))
    return f"[{words}]({url})" if useful and words and "[" not in words else words or url
