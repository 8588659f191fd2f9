"""Which language models are used, and within what limits: the table `[models]` of the settings file (docs/models.md).

No key stands here: the settings name the environment variable or the file that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

MODEL: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}:\S.{0,199}")
LOCAL: Final = "local:"
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class ModelEntry(_Table):
    """One model of a chain. `price_in`, `price_out`: of a million tokens, in the operator's currency. `region` and
    `api_version`: where a provider asks for them. `file`: of a `local` model, which is served from it; `context_tokens`
    and `threads` are of that alone."""

    model: str = Field(min_length=3, max_length=240)
    base_url: str = Field(default="", max_length=2_000)
    key_env: str = Field(default="", max_length=100)
    key_file: str = Field(default="", max_length=1_000)
    json_mode: Literal["auto", "native", "prompted"] = "auto"
    price_in: float = Field(default=0.0, ge=0, le=1e6)
    price_out: float = Field(default=0.0, ge=0, le=1e6)
    region: str = Field(default="", max_length=100)
    api_version: str = Field(default="", max_length=100)
    file: str = Field(default="", max_length=1_000)
    context_tokens: int = Field(default=0, ge=0, le=1_000_000)
    threads: int = Field(default=0, ge=0, le=1_024)

    @field_validator("model")
    @classmethod
    def _named(cls, value: str) -> str:
        if not MODEL.fullmatch(value):
            raise ValueError("it is no model: write provider and name, such as `openai:gpt-5-mini`")
        return value

    @field_validator("key_env")
    @classmethod
    def _variable(cls, value: str) -> str:
        # Somebody pasted the key itself: it must not be printed or recorded with the settings.
        if value and not VARIABLE.fullmatch(value):
            raise ValueError(
                "it is no name of an environment variable: write the variable's name, never the key itself"
            )
        return value

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query):
            raise ValueError("it is no plain http(s) address: write it without user, password and query")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _local_or_not(self) -> ModelEntry:
        if self.model.startswith(LOCAL) != bool(self.file):
            raise ValueError(
                'a model in a file is written with both: `{ model = "local:NAME", file = "/path/NAME.gguf" }`'
            )
        if self.file and (self.base_url or self.key_env or self.key_file):
            raise ValueError("a model in a file is served here: leave out base_url, key_env and key_file")
        if not self.file and (self.context_tokens or self.threads):
            raise ValueError("context_tokens and threads are those of a model in a file")
        return self


class RoleSettings(_Table):
    """`timeout_s`: of a request with everything that is tried for it; `call_s`: of one call of one model."""

    chain: tuple[ModelEntry, ...] = Field(default=(), max_length=8)
    max_tokens: int = Field(default=1_000, ge=1, le=100_000)
    timeout_s: float = Field(default=30.0, gt=0, le=600)
    call_s: float = Field(default=20.0, gt=0, le=600)
    first_token_s: float = Field(default=4.0, gt=0, le=600)
    calls_at_once: int = Field(default=16, ge=1, le=1_000)
    waiting_max: int = Field(default=2_000, ge=0, le=100_000)
    attempts: int = Field(default=3, ge=1, le=10)

    @field_validator("chain", mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        """A model that needs nothing but its name is written as that."""
        if isinstance(value, list | tuple):
            entries = cast("list[Any] | tuple[Any, ...]", value)  # whatever stands in the file: it is checked next
            return tuple({"model": one} if isinstance(one, str) else one for one in entries)
        return value


class BudgetSettings(_Table):
    """0: no limit. Costs are in the currency of the prices; days are UTC."""

    turn_tokens: int = Field(default=0, ge=0)
    turn_cost: float = Field(default=0.0, ge=0)
    session_tokens: int = Field(default=0, ge=0)
    session_cost: float = Field(default=0.0, ge=0)
    tenant_day_tokens: int = Field(default=0, ge=0)
    tenant_day_cost: float = Field(default=0.0, ge=0)
    day_tokens: int = Field(default=0, ge=0)
    day_cost: float = Field(default=0.0, ge=0)


class ModelsSettings(_Table):
    small: RoleSettings = Field(default_factory=lambda: RoleSettings(max_tokens=400))
    large: RoleSettings = Field(default_factory=lambda: RoleSettings())
    judge: RoleSettings = Field(default_factory=lambda: RoleSettings(timeout_s=60.0, call_s=50.0, first_token_s=30.0))
    budgets: BudgetSettings = Field(default_factory=lambda: BudgetSettings())

    @property
    def roles(self) -> Mapping[str, RoleSettings]:
        """Those that name a model."""
        every = {"small": self.small, "large": self.large, "judge": self.judge}
        return {name: role for name, role in every.items() if role.chain}
