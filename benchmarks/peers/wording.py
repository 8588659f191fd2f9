"""What of a conversation a peer is asked with, and how two runs that differ only in it share their work."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from firstline.evals.cases import Case
from firstline.evals.evaluate import Ranked


class Wording(StrEnum):
    LAST = "last turn"
    ALL = "all user turns"
    OWN = "conversation"
    """The turns as they are, for a retriever that reads conversations itself."""


def worded(case: Case, wording: Wording) -> str:
    """One text for a retriever that takes one."""
    return case.question if wording is Wording.LAST else "\n".join(case.turns)


def differing(cases: Sequence[Case]) -> list[Case]:
    """Only a conversation is worded in more than one way."""
    return [case for case in cases if case.history]


def merged(ranked: Sequence[Ranked], again: Sequence[Ranked]) -> list[Ranked]:
    """The first run, with the second's result wherever it has one."""
    newer = {one.key: one for one in again}
    return [newer.get(one.key, one) for one in ranked]
