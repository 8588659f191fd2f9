"""Which other orders of a sentence say the same? Lists of things, and a condition before or behind what it limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.questions.claims.claim_words import CONDITIONS
from firstline.questions.claims.claims import Clause, Sentence

ITEM_KEYS: Final = 3
"""An item of a list has at most so many keys."""
MOVED: Final = CONDITIONS | {"after"}


def lists_as_in(claim: Sentence, source: Sentence) -> Sentence | None:
    """The claim with each list in the order of the source's list of the same things; None when there is none."""
    keys, kinds = list(claim.keys), list(claim.kinds)
    changed = False
    for run in claim.runs():
        for other_run in source.runs():
            own, other = _where_they_differ(claim, run, source, other_run)
            if not (claim.lists_things(own) and source.lists_things(other)):
                continue
            replaced = _same_things(claim, own, source, other)
            if replaced is not None:
                keys[own[0].start : own[-1].end] = replaced
                # Only the order changes, so the kinds can be read off the source.
                start = own[0].start
                known = dict(zip(claim.keys, claim.kinds, strict=True))
                for offset, key in enumerate(replaced):
                    kinds[start + offset] = known[key]
                changed = True
                break
    return Sentence(keys, kinds, claim.clauses) if changed else None


def _where_they_differ(
    claim: Sentence, own: list[Clause], source: Sentence, other: list[Clause]
) -> tuple[list[Clause], list[Clause]]:
    """Both runs without the clauses that they share at their ends."""

    def same(mine: Clause, theirs: Clause) -> bool:
        return claim.keys[mine.start : mine.end] == source.keys[theirs.start : theirs.end]

    while own and other and same(own[0], other[0]):
        own, other = own[1:], other[1:]
    while own and other and same(own[-1], other[-1]):
        own, other = own[:-1], other[:-1]
    return own, other


def _same_things(claim: Sentence, own: Sequence[Clause], source: Sentence, other: Sequence[Clause]) -> list[str] | None:
    """The claim's keys of this list in the source's order, when both list the same items after the same words."""
    if len(own) != len(other):
        return None
    mine: list[list[str]] = [claim.keys[clause.start : clause.end] for clause in own]
    theirs: list[list[str]] = [source.keys[clause.start : clause.end] for clause in other]
    for front in range(max(0, len(theirs[0]) - ITEM_KEYS), len(theirs[0])):
        before = theirs[0][:front]
        own_front = _offset(mine[0], before)
        if own_front is None:
            continue
        for length in range(1, min(ITEM_KEYS, len(theirs[-1])) + 1):
            behind = theirs[-1][length:]
            cut = len(mine[-1]) - len(behind)
            if cut < 1 or mine[-1][cut:] != behind:
                continue
            items: list[list[str]] = [mine[0][own_front:], *mine[1:-1], mine[-1][:cut]]
            wanted: list[list[str]] = [theirs[0][front:], *theirs[1:-1], theirs[-1][:length]]
            if sorted(items) == sorted(wanted):
                ordered = [key for item in wanted for key in item]
                return [*mine[0][:own_front], *ordered, *behind]
    return None


def _offset(keys: Sequence[str], before: Sequence[str]) -> int | None:
    """Where the list's first item begins when the same words stand in front of it."""
    if list(keys[: len(before)]) == list(before):
        return len(before)
    return None


def turned(claim: Sentence) -> Sentence | None:
    """ "If X, do Y" for "do Y if X", and the other way round; None when there is no condition to move."""
    starts = [
        clause.start for clause in claim.clauses if clause.start < clause.end and claim.keys[clause.start] in MOVED
    ]
    for start in starts:
        cut = start or next((clause.start for clause in claim.clauses if clause.start > 0), 0)
        if 0 < cut < len(claim.keys):
            keys = claim.keys[cut:] + claim.keys[:cut]
            kinds = claim.kinds[cut:] + claim.kinds[:cut]
            return Sentence(keys, kinds, claim.clauses)
    return None
