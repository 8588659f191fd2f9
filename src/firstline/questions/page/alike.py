"""Do two texts say the same? Shared vocabulary; it calls no step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

SHINGLE_WORDS: Final = 5
ALIKE_MIN: Final = 0.8
"""Share of common shingles from which two texts are near-duplicates."""
WORDS_MAX: Final = 600
"""A text is compared by its first words: a chunk has about 150."""

_WORD: Final = re.compile(r"[^\W_]+")

Shingles = frozenset[tuple[str, ...]]


def shingles(text: str) -> Shingles:
    """Every run of five words, casefolded; the whole of a shorter text."""
    words = _WORD.findall(text.casefold())[:WORDS_MAX]
    if len(words) <= SHINGLE_WORDS:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(zip(*(words[at:] for at in range(SHINGLE_WORDS)), strict=False))


def alike(one: Shingles, other: Shingles) -> bool:
    """Jaccard of the two sets of shingles is at least ALIKE_MIN. A text without words is like no other."""
    fewer, more = sorted((len(one), len(other)))
    if not fewer or fewer < ALIKE_MIN * more:
        return False
    common = len(one & other)
    return common >= ALIKE_MIN * (fewer + more - common)


def repeats(text: Shingles, earlier: Sequence[Shingles]) -> bool:
    """It is a near-duplicate of one that came before."""
    return any(alike(text, one) for one in earlier)
