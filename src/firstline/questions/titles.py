"""Whose title says what was asked? It decides between documents that are otherwise alike.

    score = fused + weight * share of the title, by weight of its words, that the question says

A word weighs by how few of the candidates' titles say it: of "Install on Linux" and "Install on macOS" only the system
counts. A long title is not better for saying more: its other words count against it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from firstline.domain import Document, DocumentKind, RankedDocument, SearchPlan
from firstline.questions.message.terms import all_stems, terms
from firstline.questions.page.outright import codes_alone, titled_by


def by_titles(
    ranked: Sequence[RankedDocument], titles: Mapping[str, str], *, question: str, weight: float
) -> tuple[RankedDocument, ...]:
    """The documents with new scores, best first, ties in the order given. One without a title gets nothing."""
    asked = frozenset(terms(question))
    stems = {document.doc_id: all_stems(titles.get(document.doc_id, "")) for document in ranked}
    held = Counter(stem for own in stems.values() for stem in own)
    rarity = {stem: math.log((len(ranked) + 1) / (count + 0.5)) for stem, count in held.items()}
    scored = [
        replace(document, score=document.score + weight * _share(stems[document.doc_id], asked, rarity))
        for document in ranked
    ]
    return tuple(sorted(scored, key=lambda document: -document.score))


def asked_for_first(
    ranked: tuple[RankedDocument, ...], documents: Mapping[str, Document], plan: SearchPlan
) -> tuple[RankedDocument, ...]:
    """The page that was picked, or that is titled by the code that was asked for, in front; a page of the documentation
    before a ticket that bears the code too."""
    codes = codes_alone(plan.queries[0].text)
    if not plan.picked and not codes:
        return ranked

    def behind(one: RankedDocument) -> tuple[bool, bool]:
        document = documents.get(one.doc_id)
        if document is None:
            return True, True
        meant = document.title == plan.picked if plan.picked else titled_by(document.title, codes)
        return not meant, document.kind is not DocumentKind.DOCUMENTATION and meant

    return tuple(sorted(ranked, key=behind))


def _share(title: frozenset[str], asked: frozenset[str], rarity: Mapping[str, float]) -> float:
    said = sum(rarity[stem] for stem in title & asked)
    return said / sum(rarity[stem] for stem in title) if said > 0 else 0.0
