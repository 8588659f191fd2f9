"""`firstline trace` on a data folder of its own."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.contracts.ledger_samples import turn

from firstline.cli import main
from firstline.domain import Attempt, ModelCall, Session, Step
from firstline.settings import Settings
from firstline.wiring import open_ledgers

Run = Callable[..., tuple[int, str]]


async def two_turns(folder: Path) -> None:
    async with open_ledgers(Settings(data_folder=folder)) as ledgers:
        session = Session(session_id="s-1", tenant="default", kb="docs", user="u", created_at=datetime.now(UTC))
        await ledgers.conversations.create_session(session)
        await ledgers.conversations.append_turn(turn("s-1", 1, question="Which port is it?"), None)
        attempts = (
            Attempt(model_id="openai:a", ended="unavailable", ms=20.0, began_ms=4.0, counted=False),
            Attempt(model_id="openai:b", ended="whole", ms=80.0, began_ms=25.0, tokens_in=7, tokens_out=3),
        )
        call = ModelCall(
            step="write", role="large", prompt="answer@1", ended="whole", began_ms=3.0, ms=102.0, attempts=attempts
        )
        told = replace(
            turn("s-1", 2, question="Which port is it?"),
            timings_ms={"wait": 0.1, "write": 103.0, "total": 120.0},
            steps=(Step(name="write", began_ms=2.5, ms=103.0),),
            calls=(call,),
        )
        await ledgers.conversations.append_turn(told, None)


@pytest.fixture(scope="module")
def folder() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-trace-"))
    made.chmod(0o711)
    asyncio.run(two_turns(made / "data"))
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


def test_the_tree_has_a_branch_for_each_step_and_call(firstline: Run) -> None:
    code, out = firstline("trace", "s-1.2")
    assert code == 0
    assert [line[:24].rstrip() for line in out.splitlines()[1:]] == [
        "turn",
        "├─ wait",
        "└─ write",
        "   └─ ask large",
        "      ├─ chat a",
        "      └─ chat b",
    ]
    assert "25.0      80.0 ms  whole  provider=openai  tokens 7 in, 3 out" in out
    assert "port" not in out


def test_for_programs_as_json(firstline: Run) -> None:
    code, out = firstline("trace", "s-1.2", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["turn"] == "s-1.2"
    assert [one["name"] for one in told["tree"]["inside"]] == ["wait", "write"]
    assert told["tree"]["inside"][1]["inside"][0]["inside"][0]["error"] == "unavailable"
    assert "port" not in out


def test_a_record_of_an_older_version_is_shown_as_far_as_it_tells(firstline: Run) -> None:
    code, out = firstline("trace", "s-1.1")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[1:]][1] == ["└─", "triage"]


@pytest.mark.parametrize(
    ("named", "said"), [("s-1.9", "There is no such turn."), ("nothing", "does not name a turn"), ("", "does not name")]
)
def test_what_names_no_turn_says_what_to_do(firstline: Run, named: str, said: str) -> None:
    code, out = firstline("trace", named)
    assert code == 2
    assert said in out
    assert "review --list" in out
