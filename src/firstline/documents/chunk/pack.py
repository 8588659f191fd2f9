"""Which pieces share a chunk? Those of one section up to the aim, then small sections with their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from firstline.documents.chunk.pieces import OVER, PieceCutter
from firstline.documents.chunk.spans import ChunkSpan, Piece, Section
from firstline.domain import ChunkKind

SMALL: Final = 0.5
"""A chunk below this share of the aim looks for company."""

_TICKET: Final = frozenset({ChunkKind.SYMPTOM, ChunkKind.ENVIRONMENT, ChunkKind.CAUSE, ChunkKind.RESOLUTION})


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """A chunk in the making. `bare` means that it holds headings only."""

    pieces: tuple[Piece, ...]
    path: tuple[str, ...]
    part: ChunkKind
    tokens: int
    bare: bool = False

    def joined(self, after: Group, *, path: tuple[str, ...], part: ChunkKind, bare: bool = False) -> Group:
        return Group(
            pieces=self.pieces + after.pieces, path=path, part=part, tokens=self.tokens + after.tokens, bare=bare
        )


def pack(sections: Sequence[Section], cutter: PieceCutter) -> tuple[ChunkSpan, ...]:
    groups: list[Group] = []
    for section in sections:
        for group in _groups(section, cutter):
            _append(groups, group, cutter.aim)
    return tuple(_span(group) for group in groups)


def _groups(section: Section, cutter: PieceCutter) -> list[Group]:
    pieces = cutter.pieces(section)
    if section.heading is not None:
        heading = section.heading
        piece = Piece(
            start=heading.start,
            end=heading.end,
            tokens=cutter.tokens(heading.start, heading.end),
            kind=ChunkKind.SECTION,
        )
        if not pieces:
            return [Group(pieces=(piece,), path=section.path, part=section.kind, tokens=piece.tokens, bare=True)]
        pieces[0] = replace(pieces[0], start=piece.start, tokens=piece.tokens + pieces[0].tokens, lead=None)
    filled = _fill(pieces, cutter.aim)
    return [
        Group(pieces=tuple(group), path=section.path, part=section.kind, tokens=sum(piece.tokens for piece in group))
        for group in filled
    ]


def _fill(pieces: Sequence[Piece], aim: int) -> list[list[Piece]]:
    """Up to the aim; a piece with a lead opens a chunk, because a chunk has one lead, for its start."""
    filled: list[list[Piece]] = []
    total = 0
    for piece in pieces:
        fits = total + piece.tokens <= aim or (
            min(total, piece.tokens) < aim * SMALL and total + piece.tokens <= aim * OVER
        )
        # A lead explains rows or steps: what is of another kind and long enough stands better alone.
        led = bool(filled) and filled[-1][0].lead is not None and piece.kind is not filled[-1][0].kind
        if filled and fits and piece.lead is None and not (led and piece.tokens >= aim * SMALL):
            filled[-1].append(piece)
            total += piece.tokens
        else:
            filled.append([piece])
            total = piece.tokens
    return filled


def _append(groups: list[Group], group: Group, aim: int) -> None:
    """Join with the chunk before when one of the two is small, they are near relatives, and both fit together."""
    if not groups:
        groups.append(group)
        return
    before = groups[-1]
    near = _under(group.path, before.path) or group.bare
    if before.bare and near and before.tokens < aim * SMALL and group.pieces[0].lead is None:
        # A heading without text of its own stands in front of what comes first below it.
        deeper = _under(group.path, before.path)
        groups[-1] = before.joined(
            group,
            path=group.path if deeper else _common(before.path, group.path),
            part=group.part if deeper else ChunkKind.SECTION,
            bare=group.bare,
        )
        return
    fits = before.tokens + group.tokens <= aim and min(before.tokens, group.tokens) < aim * SMALL
    kin = before.path[:-1] == group.path[:-1] or _under(group.path, before.path)
    if fits and kin and before.part == group.part and group.pieces[0].lead is None:
        groups[-1] = before.joined(group, path=_common(before.path, group.path), part=before.part)
    else:
        groups.append(group)


def _under(path: tuple[str, ...], above: tuple[str, ...]) -> bool:
    return path[: len(above)] == above


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    common = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    return tuple(name for name, _ in common)


def _span(group: Group) -> ChunkSpan:
    return ChunkSpan(
        start=group.pieces[0].start,
        end=group.pieces[-1].end,
        kind=_kind(group),
        section_path=group.path,
        lead=group.pieces[0].lead,
    )


def _kind(group: Group) -> ChunkKind:
    """The part of a ticket if it is one, else what most of it is."""
    if group.part in _TICKET:
        return group.part
    weights: dict[ChunkKind, int] = {}
    for piece in group.pieces:
        weights[piece.kind] = weights.get(piece.kind, 0) + piece.tokens
    return max(weights, key=lambda kind: weights[kind])
