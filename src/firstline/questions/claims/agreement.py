"""Does what is cited say what a claim says? The rules of agreement; they call no step and no language model.

Sentence by sentence, a claim is laid beside the sentence that it came from, so that the same words stand beside each
other in the same order. What is then left over on either side decides:

- A key of the claim that has no partner is a statement of its own: unsupported.
- A telling word of the source without a partner (a "not", "must", "only", "at least") was dropped from a clause that
  the claim repeats: unsupported. So is a version, and a condition that stood beside what is repeated.
- Other words and whole clauses of the source may be left out.
- An "and" between two things that the source joins by "or", or the other way round: unsupported.
- Two source sentences in one claim's sentence: both must be there nearly whole, else halves of two statements make a
  third.
- The sentences of a claim come in the order of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from firstline.questions.claims.claim_words import CONDITIONS, LIGHT, kind_of
from firstline.questions.claims.claims import CHARS_MAX, Clause, Kind, Sentence, read_claims, without_marks
from firstline.questions.claims.left_out import TURNS, may_be_left_out
from firstline.questions.claims.reordered import lists_as_in, turned

WHOLE: Final = 0.8
"""Of a sentence that is joined with another, this share of its keys must be in the claim."""
KEPT_MIN: Final = 0.7
"""Of the clauses that a claim repeats, this share of their keys must be in it: less is another statement."""
CANDIDATES_MAX: Final = 4
SENTENCES_MAX: Final = 400
DENIALS: Final = frozenset(("not", "without", "only"))
_TARGET: Final = re.compile(r"\]\(\s*([^)\s]+)")


def disagreement(claim: str, sources: Sequence[str]) -> str:
    """Why the cited texts do not carry the claim, in plain words; "" when they do."""
    if any(_folded(claim) == _folded(source) for source in sources) and any(map(str.isalnum, claim)):
        return ""
    if len(claim) > CHARS_MAX:
        return "it is too long to be read"
    if any(all(target not in source for source in sources) for target in _TARGET.findall(claim)):
        return "it links to what the cited span does not name"
    said = read_claims(claim)
    if not said:
        return "" if _stands_as_written(claim, sources) else "it says nothing"
    spans = [list(read_claims(source))[:SENTENCES_MAX] for source in sources]
    problem = _new_words(said, spans)
    if problem:
        return problem
    reached = [-1] * len(spans)
    for sentence in said:
        problem = _carried(sentence, spans, reached)
        if problem:
            return problem
    return ""


def _folded(text: str) -> str:
    return " ".join(without_marks(text).split())


def _new_words(said: Sequence[Sentence], spans: Sequence[list[Sentence]]) -> str:
    """The first key that stands nowhere in what is cited."""
    known = frozenset(key for span in spans for sentence in span for key in sentence.keys)
    for sentence in said:
        for key, kind in zip(sentence.keys, sentence.kinds, strict=True):
            if key not in known and not (kind is Kind.PLAIN and key in LIGHT):
                if kind is Kind.TELLING:
                    return f"claim and span differ in {kind_of(key)} ({key!r})"
                return f"{key!r} does not stand in the cited span"
    return ""


def _stands_as_written(claim: str, sources: Sequence[str]) -> bool:
    said = f" {_folded(claim)} "
    return bool(said.strip()) and any(said in f" {_folded(source)} " for source in sources)


def _carried(sentence: Sentence, spans: Sequence[list[Sentence]], reached: list[int]) -> str:
    """Find the source sentences that carry this one, not before those of the sentence before it."""
    reason = "its words do not stand in the cited span"
    best = -1.0
    out_of_order = False
    for at, places, source in _candidates(sentence, spans):
        problem, share = _compare(sentence, source, whole=len(places) > 1)
        if not problem:
            if places[0] >= reached[at]:
                reached[at] = places[-1]
                return ""
            out_of_order = True
        elif share > best:
            best, reason = share, problem
    return "its sentences stand in another order in the cited span" if out_of_order else reason


def _candidates(sentence: Sentence, spans: Sequence[list[Sentence]]) -> Iterator[tuple[int, list[int], Sentence]]:
    """(span, places in it, sentence): the source sentences that share most, then neighbours joined."""
    keys = set(sentence.keys)
    shared = sorted(
        (
            (len(keys.intersection(source.keys)), -at, -place)
            for at, span in enumerate(spans)
            for place, source in enumerate(span)
        ),
        reverse=True,
    )[:CANDIDATES_MAX]
    chosen = [(-at, -place) for count, at, place in shared if count]
    for at, place in chosen:
        yield at, [place], spans[at][place]
    for at, place in chosen[:2]:
        for first in (place - 1, place):
            if 0 <= first < len(spans[at]) - 1:
                yield at, [first, first + 1], spans[at][first].joined_with(spans[at][first + 1])
    for at, place in chosen[:2]:
        if 0 < place < len(spans[at]) - 1:
            whole = spans[at][place - 1].joined_with(spans[at][place]).joined_with(spans[at][place + 1])
            yield at, [place - 1, place, place + 1], whole
    if len(chosen) > 1 and len(sentence.clauses) > 1 and chosen[0] != chosen[1]:
        (at, place), (other_at, other) = sorted(chosen[:2])
        yield (
            at,
            [place, place if at != other_at else other],
            spans[at][place].joined_with(spans[other_at][other], apart=True),
        )


def _compare(claim: Sentence, source: Sentence, *, whole: bool) -> tuple[str, float]:
    """(reason or "", share of the claim's keys that have a partner)."""
    pairs = _aligned(claim.keys, source.keys)
    problem = _left_over(claim, source, pairs, whole=whole)
    if problem and set(claim.keys) <= set(source.keys):
        for reordered in (lists_as_in(claim, source), turned(claim)):
            if reordered is not None:
                again = _aligned(reordered.keys, source.keys)
                if not _left_over(reordered, source, again, whole=whole):
                    return "", 1.0
    return problem, len(pairs) / len(claim.keys)


def _left_over(claim: Sentence, source: Sentence, pairs: Sequence[tuple[int, int]], *, whole: bool) -> str:
    mine = {own for own, _ in pairs}
    theirs = {other for _, other in pairs}
    for at, key in enumerate(claim.keys):
        if at in mine or (claim.kinds[at] is Kind.PLAIN and key in LIGHT):
            continue
        if claim.kinds[at] is Kind.TELLING:
            return f"claim and span differ in {kind_of(key)} ({key!r})"
        if key in source.keys:
            return f"{key!r} stands in another place in the cited span"
        return f"{key!r} does not stand in the cited span"
    repeated = kept = 0
    beside = True
    denied = False
    for clause in source.clauses:
        places = range(clause.start, clause.end)
        found = sum(place in theirs for place in places)
        if found:
            repeated += len(places)
            kept += found
        if denied and found:
            return "the cited span says that it is not so"
        denied = not found and clause.leads and _denies(source, clause)
        problem = _dropped(source, clause, theirs, repeated=bool(found), beside=beside)
        beside = bool(found) or (beside and not places)
        if problem:
            return problem
    if _joined_otherwise(claim, source, dict(pairs)):
        return "claim and span differ in 'and' or 'or'"
    if repeated and kept / repeated < KEPT_MIN:
        return f"only {kept / repeated:.0%} of what it repeats is in it"
    return _halved(source, theirs) if whole else ""


def _joined_otherwise(claim: Sentence, source: Sentence, places: Mapping[int, int]) -> bool:
    """ "A login and a token" for "a login or a token". `places`: of the claim's keys in the source."""
    joints = {clause.start: clause.by_word for clause in source.clauses if clause.by_word}
    return any(
        joints.get(places[clause.start], clause.by_word) != clause.by_word
        for clause in claim.clauses
        if clause.by_word and clause.start in places and clause.start - 1 in places
    )


def _halved(source: Sentence, theirs: set[int]) -> str:
    """Of joined sentences each must be there nearly whole; what stands in brackets may be left out.

    Nothing may be left out of sentences that stand apart: nobody but the claim has put them together.
    """
    asides: set[int] = set()
    if not source.apart:
        asides = {place for one in source.clauses if one.aside for place in range(one.start, one.end)} - theirs
    for start, end in pairwise((*source.parts, len(source.keys))):
        own = set(range(start, end)) - asides
        if all(source.kinds[place] is Kind.TELLING for place in own):
            return "it joins a sentence with a word beside it"
        if len(own & theirs) < (1.0 if source.apart else WHOLE) * len(own):
            return "it joins parts of two sentences"
    return ""


def _dropped(source: Sentence, clause: Clause, theirs: set[int], *, repeated: bool, beside: bool) -> str:
    """What the claim leaves out of this clause of its source, when that changes what is said.

    `repeated`: the claim has a part of it; `beside`: of the clause before it.
    """
    if clause.end == clause.start:
        return ""
    if not repeated:
        lead = next((source.keys[at] for at in range(clause.start, clause.end)), "")
        if lead in CONDITIONS and (beside or not clause.aside):
            return f"the cited span says it only with a condition ({lead!r})"
        kinds = source.kinds[clause.start : clause.end]
        # (FIRST) in brackets is a name; (but aren't) is not.
        named = clause.aside and DENIALS.isdisjoint(source.keys[clause.start : clause.end])
        if named or any(kind is not Kind.TELLING for kind in kinds):
            return ""
        # Nothing but "not" or "only" between two marks belongs to what stands beside it.
    else:
        problem = _turned(source, clause, theirs)
        if problem:
            return problem
    for at in range(clause.start, clause.end):
        if at in theirs:
            continue
        key = source.keys[at]
        if source.kinds[at] is Kind.TELLING:
            return f"claim and span differ in {kind_of(key)} ({key!r})"
        if source.kinds[at] is Kind.VERSION:
            return f"the cited span says it of {key!r} alone"
    return ""


def _denies(source: Sentence, clause: Clause) -> bool:
    """ "Never do these:" and "Wrong:"."""
    keys = source.keys[clause.start : clause.end]
    return not DENIALS.isdisjoint(keys) or not TURNS.isdisjoint(keys)


def _turned(source: Sentence, clause: Clause, theirs: set[int]) -> str:
    """A word that the claim leaves out in front of one that it keeps, or one that turns those before it."""
    kept_behind, exact = "", False
    for at in range(clause.end - 1, clause.start - 1, -1):
        key = source.keys[at]
        if at in theirs:
            kept_behind = key
            exact = source.kinds[at] is not Kind.PLAIN
            continue
        if source.kinds[at] is Kind.TELLING:
            continue
        if kept_behind:
            if not may_be_left_out(key, exact_behind=exact):
                return f"the cited span says {key!r} of {kept_behind!r}"
        elif key in TURNS and at - 1 in theirs:
            return f"the cited span goes on with {key!r}"
    return ""


def _aligned(claim: Sequence[str], source: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence as (place in claim, place in source), by bit-parallel dynamic programming."""
    masks: dict[str, int] = {}
    for place, key in enumerate(source):
        masks[key] = masks.get(key, 0) | 1 << place
    full = (1 << len(source)) - 1
    row = full
    rows: list[int] = []
    for key in claim:
        matching = row & masks.get(key, 0)
        row = (row + matching | row - matching) & full
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    at, place = len(claim), len(source)
    while at and place:
        if rows[at - 1] >> (place - 1) & 1:
            place -= 1
            continue
        at -= 1
        if at and not rows[at - 1] >> (place - 1) & 1:
            continue
        place -= 1
        pairs.append((at, place))
    pairs.reverse()
    return pairs
