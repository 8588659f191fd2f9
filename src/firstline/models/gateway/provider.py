"""One model of one provider, called through pydantic-ai. Implements `ports.LanguageModel`; NamedEnds stands around it.

The library's own retries are off: how often and how long something is tried is decided by the wrappers alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from firstline.domain import Completion, Finish, ModelRequest, ModelRole, Piece
from firstline.errors import FirstlineError
from firstline.models.gateway.fences import written
from firstline.models.gateway.local_process import LocalProcess
from firstline.models.gateway.provider_open import ModelSpec, load_model
from firstline.models.gateway.streams import collected

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

BETWEEN: Final = "\n\n"
FINISHES: Final[Mapping[str, Finish]] = {
    "stop": Finish.WHOLE,
    "length": Finish.CUT,
    "content_filter": Finish.REFUSED,
    "tool_call": Finish.TOOL_CALL,
    "error": Finish.BROKEN_OFF,
}


class ProviderModel:
    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._loading = asyncio.Lock()
        self._model: Model[Any] | None = None
        self._stack = AsyncExitStack()
        self._local = LocalProcess(spec.file) if spec.file is not None else None

    def model_id(self, role: ModelRole) -> str:
        """The same for every role."""
        return self._spec.model_id

    async def complete(self, request: ModelRequest) -> Completion:
        return await collected(self.stream(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        model = await self._loaded()
        # The libraries are there now.
        from pydantic_ai.direct import model_request_stream

        from firstline.models.gateway.provider_errors import Refused, translated

        try:
            async with model_request_stream(
                model,
                _messages(request),
                model_settings=_settings(model, request),
                model_request_parameters=self._parameters(model, request),
            ) as answer:
                async for text in _texts(answer):
                    yield Piece(text=text)
                yield Piece(completion=self._completion(answer))
        except FirstlineError:
            raise
        except Exception as error:
            try:
                failure = translated(error, self._spec.model_id)
            except Refused:
                yield Piece(completion=self._end(Finish.REFUSED))
                return
            raise failure from error

    async def load(self) -> None:
        """Before the first question has to wait for it. Errors as `load_model`."""
        await self._loaded()

    async def close(self) -> None:
        await self._stack.aclose()
        self._model = None
        if self._local is not None:
            await asyncio.to_thread(self._local.stop)

    async def _loaded(self) -> Model[Any]:
        async with self._loading:
            if self._model is not None and self._local is not None and not self._local.alive:
                await self.close()
            if self._model is None:
                # Importing takes a second, in which others must not wait for the loop.
                model = await asyncio.to_thread(self._load)
                self._model = await self._stack.enter_async_context(model)
        return self._model

    def _load(self) -> Model[Any]:
        if self._local is None:
            return load_model(self._spec)
        address, key = self._local.start()
        return load_model(replace(self._spec, base_url=address, api_key=key))

    def _parameters(self, model: Model[Any], request: ModelRequest) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        if request.schema is None:
            return ModelRequestParameters()
        native = model.profile.get("supports_json_schema_output", False) and self._spec.json != "prompted"
        return ModelRequestParameters(
            output_mode="native" if native or self._spec.json == "native" else "prompted",
            output_object=OutputObjectDefinition(json_schema=dict(request.schema), name="answer"),
        )

    def _completion(self, answer: StreamedResponse) -> Completion:
        from pydantic_ai.messages import BaseToolCallPart

        whole = answer.get()
        finish = FINISHES.get(whole.finish_reason or "", Finish.BROKEN_OFF)
        if whole.state != "complete":
            finish = Finish.BROKEN_OFF
        if any(isinstance(part, BaseToolCallPart) for part in whole.parts) and finish is not Finish.REFUSED:
            finish = Finish.TOOL_CALL
        usage = whole.usage
        return self._end(finish, tokens_in=usage.input_tokens, tokens_out=usage.output_tokens)

    def _end(self, finish: Finish, *, tokens_in: int = 0, tokens_out: int = 0) -> Completion:
        return Completion(
            text="",
            finish=finish,
            model_id=self._spec.model_id,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            counted=tokens_in > 0,
        )


def _settings(model: Model[Any], request: ModelRequest) -> ModelSettings:
    """What this model takes no notice of is not sent: the library would warn with each call."""
    from pydantic_ai.settings import ModelSettings

    settings = ModelSettings(max_tokens=request.max_tokens)
    reasons = model.profile.get("openai_supports_reasoning", False)
    if not reasons or model.profile.get("openai_supports_reasoning_effort_none", False):
        settings["temperature"] = request.temperature
    if "max_retries" not in model.unsupported_settings:
        settings["max_retries"] = 0
    return settings


async def _texts(answer: StreamedResponse) -> AsyncGenerator[str]:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    async for event in answer:
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            text = event.part.content
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            text = event.delta.content_delta
        else:
            continue
        if text:
            yield text


def _messages(request: ModelRequest) -> list[ModelMessage]:
    """One system and one user message of plain text: what every server takes."""
    from pydantic_ai.messages import ModelRequest as Message
    from pydantic_ai.messages import SystemPromptPart, UserPromptPart

    system = BETWEEN.join(map(_sendable, request.system))
    user = BETWEEN.join(_sendable(written(part)) for part in request.parts)
    prompts = [SystemPromptPart(content=system)] if system else []
    return [Message(parts=[*prompts, UserPromptPart(content=user)])]


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
