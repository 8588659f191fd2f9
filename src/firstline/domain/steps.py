"""What a turn did when: its steps, and its calls of language models. No text of a document, a customer or a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UNDER_WAY: Final = "under_way"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """`began_ms`: since the turn's message came. A step that is taken twice stands twice."""

    name: str
    began_ms: float
    ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One call of one model that was really made. `ended`: a `Finish`, the code of an error, or "given_up" when nobody
    waited any longer. `counted`: tokens are the provider's count. `began_ms` is set by who keeps the turn.
    `max_tokens`: how long the answer might be. `server`: host, or host:port, of an address of the operator's own; "" is
    the provider's."""

    model_id: str
    ended: str
    ms: float
    began_ms: float = 0.0
    first_token_ms: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = True
    cost: float = 0.0
    max_tokens: int = 0
    server: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCall:
    """One request to a role's models, with the attempts that were made for it.

    `step` is the step that asked, `prompt` names the prompt, its version and its hash. `ended` as in `Attempt`, `why`
    what was wrong, in words of ours and the provider's error. `kept`: the answer was written for an earlier request.
    Without an attempt and not kept, another turn's call answered, or none was allowed.
    """

    step: str
    role: str
    prompt: str
    ended: str
    began_ms: float
    ms: float
    model_id: str = ""
    why: str = ""
    kept: bool = False
    attempts: tuple[Attempt, ...] = ()
