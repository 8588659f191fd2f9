"""Which signs stand near each other in a text, and weigh enough together?

A sign that is only told of ("guards detect attempts to override the system prompt") weighs little, and never nothing:
whoever writes an instruction can write such a sentence around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from firstline.documents.quarantine.signs import ADDRESSES, MENTION, REPORTED, SIGNS, Sign
from firstline.orders.reading import orders_in

TOTAL_MIN: Final = 2.0
NEAR_CHARS: Final = 400
"""Signs further apart belong to different thoughts."""
AROUND_CHARS: Final = 160
"""What a sign's pattern may span before the word that it needs; twice as much after it."""
LOOKED_FOR_LAST: Final = "dictates what is answered"
ORDERS: Final = "reads like orders to whoever answers"
POSSIBLE_WEIGHT: Final = 1.0
"""Of a sentence that may be an order: another sign has to stand near it."""
TOLD_SHARE: Final = 0.25
"""Of its weight, when a sign is told of or quoted."""
QUOTES: Final = "\"'`“”„‘’«»「」"
_BREAK: Final = re.compile(r"[.!?]\s|\n\n")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """`told`: it stands in a sentence about such things. `quoted`: in quotation marks as well."""

    start: int
    end: int
    weight: float
    says: str
    told: bool = False
    quoted: bool = False

    def weighs(self, *, addressed: bool) -> float:
        """A sign that is enough alone stays so beside words to an assistant, however it is told."""
        if not self.told or (addressed and not self.quoted and self.weight >= TOTAL_MIN):
            return self.weight
        return TOLD_SHARE * self.weight


def near_each_other(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(start, end, what the signs say) of places whose different signs weigh enough together. In lower case."""
    found = sorted(signs_in(text), key=lambda one: one.start)
    heaviest: dict[str, float] = {}
    for one in found:
        heaviest[one.says] = max(one.weight, heaviest.get(one.says, 0.0))
    if sum(heaviest.values()) < TOTAL_MIN:
        return  # a sign that stands there a thousand times over weighs no more
    found = [_told_of(text, one) for one in found]
    at = 0
    while at < len(found):
        near = _near(found, at)
        addressed = any(one.says in ADDRESSES and not one.quoted for one in near)
        if sum(one.weighs(addressed=addressed) for one in near) >= TOTAL_MIN:
            end = max(one.end for one in near)
            # A sign that says what it found tells a reviewer more than the classifier's word.
            yield found[at].start, end, tuple(sorted((one.says for one in near), key=lambda says: says == ORDERS))
            while at < len(found) and found[at].start < end:
                at += 1
            continue
        at += 1


def _near(found: list[Found], at: int) -> list[Found]:
    """The heaviest of every sort of sign, from this one on. By index: a copy of the rest for each sign is quadratic."""
    near: dict[str, Found] = {}
    last = found[at].start + NEAR_CHARS
    for index in range(at, len(found)):
        one = found[index]
        if one.start > last:
            break
        known = near.get(one.says)
        if known is None or (known.quoted, known.told, -known.weight) > (one.quoted, one.told, -one.weight):
            near[one.says] = one
    return list(near.values())


def signs_in(text: str) -> Iterator[Found]:
    """Every sign of a text in lower case, whether or not it is only told of. The costliest one weighs too little to
    count alone: it is looked for last, and only where another one is near."""
    found = [
        Found(start=start, end=end, weight=TOTAL_MIN if likely else POSSIBLE_WEIGHT, says=ORDERS)
        for start, end, likely in orders_in(text)
    ]
    last: list[Sign] = []
    for sign in SIGNS:
        if sign.says == LOOKED_FOR_LAST and sign.weight < TOTAL_MIN:
            last.append(sign)
            continue
        for left, right in _around(text, sign.needs):
            found += _matches(text, sign, left, right)
    yield from found
    for sign in last if found else ():
        for left, right in _close_to(text, found):
            for start, end in _around(text, sign.needs, left, right):
                yield from _matches(text, sign, start, end)


def _matches(text: str, sign: Sign, left: int, right: int) -> Iterator[Found]:
    for match in sign.pattern.finditer(text, left, right):
        yield Found(start=match.start(), end=match.end(), weight=sign.weight, says=sign.says)


def _told_of(text: str, one: Found) -> Found:
    quoted, told = _told(text, one.start, one.end)
    return replace(one, told=True, quoted=quoted) if quoted or told else one


def _close_to(text: str, found: list[Found]) -> list[tuple[int, int]]:
    """Stretches in which a sign may stand that is near one of these, without overlaps."""
    stretches: list[tuple[int, int]] = []
    for one in sorted(found, key=lambda one: one.start):
        left, right = max(0, one.start - 2 * NEAR_CHARS), min(len(text), one.end + 2 * NEAR_CHARS)
        if stretches and left <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(right, stretches[-1][1]))
        else:
            stretches.append((left, right))
    return stretches


def _around(text: str, words: tuple[str, ...], start: int = 0, stop: int | None = None) -> list[tuple[int, int]]:
    """Stretches about these words between two places, in order, without overlaps: elsewhere a sign that needs one of
    them cannot stand."""
    stop = len(text) if stop is None else stop
    places: list[int] = []
    for word in words:
        at = text.find(word, start, stop)
        while at >= 0:
            places.append(at)
            at = text.find(word, at + AROUND_CHARS, stop)
    stretches: list[tuple[int, int]] = []
    for place in sorted(places):
        left, right = max(start, place - AROUND_CHARS), min(stop, place + 2 * AROUND_CHARS)
        if stretches and left <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], right)
        else:
            stretches.append((left, right))
    return stretches


def _told(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether it stands in quotation marks or code in a sentence about such things; whether others are said to do it,
    as in "guards detect attempts to override the system prompt"."""
    before, after = text[max(0, start - 200) : start], text[end : end + 200]
    opening = _BREAK.split(before)[-1]
    marked = any(mark in before[-60:] for mark in QUOTES) and any(mark in after[:60] for mark in QUOTES)
    quoted = marked and MENTION.search(f"{opening}{text[start:end]}{_BREAK.split(after)[0]}") is not None
    return quoted, REPORTED.search(opening) is not None
