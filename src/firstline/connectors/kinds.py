"""Every kind of source by name. A connector is imported when one of its sources is opened."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from firstline.connectors.http import HttpLimits
from firstline.connectors.kind import Opening, SourceConfig, SourceKind, config_of, refused_over_api
from firstline.connectors.overrides import Access
from firstline.connectors.roots import origin_of_name
from firstline.domain import RegisteredSource
from firstline.errors import Forbidden, InvalidInput
from firstline.ports import Incremental

NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")

KINDS: Final[Mapping[str, str]] = {
    "folder": "firstline.connectors.folder",
    "git": "firstline.connectors.git",
    "website": "firstline.connectors.website",
    "table": "firstline.connectors.feed",
    "openapi": "firstline.connectors.openapi",
    "push": "firstline.connectors.push",
    "zendesk": "firstline.connectors.zendesk.source",
    "zendesk-export": "firstline.connectors.zendesk.export",
    "intercom": "firstline.connectors.intercom.source",
    "freshdesk": "firstline.connectors.freshdesk.source",
    "github": "firstline.connectors.github.source",
    "gitlab": "firstline.connectors.gitlab.source",
    "discourse": "firstline.connectors.discourse.source",
    "confluence": "firstline.connectors.confluence.source",
    "notion": "firstline.connectors.notion.source",
    "slack-export": "firstline.connectors.slack.source",
}
"""By name the module whose `KIND` it is."""


def kind_named(name: str) -> SourceKind:
    """InvalidInput when there is no such kind."""
    if name not in KINDS:
        near = get_close_matches(name, KINDS, n=1)
        raise InvalidInput(
            f"There is no kind of source {name!r}.",
            remedy=f"Did you mean {near[0]!r}?" if near else "There are " + ", ".join(KINDS) + ".",
        )
    kind: SourceKind = importlib.import_module(KINDS[name]).KIND
    return kind


def checked_config(kind: str, values: Mapping[str, Any], *, over_api_of: str = "") -> dict[str, object]:
    """Options as they are kept: checked, defaults filled in, secrets as references. `over_api_of` is the tenant whose
    key asks; empty: somebody on the machine. InvalidInput says what is wrong; Forbidden: they are for who is there."""
    named = kind_named(kind)
    config = config_of(named, values)
    refused = refused_over_api(named, config, tenant=over_api_of) if over_api_of else ""
    if refused:
        raise Forbidden(f"{refused}: the API does not take that.", remedy="Use `firstline source add` on the machine.")
    return config.model_dump(mode="json")


def checked_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"{name[:80]!r} is no name for a source.",
            remedy="Use 1 to 64 lower-case letters, digits, dots, dashes and underscores.",
        )
    return name


def open_source(source: RegisteredSource, *, bytes_max: int, folder: Path) -> Incremental:
    """`folder`: where sources keep what they need between syncs; this one gets a place of its own in it."""
    kind = kind_named(source.kind)
    config: SourceConfig = config_of(kind, source.config)
    place = hashlib.sha256("\x1f".join((source.tenant, source.kb, source.name)).encode("utf-8", "replace")).hexdigest()
    return kind.open(
        Opening(
            name=source.name,
            access=Access(
                kind=source.document_kind,
                acl=source.acl,
                level=source.level,
                origin=origin_of_name(source.name),
                graph=config.graph,
            ),
            config=config,
            bytes_max=bytes_max,
            folder=folder / place[:16],
            limits=HttpLimits(bytes_max=bytes_max),
        )
    )
