"""`firstline review` on a data folder of its own, without a terminal."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.contracts.ledger_samples import turn

from firstline.cli import main
from firstline.cli.printing import plain
from firstline.domain import Clarify, FeedbackReason, Rating, Session
from firstline.evals.cases import load_cases
from firstline.settings import Settings
from firstline.wiring import open_ledgers, review_desk_of

Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def folder() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-review-"))
    made.chmod(0o711)
    yield made / "data"
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def firstline(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["firstline", "--data", str(folder), *arguments])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


async def disliked(folder: Path) -> None:
    settings = Settings(data_folder=folder)
    async with open_ledgers(settings) as ledgers:
        now = datetime.now(UTC)
        await ledgers.conversations.create_session(
            Session(session_id="s-1", tenant="default", kb="docs", user="u", created_at=now)
        )
        for number, question in enumerate(("Hello", "Which port does it\u2028listen on?"), start=1):
            made = turn("s-1", number, question=question, outcome=Clarify(question="Which one?", options=()))
            await ledgers.conversations.append_turn(made, None)
        desk = review_desk_of(settings, ledgers)
        await desk.rate("s-1", 2, Rating.DOWN, FeedbackReason.INCOMPLETE, "", by="u")


def test_from_the_list_to_a_file_of_cases(folder: Path, firstline: Run, tmp_path: Path) -> None:
    assert firstline("review", "--list") == (0, "Nothing waits for a review.\n")
    asyncio.run(disliked(folder))
    code, listed = firstline("review", "--list")
    assert code == 0 and listed.startswith("s-1.2 ") and "disliked" in listed and "Which port" in listed
    code, said = firstline("review")
    assert code == 2 and "--judge TURN" in said, "without a terminal it says what to use"
    code, said = firstline("review", "--judge", "s-1.2", "--as", "excellent")
    assert code == 2 and "unanswerable" in said
    code, said = firstline("review", "--judge", "s-1.2", "--as", "wrong", "--docs", "a.md, b.md")
    assert code == 2 and "no document 'a.md'" in said
    assert firstline("review", "--judge", "s-1.2")[0] == 2
    assert firstline("review", "--judge", "s-1.2", "--as", "skip", "--by", "bob")[0] == 0
    code, said = firstline("review", "--judge", "s-1.2", "--as", "unanswerable", "--by", "ann")
    assert (code, said) == (0, "s-1.2: unanswerable.\n")
    assert firstline("review", "--list") == (0, "Nothing waits for a review.\n")

    cases = tmp_path / "cases.jsonl"
    code, said = firstline("review", "export", str(cases))
    assert code == 0 and "1 case is in" in said
    (case,) = load_cases(cases)
    assert case.turns == ("Hello", "Which port does it\u2028listen on?") and case.answerable is False
    assert "judged by ann" in json.loads(cases.read_text(encoding="utf-8"))["note"]


def test_what_is_shown_cannot_steer_the_terminal() -> None:
    assert plain("a\x1b[2Jb\x9bc\x07\nd\u202ee") == "a [2Jb c \nd e"


def test_an_export_into_a_folder_that_is_not_there_says_so(firstline: Run, tmp_path: Path) -> None:
    code, said = firstline("review", "export", str(tmp_path / "absent" / "cases.jsonl"))
    assert code == 2 and f"There is no folder {tmp_path / 'absent'}" in said and "Make it" in said
