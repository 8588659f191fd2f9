"""Which claims of a draft may be shown, and when? The one place that decides it, for a draft that is being written, one
that is whole and one that was recorded: it looks at the claims in their order and at nothing else.

What is shown is never taken back, so each claim is decided before it is shown, with all that it depends on:

- A claim that no issued passage carries falls (`binding`).
- Steps, rows and code that stand together are decided together, with the sentence that introduces them; of a numbered
  procedure every step must be there, in order.
- A sentence that leans on the one before it must stand behind the same sentence on the page.
- What a page introduces ("Never do these:") or takes back ("However, ...") brings that sentence along.
- A claim in another language than the answer's, or one that tells the opposite of what was asked, falls.
- Behind a refusal everything falls.
- Nothing is shown before what stands answers as much of the question as the extracts do. What then still could change
  the lines above the answer waits for the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from firstline.domain import Answered, Claim, ClaimKind, Coverage, Critique, WrittenClaim
from firstline.questions.claims.standing import introduces, leans
from firstline.questions.extracts import Extracts, answered
from firstline.questions.message.spoken import written_in
from firstline.questions.trail import Trail
from firstline.questions.writing.binding import Bound, Passages, Spot
from firstline.questions.writing.refusals import refuses

ALONG: Final = frozenset({ClaimKind.STEP, ClaimKind.ROW, ClaimKind.CODE})
_COVERS: Final = {Coverage.CANNOT: 0, Coverage.PARTLY: 1, Coverage.FULLY: 2}


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """`chars_max`: of the answer; `language`: that it must be in, "" when nothing tells."""

    chars_max: int
    language: str


class Showing:
    def __init__(
        self,
        passages: Passages,
        trail: Trail,
        extracts: Extracts,
        *,
        bounds: Bounds,
        judge: Callable[[Sequence[Claim]], Critique],
        seen: Callable[[Sequence[Claim]], bool] = lambda _: False,
    ) -> None:
        """`judge` says how far claims answer what was asked, `seen` whether somebody who went on had all of them."""
        self._seen = seen
        self._passages = passages
        self._trail = trail
        self._extracts = extracts
        self._bounds = bounds
        self._judge = judge
        first = extracts.claims[0].citations[0].doc_id
        self._beside = tuple(one for one in extracts.claims if one.citations[0].doc_id != first)
        """What other pages say against the answer: it stays below it, whoever writes."""
        self._stood: list[Claim] = []
        self._group: list[Bound] = []
        self._broken = ""
        self._last: Spot | None = None
        self._refused = False
        self._early: Answered | None = None
        self.dropped: list[str] = []

    @property
    def stood(self) -> int:
        return len(self._stood)

    def take(self, written: WrittenClaim) -> Answered | None:
        """The answer so far, when there is more of it to show now."""
        if self._refused:
            self.dropped.append("it stands behind a refusal")
            return None
        if written.kind == "refusal" or (not written.cites and refuses(written.text)):
            self._refused = True
            self.dropped.append("it is a refusal")
            return self._closed()
        bound = self._passages.bind(written)
        if isinstance(bound, str):
            return self._fallen(written, bound)
        sentence = bound.claim.kind is ClaimKind.SENTENCE
        shown = self._closed() if sentence and not self._goes_on() else None
        if leans(bound.claim.text) and not (self._last is not None and bound.spot.is_behind(self._last)):
            fallen = self._fallen(written, "it leans on a sentence that does not stand before it")
            return fallen or shown
        self._joined(bound)
        if sentence and not self._waits():
            shown = self._closed() or shown
        return shown

    def end(self, *, whole: bool) -> Answered | None:
        """The answer; None when what stands is less than the extracts are. `whole`: the model came to its end."""
        if whole or self._refused:
            self._closed()
        else:
            self._give_up("the draft ends within what it belongs to")
        return self._early or self._answer_so_far()

    @property
    def early(self) -> Answered | None:
        """What has been shown."""
        return self._early

    # --- one group ---------------------------------------------------------------------------------------------------

    def _goes_on(self) -> bool:
        return bool(self._group) and introduces(self._group[-1].claim.text)

    def _waits(self) -> bool:
        return bool(self._group) and (
            introduces(self._group[-1].claim.text) or any(one.claim.kind in ALONG for one in self._group)
        )

    def _joined(self, bound: Bound) -> None:
        before = self._passages.introduction(bound.spot)
        spots = [(one.spot.index, one.spot.first) for one in self._group]
        if before is not None and (bound.spot.index, before) not in spots:
            self._bring(bound.spot.index, before)
        self._group.append(bound)
        self._last = bound.spot
        behind = self._passages.turned_by(bound.spot)
        if behind is not None:
            self._bring(bound.spot.index, behind)

    def _bring(self, index: int, place: int) -> None:
        brought = self._passages.quoted(index, place)
        if brought is None:
            self._broken = "what belongs to it must not be quoted"
        else:
            self._group.append(brought)
            self._last = brought.spot

    def _fallen(self, written: WrittenClaim, why: str) -> Answered | None:
        self.dropped.append(why)
        if self._group and (self._goes_on() or written.kind in ("step", "code")):
            self._broken = "a part of what it belongs to fell"
            return None
        shown = self._closed()
        self._last = None
        return shown

    def _give_up(self, why: str) -> None:
        self.dropped += [why] * len(self._group)
        self._group, self._broken, self._last = [], "", None

    def _closed(self) -> Answered | None:
        """Decide the open group. Its claims stand together or fall together."""
        if not self._group:
            self._broken = ""
            return None
        problem = self._broken or self._incomplete() or self._unfit()
        if problem:
            self._give_up(problem)
            return None
        self._stood += self._new()
        self._group = []
        return self._show()

    def _new(self) -> list[Claim]:
        seen = {_folded(claim.text) for claim in self._stood}
        found: list[Claim] = []
        for bound in self._group:
            if _folded(bound.claim.text) not in seen:
                seen.add(_folded(bound.claim.text))
                found.append(bound.claim)
        return found

    def _incomplete(self) -> str:
        if introduces(self._group[-1].claim.text):
            return "what it introduces is not there"
        steps = [(one.spot, whole) for one in self._group if (whole := self._passages.procedure(one.spot))]
        for (one, whole), (other, _) in pairwise(steps):
            if other.index == one.index and other.first in whole and other.first <= one.first:
                return "its steps stand in another order on the page"
        shown = {(spot.index, place) for spot, _ in steps for place in range(spot.first, spot.last + 1)}
        if any((spot.index, place) not in shown for spot, whole in steps for place in whole):
            return "a step of the procedure is left out"
        return ""

    def _unfit(self) -> str:
        claims = [*self._stood, *self._new()]
        if sum(len(claim.text) for claim in claims) > self._bounds.chars_max:
            return "the answer is long enough without it"
        said = " ".join(claim.text for claim in claims if claim.kind is not ClaimKind.CODE)
        if self._bounds.language and written_in(said) not in ("", self._bounds.language):
            return "it is in another language"
        judged = self._judge((*claims, *self._beside))
        if judged.opposed and not self._extracts.judged.opposed:
            return "it tells the opposite of what was asked"
        if self._early is not None and not _same_frame(self._early, self._built(claims, judged)):
            return "the lines above the answer would not be true of it"
        return ""

    # --- the whole ---------------------------------------------------------------------------------------------------

    def _show(self) -> Answered | None:
        """Early only when nothing above the answer can change any more."""
        made = self._answer_so_far()
        if made is None:
            return None
        if self._early is None:
            judged = self._judge((*self._stood, *self._beside))
            if judged.coverage is not Coverage.FULLY or judged.unsaid or judged.some_parts:
                return None
        self._early = made
        return replace(made, claims=tuple(self._stood))

    def _answer_so_far(self) -> Answered | None:
        if not self._stood or self._seen(self._stood):
            return None
        judged, own = self._judge((*self._stood, *self._beside)), self._extracts.judged
        less = _COVERS[judged.coverage] < _COVERS[own.coverage] or len(judged.missing) > len(own.missing)
        if less or not set(judged.unsaid) <= set(own.unsaid):
            return None
        return self._built(self._stood, judged)

    def _built(self, claims: Sequence[Claim], judged: Critique) -> Answered:
        return answered(self._trail, replace(self._extracts, claims=(*claims, *self._beside), judged=judged))


def _same_frame(one: Answered, other: Answered) -> bool:
    return (one.completeness, one.notes) == (other.completeness, other.notes)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
