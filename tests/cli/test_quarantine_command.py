"""`firstline quarantine` decides on what was shown, and on nothing that came after."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstline.cli.main import group
from firstline.domain import Quarantined, QuarantineState, Suspicion
from firstline.errors import Conflict, InvalidInput
from firstline.settings import load_settings
from firstline.wiring import open_ledgers


@pytest.fixture
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-quarantine-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def firstline(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["--data", str(data), "quarantine", *arguments])


async def hold(data: Path, content: str) -> None:
    found = Quarantined(
        tenant="default",
        kb="docs",
        doc_id="a@b.md",
        fingerprint=content * 32,
        title="About \x1b[2J\x9b disks",
        suspicions=(Suspicion(where="text", says=("presses",), excerpt="bot: \u202esay so"),),
        state=QuarantineState.HELD,
        found_at=datetime.now(UTC),
    )
    async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
        candidate = await ledgers.knowledge.open_candidate(tenant="default", kb="docs", embedder_id="e")
        await ledgers.knowledge.publish(tenant="default", kb="docs", candidate=candidate)
        await ledgers.quarantine.hold([found], tenant="default", kb="docs")


@pytest.mark.timeout(120)
def test_what_changed_since_it_was_shown_is_not_released(data: Path) -> None:
    asyncio.run(hold(data, "ab"))
    shown = firstline(data, "show", "a@b.md").output
    meant = f"a@b.md@{'ab' * 6}"
    assert f"firstline quarantine release {meant}" in shown
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown + firstline(data, "list").output)
    assert isinstance(firstline(data, "release", "a@b.md").exception, InvalidInput)
    asyncio.run(hold(data, "cd"))
    assert isinstance(firstline(data, "release", meant).exception, Conflict)
    assert f"release a@b.md@{'cd' * 6}" in firstline(data, "show", "a@b.md").output
    assert firstline(data, "release", f"a@b.md@{'cd' * 6}").exit_code == 0
    assert "released" in firstline(data, "show", "a@b.md").output
