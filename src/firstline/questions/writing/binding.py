"""Which words of the issued passages say what a written claim says? A claim without such words falls.

A model cites a passage; what is shown cites the sentence. So each claim is laid beside the sentences, steps and rows of
the passages that it cites, those alone, and takes the span of the one that carries it, as the verifier says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from firstline.domain import Claim, ClaimKind, Draft, Evidence, WrittenClaim
from firstline.orders import doubtful
from firstline.questions.claims.standing import introduces, leans
from firstline.questions.compose import claim_of
from firstline.questions.message.terms import all_stems
from firstline.questions.page.units import HEADING, LIST_ITEM, ORDERED_ITEM, Unit, units_of
from firstline.questions.verify import verify
from firstline.questions.writing.prompt import CITES_MAX

TEXT_CHARS_MAX: Final = 1_500
CANDIDATES_MAX: Final = 4
_TURNS: Final = re.compile(
    r"\W*(?:however|but|otherwise|instead|except|unless|only|never|aber|jedoch|mais|pero)\b", re.I
)
_DENIES: Final = re.compile(
    r"\b(?:not|never|no|only|wrong|unless|cannot|fails?|loses?|lost|deprecated|nicht|pas|no)\b|n['’]t\b", re.I
)
_STRUCTURE: Final = re.compile(r"```|~~~|^\s*[#>|]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """Where a claim's words stand: the places of the first and last unit among those of an issued passage."""

    index: int
    first: int
    last: int

    def is_behind(self, other: Spot) -> bool:
        """It goes on where the other one ends, or within the same unit."""
        return self.index == other.index and self.first in (other.last, other.last + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bound:
    claim: Claim
    spot: Spot


class Passages:
    """What was issued, by index from 1, cut into what can be quoted."""

    def __init__(self, issued: Sequence[Evidence]) -> None:
        self._issued = tuple(issued)
        self._units = [units_of(piece.text, lead=piece.lead_text) for piece in issued]
        self._tops = [_tops(piece.text, units) for piece, units in zip(issued, self._units, strict=True)]
        """Places that a heading stands before: what is above it has no part in what is below."""

    def bind(self, written: WrittenClaim) -> Bound | str:
        """The claim with its citations, or why there is none, in words without any of its text."""
        text = " ".join(written.text.split())
        if not any(map(str.isalnum, text)):
            return "it says nothing that could be read"
        if len(written.text) > TEXT_CHARS_MAX:
            return "it is too long"
        if not written.cites:
            return "it cites nothing"
        if not all(1 <= index <= len(self._issued) for index in written.cites):
            return "it cites an index that was not issued"
        if doubtful(text):
            return "it might be an order to whoever answers"
        indexes = list(dict.fromkeys(written.cites))[:CITES_MAX]
        for index in indexes:
            if (exact := self._as_written(index, written)) is not None:
                return exact
        if written.kind == "code":
            return "this code does not stand in a cited passage as a whole"
        if _STRUCTURE.search(written.text):
            return "it is no plain sentence"
        step = written.kind == "step"
        shown = text if not step or LIST_ITEM.match(text) else f"- {text}"
        kind = ClaimKind.STEP if step or LIST_ITEM.match(text) else ClaimKind.SENTENCE
        return self._carried(Claim(text=shown, kind=kind, citations=()), indexes)

    def quoted(self, index: int, place: int) -> Bound | None:
        """A unit as it stands; None when it must not be quoted."""
        unit = self._units[index - 1][place]
        if doubtful(unit.text):
            return None
        return self._checked(claim_of(self._issued[index - 1], unit), Spot(index=index, first=place, last=place))

    def introduction(self, spot: Spot) -> int | None:
        """The place of the sentence that introduces the list, code or table that this stands in; it may change all."""
        units, tops = self._units[spot.index - 1], self._tops[spot.index - 1]
        place = spot.first
        if units[place].kind is ClaimKind.SENTENCE and not (place and introduces(units[place - 1].text)):
            return None
        while place > 0 and place not in tops:
            place -= 1
            if units[place].kind is ClaimKind.SENTENCE:
                return place if introduces(units[place].text) else None
        return None

    def turned_by(self, spot: Spot) -> int | None:
        """The place of the sentence right behind it, when that takes something of it back."""
        units, place = self._units[spot.index - 1], spot.last + 1
        if place >= len(units) or place in self._tops[spot.index - 1]:
            return None
        text = units[place].text
        turns = _TURNS.match(text) or (leans(text) and _DENIES.search(text))
        return place if turns and units[place].kind is ClaimKind.SENTENCE else None

    def procedure(self, spot: Spot) -> frozenset[int]:
        """The places of all numbered steps of the procedure that this is a step of; none: it is no numbered step."""
        units, tops = self._units[spot.index - 1], self._tops[spot.index - 1]
        if not _is_numbered(units[spot.first]):
            return frozenset()
        low = high = spot.first
        while low > 0 and low not in tops and units[low - 1].kind is not ClaimKind.SENTENCE:
            low -= 1
        while high + 1 < len(units) and high + 1 not in tops and units[high + 1].kind is not ClaimKind.SENTENCE:
            high += 1
        return frozenset(place for place in range(low, high + 1) if _is_numbered(units[place]))

    def _as_written(self, index: int, written: WrittenClaim) -> Bound | None:
        """A unit that is repeated to the letter is shown as the page has it, whatever the model calls it."""
        wanted = _bare(written.text)
        for place, unit in enumerate(self._units[index - 1]):
            if _bare(unit.text) == wanted or (unit.kind is ClaimKind.CODE and _bare_code(unit.text) == wanted):
                return self.quoted(index, place)
        return None

    def _carried(self, claim: Claim, indexes: Sequence[int]) -> Bound | str:
        for index in indexes:
            for spot in self._likely(claim.text, index):
                if (bound := self._checked(self._citing(claim, [spot]), spot)) is not None:
                    return bound
        best = [next(self._likely(claim.text, index), None) for index in indexes]
        spots = [spot for spot in best if spot is not None]
        if len(spots) > 1 and (bound := self._checked(self._citing(claim, spots), spots[0])) is not None:
            return bound
        return "what it cites does not say so"

    def _likely(self, text: str, index: int) -> Iterator[Spot]:
        """The units that share most words with it, then each of those with its neighbour."""
        stems = all_stems(text)
        units = self._units[index - 1]
        shared = sorted(
            ((len(stems & all_stems(unit.text)), -place) for place, unit in enumerate(units) if _is_prose(unit)),
            reverse=True,
        )[:CANDIDATES_MAX]
        places = [-place for count, place in shared if count]
        for place in places:
            yield Spot(index=index, first=place, last=place)
        for place in places[:2]:
            for first in (place - 1, place):
                if 0 <= first < len(units) - 1 and _is_prose(units[first]) and _is_prose(units[first + 1]):
                    yield Spot(index=index, first=first, last=first + 1)

    def _citing(self, claim: Claim, spots: Sequence[Spot]) -> Claim:
        citations = [
            citation
            for spot in spots
            for place in range(spot.first, spot.last + 1)
            for citation in claim_of(self._issued[spot.index - 1], self._units[spot.index - 1][place]).citations
        ]
        if len(spots) == 1 and spots[0].last > spots[0].first:
            # One span: halves of two sentences are read as what they are.
            citations = [replace(citations[0], end=citations[-1].end)]
        return replace(claim, citations=tuple(citations))

    def _checked(self, claim: Claim, spot: Spot) -> Bound | None:
        kept = verify(Draft(claims=(claim,)), self._issued).kept
        return Bound(claim=claim, spot=spot) if kept else None


def _tops(text: str, units: Sequence[Unit]) -> frozenset[int]:
    return frozenset(
        place
        for place, (one, other) in enumerate(pairwise(units), start=1)
        if any(map(HEADING.match, text[one.end : other.start].splitlines()))
    )


def _is_prose(unit: Unit) -> bool:
    return unit.kind is not ClaimKind.CODE and not doubtful(unit.text)


def _is_numbered(unit: Unit) -> bool:
    return unit.kind is ClaimKind.STEP and ORDERED_ITEM.match(unit.text) is not None


def _bare(text: str) -> str:
    """Without a list's mark: a model may number steps as it likes."""
    return " ".join(LIST_ITEM.sub("", text).split())


def _bare_code(text: str) -> str:
    lines = text.strip().splitlines()
    fenced = len(lines) > 1 and lines[0].lstrip().startswith(("```", "~~~"))
    return " ".join(" ".join(lines[1:-1] if fenced else lines).split())
