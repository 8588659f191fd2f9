"""Answers to questions that were asked a moment ago.

Only a message that opens a conversation is looked up: what a later one means, its conversation says. The key is
everything that its outcome depends on. Before a kept answer is given out, the ledger is asked for every chunk and page
that it was made of, with this asker's scope. What is given out is recorded as this turn's own, with its evidence and
its gates, and `cache: hit` among its timings.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Protocol

import numpy as np

from firstline.caches.retrieval import scope_parts
from firstline.caches.store import How, Kept, Key, key_of
from firstline.domain import (
    NOTHING,
    Advice,
    Answered,
    Citation,
    Clarify,
    Evidence,
    GateReading,
    ModelDraft,
    Outcome,
    SearchPlan,
    Triage,
)
from firstline.ports import KnowledgeLedger, Scope, Vectors
from firstline.questions.asked import Asked
from firstline.questions.message.same_asked import asked_alike, is_personal, to_the_letter
from firstline.questions.message.spoken import spoken
from firstline.questions.message.usual import asks_usual_causes
from firstline.questions.trail import Trail

HIT: Final = "cache: hit"
ALIKE: Final = "cache: alike"
"""What stands among the timings of a turn that was answered from here."""
LOOKED_AT_MAX: Final = 512
"""Kept answers that a question is compared with by meaning, the latest ones."""
READ_BACK_MAX: Final = 3
"""So many kept answers are read back for one question: one that takes longer is worked out as soon."""
LANGUAGES_ALIKE: Final = frozenset({"", "en"})
"""Only in English are the words known that change no meaning."""

Work = Callable[[Asked, Trail], Awaitable[Outcome]]


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptTurn:
    """What a turn came to, with what its record says of the way. No text of evidence but what was quoted. `alike` and
    `vector` are for comparing by meaning; `frame` names all that must be equal besides the words."""

    outcome: Outcome
    triage: Triage | None
    plan: SearchPlan | None
    evidence: tuple[Evidence, ...]
    gates: tuple[GateReading, ...]
    read_as: str
    fit: bool
    frame: Key
    draft: ModelDraft | None = None
    advice: tuple[Advice, ...] = ()
    alike: str = ""
    vector: Vectors | None = None


class Answers(Protocol):
    """What stands between a message and the work on it."""

    async def outcome(self, asked: Asked, trail: Trail, work: Work) -> Outcome: ...

    async def alike(self, asked: Asked, trail: Trail) -> Outcome | None:
        """The outcome of a question that asked the same in other words; None when there is none."""
        ...


class Anew:
    """Nothing is kept."""

    async def outcome(self, asked: Asked, trail: Trail, work: Work) -> Outcome:
        return await work(asked, trail)

    async def alike(self, asked: Asked, trail: Trail) -> Outcome | None:
        return None


ANEW: Final[Answers] = Anew()


class KeptAnswers:
    def __init__(
        self, kept: Kept[KeptTurn], *, knowledge: KnowledgeLedger, frame: Sequence[str], alike_min: float = 0.0
    ) -> None:
        """`frame`: settings, models and versions that an outcome depends on. `alike_min`: the cosine from which on two
        questions that ask alike share an answer; 0: never."""
        self._kept = kept
        self._knowledge = knowledge
        self._frame = list(frame)
        self._alike_min = alike_min

    async def outcome(self, asked: Asked, trail: Trail, work: Work) -> Outcome:
        if not _is_for_others(asked, trail):
            self._kept.counts.passed += 1
            return await work(asked, trail)
        began = time.perf_counter()
        frame = self._frame_of(asked)

        async def make() -> KeptTurn:
            return self._worth(await work(asked, trail), asked, trail, frame)

        async def still(found: KeptTurn) -> bool:
            return await self._stands(found, asked.scope)

        key = key_of("answer", frame.digest.hex(), to_the_letter(asked.question), owner=frame.owner)
        found, how = await self._kept.get(key, make, keeps=lambda one: one.fit, still=still)
        if how is How.KEPT:
            _retold(found, trail, asked)
            trail.timings_ms[HIT] = (time.perf_counter() - began) * 1000
        return found.outcome

    async def alike(self, asked: Asked, trail: Trail) -> Outcome | None:
        if not self._alike_min or trail.vector is None or not _is_for_others(asked, trail):
            return None
        began = time.perf_counter()
        shape, frame = asked_alike(asked.question), self._frame_of(asked)
        if not shape or spoken(asked.question) not in LANGUAGES_ALIKE:
            return None
        near = (
            found
            for found in self._kept.newest(LOOKED_AT_MAX)
            if found.frame == frame and found.alike == shape and self._is_near(found, asked, trail)
        )
        for found in islice(near, READ_BACK_MAX):
            if await self._stands(found, asked.scope):
                own = trail.triage
                _retold(found, trail, asked)
                trail.triage = own
                trail.timings_ms[ALIKE] = (time.perf_counter() - began) * 1000
                self._kept.counts.alike += 1
                return found.outcome
        return None

    def _is_near(self, found: KeptTurn, asked: Asked, trail: Trail) -> bool:
        if found.vector is None or trail.vector is None or found.triage is None or trail.triage is None:
            return False
        same = (found.triage.intent, found.triage.category) == (trail.triage.intent, trail.triage.category)
        named = [frozenset(one.casefold() for one in each.entities) for each in (found.triage, trail.triage)]
        return same and named[0] == named[1] and float(np.dot(found.vector, trail.vector)) >= self._alike_min

    def _frame_of(self, asked: Asked) -> Key:
        scope = asked.scope
        return key_of(
            self._frame,
            *scope_parts(scope),
            asked.principal.scope_hash,
            asked.gates_version,
            spoken(asked.question),
            owner=(scope.tenant, scope.kb),
        )

    def _worth(self, outcome: Outcome, asked: Asked, trail: Trail, frame: Key) -> KeptTurn:
        """What a turn came to, and whether others may have it: an outcome that rests on pages alone, with nothing late
        or broken on the way."""
        fit = isinstance(outcome, Answered | Clarify) and not trail.degraded and trail.plan is not None
        fit = fit and ALIKE not in trail.timings_ms
        # Communities are made after a snapshot is published: asked again, there may be more to list.
        fit = fit and not asks_usual_causes(trail.standalone)
        # What repeats the asker's own words, or was read otherwise than written, is for the same words alone.
        told = isinstance(outcome, Answered) and not outcome.notes and trail.plan and not trail.plan.corrections
        shared = bool(self._alike_min and told and trail.vector is not None)
        return KeptTurn(
            outcome=_frozen_outcome(outcome),
            triage=trail.triage,
            plan=trail.plan and replace(trail.plan, filters=_frozen(trail.plan.filters)),
            evidence=tuple(map(_bare, trail.evidence)),
            gates=tuple(replace(one, features=_frozen(one.features)) for one in trail.gates),
            read_as=trail.read_as,
            fit=fit,
            frame=frame,
            draft=trail.draft,
            advice=tuple(trail.advice),
            alike=asked_alike(asked.question) if shared else "",
            vector=trail.vector.copy() if shared and trail.vector is not None else None,
        )

    async def _stands(self, found: KeptTurn, scope: Scope) -> bool:
        """Everything that it was made of is there, for this asker, as it was."""
        cited = _cited(found.outcome)
        pages = found.outcome.pages if isinstance(found.outcome, Clarify) else ()
        wanted = list(
            dict.fromkeys([*(one.chunk.chunk_id for one in found.evidence), *(one.chunk_id for one in cited)])
        )
        chunks = {one.chunk_id: one for one in await self._knowledge.chunks(wanted, scope)} if wanted else {}
        if len(chunks) < len(wanted) or any(chunks[one.chunk_id].blob != one.blob for one in cited):
            return False
        left = list(dict.fromkeys(pages))
        return not left or len(await self._knowledge.documents(left, scope)) == len(left)


def _is_for_others(asked: Asked, trail: Trail) -> bool:
    """It opens a conversation, and neither the message nor the moment is somebody's own. Checks before publishing,
    evaluation and replays are always worked out."""
    return (
        asked.number == 1
        and trail.stands is None
        and not (asked.exclude or asked.then or asked.session.snapshot)
        and not is_personal(asked.question)
    )


def _retold(found: KeptTurn, trail: Trail, asked: Asked) -> None:
    trail.triage, trail.plan, trail.read_as = found.triage, found.plan, found.read_as
    trail.evidence, trail.gates, trail.draft = found.evidence, list(found.gates), found.draft
    trail.advice = list(found.advice)
    if found.plan is not None and not found.plan.corrections:
        # The record tells of this message, with its own blanks and capitals.
        trail.plan, trail.read_as = _in_words_of(asked.question, found.plan, found.read_as), asked.question


def _in_words_of(message: str, plan: SearchPlan, before: str) -> SearchPlan:
    return replace(
        plan,
        queries=tuple(replace(one, text=message) if one.text == before else one for one in plan.queries),
        standalone=message if plan.standalone == before else plan.standalone,
    )


def _cited(outcome: Outcome) -> list[Citation]:
    return [one for claim in outcome.claims for one in claim.citations] if isinstance(outcome, Answered) else []


def _bare(piece: Evidence) -> Evidence:
    """What a record tells of evidence is which it was and how it was found: no text of it stays here."""
    chunk = replace(piece.chunk, title="", section_path=(), url=None, metadata=NOTHING)
    return replace(piece, text="", lead_text="", path=(), chunk=chunk)


def _frozen(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(values))


def _frozen_outcome(outcome: Outcome) -> Outcome:
    if not isinstance(outcome, Answered):
        return outcome
    return replace(outcome, notes=tuple(replace(note, values=_frozen(note.values)) for note in outcome.notes))
