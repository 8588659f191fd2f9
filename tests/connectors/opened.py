"""Connectors, opened as the sync opens them, and what they say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firstline.connectors.http import HttpLimits
from firstline.connectors.kind import Opening
from firstline.connectors.kinds import checked_config, config_of, kind_named
from firstline.connectors.overrides import Access
from firstline.domain import (
    EVERYONE,
    Alert,
    Change,
    Complete,
    Cursor,
    DocumentKind,
    Failure,
    Level,
    Removed,
    SourceItem,
    Unchanged,
)
from firstline.ports import Incremental

QUICK = HttpLimits(connect_s=1.0, read_s=1.0, try_s=2.0, bytes_max=200_000, tries_max=2, wait_s_max=1.0)
NOW = datetime.now(UTC)


def opened(
    kind: str,
    folder: Path,
    *,
    bytes_max: int = 200_000,
    level: Level = Level.PUBLIC,
    limits: HttpLimits = QUICK,
    **options: Any,
) -> Incremental:
    named = kind_named(kind)
    config = config_of(named, checked_config(kind, options))
    access = Access(kind=DocumentKind.DOCUMENTATION, acl=frozenset({EVERYONE}), level=level, origin="here")
    return named.open(
        Opening(name="src", access=access, config=config, bytes_max=bytes_max, folder=folder / "place", limits=limits)
    )


@dataclass(kw_only=True)
class Said:
    changes: list[Change]
    error: Exception | None = None

    def of(self, kind: type[Any]) -> list[Any]:
        return [change for change in self.changes if isinstance(change, kind)]

    @property
    def items(self) -> dict[str, SourceItem]:
        return {one.item_id.removeprefix("src/"): one for one in self.of(SourceItem)}

    @property
    def texts(self) -> dict[str, str]:
        return {name: one.raw.decode() for name, one in self.items.items()}

    @property
    def removed(self) -> set[str]:
        return {one.item_id.removeprefix("src/") for one in self.of(Removed)}

    @property
    def unchanged(self) -> set[str]:
        return {one.item_id.removeprefix("src/") for one in self.of(Unchanged)}

    @property
    def failures(self) -> dict[str, str]:
        return {one.item_id.removeprefix("src/"): one.reason for one in self.of(Failure)}

    @property
    def alerts(self) -> list[str]:
        return [one.said for one in self.of(Alert)]

    @property
    def keeps(self) -> bool:
        return any(one.keeps for one in self.of(Alert))

    @property
    def complete(self) -> list[str]:
        return [one.prefix for one in self.of(Complete)]

    @property
    def cursor(self) -> str | None:
        return next((one.value for one in reversed(self.of(Cursor))), None)


async def hear(source: Incremental, cursor: str | None = None) -> Said:
    """All it says; an accident is kept with what came before."""
    said = Said(changes=[])
    changes: AsyncIterator[Change] = source.changes(cursor)
    try:
        async for change in changes:
            said.changes.append(change)
    except Exception as error:
        said.error = error
    return said
