"""What a language model is asked, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from firstline.domain.steps import Attempt


class ModelRole(StrEnum):
    """What a model is used for; each role has a chain of models and limits of its own."""

    SMALL = "small"
    LARGE = "large"
    JUDGE = "judge"


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A piece of a prompt. One with a `label` is DATA (evidence, a customer's words): it is fenced by marks that do not
    stand in its text and labelled, so that nothing in it can look like an instruction. Without, it is our own words."""

    text: str
    label: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One question to a model.

    `system` and `parts` stand in the order they are sent: what is the same from call to call first, so that providers
    can keep the prefix. `schema` is a JSON schema of the answer: then it is parsed and checked. `max_tokens` bounds the
    answer (0: the role's own limit). `deadline_at_s` is a time of the event loop's clock (`loop.time()`): the
    turn's, beyond which no call goes on. `tenant`, `session` and `turn` say on whose account it goes. `told` hears of
    each call that is made for it: as it begins (`UNDER_WAY`), and as it has ended.
    """

    role: ModelRole
    system: tuple[str, ...] = ()
    parts: tuple[Part, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 0
    temperature: float = 0.0
    deadline_at_s: float
    tenant: str
    session: str = ""
    turn: str = ""
    told: Callable[[Attempt], None] | None = field(default=None, compare=False, repr=False)


class Finish(StrEnum):
    """How an answer ended. Only WHOLE is an answer; the others are named so that the caller can say what happened."""

    WHOLE = "whole"
    CUT = "cut"
    """At max_tokens: the text is right as far as it goes."""
    EMPTY = "empty"
    REFUSED = "refused"
    """By the model or the provider's filter; `text` holds what it said, if anything."""
    TOOL_CALL = "tool_call"
    """It called a tool, and none was offered."""
    REPEATING = "repeating"
    """It said the same over and over and was stopped."""
    HALF_JSON = "half_json"
    """JSON was asked for, and the text ends within it."""
    INVALID_JSON = "invalid_json"
    """JSON was asked for, and the text is none, or does not fit the schema."""
    BROKEN_OFF = "broken_off"
    """The provider failed after part of the text was handed on."""
    LATE = "late"
    """The deadline passed after part of the text was handed on."""


UNSEEN_ENDS: Final = frozenset({Finish.BROKEN_OFF, Finish.LATE})
"""Ends of streams alone: where nothing was handed on they are errors, and another model may begin anew."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """`parsed` is the JSON value when one was asked for and `finish` is WHOLE. `model_id` names the model that wrote
    it. Tokens are the provider's count, else an estimate (`counted` False). `first_token_s`: from the call of that
    model to its first text. `cost` is in the currency of the settings' prices; 0 when there are none. `kept`: it was
    written for an earlier request, and cost nothing now."""

    text: str
    parsed: Any = None
    finish: Finish
    model_id: str
    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = True
    first_token_s: float = 0.0
    cost: float = 0.0
    kept: bool = False
    notes: tuple[str, ...] = field(default=())
    """What else happened on the way, for the turn's record: models that failed before this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """Of a stream: some more text, or as the last of all the `completion` (with the whole text) and no more text."""

    text: str = ""
    completion: Completion | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenClaim:
    """One claim as a model wrote it, redacted and not judged. `cites` are indexes of `ModelDraft.issued`, from 1, or
    whatever else it said they were."""

    text: str
    kind: str
    cites: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelDraft:
    """What a model wrote for a turn: enough to judge it once more without calling anybody.

    `issued`: the chunks that it was given, by index from 1. `prompt` names the prompt, its version and its hash.
    `trimmed`: pieces of evidence, the last in rank, that were left out because all together were too long. `shown`: how
    many claims stood. `dropped`: why the others fell, in words without any text of documents or customers.
    """

    claims: tuple[WrittenClaim, ...]
    issued: tuple[str, ...]
    prompt: str
    model_id: str
    finish: Finish
    trimmed: int = 0
    shown: int = 0
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """What a model said at a step of a turn: enough to take the step once more without calling anybody.

    `said` is redacted and not judged, by `step`: a stand-alone question and what else to search ("rewrite"), a
    category ("triage"), a coverage ("critique"). `prompt` names the prompt, its version and its hash. `ended`: "" when
    it said something that can be read; else late, broken or over budget. `fell`: why it was not followed, in words
    without any text of customers.
    """

    step: str
    prompt: str
    model_id: str
    said: tuple[str, ...] = ()
    ended: str = ""
    fell: str = ""
