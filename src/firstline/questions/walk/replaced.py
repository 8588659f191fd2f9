"""Which documents were replaced by another one that the asker may see? Known of both, whichever of the two was found.

    "Emptying the spool folder loses rows. This reverts #4711."      another ticket goes by that number

One of the two says it itself, of a name, number or address that the other one goes by. It counts among documents of
one kind and one product, and where one alone of these is meant: what a ticket says demotes no page, and a name that
several go by tells nothing. Two that replace each other say nothing either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from firstline.domain import NOT_SCORED, Document, Edge, EntityKind, RankedDocument, Relation
from firstline.ports import Scope
from firstline.questions.walk.checked import Ways

LOOKED_AT_MAX: Final = 16
"""Documents at once."""
EDGES_EACH: Final = 64
"""Of one document: what it goes by (some fifty names at most) and what it says that it replaces."""
SAID_EACH: Final = 16
"""Of one name, and documents that go by it."""
ROUNDS_MAX: Final = 3
"""What replaces may have been replaced itself: a revert of a revert."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The document `by` says that it replaces (`newer`), or was replaced by, one of `others`: all that go by the name.
    Each comes with the chunk that says so."""

    by: str
    newer: bool
    chunk_id: str
    others: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Replaced:
    """`chunk_id` is one of the new document's."""

    old: str
    new: str
    chunk_id: str


def about(document: Document) -> tuple[str, str]:
    """Kind and product ("" without one): only documents that agree in both can be versions of each other."""
    return document.kind.value, document.metadata.get("product", "").strip().casefold()


async def replacements(
    doc_ids: Iterable[str], scope: Scope, *, graph: Ways, exclude: Collection[str] = frozenset()
) -> tuple[Said, ...]:
    """What is said of these documents, of what replaced them, and so on. Two look-ups for most documents: their names,
    and what is said of these; a third one where something is said."""
    found: dict[tuple[str, bool, tuple[str, ...]], Said] = {}
    known = set(exclude)
    now = [doc_id for doc_id in dict.fromkeys(doc_ids) if doc_id not in known][:LOOKED_AT_MAX]
    for _ in range(ROUNDS_MAX):
        if not now:
            break
        known.update(now)
        said = await _said(now, scope, graph=graph, exclude=exclude)
        for one in said:
            found.setdefault((one.by, one.newer, tuple(sorted(one.others))), one)
        newer = {doc_id: None for one in said for doc_id in ((one.by,) if one.newer else one.others)}
        now = [doc_id for doc_id in newer if doc_id not in known][:LOOKED_AT_MAX]
    return tuple(found.values())


async def _said(doc_ids: Sequence[str], scope: Scope, *, graph: Ways, exclude: Collection[str]) -> list[Said]:
    own = {f"{EntityKind.DOCUMENT}:{doc_id}" for doc_id in doc_ids}
    relations = {Relation.NAMES, Relation.SUPERSEDES}
    edges = await graph.around(sorted(own), scope, relations=relations, limit_each=EDGES_EACH)
    names = {e.target.entity_id for e in edges if e.relation is Relation.NAMES and e.source.entity_id in own}
    told = [edge for edge in edges if edge.relation is Relation.SUPERSEDES]
    if names:
        told += await graph.around(sorted(names), scope, relations={Relation.SUPERSEDES}, limit_each=SAID_EACH)
    # What a third document says of two others, or of two names, is hearsay.
    told = [edge for edge in told if edge.doc_id not in exclude and _by_itself(edge)]
    if not told:
        return []
    called: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name in await graph.named({_other(edge) for edge in told}, scope, limit_each=SAID_EACH):
        called[name.target.entity_id].setdefault(name.doc_id, name.chunk_id)
    return [
        Said(
            by=edge.doc_id,
            newer=_is(edge.source.entity_id, edge.doc_id),
            chunk_id=edge.chunk_id,
            others={
                doc_id: chunk for doc_id, chunk in called[_other(edge)].items() if doc_id not in (*exclude, edge.doc_id)
            },
        )
        for edge in told
        # As many as were asked for: there may be more of them.
        if len(called[_other(edge)]) < SAID_EACH
    ]


def _is(entity_id: str, doc_id: str) -> bool:
    return entity_id == f"{EntityKind.DOCUMENT}:{doc_id}"


def _by_itself(edge: Edge) -> bool:
    return _is(edge.source.entity_id, edge.doc_id) != _is(edge.target.entity_id, edge.doc_id)


def _other(edge: Edge) -> str:
    source = edge.source.entity_id
    return edge.target.entity_id if _is(source, edge.doc_id) else source


def settled(said: Sequence[Said], documents: Mapping[str, Document]) -> tuple[Replaced, ...]:
    """What holds among the documents that could be read, by id."""
    pairs: dict[tuple[str, str], Replaced] = {}
    for one in said:
        by = documents.get(one.by)
        meant = [o for o in one.others if by and o in documents and about(documents[o]) == about(by)]
        if len(meant) == 1:
            other = meant[0]
            old, new, chunk_id = (other, one.by, one.chunk_id) if one.newer else (one.by, other, one.others[other])
            pairs.setdefault((old, new), Replaced(old=old, new=new, chunk_id=chunk_id))
    return tuple(pair for (old, new), pair in pairs.items() if not _leads(new, old, pairs))


def _leads(start: str, end: str, pairs: Collection[tuple[str, str]]) -> bool:
    """From an old one to newer ones: a circle has no newest."""
    reached = {start}
    for _ in range(len(pairs)):
        more = {new for old, new in pairs if old in reached} - reached
        if not more:
            break
        reached |= more
    return end in reached


def newer_first(
    ranked: Sequence[RankedDocument], pairs: Sequence[Replaced], *, limit: int
) -> tuple[RankedDocument, ...]:
    """The best `limit`, what replaces a document before it: in its place, if it stood behind or was not found at all.
    Scores belong to places, as in `prefer`."""
    by_id = {one.doc_id: one for one in ranked}
    order = list(by_id)
    for _ in pairs:  # once for each link of a chain
        for pair in pairs:
            if pair.old not in order:
                continue
            if pair.new not in order:
                hits = ((pair.chunk_id, NOT_SCORED),)
                by_id[pair.new] = RankedDocument(doc_id=pair.new, score=0.0, hits=hits)
            elif order.index(pair.new) < order.index(pair.old):
                continue
            else:
                order.remove(pair.new)
            order.insert(order.index(pair.old), pair.new)
    scores = [one.score for one in ranked]
    return tuple(
        replace(by_id[doc_id], score=scores[min(place, len(scores) - 1)]) for place, doc_id in enumerate(order[:limit])
    )


def brought_by(
    pairs: Sequence[Replaced],
    ranked: Sequence[RankedDocument],
    found: Sequence[RankedDocument],
    documents: Mapping[str, Document],
) -> dict[str, tuple[str, ...]]:
    """The path in words of each document that is ranked for replacing another one, and was not found by itself."""
    before, after = ({one.doc_id for one in some} for some in (found, ranked))
    return {
        pair.new: (f"“{documents[pair.new].title}” SUPERSEDES “{documents[pair.old].title}”",)
        for pair in reversed(pairs)
        if pair.new in after - before
    }
