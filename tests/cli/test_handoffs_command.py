"""`firstline handoffs` on a data folder of its own."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from firstline.cli import main
from firstline.domain import Escalated, HandoffState, Session, Turn
from firstline.questions.card.case import Case
from firstline.questions.handoff import handoff
from firstline.settings import Settings
from firstline.wiring import open_ledgers

Run = Callable[..., tuple[int, str]]
NEVER = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def folder() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-handoffs-"))
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


async def hand_over(folder: Path, *questions: str) -> str:
    """A conversation whose last message goes to a person; the hand-over's id."""
    from datetime import UTC, datetime

    from firstline.domain import Clarify, Outcome, Reason

    now = datetime.now(UTC)
    async with open_ledgers(Settings(data_folder=folder)) as ledgers:
        session = Session(session_id=f"s-{now.timestamp()}", tenant="default", kb="docs", user="cli", created_at=now)
        await ledgers.conversations.create_session(session)
        turns: list[Turn] = []
        for number, question in enumerate(questions, start=1):
            last = number == len(questions)
            case = Case(
                session_id=session.session_id,
                turn=number,
                reason=Reason.USER_ASKED,
                question=question,
                earlier=turns,
                triage=None,
            )
            made = handoff(case, handoff_id=f"h-{now.timestamp()}", created_at=now)
            outcome: Outcome = Escalated(handoff=made) if last else Clarify(question="Which?", options=())
            turn = Turn(
                session_id=session.session_id,
                number=number,
                question=question,
                asked_at=now,
                scope_hash="0",
                snapshot=0,
                settings_hash="0",
                model_ids=(),
                triage=None,
                plan=None,
                evidence=(),
                gates=(),
                outcome=outcome,
                timings_ms={},
            )
            await ledgers.conversations.append_turn(turn, made if last else None)
            turns.append(turn)
    return made.handoff_id


def test_a_handoff_from_the_list_to_its_draft(folder: Path, firstline: Run) -> None:
    handoff_id = asyncio.run(hand_over(folder, "The import fails with EX-1001.", "I restarted it.", "human please"))
    code, listed = firstline("handoffs")
    assert code == 0 and re.search(rf"^{handoff_id}  open +docs +- ", listed, re.MULTILINE)
    assert handoff_id not in firstline("handoffs", "list", "--state", "resolved")[1]

    _, shown = firstline("handoffs", "show", handoff_id)
    assert re.search(r"^Problem +The import fails with EX-1001\.$", shown, re.MULTILINE)
    assert re.search(r"^Tried by the customer +I restarted it\.$", shown, re.MULTILINE)
    assert re.search(r"^Missing +the version; the platform it runs on", shown, re.MULTILINE)
    assert f"firstline handoffs show {handoff_id} --transcript" in shown

    code, said = firstline("handoffs", "reply", handoff_id, "Hello")
    assert code == 4 and "Take it first." in said
    assert "with ann" in firstline("handoffs", "take", handoff_id, "--as", "ann")[1]
    code, said = firstline("handoffs", "take", handoff_id, "--as", "bob")
    assert code == 4 and "ann has this hand-over" in said and "--force" in said
    assert "with bob" in firstline("handoffs", "take", handoff_id, "--as", "bob", "--force")[1]
    assert "in_progress" in firstline("handoffs", "reply", handoff_id, "Which version?", "--as", "bob")[1]
    firstline("handoffs", "note", handoff_id, "Seen twice this week.", "--as", "ann")
    code, said = firstline("handoffs", "resolve", handoff_id, "Raise the limit.", "--as", "bob")
    assert code == 0 and f"{handoff_id} is {HandoffState.RESOLVED}" in said

    _, lines = firstline("handoffs", "show", handoff_id, "--transcript")
    for line in ("The import fails", "Which version?", "Seen twice", "over from ann", "(resolved) Raise the limit."):
        assert line in lines
    _, drafts = firstline("handoffs", "drafts")
    assert handoff_id in drafts and "EX-1001" in drafts and "Raise the limit." in drafts
    assert "is discarded" in firstline("handoffs", "discard", handoff_id)[1]
    assert "No drafts." in firstline("handoffs", "drafts")[1]


def test_what_is_not_there_is_said(firstline: Run) -> None:
    for command in (("show", NEVER), ("take", NEVER), ("discard", NEVER), ("publish", NEVER, "--level", "public")):
        code, said = firstline("handoffs", *command)
        assert code == 2 and "There is no such" in said, said
    assert firstline("handoffs", "publish", NEVER, "--level", "all")[0] == 2
