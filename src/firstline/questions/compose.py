"""Write an answer without a language model: the sentences, steps, rows and code of the span that answers, cited.

Every claim is cut from one span and cites exactly that span, so the composer cannot say what no document says. Which
spans are taken is for `apt`; they are shown as a whole and in their order. Where they are too long, the units around
the one that matches the question best are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from firstline.domain import Citation, Claim, ClaimKind, Draft, Evidence, page_at
from firstline.questions.message.terms import all_stems, terms
from firstline.questions.page.apt import apt
from firstline.questions.page.conflicts import conflicting
from firstline.questions.page.rows_asked import rows_asked
from firstline.questions.page.units import Unit, quotable, units_of


def compose(
    question: str,
    evidence: Sequence[Evidence],
    *,
    chars_max: int,
    aside: Collection[str] = (),
    curated: bool = False,
) -> Draft:
    """Draft an answer of at most about `chars_max` characters from evidence in rank order. `aside`: documents that may
    say something else without contradicting it, as other versions of the page and replaced ones do. `curated`: the
    team wrote it as an answer, so it is quoted whole."""
    if not evidence:
        return Draft(claims=())
    sought = frozenset(terms(question))
    whole = [(piece, units_of(piece.text, lead=piece.lead_text)) for piece in apt(question, evidence)]
    quoted = [(piece, units if curated else quotable(units)) for piece, units in whole]
    left_out = any(len(kept) < len(units) for (_, units), (_, kept) in zip(whole, quoted, strict=True))
    cut = [(piece, _telling(units)) for piece, units in quoted]
    asked = frozenset(rows_asked([unit for _, units in cut for unit in units], sought))
    claims: list[Claim] = []
    shown: list[Unit] = []
    seen: set[str] = set()
    room = chars_max
    for piece, units in cut:
        for unit in _window([unit for unit in units if unit in asked], sought, room):
            claim = claim_of(piece, unit)
            key = " ".join(claim.text.casefold().split())
            if key and key not in seen:
                seen.add(key)
                claims.append(claim)
                shown.append(unit)
                room -= len(claim.text)
        if room <= 0:
            break
    return Draft(claims=(*claims, *_otherwise(shown, evidence, aside)), left_out=left_out)


def _otherwise(shown: Sequence[Unit], evidence: Sequence[Evidence], aside: Collection[str]) -> list[Claim]:
    """What other pages say against the answer."""
    own = evidence[0].chunk.doc_id
    others = [piece for piece in evidence if piece.chunk.doc_id != own and piece.chunk.doc_id not in aside]
    return [claim_of(piece, unit) for piece, unit in conflicting(shown, others)]


def _telling(units: Sequence[Unit]) -> list[Unit]:
    """Without the questions that a page puts to itself: they say what follows, and answer nothing."""
    return [unit for unit in units if not unit.text.rstrip().endswith(("?", "？"))] or list(units)


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


def claim_of(piece: Evidence, unit: Unit) -> Claim:
    """The unit as a claim that cites its own span, and for a table row the names of its columns."""
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
            page=page_at(chunk.metadata, base + len(piece.text[:start].encode("utf-8"))),
        )

    citations = [span(unit.start, unit.end)]
    if unit.kind is ClaimKind.ROW and chunk.lead is not None and piece.lead_text.lstrip().startswith("|"):
        # The column names stand in the part before: the row cites them there.
        names = piece.lead_text.strip().splitlines()[0]
        at = chunk.lead[0] + len(piece.lead_text[: piece.lead_text.index(names)].encode("utf-8"))
        page = page_at(chunk.metadata, at) or citations[0].page
        citations.append(replace(citations[0], start=at, end=at + len(names.encode("utf-8")), page=page))
    elif unit.kind is ClaimKind.ROW:
        header = piece.text.find("|")
        line_end = piece.text.find("\n", header)
        if 0 <= header < line_end <= unit.start:
            citations.append(span(header, line_end))
    return Claim(text=unit.text, kind=unit.kind, citations=tuple(citations))
