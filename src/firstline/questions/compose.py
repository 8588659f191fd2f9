"""Write an answer without a language model: the sentences, steps, rows and code of the span that answers, cited.

Every claim is cut from one span and cites exactly that span, so the composer cannot say what no document says. The
best chunk is taken as a whole and in its order, with the steps that it introduces or the parts of its procedure or
table that stand beside it; where it is too long, the units around the one that matches the question best are kept. A
chunk that describes a symptom or a cause leads to the cause and the resolution of its document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from firstline.domain import ChunkKind, Citation, Claim, ClaimKind, Draft, Evidence
from firstline.questions.terms import all_stems, terms

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
COMPLETES = ("NEXT ", "PART_OF ")
"""How the path of a piece begins that came along because the best one says only half without it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A piece of a chunk that can be shown by itself. Offsets are characters of the chunk's text."""

    start: int
    end: int
    kind: ClaimKind
    text: str


def compose(question: str, evidence: Sequence[Evidence], *, chars_max: int) -> Draft:
    """Draft an answer of at most about `chars_max` characters from evidence in rank order."""
    if not evidence:
        return Draft(claims=())
    sought = frozenset(terms(question))
    chosen = _chosen(evidence)
    claims: list[Claim] = []
    seen: set[str] = set()
    room = chars_max
    for piece in chosen:
        units = _window(units_of(piece.text, lead=piece.lead_text), sought, room)
        for unit in units:
            claim = _claim(piece, unit)
            key = " ".join(claim.text.casefold().split())
            if key and key not in seen:
                seen.add(key)
                claims.append(claim)
                room -= len(claim.text)
        if room <= 0:
            break
    return Draft(claims=tuple(claims))


def _chosen(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The best piece with what completes it; where it only describes a problem, what its document says of cause and
    cure instead.

    Whoever asks knows the symptom: it is how the document was found, not what they want to read.
    """
    first = evidence[0].chunk
    if first.kind not in (ChunkKind.SYMPTOM, ChunkKind.CAUSE, ChunkKind.ENVIRONMENT):
        beside = [
            piece
            for piece in evidence[1:]
            if piece.chunk.doc_id == first.doc_id and any(why.startswith(COMPLETES) for why in piece.path)
        ]
        return sorted([evidence[0], *beside], key=lambda piece: piece.chunk.ordinal)
    curing = [
        piece
        for piece in evidence
        if piece.chunk.doc_id == first.doc_id and piece.chunk.kind in (ChunkKind.CAUSE, ChunkKind.RESOLUTION)
    ]
    return sorted(curing, key=lambda piece: piece.chunk.ordinal) or [evidence[0]]


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


def _window(units: Sequence[Unit], sought: frozenset[str], room: int) -> list[Unit]:
    """The units to show: all when they fit, else the run of neighbours around the best match that does."""
    if not units or room <= 0:
        return []
    if sum(len(unit.text) for unit in units) <= room:
        return list(units)
    scores = [len(sought & all_stems(unit.text)) for unit in units]
    low = high = max(range(len(units)), key=lambda i: (scores[i], -i))
    used = len(units[low].text)
    while True:
        before = len(units[low - 1].text) if low > 0 else room + 1
        after = len(units[high + 1].text) if high + 1 < len(units) else room + 1
        # Forward first: what follows a matching sentence explains it more often than what precedes it.
        if used + after <= room:
            high += 1
            used += after
        elif used + before <= room:
            low -= 1
            used += before
        else:
            return list(units[low : high + 1])


def _claim(piece: Evidence, unit: Unit) -> Claim:
    chunk = piece.chunk
    base = chunk.start

    def span(start: int, end: int) -> Citation:
        return Citation(
            chunk_id=chunk.chunk_id,
            doc_id=chunk.doc_id,
            blob=chunk.blob,
            start=base + len(piece.text[:start].encode("utf-8")),
            end=base + len(piece.text[:end].encode("utf-8")),
            title=chunk.title,
            url=chunk.url,
        )

    citations = [span(unit.start, unit.end)]
    if unit.kind is ClaimKind.ROW and chunk.lead is not None and piece.lead_text.lstrip().startswith("|"):
        # The column names stand in the part before: the row cites them there.
        names = piece.lead_text.strip().splitlines()[0]
        at = chunk.lead[0] + len(piece.lead_text[: piece.lead_text.index(names)].encode("utf-8"))
        citations.append(replace(citations[0], start=at, end=at + len(names.encode("utf-8"))))
    elif unit.kind is ClaimKind.ROW:
        header = piece.text.find("|")
        line_end = piece.text.find("\n", header)
        if 0 <= header < line_end <= unit.start:
            citations.append(span(header, line_end))
    return Claim(text=unit.text, kind=unit.kind, citations=tuple(citations))
