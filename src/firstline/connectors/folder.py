"""A folder, registered as a source: everything in it is looked at, and what has not changed costs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

from pydantic import Field

from firstline.connectors.files import FilesSource
from firstline.connectors.kind import FoldersConfig, Opening, Place, SourceConfig, SourceKind
from firstline.domain import Alert, Change, Complete
from firstline.errors import InvalidInput


class FolderConfig(FoldersConfig, SourceConfig):
    path: Place = Field(description="The folder. Everything in it and below is taken.")
    map: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other column names of tables: text=Description,title=Summary."
    )

    @property
    def reads_this_machine(self) -> bool:
        return True


class FolderSource:
    """Implements `ports.Incremental` by content hash. Item ids are the source's name and the path below the folder."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        opening, config = self._opening, cast("FolderConfig", self._opening.config)
        if not await asyncio.to_thread(Path(config.path).is_dir):
            raise InvalidInput(
                f"There is no folder at {config.path}.",
                remedy="Check that it is mounted and readable for firstline; nothing was removed.",
            )
        files = FilesSource(
            [config.path],
            kind=opening.access.kind,
            acl=opening.access.acl,
            level=opening.access.level,
            map=config.map,
            bytes_max=opening.bytes_max,
            name=opening.name,
            may_be_empty=True,
            rules=config.rules,
        )
        if config.rules:
            yield await files.look()
        async for item in files.items():
            yield item
        for said in files.unmet:
            yield Alert(said=said, keeps=False)
        yield Complete(prefix=f"{opening.name}/")


KIND = SourceKind(
    name="folder", says="A folder of this machine.", config=FolderConfig, open=FolderSource, main="path", local=True
)
