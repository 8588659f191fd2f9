"""What others wrote reaches the terminal as text alone, on every command."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firstline.cli
from firstline.cli.ask_command import print_reply
from firstline.cli.handoffs_command import print_draft
from firstline.cli.printing import plain, say, say_json
from firstline.domain import ClaimKind, DraftState, DraftTicket, Reply, ReplyBlock
from firstline.questions.wording.voice import shipped

HOSTILE = "a\x1b[2Jb\x9b31mc\u202ed\u2066e\x07\u2028f"


def test_what_a_terminal_obeys_becomes_a_blank() -> None:
    assert plain(HOSTILE) == "a [2Jb 31mc d e  f"
    kept = "déjà\tvu\n\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f52c\xa0日本"
    assert plain(kept) == kept


@given(st.text())
def test_nothing_else_is_lost(text: str) -> None:
    assert len(plain(text)) == len(text) and not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", plain(text)
    )


def test_no_command_prints_past_it() -> None:
    past = re.compile(r"\b(?:click\.s?echo|click\.style|print)\(")
    folder = Path(firstline.cli.__file__).parent
    found = [
        f"{path.name}:{number}"
        for path in sorted(folder.glob("*.py"))
        if path.name != "printing.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if past.search(line)
    ]
    assert found == [], "say() prints, and gives style"


def test_style_comes_from_us_alone(capsys: pytest.CaptureFixture[str]) -> None:
    say("\x1b[31mred", bold=True)
    assert "red" in capsys.readouterr().out


def test_a_reply_and_a_draft_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    reply = Reply(
        outcome="answered",
        completeness=None,
        notice=HOSTILE,
        blocks=(ReplyBlock(text=HOSTILE, kind=ClaimKind.SENTENCE, citations=(1,)),),
        citations=(),
        links=((HOSTILE, HOSTILE),),
        options=(HOSTILE,),
        reason=None,
        handoff_id=None,
        person="none",
        confidence=None,
    )
    print_reply(reply, shipped().voice("en"))
    draft = DraftTicket(
        draft_id=HOSTILE,
        tenant="t",
        kb=HOSTILE,
        title=HOSTILE,
        symptom=HOSTILE,
        resolution=HOSTILE,
        state=DraftState.DRAFT,
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
    )
    print_draft(draft)
    printed = capsys.readouterr().out
    assert "31mc" in printed and plain(printed) == printed


def test_json_loses_nothing_and_controls_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"text": HOSTILE + "\x7f\U0001f600"})
    printed = capsys.readouterr().out
    assert plain(printed) == printed
    assert json.loads(printed) == {"text": HOSTILE + "\x7f\U0001f600"}
