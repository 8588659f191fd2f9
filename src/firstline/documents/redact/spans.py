"""What a detector hands back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """`start <= offset < end` in characters of the text."""

    start: int
    end: int
    type: str
