"""Among ranked documents, which version of a page comes first, and which copies stand back?

The laws: `prefer` lets documents that are versions of one page swap places among themselves, and every other document
keeps its place. Into the places that are kept comes from behind them only what covers the version asked for; without a
version asked for, a newer one passes an older one only when it is nearly as well found (CLOSE). `copies_last` moves
copies of a better placed page behind all others, which keep their order. Scores belong to places: whoever moves takes
the place's score, so that the distances the gates look at stay those of the ranking.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Document, DocumentKind, Note, RankedDocument, SearchPlan
from firstline.questions.message.terms import all_stems
from firstline.questions.page.versions import (
    Numbers,
    Stated,
    name_before,
    numbers_of,
    stated_in,
    versions_of,
    without_versions,
)
from firstline.questions.walk.replaced import Replaced, about

PAGES: Final = frozenset({DocumentKind.DOCUMENTATION, DocumentKind.NOTE})
"""Tickets and posts of one title are different cases, not versions of each other."""
CALLED: Final = {DocumentKind.TICKET: "ticket", DocumentKind.ISSUE: "issue", DocumentKind.FORUM_POST: "post"}
OUTDATED: Final = frozenset({"deprecated", "archived", "obsolete"})
SUPERSEDES: Final = "supersedes"
SUPERSEDED_BY: Final = "superseded_by"
REPLACES: Final = frozenset({SUPERSEDES, SUPERSEDED_BY})
REPLACED_MAX: Final = 16
"""Documents that one names as replaced, or as its replacement."""
NAMED_MAX: Final = 3
"""Versions named in a note."""
CLOSE: Final = 0.85
"""Of the score of the best of them: what has less is not put before it for being newer. The chapters of two manuals may
all be called by the manual's name."""


def prefer(
    ranked: Sequence[RankedDocument],
    documents: Mapping[str, Document],
    *,
    question: str,
    kept: int,
    version: str = "",
) -> tuple[RankedDocument, ...]:
    """The same documents in the order to read them in.

    `documents` are those of the ranking that could be read, by id; one that is missing is left where it is. The caller
    keeps the first `kept`. `version` is the one asked for; `question` tells which numbers were mentioned otherwise.
    """
    order = [one.doc_id for one in ranked]
    superseded = superseded_of(documents)
    mentioned = [stated.low for stated in stated_in(question, plain=True) if stated.low]
    pointed = {stated.low for stated in stated_in(question) if stated.low}
    # "On 4.x" asks for it as well, but is no filter: it counts only among the versions of one page.
    asked = numbers_of(version) or (pointed.pop() if len(pointed) == 1 else ())
    scores = {one.doc_id: one.score for one in ranked}
    near = frozenset(order[:kept])
    for family in _groups(order, documents):
        # Found too far behind to be read, a page is worth a place only for being the version asked for.
        group = [doc_id for doc_id in family if doc_id in near or _covers(documents[doc_id], asked)]
        places = [order.index(doc_id) for doc_id in group]
        for place, doc_id in zip(places, _sorted(group, documents, superseded, asked, mentioned, scores), strict=True):
            order[place] = doc_id
    return _placed(ranked, order)


def _covers(document: Document, asked: Numbers) -> bool:
    return bool(asked) and any(one.covers(asked) for one in versions_of(document))


def copies_of(ranked: Sequence[RankedDocument], documents: Mapping[str, Document]) -> frozenset[str]:
    """Ids of those whose text, to the letter, a better placed one has. Of a page that is there twice one remains
    whichever the asker may see: `documents` holds no others."""
    seen: set[str] = set()
    copies: set[str] = set()
    for one in ranked:
        document = documents.get(one.doc_id)
        if document is not None:
            (copies.add(one.doc_id) if document.blob in seen else seen.add(document.blob))
    return frozenset(copies)


def copies_last(ranked: Sequence[RankedDocument], copies: frozenset[str]) -> tuple[RankedDocument, ...]:
    """The same documents, an identical page counting once: its copies stand behind all others."""
    order = sorted((one.doc_id for one in ranked), key=copies.__contains__)
    return _placed(ranked, order)


def _placed(ranked: Sequence[RankedDocument], order: Sequence[str]) -> tuple[RankedDocument, ...]:
    by_id = {one.doc_id: one for one in ranked}
    scores = sorted((one.score for one in ranked), reverse=True)
    return tuple(replace(by_id[doc_id], score=score) for doc_id, score in zip(order, scores, strict=True))


def version_note(document: Document, read: str, *, question: str, version: str, product: str = "") -> Note | None:
    """What to say above an answer from this document when it is about other versions than the one asked for.

    None when it covers the version, says none, or speaks of something else's version. `read` is its text as found:
    who asks about "Atlas 4.2" is told so only of a page that speaks of Atlas.
    """
    asked = numbers_of(version)
    stated = versions_of(document)
    if not asked or not stated or any(one.covers(asked) for one in stated):
        return None
    about = all_stems(" ".join((document.title, *document.metadata.values(), read)).casefold())
    said_of = product.casefold() or name_before(question, version)
    if said_of and all_stems(said_of).isdisjoint(about):
        return None
    own = [one for one in stated if _same_name(one, said_of, document)]
    if not own:
        return None
    named = tuple(dict.fromkeys(one.span for one in own))[:NAMED_MAX]
    what = CALLED.get(document.kind, "page")
    return Note(key=f"answered.version_{what}", values={"versions": named, "asked": (".".join(map(str, asked)),)})


def sisters_of(doc_id: str, documents: Mapping[str, Document]) -> frozenset[str]:
    """Ids of the other versions of this page and of its copies, as far as they are among these documents. Pages that
    only share a title are no sisters: each part of a manual may be called by the manual's name."""
    own = documents.get(doc_id)
    if own is None:
        return frozenset()
    copies = {other for other, document in documents.items() if document.blob == own.blob}
    outdated = superseded_of(documents)
    for group in _groups(list(documents), documents):
        if doc_id in group:
            copies.update(
                other
                for other in group
                if versions_of(documents[other]) != versions_of(own) or not outdated.isdisjoint((other, doc_id))
            )
    return frozenset(copies - {doc_id})


def superseded_of(documents: Mapping[str, Document]) -> frozenset[str]:
    """Ids of the pages that say they are out of date, and of those that another one says it replaces. What a ticket or
    a post says of itself or of a page counts for nothing."""
    marked = {
        doc_id
        for doc_id, document in _pages(documents).items()
        if document.metadata.get(SUPERSEDED_BY, "").strip()
        or document.metadata.get("status", "").strip().casefold() in OUTDATED
    }
    return frozenset(marked.union(old for old, _ in _replacements(documents)))


def passes(pair: Replaced, documents: Mapping[str, Document], plan: SearchPlan) -> bool:
    """Is the new document read before the one that it replaces? Not by who picked the old one, or asks about a version
    that the old one is about and the new one says it is not."""
    asked, old, new = numbers_of(plan.filters.get("version", "")), documents[pair.old], documents[pair.new]
    if plan.picked and old.title == plan.picked != new.title:
        return False
    return not _covers(old, asked) or _covers(new, asked) or not versions_of(new)


def _replacements(documents: Mapping[str, Document]) -> list[tuple[str, str]]:
    """(old, new) among the pages of these documents. A page is named by its id, its title or its address, and speaks
    only for pages of its own kind and product."""
    documents = _pages(documents)
    if not any(REPLACES.intersection(document.metadata) for document in documents.values()):
        return []
    ids: dict[str, str] = {}
    for doc_id, document in documents.items():
        for name in (doc_id, document.title, document.url or ""):
            ids.setdefault(name.casefold(), doc_id)
    pairs: list[tuple[str, str]] = []
    for doc_id, document in documents.items():
        pairs += [(old, doc_id) for old in _named(document, SUPERSEDES, ids)]
        pairs += [(doc_id, new) for new in _named(document, SUPERSEDED_BY, ids)]
    return [(old, new) for old, new in pairs if old != new and about(documents[old]) == about(documents[new])]


def _pages(documents: Mapping[str, Document]) -> dict[str, Document]:
    return {doc_id: document for doc_id, document in documents.items() if document.kind in PAGES}


def _named(document: Document, field: str, ids: Mapping[str, str]) -> list[str]:
    names = [name.strip().casefold() for name in document.metadata.get(field, "").split(",")[:REPLACED_MAX]]
    return [ids[name] for name in names if name and name in ids]


def _groups(order: Sequence[str], documents: Mapping[str, Document]) -> list[list[str]]:
    """Ids of the versions of one page, in rank order; a page without another version is no group."""
    family: dict[str, tuple[str, ...]] = {}
    for doc_id in order:
        document = documents.get(doc_id)
        if document is None or document.kind not in PAGES:
            continue
        shared = without_versions(document.title, versions_of(document))
        family[doc_id] = (*about(document), shared) if shared else (doc_id,)
    # What replaces a page is its newer version, whatever it is called.
    for old, new in _replacements({doc_id: documents[doc_id] for doc_id in family}):
        left, joined = family[old], family[new]
        family = {doc_id: joined if own == left else own for doc_id, own in family.items()}
    found: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for doc_id, own in family.items():
        found[own].append(doc_id)
    return [group for group in found.values() if len(group) > 1]


def _sorted(
    group: Sequence[str],
    documents: Mapping[str, Document],
    superseded: frozenset[str],
    asked: Numbers,
    mentioned: Sequence[Numbers],
    scores: Mapping[str, float],
) -> list[str]:
    """Covering first, then those that name no version, then the others; without a version asked for: newest first
    among those of close scores.

    What is out of date goes last, unless it alone covers what was asked (who runs an old version needs its page) or was
    found far better than all that is current: then what replaced it says nothing of the question.
    """
    stated = {doc_id: versions_of(documents[doc_id]) for doc_id in group}
    if asked and any(one.covers(asked) for found in stated.values() for one in found):

        def fit(doc_id: str) -> int:
            if any(one.covers(asked) for one in stated[doc_id]):
                return 0
            return 2 if stated[doc_id] else 1

        return sorted(group, key=lambda doc_id: (fit(doc_id), doc_id in superseded))
    current = [doc_id for doc_id in group if doc_id not in superseded]
    # Whoever compares versions, or names one in passing, is served best by the words they used.
    if not any(one.is_one and one.covers(number) for found in stated.values() for one in found for number in mentioned):
        bands = [current] if asked else _close(current, scores)
        current = [doc_id for band in bands for doc_id in _newest_first(band, stated, near=asked)]
    best = max((scores[doc_id] for doc_id in current), default=0.0)
    outdated = [doc_id for doc_id in group if doc_id in superseded]
    alone = [doc_id for doc_id in outdated if best < CLOSE * scores[doc_id]]
    return alone + current + [doc_id for doc_id in outdated if doc_id not in alone]


def _close(group: Sequence[str], scores: Mapping[str, float]) -> list[list[str]]:
    """The group in runs, each of what has at least CLOSE of the score of its first."""
    bands: list[list[str]] = []
    for doc_id in group:
        if bands and scores[doc_id] >= CLOSE * scores[bands[-1][0]]:
            bands[-1].append(doc_id)
        else:
            bands.append([doc_id])
    return bands


def _newest_first(group: Sequence[str], stated: Mapping[str, Sequence[Stated]], *, near: Numbers) -> list[str]:
    """Of the release line of `near` before the others, newest first in each. A page that names no version keeps its
    place: it may be the current one as well as an old one."""

    def key(doc_id: str) -> tuple[bool, tuple[int, Numbers]]:
        same_line = any(one.covers(near[:1]) for one in stated[doc_id]) if near else False
        return same_line, max(one.newest for one in stated[doc_id])

    newest = iter(sorted((doc_id for doc_id in group if stated[doc_id]), key=key, reverse=True))
    return [next(newest) if stated[doc_id] else doc_id for doc_id in group]


def _same_name(stated: Stated, said_of: str, document: Document) -> bool:
    """The page's version is of what was asked about: of nothing else by name, or of the same name."""
    own = all_stems(f"{document.metadata.get('product', '')} {said_of}".casefold())
    return not stated.name or stated.name in own
