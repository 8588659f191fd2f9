"""An answer in a language model's words, or the extracts.

Whether a question may be answered is decided before, by the gates on the extracts: a model changes how an answer
reads, never whether there is one. It is given the passages of the page that the extracts are from, and what it writes
is shown claim by claim as `showing` allows. Whatever goes wrong with it, the extracts are the answer, and the trail
says why; once something was shown, it stays, and is the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from firstline.domain import (
    Answered,
    Claim,
    Critique,
    Evidence,
    Finish,
    ModelDraft,
    ModelRequest,
    ModelRole,
    WrittenClaim,
)
from firstline.errors import FirstlineError, OverBudget, TooLong
from firstline.ports import LanguageModel
from firstline.prompt_files import Prompt
from firstline.questions.admission import leave_place
from firstline.questions.asked import Asked
from firstline.questions.extracts import Extracts, answered, judge
from firstline.questions.message.spoken import written_in
from firstline.questions.noting import Noting
from firstline.questions.prompted import prompt_named
from firstline.questions.shown_before import shown_again
from firstline.questions.trail import Trail
from firstline.questions.writing.binding import Passages
from firstline.questions.writing.prompt import SCHEMA, fitting, parts_of
from firstline.questions.writing.reading import ClaimsRead
from firstline.questions.writing.showing import Bounds, Showing

STAGE: Final = "compose"
STEP: Final = "write"
EXTRACTS: Final = "the extracts were shown"
SO_FAR: Final = "what had been verified was shown"
LATE: Final = "late"
BROKEN: Final = "broken"
OVER_BUDGET: Final = "over budget"
UNSUPPORTED: Final = "unsupported"
EVIDENCE_CHARS_MAX: Final = 24_000
"""Some 6,000 tokens: every model that can be configured reads that."""
TRIES_MAX: Final = 3
"""With half of the passages each time, while the model says that they are too long."""
LEFT_S: Final = 0.5
"""What a turn keeps of its time for what comes after the model."""


class ByModel:
    """Implements `extracts.Composer`."""

    def __init__(
        self, model: LanguageModel, *, redact: Callable[[str], str], chars_max: int, evidence_chars_max: int = 0
    ) -> None:
        """`chars_max`: of the answer. What a model writes is redacted before anything is done with it."""
        self._model = model
        self._redact = redact
        self._chars_max = chars_max
        self._evidence_chars_max = evidence_chars_max or EVIDENCE_CHARS_MAX
        self._prompt = prompt_named("answer")

    async def answer(self, asked: Asked, trail: Trail, extracts: Extracts) -> Answered:
        if trail.usual:
            # A list of quotations with how many tell each: there is nothing to write.
            return answered(trail, extracts)
        if not _can_be_verified(asked.language, extracts.claims):
            return answered(trail, extracts)
        leave_place()
        with trail.step(STEP):
            return await self._by_model(asked, trail, extracts)

    async def _by_model(self, asked: Asked, trail: Trail, extracts: Extracts) -> Answered:
        passed = passages_for(trail, extracts)
        room = self._evidence_chars_max
        for attempt in range(TRIES_MAX):
            issued = fitting(passed, chars_max=room)
            turn = _Turn(asked, trail, extracts, issued, self._chars_max, trimmed=len(passed) - len(issued))
            try:
                return await self._written(turn)
            except TooLong:
                room //= 2
                if attempt + 1 == TRIES_MAX or len(issued) == 1:
                    return turn.ends(BROKEN)
            except OverBudget:
                return turn.ends(OVER_BUDGET)
            except FirstlineError as error:
                late = error.code == LATE or asyncio.get_running_loop().time() >= _deadline_s(trail)
                return turn.ends(LATE if late else BROKEN)
        raise AssertionError("every attempt returns or shortens")

    async def _written(self, turn: _Turn) -> Answered:
        reader = ClaimsRead()
        model = Noting(self._model, turn.trail, step=STEP, prompt=self._prompt.prompt_id)
        finish, model_id = Finish.BROKEN_OFF, model.model_id(ModelRole.LARGE)
        try:
            async with aclosing(model.stream(self._request(turn))) as stream:
                async for piece in stream:
                    for written in reader.feed(piece.text):
                        own = replace(written, text=self._redact(written.text))
                        turn.written.append(own)
                        if (more := turn.showing.take(own)) is not None:
                            await turn.show(more)
                    if piece.completion is not None:
                        finish, model_id = piece.completion.finish, piece.completion.model_id or model_id
        finally:
            turn.keep(self._prompt, finish, model_id)
        return turn.come_to(finish)

    def _request(self, turn: _Turn) -> ModelRequest:
        asked = turn.asked
        return ModelRequest(
            role=ModelRole.LARGE,
            system=(self._prompt.text,),
            parts=parts_of(turn.trail.standalone, turn.issued, language=asked.language),
            schema=SCHEMA,
            deadline_at_s=_deadline_s(turn.trail),
            tenant=asked.scope.tenant,
            session=asked.session.session_id,
            turn=asked.turn_id,
        )


class FromRecord:
    """What a recorded turn came to, once more: nobody is called. Implements `extracts.Composer`."""

    def __init__(self, draft: ModelDraft | None, *, chars_max: int) -> None:
        self._draft = draft
        self._chars_max = chars_max

    async def answer(self, asked: Asked, trail: Trail, extracts: Extracts) -> Answered:
        if self._draft is None and STAGE not in asked.then and STEP not in asked.then:
            return answered(trail, extracts)
        with trail.step(STEP):
            made = self._once_more(asked, trail, extracts)
        if STAGE in asked.then:
            trail.degraded[STAGE] = asked.then[STAGE]
        return made

    def _once_more(self, asked: Asked, trail: Trail, extracts: Extracts) -> Answered:
        draft = self._draft
        if draft is None:
            return answered(trail, extracts)
        pieces = {piece.chunk.chunk_id: piece for piece in trail.evidence}
        if not all(chunk_id in pieces for chunk_id in draft.issued):
            # Its indexes would name other passages: what it wrote cannot be judged any more.
            trail.draft = draft
            return _instead(trail, extracts, BROKEN)
        issued = [pieces[chunk_id] for chunk_id in draft.issued]
        turn = _Turn(asked, trail, extracts, issued, self._chars_max, trimmed=draft.trimmed)
        for written in draft.claims:
            turn.written.append(written)
            turn.showing.take(written)
        turn.keep(Prompt(prompt_id=draft.prompt, text=""), draft.finish, draft.model_id)
        return turn.come_to(draft.finish)


class _Turn:
    """One draft on its way."""

    def __init__(
        self,
        asked: Asked,
        trail: Trail,
        extracts: Extracts,
        issued: Sequence[Evidence],
        chars_max: int,
        *,
        trimmed: int,
    ) -> None:
        self.asked, self.trail, self.extracts, self.issued, self.trimmed = asked, trail, extracts, issued, trimmed
        self.written: list[WrittenClaim] = []

        def judged(claims: Sequence[Claim]) -> Critique:
            return judge(trail, trail.standalone or asked.question, claims, trail.evidence)

        def seen(claims: Sequence[Claim]) -> bool:
            return bool(shown_again(claims, asked.question, asked.history))

        bounds = Bounds(chars_max=chars_max, language=asked.language)
        self.showing = Showing(Passages(issued), trail, extracts, bounds=bounds, judge=judged, seen=seen)

    async def show(self, more: Answered) -> None:
        """Whatever ends the turn from here on: what was shown is its answer."""
        self.trail.shown = self.showing.early
        await self.asked.tell_claims(more)

    def keep(self, prompt: Prompt, finish: Finish, model_id: str) -> None:
        self.trail.draft = ModelDraft(
            claims=tuple(self.written),
            issued=tuple(piece.chunk.chunk_id for piece in self.issued),
            prompt=prompt.prompt_id,
            model_id=model_id,
            finish=finish,
            trimmed=self.trimmed,
            shown=self.showing.stood,
            dropped=tuple(self.showing.dropped),
        )

    def come_to(self, finish: Finish) -> Answered:
        made = self.showing.end(whole=finish is Finish.WHOLE)
        why = _why(finish)
        if self.trail.draft is not None:
            self.trail.draft = replace(self.trail.draft, shown=self.showing.stood, dropped=tuple(self.showing.dropped))
        if made is None or (why and self.showing.early is None):
            return self.ends(why or UNSUPPORTED)
        if why:
            self.trail.degraded[STAGE] = f"{why}: {SO_FAR}"
        self.trail.shown = made
        return made

    def ends(self, why: str) -> Answered:
        if (shown := self.showing.early) is not None:
            self.trail.degraded[STAGE] = f"{why}: {SO_FAR}"
            return shown
        return _instead(self.trail, self.extracts, why)


def passages_for(trail: Trail, extracts: Extracts) -> list[Evidence]:
    """The evidence, in rank order, of the pages that the extracts are from: what the gates read is about those."""
    first = extracts.claims[0].citations[0].doc_id
    return [piece for piece in trail.evidence if piece.chunk.doc_id == first]


def _deadline_s(trail: Trail) -> float:
    """By the loop's clock."""
    return max(asyncio.get_running_loop().time(), trail.ends_at_s - LEFT_S)


def _instead(trail: Trail, extracts: Extracts, why: str) -> Answered:
    trail.degraded[STAGE] = f"{why}: {EXTRACTS}"
    return answered(trail, extracts)


def _why(finish: Finish) -> str:
    """Why a draft with this end is none; empty when it is one. One that was cut is right as far as it goes."""
    if finish in (Finish.WHOLE, Finish.CUT):
        return ""
    return LATE if finish is Finish.LATE else BROKEN


def _can_be_verified(language: str, claims: Sequence[Claim]) -> bool:
    """Claims are verified by the words of the page: in another language than the page's none could stand."""
    told = written_in(" ".join(claim.text for claim in claims))
    return not language or told in ("", language)
