"""Which neighbours a found chunk brings along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.evidence import piece

from firstline.domain import Chunk, ChunkKind
from firstline.questions.page.companions import COMPANIONS_MAX, introduced_by, other_parts

SECTION, PROCEDURE, TABLE, CODE = ChunkKind.SECTION, ChunkKind.PROCEDURE, ChunkKind.TABLE, ChunkKind.CODE


def chunks(*parts: tuple[ChunkKind, str]) -> list[Chunk]:
    """A document in reading order; a path is written as "a > b"."""
    return [
        replace(
            piece("text", ordinal=ordinal, start=ordinal * 10, kind=kind).chunk,
            section_path=tuple(path.split(" > ")) if path else (),
        )
        for ordinal, (kind, path) in enumerate(parts)
    ]


def ordinals(found: Sequence[Chunk]) -> list[int]:
    return [chunk.ordinal for chunk in found]


@pytest.mark.parametrize(
    ("text", "after", "brought"),
    [
        ("A summary.", [(PROCEDURE, "a")], [1]),
        ("A summary.", [(TABLE, "a > steps")], [1]),
        ("A summary.", [(CODE, "a")], [1]),
        ("A summary.", [(PROCEDURE, "other")], []),
        ("A summary.", [(SECTION, "a > more"), (PROCEDURE, "a > more")], []),
        ("Do the following:\n", [(SECTION, "a > more")], [1]),
        ("A summary.", [(PROCEDURE, "a"), (PROCEDURE, "a"), (SECTION, "a"), (PROCEDURE, "a")], [1, 2]),
        ("A summary.", [(PROCEDURE, "a")] * 9, [1, 2, 3, 4]),
        ("A summary:", [], []),
    ],
)
def test_a_section_brings_what_it_introduces(text: str, after: list[tuple[ChunkKind, str]], brought: list[int]) -> None:
    near = chunks((SECTION, "a"), *after)
    assert ordinals(introduced_by(near[0], text, near)) == brought


@pytest.mark.parametrize("kind", [PROCEDURE, TABLE])
def test_half_of_a_procedure_or_table_brings_its_other_parts(kind: ChunkKind) -> None:
    near = chunks((SECTION, "a"), (kind, "a"), (kind, "a"), (kind, "a"), (kind, "b"))
    assert ordinals(other_parts(near[2], near)) == [1, 3]
    assert ordinals(other_parts(near[0], near)) == []


def test_tables_of_one_section_are_told_apart_by_their_header_rows() -> None:
    near = [
        replace(one, lead=(lead, lead + 5)) for one, lead in zip(chunks(*[(TABLE, "a")] * 3), (0, 0, 90), strict=True)
    ]
    assert ordinals(other_parts(near[1], near)) == [0]


PARTS = st.lists(
    st.tuples(st.sampled_from(ChunkKind), st.sampled_from(["", "a", "a > b", "c"])), min_size=1, max_size=12
)


@given(PARTS, st.data())
def test_what_comes_along_is_little_near_and_never_the_chunk_itself(
    parts: list[tuple[ChunkKind, str]], data: st.DataObject
) -> None:
    near = chunks(*parts)
    first = data.draw(st.sampled_from(near))
    for found in (introduced_by(first, "Like this:", near), other_parts(first, near)):
        assert len(found) <= COMPANIONS_MAX and first not in found
        assert ordinals(found) == sorted(set(ordinals(found)))
        assert all(abs(chunk.ordinal - first.ordinal) <= COMPANIONS_MAX for chunk in found)
