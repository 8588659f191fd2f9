"""Which lines belong together? A scanner over lines, without recursion: nesting depth costs nothing.

It knows as much Markdown as cutting needs: ATX headings, fences, indented code, tables, lists, paragraphs.
"""

from __future__ import annotations

import re
from typing import Final

from firstline.documents.chunk.spans import Block, BlockKind

_HEADING: Final = re.compile(rb" {0,3}(#{1,6})(?:[ \t]|$)")
_FENCE: Final = re.compile(rb"[ \t]*(`{3,}|~{3,})([^\n]*)")
_ITEM: Final = re.compile(rb" {0,3}(?:([-*+])|(\d{1,9})[.)])(?:[ \t]|$)")
_TABLE_RULE: Final = frozenset(b"|:- \t")
CLOSING_MARKS_MAX: Final = 6
TITLE_CHARS_MAX: Final = 200
_UNDERLINED: Final = re.compile(r"(?<!\w)(_{1,2})(?=[^\s_])((?:[^_]|(?<=\w)_(?=\w)){1,200}?)(?<=[^\s_])\1(?!\w)")


def scan(data: bytes) -> list[Block]:
    """Blocks in order. Every non-blank line belongs to exactly one."""
    return _joined(_Scanner(data).blocks())


class _Scanner:
    def __init__(self, data: bytes) -> None:
        self._lines = [line + b"\n" for line in data.split(b"\n")]
        self._starts: list[int] = []
        at = 0
        for line in self._lines:
            self._starts.append(at)
            at += len(line)
        self._blocks: list[Block] = []

    def blocks(self) -> list[Block]:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if not line.strip():
                at += 1
            elif _HEADING.match(line):
                at = self._heading(at)
            elif _indent(line) < 4 and _opens_fence(line):
                at = self._add(BlockKind.CODE, at, self._fence_end(at))
            elif _ITEM.match(line):
                at = self._list(at)
            elif _indent(line) >= 4:
                at = self._add(BlockKind.CODE, at, self._indented_end(at))
            elif self._is_table(at):
                at = self._table(at)
            else:
                at = self._add(BlockKind.PARAGRAPH, at, self._paragraph_end(at))
        return self._blocks

    def _add(
        self,
        kind: BlockKind,
        top: int,
        stop: int,
        *,
        cuts: tuple[int, ...] = (),
        level: int = 0,
        title: str = "",
        head: int = 0,
        first: int = 0,
        last: int = 0,
    ) -> int:
        """Lines top..stop-1 become a block; blank lines at its end are left out. Returns stop."""
        bottom = stop - 1
        while bottom > top and not self._lines[bottom].strip():
            bottom -= 1
        end = self._starts[bottom] + len(self._lines[bottom].rstrip())
        self._blocks.append(
            Block(
                kind=kind,
                start=self._starts[top],
                end=end,
                cuts=cuts,
                level=level,
                title=title,
                head=head,
                first=first,
                last=last,
            )
        )
        return stop

    def _heading(self, at: int) -> int:
        line = self._lines[at].strip()
        level = len(line) - len(line.lstrip(b"#"))
        return self._add(BlockKind.HEADING, at, at + 1, level=level, title=plain_heading(line.decode("utf-8")))

    def _fence_end(self, at: int) -> int:
        """Index after the closing fence; the end of the text when it never closes."""
        opening = _FENCE.match(self._lines[at])
        marker = opening.group(1) if opening else b"```"
        for index in range(at + 1, len(self._lines)):
            if _closes_fence(self._lines[index], marker):
                return index + 1
        return len(self._lines)

    def _indented_end(self, at: int) -> int:
        stop = at + 1
        for index in range(at + 1, len(self._lines)):
            if not self._lines[index].strip():
                continue
            if _indent(self._lines[index]) < 4:
                break
            stop = index + 1
        return stop

    def _paragraph_end(self, at: int) -> int:
        for index in range(at + 1, len(self._lines)):
            line = self._lines[index]
            if not line.strip() or _HEADING.match(line) or (_indent(line) < 4 and _opens_fence(line)):
                return index
            if _ITEM.match(line) or self._is_table(index):
                return index
        return len(self._lines)

    def _is_table(self, at: int) -> bool:
        if b"|" not in self._lines[at] or at + 1 >= len(self._lines):
            return False
        rule = self._lines[at + 1].strip()
        return b"-" in rule and b"|" in rule and _TABLE_RULE.issuperset(rule)

    def _table(self, at: int) -> int:
        stop = at + 2
        while stop < len(self._lines) and self._lines[stop].strip() and not _HEADING.match(self._lines[stop]):
            stop += 1
        head = self._starts[at + 1] + len(self._lines[at + 1].rstrip())
        return self._add(BlockKind.TABLE, at, stop, cuts=tuple(self._starts[at + 3 : stop]), head=head)

    def _list(self, at: int) -> int:
        """Items of one sort with everything indented below them, fences and blank lines included."""
        opening = _ITEM.match(self._lines[at])
        ordered = opening is not None and opening.group(2) is not None
        first = last = int(opening.group(2)) if opening is not None and ordered else 0
        cuts: list[int] = []
        stop = index = at + 1
        blank = False
        while index < len(self._lines):
            line = self._lines[index]
            if not line.strip():
                blank = True
                index += 1
                continue
            item = _ITEM.match(line) if _indent(line) < 2 else None
            if item is not None:
                if (item.group(2) is not None) != ordered:
                    break
                cuts.append(self._starts[index])
                last = int(item.group(2)) if ordered else 0
            elif (_HEADING.match(line) and _indent(line) < 2) or (
                _indent(line) < 2 and (blank or _opens_fence(line) or self._is_table(index))
            ):
                break
            index = self._list_fence_end(index) if _opens_fence(line) and item is None else index + 1
            stop, blank = index, False
        kind = BlockKind.PROCEDURE if ordered else BlockKind.LIST
        return self._add(kind, at, stop, cuts=tuple(cuts), first=first, last=last)

    def _list_fence_end(self, at: int) -> int:
        """A fence inside an item also ends where the item does: at a line that is not indented."""
        opening = _FENCE.match(self._lines[at])
        marker = opening.group(1) if opening else b"```"
        for index in range(at + 1, len(self._lines)):
            line = self._lines[index]
            if _closes_fence(line, marker):
                return index + 1
            if line.strip() and _indent(line) == 0:
                return index
        return len(self._lines)


def _joined(blocks: list[Block]) -> list[Block]:
    """Steps whose numbering goes on after unindented code or notes are one procedure: `1.`, a fence, `2.`"""
    runs: list[list[Block]] = []
    open_run: int | None = None
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            open_run = None
        elif block.kind is BlockKind.PROCEDURE:
            if open_run is not None and block.first == runs[open_run][-1].last + 1:
                for between in runs[open_run + 1 :]:
                    runs[open_run].extend(between)
                del runs[open_run + 1 :]
                runs[open_run].append(block)
                continue
            open_run = len(runs)
        runs.append([block])
    return [_one(run) for run in runs]


def _one(run: list[Block]) -> Block:
    if len(run) == 1:
        return run[0]
    cuts: list[int] = []
    for block in run:
        if block.kind is BlockKind.PROCEDURE:
            cuts.extend((block.start, *block.cuts))
    return Block(kind=BlockKind.PROCEDURE, start=run[0].start, end=run[-1].end, cuts=tuple(cuts[1:]))


def plain_heading(line: str) -> str:
    """The words of a heading line, without marks."""
    text = line.strip().lstrip("#").strip()
    # By hand: as a pattern, blanks before closing marks are looked at once from each of them.
    bare = text.rstrip("#")
    if 1 <= len(text) - len(bare) <= CLOSING_MARKS_MAX and bare.endswith((" ", "\t")):
        text = bare.rstrip(" \t")
    text = re.sub(r"!?\[([^\[\]]{0,300})\]\([^()]{0,500}\)", r"\1", text)
    # Underscores are marks in pairs around words, and letters of a name otherwise: `_id`, `__init__` in backticks.
    parts = text.split("`")
    parts[::2] = [_UNDERLINED.sub(r"\2", part).replace("*", "") for part in parts[::2]]
    text = "".join(parts)
    return " ".join(text.split())[:TITLE_CHARS_MAX].strip()


def _indent(line: bytes) -> int:
    """Columns before the first mark; a tab counts four."""
    stripped = line.lstrip(b" \t")
    return len(line[: len(line) - len(stripped)].expandtabs(4))


def _opens_fence(line: bytes) -> bool:
    match = _FENCE.match(line)
    return match is not None and not (match.group(1).startswith(b"`") and b"`" in match.group(2))


def _closes_fence(line: bytes, marker: bytes) -> bool:
    stripped = line.strip()
    return stripped.startswith(marker) and not stripped.strip(marker[:1])
