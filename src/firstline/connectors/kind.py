"""What is a kind of source: its options, and how it is opened. Every connector module names its own as `KIND`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from firstline.connectors.access_rules import AccessRule, AccessRules, no_twins, rule_of
from firstline.connectors.http import HttpClient, HttpLimits
from firstline.connectors.overrides import Access
from firstline.errors import InvalidInput
from firstline.plain_words import plain_words
from firstline.ports import Incremental

SECRET_BYTES_MAX: Final = 16_384
ENV_OF_API: Final = "SOURCE_"
"""With the tenant behind it, what the API may name: else a key could send any variable of the server, or another
tenant's, to a host of its choice."""
_REFERENCE: Final = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:[^\x00-\x1f]{1,1000}")


def _reference(value: str) -> str:
    if value and not _REFERENCE.fullmatch(value):
        # The value itself is left out of every message: it is most likely the secret.
        raise ValueError("must be env:NAME or file:PATH, which say where the secret is; never the secret itself")
    return value


def web_address(value: str) -> str:
    """The address as it is. ValueError says what is wrong with it."""
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("is no address; write it like https://docs.example.com/") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("is no address; write it like https://docs.example.com/")
    if parts.username is not None or parts.password is not None:
        raise ValueError("holds a user or password; leave it out, and name a token by reference")
    return value


SecretRef = Annotated[str, AfterValidator(_reference)]
"""Where a secret is: `env:NAME` or `file:PATH`; "" for none."""


def _place(value: str) -> str:
    """A web address, or a path: whole, since who syncs may work elsewhere."""
    if "://" in value:
        return web_address(value)
    if not value:
        raise ValueError("is empty")
    return os.path.abspath(Path(value).expanduser())  # noqa: PTH100 a link keeps the name it was given by


WebAddress = Annotated[str, AfterValidator(web_address)]
Place = Annotated[str, AfterValidator(_place)]
"""An address, or a file or folder of this machine."""


class SourceConfig(BaseModel):
    """Options of one kind of source, as `--set name=value` gives them. Unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    graph: bool = Field(True, description="Its documents are in the graph.")
    hook_secret: SecretRef = Field(
        "", description="Where the secret is that signs its webhooks (docs/events.md): env:NAME or file:PATH."
    )

    @property
    def reads_this_machine(self) -> bool:
        """Such a source is added on the machine, not over the API."""
        return False


class FoldersConfig(BaseModel):
    """Options of every source whose documents lie in folders."""

    access: Annotated[tuple[Annotated[AccessRule, BeforeValidator(rule_of)], ...], AfterValidator(no_twins)] = Field(
        (), description="Who may see which folder: internal/**=staff:internal, the most specific rule holds."
    )
    front_matter_may_widen: bool = Field(
        False, description="A document may say that more people see it than the rule of its folder does."
    )

    @property
    def rules(self) -> AccessRules:
        return AccessRules(rules=self.access, trusted=self.front_matter_may_widen)


class WebConfig(SourceConfig):
    """Options of every source that is read over HTTP. Connectors add their own."""

    allow_private: bool = Field(False, description="Read from addresses inside this machine or network, too.")
    pace_s: float = Field(0.0, ge=0, le=600, description="Least time between two requests.")


class PlacedConfig(WebConfig):
    """Options of what lies at an address or in a file of this machine."""

    place: Place = Field(description="Its address or file.")
    token: SecretRef = Field("", description="Where a bearer token is: env:NAME or file:PATH.")

    @property
    def reads_this_machine(self) -> bool:
        return not self.place.startswith(("http://", "https://"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """What a connector is opened with. Item ids start with `name` and a slash. `secret` reads what a reference names.
    `bytes_max` bounds one item; `folder` is the source's own place on disk, kept between syncs (not made yet)."""

    name: str
    access: Access
    config: SourceConfig
    bytes_max: int
    folder: Path
    limits: HttpLimits = field(default_factory=HttpLimits)

    def secret(self, reference: str) -> str:
        """ "" for "". InvalidInput when the variable or file is not there, names the reference alone."""
        return read_secret(reference)

    def http(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, str] | None = None,
        also_hosts: tuple[str, ...] = (),
    ) -> HttpClient:
        """A client for the host of this address. The secret headers go there alone, not to `also_hosts`."""
        config = self.config
        return HttpClient(
            hosts=(urlsplit(url).netloc, *also_hosts),
            limits=self.limits,
            allow_private=isinstance(config, WebConfig) and config.allow_private,
            headers=headers,
            secret_headers=secret_headers,
            pace_s=config.pace_s if isinstance(config, WebConfig) else 0.0,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceKind:
    """`main` is the option that may be given without its name (an address, a folder). `local` kinds read this machine:
    they are added on it, not over the API. `says` describes the kind in a line."""

    name: str
    says: str
    config: type[SourceConfig]
    open: Callable[[Opening], Incremental]
    main: str = ""
    local: bool = False


def config_of(kind: SourceKind, values: Mapping[str, Any]) -> SourceConfig:
    """The options, checked. InvalidInput names the option, what is wrong with it and what is allowed; never a value."""
    try:
        return kind.config.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"]) or "options"
        names = ", ".join(kind.config.model_fields)
        if first["type"] == "extra_forbidden":
            raise InvalidInput(f"A {kind.name} source has no option {path!r}.", remedy=f"It has: {names}.") from None
        if first["type"] == "missing":
            raise InvalidInput(
                f"A {kind.name} source needs the option {path!r}.", remedy=f"Write --set {path}=VALUE. It has: {names}."
            ) from None
        if first["type"] == "value_error":
            said = str(first.get("ctx", {}).get("error", "is not usable"))
            raise InvalidInput(f"The option {path!r} {said}.", remedy=_described(kind, path)) from None
        problem, allowed = plain_words(first["type"], first.get("ctx") or {})
        raise InvalidInput(
            f"The option {path!r} {problem}.",
            remedy=f"Allowed: {allowed}." if allowed else _described(kind, path),
        ) from None


def _described(kind: SourceKind, path: str) -> str:
    field = kind.config.model_fields.get(path.split(".")[0])
    return f"It means: {field.description}" if field and field.description else "docs/sources.md lists every option."


def read_secret(reference: str) -> str:
    """What `env:NAME` or `file:PATH` holds, without white space around it."""
    if not reference:
        return ""
    where, _, name = reference.partition(":")
    if where == "env":
        value = os.environ.get(name, "").strip()
        if not value:
            raise InvalidInput(
                f"The variable {name} is not set, and a source's secret is there.",
                remedy=f"Set {name} for the process that syncs.",
            )
        return value
    try:
        with Path(name).expanduser().open("rb") as file:
            value = file.read(SECRET_BYTES_MAX).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(
            f"The file {name} cannot be read, and a source's secret is there.",
            remedy="Put it there as text, readable for firstline's user alone.",
        ) from None
    if not value:
        raise InvalidInput(f"The file {name} is empty.", remedy="Put the secret in it.")
    return value


def env_of(tenant: str) -> str:
    """What the names of a tenant's variables begin with: SOURCE_ACME_CORP_ for acme-corp."""
    return f"{ENV_OF_API}{re.sub('[^A-Z0-9]', '_', tenant.upper())}_"


def refused_over_api(kind: SourceKind, config: SourceConfig, *, tenant: str) -> str:
    """Why this may not be registered over the API; "" when it may. Who holds a key is not who holds the machine."""
    if kind.local or config.reads_this_machine:
        return f"A {kind.name} source reads this machine"
    if isinstance(config, WebConfig) and config.allow_private:
        return "`allow_private` opens this machine's network"
    for value in config.model_dump().values():
        if isinstance(value, str) and _REFERENCE.fullmatch(value):
            if value.startswith("file:"):
                return "A secret in a file of this machine"
            if not value.startswith(f"env:{env_of(tenant)}"):
                return f"A secret in a variable that does not begin with {env_of(tenant)}"
    return ""
