"""How is a block that is too long cut? Between items, rows, lines, sentences, words, and at last characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final

from firstline.documents.chunk.spans import Block, BlockKind, Piece, Section
from firstline.domain import ChunkKind

OVER: Final = 1.3
"""A chunk may exceed the aim by this factor rather than be cut badly."""

WHOLE: Final = {BlockKind.PROCEDURE: 2.0, BlockKind.CODE: 2.0, BlockKind.TABLE: 1.3, BlockKind.LIST: 1.3}
"""Kept whole up to this multiple of the aim."""

_SENTENCE_END: Final = re.compile(
    rb"(?<=[.!?])[\"')\]*]{0,3}\s+|(?:\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f)\s*|\n(?![ \t]*[a-z])"
)
_LINE_END: Final = re.compile(rb"\n")
_SPACE: Final = re.compile(rb"\s+")
_KINDS: Final = {
    BlockKind.PARAGRAPH: ChunkKind.SECTION,
    BlockKind.LIST: ChunkKind.SECTION,
    BlockKind.HEADING: ChunkKind.SECTION,
    BlockKind.PROCEDURE: ChunkKind.PROCEDURE,
    BlockKind.TABLE: ChunkKind.TABLE,
    BlockKind.CODE: ChunkKind.CODE,
}


class PieceCutter:
    def __init__(self, data: bytes, *, aim: int, count_tokens: Callable[[str], int]) -> None:
        self.aim = aim
        self._data = data
        self._count = count_tokens

    def tokens(self, start: int, end: int) -> int:
        return max(1, self._count(self._data[start:end].decode("utf-8")))

    def pieces(self, section: Section) -> list[Piece]:
        """The section's blocks as pieces in order, each with the sentence that introduces it where it has one."""
        pieces: list[Piece] = []
        for block in section.blocks:
            intro = self._take_intro(pieces, block)
            pieces.extend(self._cut(block, intro))
        return pieces

    def _take_intro(self, pieces: list[Piece], block: Block) -> Piece | None:
        """Take the introducing sentence away from the paragraph before a list, table or code block."""
        if block.kind is BlockKind.PARAGRAPH or not pieces or pieces[-1].kind is not ChunkKind.SECTION:
            return None
        last = pieces[-1]
        text = self._data[last.start : last.end]
        if text.lstrip()[:2] in (b"- ", b"* ", b"+ ") and not text.rstrip().endswith(b":"):
            return None
        if last.tokens <= self.aim * 0.3:
            pieces.pop()
            return last
        ends = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text)]
        # A hard-wrapped sentence is broken by line ends: walk back to where a sentence or paragraph really ends.
        ends = [end for end in ends if text[:end].rstrip()[-1:] in b".!?:"]
        if not ends or self.tokens(last.start + ends[-1], last.end) > self.aim * 0.3:
            return None
        cut = last.start + ends[-1]
        pieces[-1] = self._piece(last.start, cut, last.kind, last.lead)
        return self._piece(cut, last.end, last.kind)

    def _cut(self, block: Block, intro: Piece | None) -> list[Piece]:
        kind = _KINDS[block.kind]
        start = intro.start if intro else block.start
        if block.end - start <= self.aim * 64:
            tokens = self.tokens(start, block.end)
            if tokens <= self.aim * WHOLE.get(block.kind, OVER):
                return [Piece(start=start, end=block.end, tokens=tokens, kind=kind, lead=intro.lead if intro else None)]
        if block.kind is BlockKind.PARAGRAPH:
            return self._prose(block.start, block.end, kind)
        lead = (block.start, block.head) if block.kind is BlockKind.TABLE else _span(intro)
        marks = block.cuts or self._line_starts(block)
        parts = self._filled(start, block.end, marks, kind)
        return [
            part if position == 0 else Piece(start=part.start, end=part.end, tokens=part.tokens, kind=kind, lead=lead)
            for position, part in enumerate(parts)
        ]

    def _filled(self, start: int, end: int, marks: Sequence[int], kind: ChunkKind) -> list[Piece]:
        """Neighbouring parts between marks, filled up to the aim; a part that is too long alone is cut as prose."""
        filled: list[Piece] = []
        bounds = [start, *(mark for mark in marks if start < mark < end), end]
        open_start, open_tokens = start, 0
        for left, right in pairwise(bounds):
            tokens = self.tokens(left, right) if right - left <= self.aim * 64 else self.aim * 64
            if open_tokens and open_tokens + tokens > self.aim:
                filled.append(self._piece(open_start, left, kind, tokens=open_tokens))
                open_start, open_tokens = left, 0
            if tokens > self.aim * OVER:
                # Nothing but a short remainder can be open here, and it stays in front of the long part.
                filled.extend(self._prose(open_start, right, kind))
                open_start, open_tokens = right, 0
                continue
            open_tokens += tokens
        if open_tokens:
            filled.append(self._piece(open_start, end, kind, tokens=open_tokens))
        return filled

    def _prose(self, start: int, end: int, kind: ChunkKind) -> list[Piece]:
        """Sentences filled up to the aim, evenly, so that no short rest is left at the end."""
        sentences = list(self._sentences(start, end))
        total = sum(tokens for _, _, tokens in sentences)
        target = total / max(1, round(total / self.aim))
        pieces: list[Piece] = []
        open_start, open_tokens = start, 0
        for left, _, tokens in sentences:
            if open_tokens and open_tokens + tokens / 2 > target:
                pieces.append(self._piece(open_start, left, kind, tokens=open_tokens))
                open_start, open_tokens = left, 0
            open_tokens += tokens
        pieces.append(self._piece(open_start, end, kind, tokens=max(1, open_tokens)))
        return pieces

    def _sentences(self, start: int, end: int) -> Iterable[tuple[int, int, int]]:
        """(start, end, tokens) of sentences; one longer than half the aim comes in several parts."""
        bounds = [start, *(match.end() for match in _SENTENCE_END.finditer(self._data, start, end)), end]
        for left, right in pairwise(bounds):
            if left == right:
                continue
            window = self.aim * 2
            tokens = self.tokens(left, right) if right - left <= self.aim * 64 else self.aim * 64
            if tokens <= self.aim / 2:
                yield left, right, tokens
                continue
            for part_left, part_right in self._windows(left, right, window):
                yield part_left, part_right, self.tokens(part_left, part_right)

    def _windows(self, start: int, end: int, size: int) -> Iterable[tuple[int, int]]:
        """Windows of about `size` bytes (half the aim of tokens in most scripts), cut at a space if one is near."""
        while end - start > size:
            stop = start + size
            space = None
            for match in _SPACE.finditer(self._data, start + size // 2, stop):
                space = match.end()
            if space is None:
                while self._data[stop] & 0xC0 == 0x80:  # never inside a character
                    stop -= 1
                space = stop
            yield start, space
            start = space
        yield start, end

    def _line_starts(self, block: Block) -> list[int]:
        return [match.end() for match in _LINE_END.finditer(self._data, block.start, block.end)]

    def _piece(
        self,
        start: int,
        end: int,
        kind: ChunkKind,
        lead: tuple[int, int] | None = None,
        *,
        tokens: int | None = None,
    ) -> Piece:
        counted = self.tokens(start, end) if tokens is None else tokens
        return Piece(start=start, end=end, tokens=counted, kind=kind, lead=lead)


def _span(piece: Piece | None) -> tuple[int, int] | None:
    return (piece.start, piece.end) if piece else None
