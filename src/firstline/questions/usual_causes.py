"""What several documents tell as the causes of what the question names: as evidence, and as a list that cites each.

The communities of the graph say which sentences those are, and how many texts tell each. Neither is believed: every
chunk that a community cites is looked up in the ledger again, with the asker's scope, and what is shown is cut from the
chunk that was read. Without a community, the question goes as any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from firstline.domain import (
    Chunk,
    Citation,
    Claim,
    ClaimKind,
    Community,
    Draft,
    Evidence,
    RankedDocument,
    Telling,
    Told,
    ToldKind,
    page_at,
)
from firstline.entity_names import keys_in
from firstline.ports import CommunityStore, KnowledgeLedger, Scope
from firstline.questions.message.terms import FUNCTION_WORDS, identifiers
from firstline.questions.message.usual import without_usual
from firstline.questions.page.units import Unit, quotable, units_of
from firstline.questions.trail import Trail, UsualCause
from firstline.questions.walk.communities import NAMED, readable_communities

COMMUNITIES_MAX: Final = 12
CAUSES_MAX: Final = 8
IDS_MAX: Final = 1_500
DOCUMENTS_MIN: Final = 2
"""With fewer documents there is nothing usual to tell."""
_NO_NAME: Final = FUNCTION_WORDS | frozenset("cause causes reason reasons".split())
"""What a name neither begins nor ends with."""

Named = Mapping[str, tuple[int, int]]
"""By id of an entity, the characters of the question that may name it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """`build`: of the communities that were looked at; 0: there are none."""

    causes: tuple[UsualCause, ...]
    build: int


async def usual_causes(
    question: str,
    scope: Scope,
    *,
    store: CommunityStore,
    knowledge: KnowledgeLedger,
    ordinary: Collection[str] = frozenset(),
    exclude: Collection[str] = frozenset(),
    build: int | None = None,
) -> Looked:
    """Told by most first. `ordinary` words in lower case name nothing by themselves; documents of `exclude` are as if
    they did not exist. `build`: as the communities were after that one; None: as they are."""
    number = (await store.built(tenant=scope.tenant, kb=scope.kb)).number if build is None else build
    named = _named(question, ordinary)
    if not number or not named:
        return Looked(causes=(), build=number)
    found = await store.about(list(named), scope, limit=COMMUNITIES_MAX, build=number)
    read = await readable_communities(found, scope, knowledge=knowledge)
    shown = [one for one in read.communities if one.doc_ids.isdisjoint(exclude)]
    causes = _chosen(shown, named, read.chunks)
    documents = {doc_id for cause in causes for doc_id in cause.doc_ids}
    return Looked(causes=causes if len(documents) >= DOCUMENTS_MIN else (), build=number)


def _named(question: str, ordinary: Collection[str]) -> Named:
    """Ids of what the question may name, and where."""
    text = without_usual(question)
    codes = frozenset(identifiers(text))
    found: dict[str, tuple[int, int]] = {}
    for key, start, end in keys_in(text):
        written = text[start:end]
        words = written.casefold().split()
        if words[0] in _NO_NAME or words[-1] in _NO_NAME:
            continue
        if len(words) == 1 and written.islower() and written in ordinary and written not in codes:
            continue
        found |= {f"{kind}:{key}": (start, end) for kind in NAMED}
        if len(found) >= IDS_MAX:
            break
    return found


def _about(told: Iterable[Told], named: Named) -> frozenset[tuple[int, int]]:
    """Where the question names what something is told of. Of two names that overlap the longer one counts."""
    spans = {named[entity] for one in told for entity in one.of if entity in named}
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda at: (at[0] - at[1], at)):
        if all(end <= other or start >= another for other, another in kept):
            kept.append((start, end))
    return frozenset(kept)


def _chosen(found: Sequence[Community], named: Named, chunks: Mapping[str, Chunk]) -> tuple[UsualCause, ...]:
    """Those that are told of the most things that the question names; told by most first."""
    told = [told for one in found for told in one.of_kind(ToldKind.CAUSE) if not named.keys().isdisjoint(told.of)]
    about = _about(told, named)
    merged: dict[str, list[Told]] = defaultdict(list)
    of: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for one in told:
        key = " ".join(one.text.casefold().split())
        merged[key].append(one)
        of[key] |= about & {named[entity] for entity in one.of if entity in named}
    most = max((len(spans) for spans in of.values()), default=0)
    causes = [_cause(merged[key], chunks) for key, spans in of.items() if most and len(spans) == most]
    order = sorted((one for one in causes if one is not None), key=lambda one: (-len(one.doc_ids), one.text))
    return tuple(order[:CAUSES_MAX])


def _cause(same: Sequence[Told], chunks: Mapping[str, Chunk]) -> UsualCause | None:
    """None when what is said to tell it lies outside of its chunk: a store that is behind, or lies."""
    tellings = _distinct((telling for one in same for telling in one.tellings), chunks)
    first = next((one for one in tellings if _inside(one, chunks)), None)
    if first is None:
        return None
    return UsualCause(
        text=same[0].text,
        chunk_id=first.chunk_id,
        start=first.start,
        end=first.end,
        doc_ids=tuple(one.doc_id for one in tellings),
    )


def _distinct(tellings: Iterable[Telling], chunks: Mapping[str, Chunk]) -> list[Telling]:
    """One of each text: an asker of several audiences meets a document in several communities, and copies of it."""
    return list({chunks[one.chunk_id].blob: one for one in reversed(list(tellings))}.values())[::-1]


def _inside(one: Telling, chunks: Mapping[str, Chunk]) -> bool:
    chunk = chunks[one.chunk_id]
    return chunk.doc_id == one.doc_id and chunk.start <= one.start < one.end <= chunk.end


def with_causes(trail: Trail, looked: Looked, pieces: Sequence[Evidence]) -> None:
    """The pieces that tell them stand first among the evidence, in the order of the list."""
    found = {chunk_id: scores for one in trail.ranked for chunk_id, scores in one.hits}
    brought = (replace(piece, scores=found.get(piece.chunk.chunk_id, piece.scores)) for piece in pieces)
    read = {piece.chunk.chunk_id: piece for piece in (*brought, *trail.evidence)}
    causes = tuple(cause for cause in looked.causes if cause.chunk_id in read)
    if not causes:
        return
    first = {
        cause.chunk_id: replace(
            read[cause.chunk_id],
            path=(f"HAS_ROOT_CAUSE “{cause.text}”, told by {len(cause.doc_ids)}", *read[cause.chunk_id].path),
        )
        for cause in causes
    }
    rest = [piece for piece in trail.evidence if piece.chunk.chunk_id not in first]
    trail.evidence = (*first.values(), *rest)
    trail.usual = causes


def listed(trail: Trail, *, chars_max: int) -> Draft | None:
    """A draft of the causes, one claim each; None when this turn has none to list."""
    pieces = {piece.chunk.chunk_id: piece for piece in trail.evidence}
    claims: list[Claim] = []
    left_out = False
    for cause in trail.usual:
        piece = pieces.get(cause.chunk_id)
        if piece is None:
            continue
        unit = _unit(piece, cause)
        if unit is None or not quotable([unit]):
            left_out = left_out or unit is not None
            continue
        claim = _claim(piece, unit)
        if claims and sum(len(one.text) for one in claims) + len(claim.text) > chars_max:
            break
        claims.append(claim)
    return Draft(claims=tuple(claims), left_out=left_out) if claims else None


def _unit(piece: Evidence, cause: UsualCause) -> Unit | None:
    """The whole sentence, step or row that the cause's words begin in."""
    at = cause.start - piece.chunk.start
    for unit in units_of(piece.text, lead=piece.lead_text):
        start = len(piece.text[: unit.start].encode())
        if start <= at < start + len(piece.text[unit.start : unit.end].encode()) or start >= at:
            return unit
    return None


def _claim(piece: Evidence, unit: Unit) -> Claim:
    chunk = piece.chunk
    start = chunk.start + len(piece.text[: unit.start].encode())
    end = chunk.start + len(piece.text[: unit.end].encode())
    citation = Citation(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        blob=chunk.blob,
        start=start,
        end=end,
        title=chunk.title,
        url=chunk.url,
        page=page_at(chunk.metadata, start),
    )
    bare = unit.kind is ClaimKind.SENTENCE
    return Claim(
        text=f"- {unit.text}" if bare else unit.text, kind=ClaimKind.STEP if bare else unit.kind, citations=(citation,)
    )


def as_one(trail: Trail) -> tuple[tuple[RankedDocument, ...], tuple[Evidence, ...], frozenset[str]]:
    """(ranking, evidence, documents that are no others) as the gates read them: the documents of the list are one
    page, whose sisters they would be otherwise."""
    telling = [piece.chunk.doc_id for piece in trail.evidence[: len(trail.usual)]]
    if not telling:
        return trail.ranked, trail.evidence, trail.sisters
    own = [one for one in trail.ranked if one.doc_id in telling]
    others = [one for one in trail.ranked if one.doc_id not in telling]
    if not own:
        return trail.ranked, trail.evidence, trail.sisters
    best = max(own, key=lambda one: one.score)
    page = replace(best, hits=tuple(hit for one in own for hit in one.hits))
    told = {piece.chunk.doc_id for piece in trail.evidence if piece.chunk.doc_id in telling}
    evidence = tuple(
        replace(piece, chunk=replace(piece.chunk, doc_id=best.doc_id)) if piece.chunk.doc_id in told else piece
        for piece in trail.evidence
    )
    beside = frozenset(doc_id for cause in trail.usual for doc_id in cause.doc_ids) | trail.sisters
    return (page, *others), evidence, beside - {best.doc_id}
