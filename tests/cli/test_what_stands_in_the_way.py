"""What keeps an ingest from being what its caller expects is said before it matters: a full disk, a bad file of cases,
failures of earlier runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from firstline.cli.doctor_command import room_line
from firstline.cli.golden_file import cases_problem
from firstline.cli.main import group
from firstline.cli.status_command import failure_lines
from firstline.domain import EVERYONE, DocumentKind, Failure, Level, RegisteredSource, SourceState, SyncReport

MB = 1_000_000


@pytest.mark.parametrize(
    ("free", "fine", "mark"),
    [(0, False, "BAD"), (200 * MB, False, "BAD"), (300 * MB, True, "WARN"), (5_000 * MB, True, "ok")],
)
def test_doctor_says_that_nothing_is_ingested_on_a_full_disk(free: int, fine: bool, mark: str, tmp_path: Path) -> None:
    found, line = room_line(tmp_path, free)
    assert found is fine and line.startswith(mark)
    assert ("nothing is ingested" in line) is not fine


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (None, "no file of cases"),
        ("", "no case"),
        ("{not json\n", "line 1"),
        ('{"id": "a", "question": "How?", "wants": 7, "unknown": 1}\n', "line 1"),
    ],
)
def test_a_file_of_golden_cases_that_cannot_be_used(text: str | None, wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    if text is not None:
        file.write_text(text)
    said = cases_problem(SimpleNamespace(golden_cases=str(file)))
    assert "golden_cases" in said and wrong in said


def test_no_file_of_golden_cases_is_no_problem() -> None:
    assert cases_problem(SimpleNamespace(golden_cases="")) == ""


def source(name: str, *failures: str, failed: int | None = None) -> RegisteredSource:
    report = SyncReport(
        state=SourceState.PARTIAL,
        failed=len(failures) if failed is None else failed,
        failures=tuple(Failure(item_id=one, reason="It is empty.") for one in failures),
    )
    now = datetime.now(UTC)
    return RegisteredSource(
        tenant="default",
        kb="docs",
        name=name,
        kind="folder",
        config={},
        document_kind=DocumentKind.DOCUMENTATION,
        acl=frozenset({EVERYONE}),
        level=Level.PUBLIC,
        added_at=now,
        finished_at=now,
        last_report=report,
    )


def test_failures_are_told_by_the_run_that_they_are_of() -> None:
    last = [Failure(item_id="manual/a.md", reason="It is empty."), Failure(item_id="wiki/b", reason="It is empty.")]
    lines = failure_lines(last, [source("wiki", "wiki/b", "wiki/c", failed=9), source("fine")], listed=True)
    text = "\n".join(lines)
    assert "by the last run" in lines[0]
    assert [text.count(one) for one in ("manual/a.md", "wiki/b", "wiki/c")] == [1, 1, 1]
    assert "source wiki, synced" in text and "9 items were not taken" in text and "7 more" in text
    assert "fine" not in text
    short = failure_lines([], [source("wiki", "wiki/b")], listed=False)
    assert len(short) == 1 and "1 item was not taken (--failures" in short[0]


@pytest.mark.parametrize(
    "views", [("--stale", "--duplicates"), ("--stale", "--suggest-faq"), ("--stale", "--duplicates", "--suggest-faq")]
)
def test_one_view_of_the_gaps_at_a_time(views: tuple[str, ...], tmp_path: Path) -> None:
    done = CliRunner().invoke(group, ["--data", str(tmp_path / "data"), "gaps", *views])
    assert done.exit_code == 2 and "Choose one of" in done.output
    assert not (tmp_path / "data").exists()
