"""Which model of pydantic-ai is meant? Loaded when it is first called: the libraries take a second, and a start without
models never pays for it."""

from __future__ import annotations

import importlib.util
import inspect
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from firstline.errors import Broken, InvalidInput
from firstline.models.gateway.local_process import LocalFile

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

EXTRA: Final = "Install them: `pip install 'firstline[models]'` (docs/models.md)."
OPENAI: Final = "openai"
BEDROCK: Final = "bedrock"
NO_KEY: Final = "no-key"
"""Sent where an address of the operator's own has no key. A provider's usual variable is never sent to another
address."""
JsonMode = Literal["auto", "native", "prompted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpec:
    """`provider` and `name` as pydantic-ai names them. With a `base_url`, `openai` is any endpoint that speaks
    OpenAI's chat completions. `json`: how JSON is asked for; auto: by the provider's own means where it has them.
    `file`: a model that is served from it (provider `local`). `region` (Bedrock, Vertex) and `api_version` (Azure) as
    those providers call them."""

    provider: str
    name: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    json: JsonMode = "auto"
    file: LocalFile | None = None
    region: str = ""
    api_version: str = ""

    @property
    def model_id(self) -> str:
        return f"{self.provider}:{self.name}"


def check_installed() -> None:
    """Without loading anything. Broken says what to install."""
    if importlib.util.find_spec("pydantic_ai") is None:
        raise Broken(
            "Language models are configured, and the libraries that call them are not installed.", remedy=EXTRA
        )


def load_model(spec: ModelSpec) -> Model[Any]:
    """Blocking, about a second for the first one. Broken when a library is missing, InvalidInput when there is no such
    provider or its key is not set."""
    try:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model
    except ImportError as error:
        raise Broken("The libraries that call language models are not installed.", remedy=EXTRA) from error
    try:
        if spec.base_url and (spec.provider == OPENAI or spec.file is not None):
            return _compatible(spec)
        return infer_model(spec.model_id, lambda name: _provider(name, spec))
    except ImportError as error:
        raise Broken(
            f"The library that calls {spec.model_id} is not installed.",
            remedy=f"Install it: `pip install 'pydantic-ai-slim[{spec.provider.partition('-')[0]}]'`.",
        ) from error
    except (UserError, ValueError, TypeError) as error:
        raise InvalidInput(
            f"{spec.model_id} cannot be opened ({type(error).__name__}): no such provider, or something that it "
            "needs is not set: a key, a region, an api_version.",
            remedy="Write it like `openai:NAME`; docs/models.md has an example for each provider.",
        ) from error


def _compatible(spec: ModelSpec) -> Model[Any]:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # Without it a connection that is closed half-way looks like an answer that is whole.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    provider = OpenAICompatibleProvider(OPENAI, base_url=spec.base_url, api_key=spec.api_key or NO_KEY, profile=profile)
    return OpenAIChatModel(spec.name, provider=provider)


def _provider(name: str, spec: ModelSpec) -> Provider[Any]:
    """With the key and the address that were given, and by the provider's own variables where none were."""
    from pydantic_ai.providers import infer_provider_class

    if name == BEDROCK:
        # Amazon's library tries five times by itself, and takes the number from nowhere else.
        os.environ.setdefault("AWS_MAX_ATTEMPTS", "1")
    kind = infer_provider_class(name)
    accepted = inspect.signature(kind.__init__).parameters
    address = next((one for one in ("base_url", "azure_endpoint") if one in accepted), "base_url")
    region = next((one for one in ("region_name", "location") if one in accepted), "region")
    given = {
        "api_key": spec.api_key or (NO_KEY if spec.base_url and name != BEDROCK else ""),
        address: spec.base_url,
        region: spec.region,
        "api_version": spec.api_version,
    }
    missing = [one for one, value in given.items() if value and one not in accepted]
    if missing:
        raise ValueError(f"{name} takes no {' or '.join(missing)}")
    return kind(**{one: value for one, value in given.items() if one and value})
