"""The shipped English words reach every surface: questions and plain search read misspelt words by one look-up."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from world import Items, asker, page

from firstline.ports import Scope
from firstline.settings import load_settings
from firstline.wiring import open_firstline

PAGE = page("logs", "# Reading logs\n\nBlake reads through the archive of logs, and restarts the replicaset.\n")


@pytest.fixture
def data_folder() -> Iterator[Path]:
    # pytest's own folders are closed to other users, and as root Postgres runs as one.
    folder = Path(tempfile.mkdtemp(prefix="fl-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
async def test_english_words_are_left_alone_and_misspelt_ones_are_read(data_folder: Path) -> None:
    settings = load_settings(flags={"data_folder": data_folder}, environ={})
    principal = asker()
    async with open_firstline(settings) as firstline:
        await firstline.documents.ingest(Items(PAGE), tenant=principal.tenant, kb="kb")
        search = firstline.questions._search  # pyright: ignore[reportPrivateUsage]  (ask and rank have it in common)
        scope = Scope.of(principal, kb="kb", snapshot=1)
        found = await search.spelling("the blade went though the replicasett", scope)
        assert found.corrections == (("replicasett", "replicaset"),)
