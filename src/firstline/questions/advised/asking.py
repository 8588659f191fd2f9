"""What does a model say at a step that needs none? Asked within a short time, or read from a turn's record.

Whatever goes wrong is a value: the step without a model stands then, and the advice says why.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from firstline.domain import Advice, Completion, Finish, ModelRequest, ModelRole, Part
from firstline.errors import FirstlineError, OverBudget
from firstline.ports import LanguageModel
from firstline.prompt_files import Prompt
from firstline.questions.asked import Asked
from firstline.questions.noting import Noting
from firstline.questions.trail import Trail

logger = logging.getLogger(__name__)

LATE: Final = "late"
BROKEN: Final = "broken"
OVER_BUDGET: Final = "over budget"
UNSUPPORTED: Final = "unsupported"
LEFT_S: Final = 0.5
"""What a turn keeps of its time for what comes after the model."""
ASKED_S_MIN: Final = 0.05
"""With less time than this nobody is asked."""
ADVICE_MAX: Final = 12
"""Kept of a turn; none asks more than four times."""
MODEL_STEP: Final = "_model"
"""Goes behind the name of a step for the time that its model took."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What is asked at one step. `read` gives what the answer's JSON says, or None when it is none of the kind.
    `instead`: what stands without it, for the record. `within_s`: of the turn's time."""

    step: str
    prompt: Prompt
    parts: tuple[Part, ...]
    schema: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], Sequence[str] | None]
    instead: str
    within_s: float
    max_tokens: int


class Adviser(Protocol):
    """Says what a model says. Raises nothing but the turn's own deadline."""

    async def advice(self, wanted: Wanted, asked: Asked, trail: Trail) -> Advice | None:
        """None: nobody was asked, and nobody is to be."""
        ...


class Nobody:
    async def advice(self, wanted: Wanted, asked: Asked, trail: Trail) -> Advice | None:
        return None


NOBODY: Final[Adviser] = Nobody()


class AskingModel:
    """Asks the models of the role `small`."""

    def __init__(self, model: LanguageModel, *, redact: Callable[[str], str]) -> None:
        """What a model says is redacted before anything is done with it."""
        self._model = model
        self._redact = redact

    async def advice(self, wanted: Wanted, asked: Asked, trail: Trail) -> Advice:
        now = asyncio.get_running_loop().time()
        deadline_s = min(now + wanted.within_s, trail.ends_at_s - LEFT_S)
        model = Noting(self._model, trail, step=wanted.step + MODEL_STEP, prompt=wanted.prompt.prompt_id)
        model_id = model.model_id(ModelRole.SMALL)
        if deadline_s - now < ASKED_S_MIN:
            return _none(wanted, model_id, LATE)
        try:
            async with asyncio.timeout_at(deadline_s):
                done = await model.complete(_request(wanted, asked, deadline_s))
        except OverBudget:
            return _none(wanted, model_id, OVER_BUDGET)
        except TimeoutError:
            return _none(wanted, model_id, LATE)
        except FirstlineError as error:
            late = error.code == LATE or asyncio.get_running_loop().time() >= deadline_s
            return _none(wanted, model_id, LATE if late else BROKEN)
        except Exception as error:  # whatever a model breaks, the step needs none
            logger.warning("a model failed at the step %s: %s", wanted.step, type(error).__name__)
            return _none(wanted, model_id, BROKEN)
        return self._read(wanted, done, model_id)

    def _read(self, wanted: Wanted, done: Completion, model_id: str) -> Advice:
        model_id = done.model_id or model_id
        parsed: object = done.parsed
        said = None
        if done.finish is Finish.WHOLE and isinstance(parsed, Mapping):
            said = wanted.read(cast("Mapping[str, Any]", parsed))
        if said is None:
            return _none(wanted, model_id, LATE if done.finish is Finish.LATE else BROKEN)
        return Advice(
            step=wanted.step,
            prompt=wanted.prompt.prompt_id,
            model_id=model_id,
            # JSON can spell half of a surrogate pair, which no encoding can store.
            said=tuple(self._redact(one.encode("utf-8", "replace").decode()) for one in said),
        )


class FromRecord:
    """What was said in a recorded turn, once more and in its order: nobody is called."""

    def __init__(self, advice: Sequence[Advice]) -> None:
        self._left = list(advice)

    async def advice(self, wanted: Wanted, asked: Asked, trail: Trail) -> Advice | None:
        found = next((one for one in self._left if one.step == wanted.step), None)
        if found is not None:
            self._left.remove(found)
        return found


async def advised(adviser: Adviser, wanted: Wanted, asked: Asked, trail: Trail) -> Advice | None:
    """The advice when there is one to follow or to refuse; None: the step without a model stands, and the trail says
    why if somebody was asked."""
    if adviser is NOBODY:
        return None
    with trail.step(wanted.step + MODEL_STEP):
        found = await adviser.advice(wanted, asked, trail)
    if found is None:
        return None
    if found.ended:
        kept(found, trail, instead=wanted.instead)
        return None
    return found


def kept(advice: Advice, trail: Trail, *, instead: str = "") -> None:
    """In the turn's record. One that ended badly or fell degrades its step."""
    if len(trail.advice) < ADVICE_MAX:
        trail.advice.append(advice)
    if why := advice.ended or (advice.fell and UNSUPPORTED):
        trail.degraded[advice.step] = f"{why}: {instead}"


def _none(wanted: Wanted, model_id: str, ended: str) -> Advice:
    return Advice(step=wanted.step, prompt=wanted.prompt.prompt_id, model_id=model_id, ended=ended)


def _request(wanted: Wanted, asked: Asked, deadline_s: float) -> ModelRequest:
    return ModelRequest(
        role=ModelRole.SMALL,
        system=(wanted.prompt.text,),
        parts=wanted.parts,
        schema=wanted.schema,
        max_tokens=wanted.max_tokens,
        deadline_at_s=deadline_s,
        tenant=asked.scope.tenant,
        session=asked.session.session_id,
        turn=asked.turn_id,
    )
