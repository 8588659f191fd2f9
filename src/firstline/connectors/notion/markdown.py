"""How do Notion's blocks read as Markdown, and its properties as text?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from firstline.connectors.vendors.answers import Json, inner, inner_list, text

INDENT_MAX: Final = 6
_HEADINGS: Final = {"heading_1": "#", "heading_2": "##", "heading_3": "###", "heading_4": "####"}
_FILES: Final = frozenset({"image", "video", "file", "pdf", "audio"})
_LINKS: Final = frozenset({"bookmark", "embed", "link_preview"})
_SPACE: Final = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)
_STARTS: Final = re.compile(r"^(\s{0,3})([#>+-]|\d{1,9}[.)])(?=\s|$)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A block with those inside it."""

    data: Json
    inside: Sequence[Block] = ()


def blocks_markdown(blocks: Sequence[Block]) -> str:
    return "\n".join(_lines(blocks, 0)).strip("\n") + "\n" if blocks else ""


def _lines(blocks: Sequence[Block], depth: int) -> list[str]:
    """`depth` is bounded by who read the blocks."""
    out: list[str] = []
    number = 0
    before = ""
    for block in blocks:
        kind = text(block.data, "type")
        number = number + 1 if kind == "numbered_list_item" else 0
        written = _block(block, kind, number, depth)
        if not written:
            continue
        if out and not (kind == before and kind in ("bulleted_list_item", "numbered_list_item", "to_do")):
            out.append("")
        out += written
        before = kind
    return out


def _block(block: Block, kind: str, number: int, depth: int) -> list[str]:
    said = inner(block.data, kind)
    words = rich(said.get("rich_text"))
    if kind in _HEADINGS:
        # A heading that can be opened holds what is under it.
        return [f"{_HEADINGS[kind]} {words}" if words.strip() else "", *_below(block, depth)]
    if kind in ("bulleted_list_item", "numbered_list_item", "to_do", "toggle"):
        mark = f"{number}." if kind == "numbered_list_item" else "-"
        if kind == "to_do":
            mark += " [x]" if said.get("checked") is True else " [ ]"
        return _marked(mark, words, _lines(block.inside, depth + 1))
    if kind == "code":
        return _code(said)
    if kind in ("quote", "callout"):
        return ["> " + line if line else ">" for line in [*words.split("\n"), *_below(block, depth)]]
    if kind == "table":
        return _table(block)
    if kind == "equation":
        return [f"$${text(said, 'expression')}$$"]
    if kind == "divider":
        return ["---"]
    if kind in _FILES:
        caption = rich(said.get("caption")) or text(said, "name")
        return [f"[{kind}: {caption}]"] if caption.strip() else []
    if kind in _LINKS:
        url = text(said, "url")
        return [f"[{rich(said.get('caption')) or url}]({url})"] if url.startswith(("http:", "https:")) else []
    if kind in ("child_page", "child_database"):
        return [f"- {text(said, 'title')}"] if text(said, "title") else []
    own = [_plain_start(line) for line in words.split("\n")] if words.strip() else []
    return [*own, *_below(block, depth)] if own else _lines(block.inside, depth + 1)


def _below(block: Block, depth: int) -> list[str]:
    inside = _lines(block.inside, depth + 1)
    return ["", *inside] if inside else []


def _marked(mark: str, words: str, inside: list[str]) -> list[str]:
    first, *rest = words.split("\n")
    blanks = "  " if mark.startswith("-") else " " * (len(mark) + 1)
    return [f"{mark} {first}", *(f"{blanks}{line}" if line else "" for line in [*rest, *inside])]


def _code(said: Json) -> list[str]:
    code = plain(said.get("rich_text"))
    fence = "```"
    while fence in code:
        fence += "`"
    language = re.sub(r"[^\w+#-]", "", text(said, "language"))
    return [fence + ("" if language == "plaintext" else language), *code.split("\n"), fence]


def _table(block: Block) -> list[str]:
    found: list[list[str]] = []
    for row in block.inside:
        cells: Any = inner(row.data, "table_row").get("cells")
        found.append([rich(cell) for cell in cast("list[object]", cells)] if isinstance(cells, list) else [])
    return table(found)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first row is the header."""
    if not rows:
        return []
    width = max(len(row) for row in rows)
    lines = ["| " + " | ".join(_cell(row[at] if at < len(row) else "") for at in range(width)) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * width, *lines[1:]]


def _cell(words: str) -> str:
    return " ".join(words.replace("|", "\\|").split())


def rich(value: object) -> str:
    """Rich text as Markdown: bold, italic, code, links."""
    parts: list[str] = []
    for piece in cast("list[object]", value) if isinstance(value, list) else []:
        if isinstance(piece, dict):
            parts.append(_piece(cast("Json", piece)))
    return "".join(parts)


def plain(value: object) -> str:
    pieces = cast("list[object]", value) if isinstance(value, list) else []
    return "".join(text(cast("Json", piece), "plain_text") for piece in pieces if isinstance(piece, dict))


def _piece(piece: Json) -> str:
    words, style = text(piece, "plain_text"), inner(piece, "annotations")
    met = _SPACE.match(words)
    if met is None or not met[2]:
        return words
    said = met[2]
    if style.get("code") is True:
        said = f"`{said}`" if "`" not in said else f"`` {said} ``"
    if style.get("italic") is True:
        said = f"*{said}*"
    if style.get("bold") is True:
        said = f"**{said}**"
    if style.get("strikethrough") is True:
        said = f"~~{said}~~"
    link = text(piece, "href")
    if link.startswith(("http://", "https://")):
        said = f"[{said}]({link})"
    return f"{met[1]}{said}{met[3]}"


def _plain_start(line: str) -> str:
    """A paragraph that begins like a heading or list stays a paragraph."""
    return _STARTS.sub(lambda met: f"{met[1]}\\{met[2]}" if not met[2][0].isdigit() else met[0], line)


def property_text(value: Json) -> str:
    """One property of a page; "" for those that name people, files and other pages."""
    kind = text(value, "type")
    found = value.get(kind)
    if kind in ("title", "rich_text"):
        return plain(found)
    if kind in ("select", "status"):
        return text(inner(value, kind), "name")
    if kind == "multi_select":
        return ", ".join(text(each, "name") for each in inner_list(value, kind))
    if kind == "date":
        return " to ".join(
            each for each in (text(inner(value, kind), "start"), text(inner(value, kind), "end")) if each
        )
    if kind == "checkbox":
        return "yes" if found is True else "no"
    if kind == "formula":
        return property_text(inner(value, kind))
    return text(value, kind) if kind in ("number", "string", "url") else ""


def properties(page: Json) -> dict[str, str]:
    """By name, without the title and empty ones."""
    found = {
        name: property_text(cast("Json", value))
        for name, value in inner(page, "properties").items()
        if isinstance(value, dict) and text(cast("Json", value), "type") != "title"
    }
    return {name: value for name, value in found.items() if value}


def title_of(page: Json) -> str:
    """Of a page, or of a database."""
    if isinstance(page.get("title"), list):
        return plain(page["title"])
    for value in inner(page, "properties").values():
        if isinstance(value, dict) and text(cast("Json", value), "type") == "title":
            return plain(cast("Json", value).get("title"))
    return ""
