"""Which neighbours give a found chunk its meaning: the steps below a summary, the rest of a table, the cure of a
symptom. Shared vocabulary; it calls no step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.domain import Chunk, ChunkKind

COMPANIONS_MAX: Final = 4

NEAR: Final = 12
"""Chunks on each side of a found one that are looked at."""
CURING: Final = frozenset({ChunkKind.CAUSE, ChunkKind.RESOLUTION})
PARTS: Final = CURING | {ChunkKind.SYMPTOM, ChunkKind.ENVIRONMENT}
OPENING_MAX: Final = 4
CASE_MAX: Final = 8
CURES_MAX: Final = 3
WHOLE: Final = frozenset({ChunkKind.PROCEDURE, ChunkKind.TABLE})
"""Half of one of these misleads."""
INTRODUCED: Final = WHOLE | {ChunkKind.CODE}


def case_of(first: Chunk, near: Sequence[Chunk]) -> list[Chunk]:
    """Problem, cause, cure and what stands between them, when `first` is part of one such case; else nothing.

    A page that lists several problems has a case under each of their headings: the one that `first` stands in.
    """
    for depth in range(len(first.section_path), -1, -1):
        inside = [chunk for chunk in near if chunk.section_path[:depth] == first.section_path[:depth]]
        parts = {chunk.kind for chunk in inside if chunk.kind in PARTS}
        # A resolution with headings of its own is not yet the whole case.
        if not parts & CURING or (len(parts) == 1 and depth > 0):
            continue
        homes = {chunk.section_path[:-1] for chunk in inside if chunk.kind in CURING}
        home = min(homes, key=len)
        return inside if all(other[: len(home)] == home for other in homes) else []
    return []


def opening(first: Chunk, near: Sequence[Chunk]) -> list[Chunk]:
    """How the page begins: what it is about stands there. Nothing when `near` does not reach back so far."""
    return [chunk for chunk in near if chunk.ordinal < OPENING_MAX] if first.ordinal <= NEAR else []


def told_by(first: Chunk, near: Sequence[Chunk]) -> list[Chunk]:
    """What the case that a chunk is part of says, from its start to its first cures, in reading order."""
    told: list[Chunk] = []
    for chunk in case_of(first, near):
        if sum(one.kind is ChunkKind.RESOLUTION for one in told) == CURES_MAX:
            break
        told.append(chunk)
    # What stands at the end is what helps: a long case loses its beginning.
    return told[-CASE_MAX:]


def introduced_by(first: Chunk, text: str, near: Sequence[Chunk]) -> list[Chunk]:
    """What a section leads to, with the parts it goes on in. `near` are its neighbours, itself included."""
    after = _run(first, near, step=1)
    if not after:
        return []
    follows = after[0].section_path[: len(first.section_path)] == first.section_path
    if not (text.rstrip().endswith(":") or (follows and after[0].kind in INTRODUCED)):
        return []
    rest = _parts(after[0], after[1:]) if after[0].kind in WHOLE else []
    return [after[0], *rest][:COMPANIONS_MAX]


def other_parts(first: Chunk, near: Sequence[Chunk]) -> list[Chunk]:
    """The parts of the same procedure or table that stand right before and right behind, in reading order."""
    if first.kind not in WHOLE:
        return []
    behind = _parts(first, _run(first, near, step=1))
    before = _parts(first, _run(first, near, step=-1))
    # What follows comes first when there is no room for all: steps are read downwards.
    kept = [*behind, *before][:COMPANIONS_MAX]
    return sorted(kept, key=lambda chunk: chunk.ordinal)


def _parts(of: Chunk, run: Sequence[Chunk]) -> list[Chunk]:
    found: list[Chunk] = []
    for chunk in run:
        if (chunk.kind, chunk.section_path) != (of.kind, of.section_path):
            break
        # Two tables of one section differ in their header row; parts of one share it.
        if of.kind is ChunkKind.TABLE and None not in (of.lead, chunk.lead) and chunk.lead != of.lead:
            break
        found.append(chunk)
    return found


def _run(first: Chunk, near: Sequence[Chunk], *, step: int) -> list[Chunk]:
    """The neighbours on one side, nearest first, as far as no ordinal is missing."""
    by_ordinal = {chunk.ordinal: chunk for chunk in near}
    found: list[Chunk] = []
    for away in range(1, COMPANIONS_MAX + 1):
        chunk = by_ordinal.get(first.ordinal + step * away)
        if chunk is None:
            break
        found.append(chunk)
    return found
