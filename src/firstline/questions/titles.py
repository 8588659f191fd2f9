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

from firstline.domain import RankedDocument
from firstline.questions.terms import all_stems, terms


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


def _share(title: frozenset[str], asked: frozenset[str], rarity: Mapping[str, float]) -> float:
    said = sum(rarity[stem] for stem in title & asked)
    return said / sum(rarity[stem] for stem in title) if said > 0 else 0.0
