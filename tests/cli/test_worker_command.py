"""`firstline worker dead` and `retry`, and what `firstline status` says of changes."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstline.cli.lag import lag_lines
from firstline.cli.main import group
from firstline.domain import JobBacklog, Lag, RawChange
from firstline.settings import load_settings
from firstline.wiring import open_ledgers


@pytest.fixture
def folder() -> Generator[Path]:
    found = Path(tempfile.mkdtemp(prefix="firstline-worker-"))
    found.chmod(0o711)
    yield found / "data"
    shutil.rmtree(found, ignore_errors=True)


async def _give_up(folder: Path) -> None:
    async with open_ledgers(load_settings(flags={"data_folder": folder}, environ={})) as ledgers:
        change = RawChange(item_id="wiki/a", document=None)
        await ledgers.changes.accept([change], tenant="default", kb="docs", source="wiki", event_id="e")
        (one,) = await ledgers.changes.due(tenant="default", kb="docs", limit=1)
        await ledgers.changes.postpone(one, problem="It holds no text.", again_in_s=None)


def test_what_was_given_up_is_listed_and_retried(folder: Path) -> None:
    asyncio.run(_give_up(folder))

    def said(*arguments: str) -> str:
        return str(CliRunner().invoke(group, ["--data", str(folder), *arguments], catch_exceptions=True).output)

    listed = said("worker", "dead")
    assert "wiki/a  in docs, attempts 1" in listed and "It holds no text." in listed
    assert "1 given up" in said("status")
    assert "wiki/a waits again." in said("worker", "retry", "wiki/a")
    assert "Nothing was given up." in said("worker", "dead")
    assert "changes of docs: 1 waiting" in said("status")


def test_which_to_retry_must_be_said(folder: Path) -> None:
    for arguments in ([], ["a", "--all-dead"]):
        result = CliRunner().invoke(group, ["--data", str(folder), "worker", "retry", *arguments])
        assert result.exception is not None and "Say which" in str(result.exception)


def test_the_lag_in_words() -> None:
    lag = Lag(tenant="t", kb="docs", waiting=2, dead=1, oldest_at=datetime.now(UTC), settled=9, p50_s=0.51, p95_s=1.96)
    lines = lag_lines([lag], JobBacklog(waiting=1, running=2, dead=3), age=lambda _: "5 seconds ago")
    assert lines == [
        "changes of docs: 2 waiting, the oldest announced 5 seconds ago; 1 given up (`firstline worker dead`); "
        "9 taken in the last hour, after 0.5 s (95%: 2.0 s)",
        "jobs: 1 waiting, 2 running, 3 given up",
    ]
