"""A chunk's Markdown as the pieces that can be shown by themselves: sentences, steps, rows and code. Shared vocabulary;
it calls no step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstline.domain import ClaimKind
from firstline.orders import doubtful

SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*(?:\s+|$)(?=[\"'“(\[]?[^\s.!?])|(?<=[。！？])")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|[A-Z])\.$", re.IGNORECASE)
LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
ORDERED_ITEM = re.compile(r"^\s*\d+[.)]\s+")
FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
QUOTE = re.compile(r"^\s*>\s?", re.MULTILINE)
UNITS_MAX = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A piece of a chunk that can be shown by itself. Offsets are characters of the chunk's text."""

    start: int
    end: int
    kind: ClaimKind
    text: str


def units_of(text: str, *, lead: str = "") -> list[Unit]:
    """Cut a chunk's Markdown into units, in order. Headings and table rules are context, not claims. `lead` is the
    header row of a table that goes on in this chunk."""
    header = _cells(lead) if lead.lstrip().startswith("|") else []
    units: list[Unit] = []
    for start, end in _blocks(text):
        block = text[start:end]
        if not block.strip() or HEADING.match(block):
            continue
        if FENCE.match(block):
            units.append(Unit(start=start, end=end, kind=ClaimKind.CODE, text=block.strip("\n")))
        elif "|" in block and any(TABLE_RULE.match(line) for line in block.splitlines()):
            units.extend(_rows(text, start, end, []))
        elif header and block.lstrip().startswith("|"):
            units.extend(_rows(text, start, end, header))
        elif LIST_ITEM.match(block):
            units.append(_plain(text, start, end, ClaimKind.STEP))
        else:
            units.extend(_plain(text, s, e, ClaimKind.SENTENCE) for s, e in _sentences(text, start, end))
        if len(units) >= UNITS_MAX:
            break
    return [unit for unit in units if re.search(r"\w", unit.text)][:UNITS_MAX]


def quotable(units: Sequence[Unit]) -> list[Unit]:
    """Without what might be an order to whoever answers. A page with a likely one is kept out at ingest; what is only
    doubtful is not quoted, which costs an answer a sentence."""
    return [unit for unit in units if not doubtful(unit.text)]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of paragraphs, list items (with their continuation), fences, tables and headings."""
    start = position = 0
    in_fence = False
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        if FENCE.match(line):
            if in_fence:
                yield start, end
                start = end
            elif start < position:
                yield start, position
                start = position
            in_fence = not in_fence
        elif not in_fence and (not line.strip() or LIST_ITEM.match(line) or HEADING.match(line)):
            if start < position:
                yield start, position
            start = position
            if not line.strip():
                start = end
            elif HEADING.match(line):
                yield position, end
                start = end
        position = end
    if start < position:
        yield start, position


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in SENTENCE_END.finditer(text, start, end):
        if ABBREVIATION.search(text[begin : match.start()]):
            continue
        yield begin, match.end()
        begin = match.end()
    if begin < end:
        yield begin, end


def _cells(line: str) -> list[str]:
    return [clean(cell) for cell in line.strip().splitlines()[0].strip().strip("|").split("|")]


def _rows(text: str, start: int, end: int, header: list[str]) -> Iterator[Unit]:
    """Table rows that carry their column names, so that a row can be read alone. Without a `header` from before, the
    first row is it."""
    position = start
    for line in text[start:end].splitlines(keepends=True):
        line_end = position + len(line)
        if "|" in line and not TABLE_RULE.match(line):
            cells = _cells(line)
            if not header:
                header = cells
            else:
                named = [
                    f"**{name}**: {cell}" if name else cell for name, cell in zip(header, cells, strict=False) if cell
                ]
                yield Unit(start=position, end=line_end, kind=ClaimKind.ROW, text=" · ".join(named))
        position = line_end


def _plain(text: str, start: int, end: int, kind: ClaimKind) -> Unit:
    raw = text[start:end]
    left = len(raw) - len(raw.lstrip())
    body = QUOTE.sub("", raw.strip())
    if kind is ClaimKind.STEP and not ORDERED_ITEM.match(body):
        body = LIST_ITEM.sub("- ", body)
    return Unit(start=start + left, end=start + left + len(raw.strip()), kind=kind, text=clean(body))


def clean(text: str) -> str:
    """Links to their text, images to their description, white space folded: what a claim may show of Markdown."""
    return " ".join(LINK.sub(r"\1", text).split())
