"""What does a page of AsciiDoc say? Read line by line as Markdown; nothing is fetched and nothing is run.

Sections, lists, descriptions, tables, listings, notes, blocks with titles. Comments, passthrough and includes that were
not resolved are left out. Both sides of a condition are read: which one holds is known where the page is built.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.documents.parse.asciidoc_inline import spoken, valued
from firstline.documents.parse.asciidoc_tables import table_rows
from firstline.documents.parse.marked import fenced, quoted, table_lines
from firstline.documents.parse.page import Page

DEPTH_MAX: Final = 8
ATTRIBUTES_MAX: Final = 500
VALUE_CHARS_MAX: Final = 500
FIELDS_MAX: Final = 32
_FENCE: Final = re.compile(r"^(?:(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|~{4,})|(`{3})([\w+#-]{0,30}))$")
_HEADING: Final = re.compile(r"^(={1,6}|#{1,6})[ \t]+(\S.{0,500})$")
_ATTRIBUTE: Final = re.compile(r"^:(!?[\w][\w-]{0,60}!?):(?:[ \t]+(.*))?$")
_STYLE: Final = re.compile(r"^\[([^\[\]]{0,500}|\[[^\[\]]{0,200}\])\]$")
_TITLE: Final = re.compile(r"^\.([^\s.].{0,300})$")
_DIRECTIVE: Final = re.compile(r"^(?:ifn?def|ifeval|endif|include|toc)::([^\[\]\n]{0,500})\[(.{0,2000})\]$")
_BLOCK_MACRO: Final = re.compile(r"^(?:image|video|audio)::([^\[\]\n]{0,500})\[(.{0,1000})\]$")
_AUTHOR: Final = re.compile(
    r"^(?://|include::|ifdef::|endif::|[\w.'-]{1,60}(?:[ ][\w.'-]{1,60}){0,3}(?:[ ]<[^<>]{1,200}>|$))"
)
_RENAMED: Final = {"revnumber": "version", "page-version": "version"}
_NOTE: Final = re.compile(r"^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(.*)$")
_NOTES: Final = frozenset({"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"})
_ITEM: Final = re.compile(r"^[ \t]{0,40}(\*{1,6}|-|\.{1,6}|\d{1,4}\.|<(?:\d{1,3}|\.)>)[ \t]+(\S.*)$")
_TERM: Final = re.compile(r"^[ \t]{0,40}(\S.{0,300}?)(:{2,4}|;;)(?:[ \t]+(.*))?$")
_CODED: Final = ("source", "listing", "literal", "screen", "subs", "shell")


def asciidoc_page(text: str) -> Page:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")]
    reader = _Reader()
    out = reader.read(reader.header(lines), depth=0)
    first = next((line[2:] for line in out if line.startswith("# ")), "")
    title = reader.title or re.sub(r"[*`]", "", first)
    head = [f"# {reader.title}", ""] if reader.title else []
    return Page(text="\n".join((*head, *out)), title=title, metadata=reader.fields)


class _Reader:
    def __init__(self) -> None:
        self.title = ""
        self.fields: dict[str, str] = {}
        self._attributes: dict[str, str] = {}

    def header(self, lines: Sequence[str]) -> Sequence[str]:
        """Title, author and version lines and attributes at the top are taken in; gives the lines below."""
        at = 0
        while at < len(lines) and (not lines[at] or lines[at].startswith("//") or self._attribute(lines[at])):
            if re.match(r"^/{4,}$", lines[at]):
                return lines[at:]
            at += 1
        title = re.match(r"^(?:=|#)[ \t]+(\S.{0,500})$", lines[at]) if at < len(lines) else None
        if title is None:
            return lines[at:]
        at += 1
        while at < len(lines) and lines[at]:
            line = lines[at]
            if not self._attribute(line):
                version = re.match(r"^v(\d[\w.-]{0,30})(?:[,:]|$)", line)
                if version:
                    self._keep("version", version[1])
                elif not _AUTHOR.match(line):
                    break
            at += 1
        self.title = self.say(title[1])
        return lines[at:]

    def say(self, text: str) -> str:
        return spoken(text, self._attributes)

    def _attribute(self, line: str) -> bool:
        found = _ATTRIBUTE.match(line)
        if found is None:
            return False
        name, value = found[1].strip("!").lower(), (found[2] or "").strip()
        if len(self._attributes) < ATTRIBUTES_MAX:
            # Values are limited, so that attributes made of attributes do not grow without end.
            self._attributes[name] = valued(value.removesuffix(" \\"), self._attributes)[:VALUE_CHARS_MAX]
        if name in {"version", "revnumber", "product", "status", "description", "page-version"} and value:
            self._keep(_RENAMED.get(name, name), self._attributes.get(name, ""))
        return True

    def _keep(self, name: str, value: str) -> None:
        if value and len(self.fields) < FIELDS_MAX:
            self.fields.setdefault(name, value)

    def read(self, lines: Sequence[str], *, depth: int) -> list[str]:
        if depth > DEPTH_MAX:
            return [line.strip() for line in lines]
        out: list[str] = []
        at = 0
        style = title = ""
        while at < len(lines):
            line = lines[at]
            at += 1
            if not line or line == "+":
                out.append("")
            elif line.startswith("//") and not re.match(r"^/{4,}$", line):
                continue
            elif (directive := _DIRECTIVE.match(line)) is not None:
                if directive[2] and line.startswith(("ifdef", "ifndef")):
                    out.append(self.say(directive[2]))
            elif self._attribute(line) or line in {"'''", "<<<", "[discrete]", "[float]"}:
                continue
            elif (found := _STYLE.match(line)) is not None:
                style = found[1] if not found[1].startswith(("[", "#", ".")) else style
            elif (found := _TITLE.match(line)) is not None:
                title = self.say(found[1])
            else:
                at = self._block(lines, at - 1, out, depth, style, title)
                style = title = ""
        return out

    def _block(self, lines: Sequence[str], at: int, out: list[str], depth: int, style: str, title: str) -> int:
        line = lines[at]
        named = [f"**{title}**", ""] if title else []
        if (fence := _FENCE.match(line)) is not None:
            inner, at = _until(lines, at + 1, line if fence[1] else "```")
            out.extend(("", *self._fenced(line, fence[3] or "", inner, depth, style, title), ""))
        elif re.match(r"^[|,:!]={3,}$", line):
            inner, at = _until(lines, at + 1, line)
            rows = table_rows(inner, style, line[0])
            out.extend(("", *named, *table_lines([[self.say(cell) for cell in row] for row in rows]), ""))
        elif (heading := _HEADING.match(line)) is not None:
            out.extend(("", f"{'#' * len(heading[1])} {self.say(heading[2])}", ""))
            at += 1
        elif (picture := _BLOCK_MACRO.match(line)) is not None:
            alt = self.say(f"image:{picture[1] or 'x'}[{picture[2]}]")
            out.extend(("", *named, alt, ""))
            at += 1
        elif _ITEM.match(line) or (_TERM.match(line) and "://" not in line.split("::")[0]):
            out.extend(named)
            at = self._items(lines, at, out, depth, title=style)
        else:
            at = self._paragraph(lines, at, out, style, named, title)
        return at

    def _fenced(self, line: str, language: str, inner: list[str], depth: int, style: str, title: str) -> list[str]:
        kind, *more = [part.strip() for part in style.split(",")]
        named = [f"**{title}**", ""] if title else []
        if line[0] in "/+":
            return []
        if line[0] in ".`" or (line[0] == "-" and len(line) >= 4) or (line == "--" and kind.startswith(_CODED)):
            said = language or (more[0] if more and kind.startswith("source") else "")
            inner = [re.sub(r"[ \t]*(?://|#|--|;;)?[ \t]*<(?:\d{1,3}|\.)>[ \t]*$", _callout, each) for each in inner]
            return [*named, *fenced([each for each in inner if not _DIRECTIVE.match(each)], said)]
        body = self.read(inner, depth=depth + 1)
        if kind.upper() in _NOTES:
            return list(quoted(_label(kind.upper(), title), body))
        return list(quoted(f"**{title}**" if title else "**Quote:**", body)) if line[0] == "_" else [*named, *body]

    def _items(self, lines: Sequence[str], at: int, out: list[str], depth: int, *, title: str) -> int:
        """Items with what is attached to them. How deep an item is follows from which markers are open above it."""
        open_markers: list[str] = []
        numbers: list[int] = []
        indent = ""
        while at < len(lines):
            line = lines[at]
            item, term = _ITEM.match(line), _TERM.match(line)
            if not line:
                after = next((each for each in lines[at : at + 3] if each), "")
                if not (_ITEM.match(after) or (_TERM.match(after) and open_markers)):
                    break
                at += 1
            elif item is not None or (term is not None and "://" not in term[1]):
                marker = item[1] if item is not None else term[2] if term is not None else ""
                marker = "1." if marker[0].isdigit() else "<1>" if marker[0] == "<" else marker
                if open_markers and "<1>" in {marker, open_markers[0]} and marker != open_markers[0]:
                    break  # what explains a listing stands alone
                if marker in open_markers:
                    del open_markers[open_markers.index(marker) + 1 :]
                    del numbers[len(open_markers) :]
                else:
                    open_markers.append(marker)
                    numbers.append(0)
                numbers[-1] += 1
                indent = "   " * (len(open_markers) - 1)
                words, at = _wrapped(lines, at + 1, item[2] if item is not None else (term[3] or "") if term else "")
                if item is not None:
                    bullet = marker[0] in "*-"
                    words = re.sub(r"^\[([ xX*])\][ \t]+", "", words)
                    sign = "- " if bullet else f"{numbers[-1]}. "
                    out.append(f"{indent}{sign}{self.say(words)}")
                    indent += " " * len(sign)
                elif term is not None:
                    out.extend(("", f"{indent}**{self.say(term[1])}**", ""))
                    out.extend([f"{indent}{self.say(words)}"] if words else [])
            elif line == "+":
                at = self._attached(lines, at + 1, out, depth, indent)
            elif _FENCE.match(line) or _STYLE.match(line):
                break
            else:
                out.append(f"{indent}{self.say(line.strip())}")
                at += 1
        out.append("")
        return at

    def _attached(self, lines: Sequence[str], at: int, out: list[str], depth: int, indent: str) -> int:
        """The block that a `+` attaches to an item."""
        start = at
        while at < len(lines) and (_STYLE.match(lines[at]) or _TITLE.match(lines[at]) or lines[at].startswith("//")):
            at += 1
        if at < len(lines) and (_FENCE.match(lines[at]) or re.match(r"^[|,:!]={3,}$", lines[at])):
            _, at = _until(lines, at + 1, lines[at])
        else:
            while at < len(lines) and lines[at] and lines[at] != "+" and not _ITEM.match(lines[at]):
                at += 1
        said = self.read(lines[start:at], depth=depth + 1)
        out.extend(f"{indent}{each}" if each else "" for each in ["", *said])
        return max(at, start)

    def _paragraph(
        self, lines: Sequence[str], at: int, out: list[str], style: str, named: list[str], title: str
    ) -> int:
        start = at
        while at < len(lines) and lines[at] and not (at > start and (_FENCE.match(lines[at]) or lines[at] == "+")):
            at += 1
        block = [each for each in lines[start:at] if not _DIRECTIVE.match(each) and not each.startswith("//")]
        if not block:
            return at
        kind, *more = [part.strip() for part in style.split(",")]
        note = _NOTE.match(block[0])
        if block[0].startswith(" ") or kind.startswith(_CODED):
            margin = min(len(each) - len(each.lstrip()) for each in block)
            out.extend(("", *named, *fenced([each[margin:] for each in block], more[0] if more else ""), ""))
            return at
        if note is not None:
            block[0] = note[2]
            kind = note[1]
        said = [re.sub(r"[ ]\+$", "", line) for line in self.say("\n".join(block)).split("\n")]
        said = [f"\\{each}" if each.startswith("#") else each for each in said]
        out.extend((*quoted(_label(kind.upper(), title), said), "") if kind.upper() in _NOTES else (*named, *said, ""))
        return at


def _label(kind: str, title: str) -> str:
    return f"**{kind.capitalize()}: {title}**" if title else f"**{kind.capitalize()}:**"


def _callout(match: re.Match[str]) -> str:
    return f"  {match[0].strip()[match[0].strip().index('<') :]}"


def _until(lines: Sequence[str], at: int, end: str) -> tuple[list[str], int]:
    """Up to the line that closes the block, or the end; and where to go on."""
    close = at
    while close < len(lines) and lines[close] != end:
        close += 1
    return list(lines[at:close]), close + 1


def _wrapped(lines: Sequence[str], at: int, words: str) -> tuple[str, int]:
    """An item's text may go on in the lines below it."""
    parts = [words] if words else []
    if not words:
        while at < len(lines) and not lines[at] and at + 1 < len(lines) and lines[at + 1].startswith(" "):
            at += 1
    while at < len(lines) and lines[at] and not _ends_item(lines[at]):
        parts.append(lines[at].strip())
        at += 1
    return " ".join(parts), at


def _ends_item(line: str) -> bool:
    return bool(
        line == "+"
        or _ITEM.match(line)
        or _TERM.match(line)
        or _FENCE.match(line)
        or _STYLE.match(line)
        or _TITLE.match(line)
        or _DIRECTIVE.match(line)
        or line.startswith("//")
        or re.match(r"^[|,:!]={3,}$", line)
    )
