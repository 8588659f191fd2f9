"""How do directives and roles read that Sphinx adds to Markdown? As notes, parts and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.parse.rst_inline import said_by_role
from firstline.documents.parse.segments import code_spans
from firstline.documents.parse.shortcodes import ADMONITIONS

_OPENING: Final = re.compile(r"^([ \t>]{0,40})(`{3,20}|~{3,20}|:{3,20})\{([\w:+.-]{1,60})\}[ \t]*([^`\n]{0,300})$")
_OPTION: Final = re.compile(r"^[ \t>]{0,40}:([\w-]{1,40}):(?:[ \t]+([^\n]{0,500}))?$")
_ROLE: Final = re.compile(r"(?<![\w$\\{])\{([a-z][\w:+.-]{0,40})\}$")
_FENCE: Final = re.compile(r"^[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(?!\{)([^`\n]*)$")
_CODE: Final = frozenset("code code-block code-cell sourcecode parsed-literal literalinclude prompt".split())
_SILENT: Final = frozenset("toctree contents raw index include tableofcontents bibliography mermaid graphviz".split())
_HEADED: Final = frozenset(
    "tab tab-item dropdown card grid-item-card topic sidebar rubric admonition details figure-md".split()
)
_MORE_NOTES: Final = frozenset({"attention", "error", "seealso", "todo"})
DEPTH_MAX: Final = 20


def without_directives(text: str) -> str:
    """Text of Markdown in which nothing of the form {name} opens a fence any more, but within code."""
    if "{" not in text or not any(sign in text for sign in ("```{", "~~~{", ":::{")):
        return text
    return "\n".join(_lines(text))


def without_roles(text: str) -> str:
    """Text outside of fences whose code spans have no {name} in front of them."""
    if "}`" not in text:
        return text
    return "".join(_spoken(line) if "}`" in line else line for line in text.splitlines(keepends=True))


def _spoken(line: str) -> str:
    parts: list[str] = []
    at = 0
    for left, right in code_spans(line):
        role = _ROLE.search(line, max(at, left - 50), left)
        if role is not None:
            parts.extend((line[at : role.start()], said_by_role(role[1], line[left:right].strip("`"))))
        else:
            parts.append(line[at:right])
        at = right
    return "".join((*parts, line[at:]))


def _lines(text: str) -> Iterator[str]:
    closing: list[tuple[str, str, bool]] = []
    options = False
    for line in text.split("\n"):
        bare = line.strip("> \t")
        end = closing[-1] if closing else None
        if end is not None and bare and len(bare) >= len(end[0]) and not bare.strip(end[0][0]):
            closing.pop()
            yield end[1]
            continue
        silent = end is not None and end[2]
        if options and (_OPTION.match(line) or bare == "---"):
            alt = _OPTION.match(line)
            if not silent and alt is not None and alt[1] in {"alt", "caption"} and alt[2]:
                yield alt[2]
            continue
        options = False
        opening = _OPENING.match(line)
        plain = _FENCE.match(line)
        if plain is not None and not silent and not _is_code(end):
            closing.append((plain[1], line if not plain[2].strip() else f"{line[: plain.start(2)]}", False))
            yield line
            continue
        code = _is_code(end)
        if opening is None or code or silent or len(closing) >= DEPTH_MAX:
            if not silent:
                yield line
            continue
        options = True
        before, after, hides = _opened(opening[1], opening[2], opening[3].lower(), opening[4].strip())
        closing.append((opening[2], after, hides))
        yield before


def _is_code(end: tuple[str, str, bool] | None) -> bool:
    return end is not None and end[1].strip("> \t").startswith(("```", "~~~"))


def _opened(indent: str, fence: str, name: str, words: str) -> tuple[str, str, bool]:
    """(line in place of the opening, line in place of the closing, whether what lies between is left out)."""
    if name in _SILENT:
        return "", "", True
    if name in _CODE:
        ticks = "`" * max(3, len(fence))
        language = words if re.fullmatch(r"[\w+#.-]{1,30}", words) else ""
        return f"{indent}{ticks}{language}", f"{indent}{ticks}", False
    if name in ADMONITIONS | _MORE_NOTES and name != "admonition":
        return f"{indent}:::{name} {words}".rstrip(), f"{indent}:::", False
    if name in _HEADED:
        return f"{indent}**{words}**\n" if words else "", "", False
    if name in {"image", "figure", "math", "eval-rst", "list-table", "csv-table", "table"}:
        return "", "", False
    return f"{indent}{words}" if words else "", "", False
