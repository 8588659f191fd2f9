"""What `firstline replay` prints, and its exit code, without engines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from tests.invariants.outcomes import turn_of

from firstline.cli import replay_command
from firstline.cli.main import group
from firstline.domain import Category, Clarify, Deflected
from firstline.questions.replay import Difference, Replay, differences

THEN = turn_of(Clarify())
OTHER = turn_of(Deflected(category=Category.IRRELEVANT, topics=()))
SETTINGS = Difference(what="settings", then="a", now="b")


def invoked(monkeypatch: pytest.MonkeyPatch, found: Replay, *flags: str) -> Any:
    async def replayed(*_: Any) -> Replay:
        return found

    monkeypatch.setattr(replay_command, "_replay", replayed)
    return CliRunner().invoke(group, ["replay", "session.1", *flags])


@pytest.mark.parametrize(
    ("found", "code", "told"),
    [
        (Replay(recorded=THEN, again=THEN, differences=()), 0, "SAME"),
        (Replay(recorded=THEN, again=THEN, differences=(SETTINGS,)), 0, "decides nothing by itself"),
        (Replay(recorded=THEN, again=OTHER, differences=tuple(differences(THEN, OTHER))), 1, "deflected irrelevant"),
    ],
)
def test_the_exit_code_says_whether_it_is_the_same(
    monkeypatch: pytest.MonkeyPatch, found: Replay, code: int, told: str
) -> None:
    result = invoked(monkeypatch, found)
    assert (result.exit_code, told in result.output) == (code, True), result.output
    shown = json.loads(invoked(monkeypatch, found, "--json").stdout)
    assert shown["same"] == (code == 0) and len(shown["differences"]) == len(found.differences)


def test_a_name_that_is_none_is_refused() -> None:
    result = CliRunner().invoke(group, ["replay", "nothing"])
    assert result.exit_code != 0 and "does not name a turn" in str(result.exception)
