"""Which documents say the same? To the letter by the names of their contents, nearly by the runs of words they share.

Runs of five words are hashed; a signature of minima finds documents that may be alike without comparing each with each
(bands of equal minima), and the runs themselves decide. Pages that speak of different versions are versions of one
page, not duplicates.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from firstline.domain import Document, DuplicateGroup
from firstline.questions.page.alike import ALIKE_MIN, SHINGLE_WORDS
from firstline.questions.page.versions import versions_of

WORDS_MAX: Final = 4_000
WORDS_MIN: Final = 12
"""A shorter text is a stub: that stubs are alike tells nothing."""
BANDS: Final = 12
ROWS: Final = 4
BUCKET_MAX: Final = 200
"""Documents of one band that are compared with each other: more than that share a template, not a text."""

Runs = npt.NDArray[np.uint64]

_WORD: Final = re.compile(r"[^\W_]+")
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS: Final = np.random.default_rng(1).integers(1, 2**63, BANDS * ROWS, dtype=np.uint64) | np.uint64(1)


def runs_of(text: str) -> Runs:
    """Sorted hashes of the runs of words, each once; empty for a stub."""
    words = _WORD.findall(text.casefold())[:WORDS_MAX]
    if len(words) < WORDS_MIN:
        return np.zeros(0, dtype=np.uint64)
    hashed = np.fromiter((zlib.crc32(word.encode()) for word in words), dtype=np.uint64, count=len(words))
    runs = np.zeros(len(words) - SHINGLE_WORDS + 1, dtype=np.uint64)
    for at in range(SHINGLE_WORDS):
        runs = runs * _ODD + hashed[at : at + len(runs)]
    return np.unique(runs ^ (runs >> np.uint64(29)))


def duplicates(documents: Sequence[Document], runs: Mapping[str, Runs]) -> list[DuplicateGroup]:
    """`runs` by content; a content that is not there was not read, and is compared by its name alone. Largest groups
    first."""
    contents: defaultdict[str, list[Document]] = defaultdict(list)
    for document in documents:
        contents[document.blob].append(document)
    known = {blob: own for blob, own in runs.items() if blob in contents and len(own)}
    joined, least = _joined(_pairs(known, contents))
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for blob in contents:
        groups[joined.get(blob, blob)].append(blob)
    found = [_group(blobs, contents, least) for blobs in groups.values()]
    return sorted((one for one in found if one is not None), key=lambda one: (-len(one.doc_ids), one.doc_ids))


def _group(
    blobs: Sequence[str], contents: Mapping[str, Sequence[Document]], least: Mapping[str, float]
) -> DuplicateGroup | None:
    documents = sorted((one for blob in blobs for one in contents[blob]), key=lambda one: one.doc_id)
    if len(blobs) == 1 and not _of_one_version(documents):
        return None
    if len(documents) < 2:
        return None
    return DuplicateGroup(
        doc_ids=tuple(one.doc_id for one in documents),
        titles=tuple(one.title for one in documents),
        identical=len(blobs) == 1,
        alike=round(min((least[blob] for blob in blobs if blob in least), default=1.0), 3),
    )


def _of_one_version(documents: Iterable[Document]) -> bool:
    return len({versions_of(document) for document in documents}) == 1


def _pairs(runs: Mapping[str, Runs], contents: Mapping[str, Sequence[Document]]) -> Iterator[tuple[str, str, float]]:
    seen: set[tuple[str, str]] = set()
    for one, other in _candidates(runs):
        if (one, other) in seen or not _of_one_version((contents[one][0], contents[other][0])):
            continue
        seen.add((one, other))
        common = np.intersect1d(runs[one], runs[other], assume_unique=True).size
        share = common / (runs[one].size + runs[other].size - common)
        if share >= ALIKE_MIN:
            yield one, other, share


def _candidates(runs: Mapping[str, Runs]) -> Iterator[tuple[str, str]]:
    buckets: defaultdict[tuple[int, bytes], list[str]] = defaultdict(list)
    for blob in sorted(runs):
        minima = np.array([(runs[blob] * multiplier).min() for multiplier in _MULTIPLIERS], dtype=np.uint64)
        for band in range(BANDS):
            buckets[band, minima[band * ROWS : (band + 1) * ROWS].tobytes()].append(blob)
    for blobs in buckets.values():
        yield from combinations(blobs[:BUCKET_MAX], 2)


def _joined(pairs: Iterable[tuple[str, str, float]]) -> tuple[dict[str, str], dict[str, float]]:
    """The head of each content's group, and by how much it is joined to it at most."""
    head: dict[str, str] = {}
    joined_by: dict[str, float] = {}

    def find(blob: str) -> str:
        while head.setdefault(blob, blob) != blob:
            head[blob] = blob = head[head[blob]]
        return blob

    for one, other, share in pairs:
        first, second = sorted((find(one), find(other)))
        head[second] = first
        for blob in (one, other):
            joined_by[blob] = max(joined_by.get(blob, 0.0), share)
    return {blob: find(blob) for blob in head}, joined_by
