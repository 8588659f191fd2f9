"""What does a page of reStructuredText say? Read line by line as Markdown; nothing is fetched and nothing is run.

Sections by their adornment in the order met, lists, definitions, fields, tables, literal blocks, directives. Comments,
raw output and includes that were not resolved are left out. Deeply nested content is given as its lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.documents.parse.marked import fenced, table_lines
from firstline.documents.parse.page import Page
from firstline.documents.parse.rst_directives import Directive, told
from firstline.documents.parse.rst_inline import spoken
from firstline.documents.parse.rst_tables import GRID_TOP, SIMPLE_RULE, grid_rows, simple_rows

DEPTH_MAX: Final = 12
TITLE_CHARS_MAX: Final = 300
FIELDS_MAX: Final = 32
_ADORNMENT: Final = re.compile(r"^([=\-`:'\"~^_*+#<>.!$%&(),/;?@\[\\\]{|}])\1{1,}\s*$")
_EXPLICIT: Final = re.compile(r"^\.\.(?:[ ]|$)")
_DIRECTIVE: Final = re.compile(
    r"^\.\.[ ]+(?:\|(?P<sub>[^|\n]{1,100})\|[ ]+)?(?P<name>[\w:.+-]{1,60})::(?:[ ]+(?P<rest>.*))?$"
)
_TARGET: Final = re.compile(r"^\s*\.\.[ ]+_(?:`([^`\n]{1,200})`|([^:\n]{1,200})):(?:[ ]+(\S{1,1000}))?[ ]*$")
_NOTE: Final = re.compile(r"^\.\.[ ]+\[(#?[\w.-]{0,40}|\*)\](?:[ ]+(.*))?$")
_FIELD: Final = re.compile(r"^:([^:\n`][^:\n]{0,80}|[^:\n`]):(?:[ ]+(.*)|$)")
_BULLET: Final = re.compile(r"^([*+\u2022\u2023-])(?:[ ]+|$)")
_NUMBER: Final = re.compile(r"^\(?(\d{1,4}|#|[a-zA-Z])[.)](?:[ ]+|$)")


def rst_page(text: str) -> Page:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(8).split("\n")]
    reader = _Reader(lines)
    out = reader.read(lines, depth=0)
    first = next((line[2:] for line in out if line.startswith("# ")), "")
    return Page(text="\n".join(out), title=re.sub(r"[*`]", "", first), metadata=reader.fields)


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.fields: dict[str, str] = {}
        self._targets: dict[str, str] = {}
        self._substitutes: dict[str, str] = {}
        self._styles: list[tuple[str, bool]] = []
        self._headed = False
        for index, line in enumerate(lines):
            if ".. " in line:
                self._learn(line.lstrip(), lines[index + 1 : index + 6])

    def _learn(self, line: str, below: Sequence[str]) -> None:
        target = _TARGET.match(line)
        if target is not None:
            self._targets[(target[1] or target[2]).strip().lower()] = target[3] or ""
            return
        directive = _DIRECTIVE.match(line)
        if directive is None or not directive["sub"]:
            return
        words = (directive["rest"] or "").strip() if directive["name"] == "replace" else ""
        for each in below:
            alt = re.match(r"^\s+:alt:\s{1,8}(.{1,300})$", each)
            words = alt[1] if alt is not None and directive["name"] == "image" else words
        self._substitutes[" ".join(directive["sub"].lower().split())] = words

    def say(self, text: str) -> str:
        return spoken(text, targets=self._targets, substitutes=self._substitutes)

    def read(self, lines: Sequence[str], *, depth: int) -> list[str]:
        if depth > DEPTH_MAX:
            return [line.strip() for line in lines]
        out: list[str] = []
        at = 0
        while at < len(lines):
            line = lines[at]
            if not line:
                at += 1
            elif line[0] == " ":
                block, at = _indented(lines, at)
                out.extend((*self.read(block, depth=depth + 1), ""))
            elif _EXPLICIT.match(line) or line == "__" or line.startswith("__ "):
                at = self._explicit(lines, at, out, depth)
            else:
                at = self._block(lines, at, out, depth)
        return out

    def _block(self, lines: Sequence[str], at: int, out: list[str], depth: int) -> int:
        line = lines[at]
        after = lines[at + 1] if at + 1 < len(lines) else ""
        if GRID_TOP.match(line) or SIMPLE_RULE.match(line):
            return self._table(lines, at, out)
        if _ADORNMENT.match(line):
            return self._ruled(lines, at, out)
        if _ADORNMENT.match(after) and (len(after) >= 4 or len(after) >= len(line)) and len(line) <= TITLE_CHARS_MAX:
            self._head(line, (after[0], False), out)
            return at + 2
        if _BULLET.match(line) or _numbered(line, after):
            return self._list(lines, at, out, depth)
        if (field := _FIELD.match(line)) is not None:
            return self._field(field, lines, at, out, depth)
        if line.startswith(">>> "):
            block, at = _until_blank(lines, at)
            out.extend((*fenced(block, "pycon"), ""))
            return at
        if line.startswith("| "):
            block, at = _until_blank(lines, at)
            out.extend((*(self.say(each.removeprefix("|").strip()) for each in block), ""))
            return at
        if after.startswith(" ") and not line.endswith("::"):
            block, at = _indented(lines, at + 1)
            out.extend((f"**{self.say(line)}**" if "*" not in line else self.say(line), ""))
            out.extend((*self.read(block, depth=depth + 1), ""))
            return at
        return self._paragraph(lines, at, out)

    def _paragraph(self, lines: Sequence[str], at: int, out: list[str]) -> int:
        block, at = _until_blank(lines, at)
        literal = block[-1].endswith("::")
        if literal:
            block[-1] = block[-1][:-1] if len(block[-1]) > 2 and block[-1][-3] != " " else block[-1][:-2].rstrip()
        text = self.say("\n".join(each.strip() for each in block))
        out.extend((*(f"\\{each}" if each.startswith("#") else each for each in text.split("\n")), ""))
        if not literal:
            return at
        start = next((index for index in range(at, len(lines)) if lines[index]), len(lines))
        if start < len(lines) and lines[start][0] == " ":
            code, at = _indented(lines, start)
            out.extend((*fenced(code), ""))
        elif start < len(lines) and lines[start][0] in ">|$#" and start > at:
            code, at = _until_blank(lines, start)
            out.extend((*fenced(code), ""))
        return at

    def _ruled(self, lines: Sequence[str], at: int, out: list[str]) -> int:
        """A title between two rules, or a rule that parts the text."""
        rule = lines[at]
        if at + 2 < len(lines) and lines[at + 1] and lines[at + 2].rstrip() == rule.rstrip():
            self._head(lines[at + 1].strip(), (rule[0], True), out)
            return at + 3
        if at + 1 < len(lines) and lines[at + 1] and len(rule.rstrip()) < 4:
            return self._paragraph(lines, at, out)
        if len(rule.rstrip()) < 4:
            out.append(rule)
        return at + 1

    def _head(self, title: str, style: tuple[str, bool], out: list[str]) -> None:
        if style not in self._styles:
            self._styles.append(style)
        self._headed = True
        out.extend(("", f"{'#' * min(6, self._styles.index(style) + 1)} {self.say(title)}", ""))

    def _table(self, lines: Sequence[str], at: int, out: list[str]) -> int:
        grid = bool(GRID_TOP.match(lines[at]))
        block, end = _until_blank(lines, at)
        while not grid and end + 1 < len(lines) and not SIMPLE_RULE.match(block[-1]):
            # Rows of a ruled table may stand apart.
            more, further = _until_blank(lines, end + 1)
            if not more or not any(SIMPLE_RULE.match(each) for each in more) or len(block) > 20_000:
                break
            block, end = [*block, "", *more], further
        rows = grid_rows(block) if grid else simple_rows(block)
        out.extend((*table_lines([[self.say(cell) for cell in row] for row in rows]), ""))
        return end

    def _list(self, lines: Sequence[str], at: int, out: list[str], depth: int) -> int:
        count = 0
        while at < len(lines):
            line, after = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
            marker = _BULLET.match(line) or _numbered(line, after)
            if marker is None:
                break
            count += 1
            bullet = marker.re is _BULLET
            sign = "- " if bullet else f"{marker[1] if marker[1].isdigit() else count}. "
            rest, at = _indented(lines, at + 1)
            body = self.read([line[marker.end() :], *rest], depth=depth + 1)
            while body and not body[-1].strip():
                body.pop()
            while body and not body[0].strip():
                body.pop(0)
            out.append(sign + (body[0] if body else ""))
            out.extend(" " * len(sign) + each if each else "" for each in body[1:])
            while at < len(lines) and not lines[at]:
                at += 1
        out.append("")
        return at

    def _field(self, found: re.Match[str], lines: Sequence[str], at: int, out: list[str], depth: int) -> int:
        rest, after = _indented(lines, at + 1)
        words = [found[2] or "", *rest]
        # Fields before any text are the page's own: who wrote it, for which version.
        if depth == 0 and not any(out_line.strip() and not out_line.startswith("#") for out_line in out):
            value = " ".join(" ".join(words).split())
            if value and len(self.fields) < FIELDS_MAX and found[1].lower() not in {"acl", "level", "title", "url"}:
                self.fields[found[1].lower()] = value[:500]
            return after
        body = self.read(words, depth=depth + 1)
        first = next((each for each in body if each.strip()), "")
        out.append(f"**{self.say(found[1])}:** {first}".rstrip() if first else f"**{self.say(found[1])}:**")
        out.extend((*body[body.index(first) + 1 :], "") if first else ("",))
        return after

    def _explicit(self, lines: Sequence[str], at: int, out: list[str], depth: int) -> int:
        line = lines[at]
        body, after = _indented(lines, at + 1)
        note = _NOTE.match(line)
        if note is not None:
            inner = self.read([note[2] or "", *body], depth=depth + 1)
            words = [each for each in inner if each.strip()]
            out.extend((f"[{note[1].lstrip('#') or '#'}] {words[0] if words else ''}", *words[1:], ""))
            return after
        directive = _DIRECTIVE.match(line)
        if directive is not None and not directive["sub"]:
            each = _directive(directive["name"], (directive["rest"] or "").strip(), body)
            said = told(each, lambda inner: self.read(inner, depth=depth + 1), self.say)
            out.extend(("", *said, "") if any(part.strip() for part in said) else ())
        return after


def _directive(name: str, argument: str, body: list[str]) -> Directive:
    """The argument may go on below its line, then options stand, then a blank line and the content."""
    options: dict[str, str] = {}
    at = 0
    first = [argument] if argument else []
    last = ""
    while at < len(body) and body[at]:
        found = _FIELD.match(body[at])
        if found is not None:
            last = found[1].strip().lower()
            options[last] = (found[2] or "").strip()
        elif last and body[at].startswith(" "):
            options[last] = f"{options[last]} {body[at].strip()}".strip()
        elif options:
            break  # content without a blank line before it
        else:
            first.append(body[at])
        at += 1
    return Directive(name=name, argument="\n".join(first).strip(), options=options, body=body[at:])


def _indented(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """The block that starts at or below `at`, up to the next line that is not indented, without its indentation."""
    end = at
    filled = at
    while end < len(lines) and (not lines[end] or lines[end][0] == " "):
        end += 1
        if lines[end - 1]:
            filled = end
    block = lines[at:filled]
    margin = min((len(line) - len(line.lstrip(" ")) for line in block if line), default=0)
    return [line[margin:] for line in block], filled


def _until_blank(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    end = at
    while end < len(lines) and lines[end]:
        end += 1
    return list(lines[at:end]), end


def _numbered(line: str, after: str) -> re.Match[str] | None:
    """A single letter opens an item only where the next line does not go on at the margin: `A. Smith` is a name."""
    found = _NUMBER.match(line)
    if found is None or found[1].isdigit() or found[1] == "#":
        return found
    return found if not after or after[0] == " " or _NUMBER.match(after) else None
