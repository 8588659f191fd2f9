"""What does the judge say of an answer, and which of two does it prefer? One question to the model each.

Whatever is no mark by the rubric is no mark: an answer that was refused, cut, late or no such JSON is counted as not
judged, with the reason, and never as a low or a middling one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from firstline.domain import Finish, ModelRequest, ModelRole, Part
from firstline.errors import FirstlineError
from firstline.ports import LanguageModel
from firstline.prompt_files import Prompt, prompt_of

PACKAGE: Final = "firstline.evals"
MARK_MAX: Final = 5
ANSWER_TOKENS_MAX: Final = 100
JUDGE_S_MAX: Final = 120.0
TEXT_CHARS_MAX: Final = 12_000
"""Of passages together, and of an answer: more is cut off, with a mark."""
CUT: Final = "\n(cut)"


class Preference(StrEnum):
    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"


_MARK: Final = {"type": "integer", "enum": list(range(1, MARK_MAX + 1))}
_MARKS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"faithfulness": _MARK, "relevancy": _MARK},
    "required": ["faithfulness", "relevancy"],
    "additionalProperties": False,
}
_PREFERENCE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"better": {"type": "string", "enum": [one.value for one in Preference]}},
    "required": ["better"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What is judged. `passages` are the cited spans, in the order of their numbers; empty where nothing was answered
    and `text` says what was done instead."""

    key: str
    question: str
    text: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """1 to 5 each, by evals/prompts/judge.md; 0 both, and `why_not`, when it was not judged."""

    key: str
    faithfulness: int = 0
    relevancy: int = 0
    why_not: str = ""

    @property
    def judged(self) -> bool:
        return not self.why_not


class Judge:
    """`model` must have the role `judge`. Marks and preferences that `kept` holds are not asked for again, and what is
    new is handed to `keep` at once: a run that was stopped goes on where it was."""

    def __init__(self, model: LanguageModel, *, tenant: str, kept: Kept | None = None) -> None:
        self._model = model
        self._tenant = tenant
        self._kept = kept or Kept()
        self.model_id = model.model_id(ModelRole.JUDGE)
        self.asked = 0

    async def marks(self, answer: Answer) -> Marks:
        prompt = prompt_of(PACKAGE, "judge")
        passages = _cut("\n\n".join(f"[{at}] {text}" for at, text in enumerate(answer.passages, start=1)))
        parts = (
            Part(text=answer.question, label="question"),
            Part(text=passages, label="cited passages"),
            Part(text=_cut(answer.text), label="answer"),
        )
        found, why_not = await self._asked(prompt, parts, _MARKS)
        if why_not:
            return Marks(key=answer.key, why_not=why_not)
        return Marks(key=answer.key, faithfulness=int(found["faithfulness"]), relevancy=int(found["relevancy"]))

    async def prefers(self, question: str, first: str, second: str) -> tuple[Preference | None, str]:
        """None, and why, when it was not judged."""
        parts = (
            Part(text=question, label="question"),
            Part(text=_cut(first), label="first answer"),
            Part(text=_cut(second), label="second answer"),
        )
        found, why_not = await self._asked(prompt_of(PACKAGE, "prefer"), parts, _PREFERENCE)
        return (None, why_not) if why_not else (Preference(found["better"]), "")

    async def _asked(
        self, prompt: Prompt, parts: tuple[Part, ...], schema: Mapping[str, Any]
    ) -> tuple[dict[str, Any], str]:
        key = _key(self.model_id, prompt.prompt_id, parts)
        if (known := self._kept.found(key)) is not None and _fits(known, schema):
            return known, ""
        self.asked += 1
        request = ModelRequest(
            role=ModelRole.JUDGE,
            system=(prompt.text,),
            parts=parts,
            schema=schema,
            max_tokens=ANSWER_TOKENS_MAX,
            deadline_at_s=asyncio.get_running_loop().time() + JUDGE_S_MAX,
            tenant=self._tenant,
        )
        try:
            done = await self._model.complete(request)
        except FirstlineError as error:
            return {}, error.code
        if done.finish is not Finish.WHOLE or not _fits(done.parsed, schema):
            return {}, done.finish.value if done.finish is not Finish.WHOLE else Finish.INVALID_JSON.value
        said = dict(cast("dict[str, Any]", done.parsed))
        self._kept.keep(key, said)
        return said, ""


class Kept:
    """Judgements by the hash of everything they depend on. This one forgets them with the process."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def found(self, key: str) -> dict[str, Any] | None:
        return self._known.get(key)

    def keep(self, key: str, value: dict[str, Any]) -> None:
        self._known[key] = value


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Every property with one of its values, and nothing else: a file of judgements may have been edited."""
    properties: Mapping[str, Any] = schema["properties"]
    if not isinstance(value, dict) or set(cast("dict[str, Any]", value)) != set(properties):
        return False
    return all(value[name] in one["enum"] for name, one in properties.items())


def _key(model_id: str, prompt_id: str, parts: tuple[Part, ...]) -> str:
    said = json.dumps([model_id, prompt_id, [[part.label, part.text] for part in parts]], ensure_ascii=False)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARS_MAX else text[:TEXT_CHARS_MAX] + CUT
