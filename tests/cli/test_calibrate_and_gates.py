"""`firstline calibrate` and `firstline gates` on the memory engines."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from tests.contracts.ledger_samples import gates
from tests.journeys.world import KB, TENANT, World, asker, page

from firstline.cli import ask_command, calibrate_command
from firstline.cli.calibrate_command import mix_named
from firstline.cli.gates_command import drift_in_words, line_of, status_lines, version_before
from firstline.domain import Answered, GateReading
from firstline.errors import Conflict, InvalidInput
from firstline.evals.calibrate import Wanted
from firstline.evals.drift import TURNS_MIN, drift, drift_since
from firstline.questions.gates_in_force import GatesInForce
from firstline.settings import Settings
from firstline.wiring import check_gates, knobs_of

SUBJECTS = "alpha beacon cedar delta ember falcon garnet harbor indigo juniper kelp lumen".split()
WANTED = Wanted(max_wrong=0.3, max_wrong_unsure=0.3, certainty=0.8)


def question(subject: str) -> str:
    return f"How do I restart the {subject} service?"


def cases_file(folder: Path) -> Path:
    lines: list[dict[str, Any]] = [
        {"id": f"a-{subject}", "question": question(subject), "docs": [subject], "answerable": True}
        for subject in SUBJECTS
    ]
    lines += [
        {"id": f"u-{number}", "question": f"Where can I buy purple umbrella number {number}?", "answerable": False}
        for number in range(6)
    ]
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
async def opened(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What `open_firstline` gives, on memory."""
    world = World()
    pages = [
        page(subject, f"# The {subject}\n\nRestart the {subject} service with `{subject}ctl restart`.\n", title=subject)
        for subject in SUBJECTS
    ]
    await world.ingest(*pages)
    world.knowledge.gates.recorded = world.conversations.recorded
    settings = Settings(tenant=TENANT, kb=KB)
    knobs = knobs_of(settings, embedder="toy", reranker="none", classifier="none")
    journey = world.questions()
    journey._in_force = GatesInForce(  # pyright: ignore[reportPrivateUsage]  (as wiring gives it)
        ledger=world.knowledge.gates, knobs=knobs
    )
    made = SimpleNamespace(
        settings=settings,
        knowledge=world.knowledge,
        conversations=world.conversations,
        questions=journey,
        gates=world.knowledge.gates,
        knobs=knobs,
        world=world,
    )

    @asynccontextmanager
    async def open_memory(_: Settings):
        yield made

    monkeypatch.setattr("firstline.wiring.open_firstline", open_memory)
    return made


async def calibrate(opened: SimpleNamespace, path: Path, folder: Path, *, wanted: Wanted = WANTED, dry: bool = False):
    await calibrate_command._calibrate(  # pyright: ignore[reportPrivateUsage]  (the command without its event loop)
        opened.settings, path, wanted, folder, dry
    )


async def test_calibrated_gates_are_in_force_and_the_next_question_is_decided_by_them(
    opened: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await calibrate(opened, cases_file(tmp_path), tmp_path / "out")
    stored = await opened.gates.gates_in_force(tenant=TENANT, kb=KB)
    assert stored.snapshot == 1 and stored.knobs == opened.knobs and stored.cases == 18
    assert stored.tested == 18 and stored.wrong_bound <= 0.3
    assert len(stored.relevance_values) >= 12, "as labelled only, and those that came to the gate"
    said = capsys.readouterr().out
    assert f"In force as version {stored.version}" in said and "confidence gate" in said
    assert opened.conversations.recorded() == [], "no turn, and no hand-over that a person would be told of"
    assert "docs, snapshot 1" in (tmp_path / "out" / "curve.txt").read_text("utf-8")
    turn = await opened.questions.ask(
        session=await opened.world.session(), principal=asker(), question=question("cedar")
    )
    assert turn.gates_version == stored.version and isinstance(turn.outcome, Answered)
    assert {reading.name: reading.threshold for reading in turn.gates} == stored.thresholds


async def test_a_conversation_given_twice_counts_once(
    opened: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cases_file(tmp_path)
    lines = path.read_text("utf-8").splitlines()
    again = [{**json.loads(line), "id": f"copy-{number}"} for number, line in enumerate(lines[:2])]
    again[0]["question"] = f"  {again[0]['question'].upper()} "
    path.write_text("\n".join([*lines, *map(json.dumps, again)]), encoding="utf-8")
    await calibrate(opened, path, tmp_path / "out")
    assert (await opened.gates.gates_in_force(tenant=TENANT, kb=KB)).cases == 18
    assert "notice: 2 cases repeat the messages of others and are left out" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["--max-wrong", "--confidence", "--max-wrong-unsure"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "0", "1", "a few"])
def test_a_bound_that_bounds_nothing_is_refused_in_plain_words(name: str, value: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(calibrate_command.command, [str(tmp_path / "cases.jsonl"), name, value], obj={})
    assert done.exit_code == 2 and f"{value} is no number from 0." in done.output


async def test_a_dry_run_changes_nothing(
    opened: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await calibrate(opened, cases_file(tmp_path), tmp_path / "out", dry=True)
    assert await opened.gates.gates_in_force(tenant=TENANT, kb=KB) is None
    assert (tmp_path / "out" / "curve.csv").is_file()
    assert "Nothing was changed" in capsys.readouterr().out


async def test_a_refusal_changes_nothing_and_writes_nothing(
    opened: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrate_command, "ask_all", None)  # refused before anything is asked
    with pytest.raises(InvalidInput, match="too few cases: 12 with an answer here and 6 without"):
        await calibrate(
            opened, cases_file(tmp_path), tmp_path / "out", wanted=replace(WANTED, max_wrong=0.01, certainty=0.95)
        )
    assert await opened.gates.gates_in_force(tenant=TENANT, kb=KB) is None
    assert not (tmp_path / "out").exists()


async def test_one_can_calibrate_again_while_the_gates_in_force_are_refused(
    opened: SimpleNamespace, tmp_path: Path
) -> None:
    old = await opened.gates.add_gates(gates(TENANT, kb=KB))
    with pytest.raises(InvalidInput, match="calibrated for other settings"):
        await check_gates(opened, kb=KB)
    await calibrate(opened, cases_file(tmp_path), tmp_path / "out")
    assert (await opened.gates.gates_in_force(tenant=TENANT, kb=KB)).version > old.version


async def test_ask_refuses_loudly_where_a_server_would_hand_over(
    opened: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened.gates.add_gates(replace(gates(TENANT, kb=KB), knobs={**opened.knobs, "candidates": "7"}))
    before = len(opened.conversations.recorded())
    with pytest.raises(InvalidInput, match="candidates was 7 and is 50"):
        await ask_command._ask(  # pyright: ignore[reportPrivateUsage]  (below the printing)
            opened.settings, asker(), question("cedar"), None, None
        )
    assert len(opened.conversations.recorded()) == before, "nobody was handed over"


async def test_rollback_goes_back_one_by_one(opened: SimpleNamespace) -> None:
    ledger = opened.gates
    with pytest.raises(Conflict, match="no earlier gates"):
        await version_before(ledger, TENANT, KB)
    versions = [(await ledger.add_gates(gates(TENANT, kb=KB, minutes=n))).version for n in range(3)]
    assert await version_before(ledger, TENANT, KB) == versions[1]
    await ledger.put_in_force(versions[1], tenant=TENANT, kb=KB)
    assert await version_before(ledger, TENANT, KB) == versions[0]
    await ledger.put_in_force(versions[0], tenant=TENANT, kb=KB)
    with pytest.raises(Conflict) as refused:
        await version_before(ledger, TENANT, KB)
    assert f"firstline gates reset --kb {KB}" in refused.value.remedy
    await ledger.put_in_force(0, tenant=TENANT, kb=KB)
    assert await version_before(ledger, TENANT, KB) == versions[2], "from the shipped ones to the newest"
    assert "at most 1.00% wrong (95% certain)" in line_of(
        (await ledger.gates_history(tenant=TENANT, kb=KB, limit=1))[0]
    )


async def test_status_says_which_gates_decide_and_whether_they_fit(opened: SimpleNamespace) -> None:
    async def lines(settings: Settings = opened.settings) -> str:
        status = await opened.knowledge.status(tenant=TENANT, kb=KB)
        return "\n".join(await status_lines(settings, opened.gates, status))

    assert await lines() == "  gates as shipped"
    await opened.gates.add_gates(replace(gates(TENANT, kb=KB), knobs=opened.knobs))
    assert "calibrated 2026-03-01 on snapshot 1: at most 1.00% wrong, 95% certain" in await lines()
    assert "not known yet, 0 of the 100 turns" in await lines()
    await opened.world.ingest(page("new", "# New\n\nA page that is new.\n"))
    assert "on snapshot 1, 1 snapshots ago" in await lines()
    assert "REFUSED" not in await lines()
    assert "REFUSED" in await lines(Settings(tenant=TENANT, kb=KB, candidates=99))
    await opened.gates.add_gates(replace(gates(TENANT, kb=KB), knobs={**opened.knobs, "triage classifier": "older"}))
    assert "triage classifier was older and is none" in await lines()


async def test_drift_is_read_from_the_turns_since(opened: SimpleNamespace) -> None:
    values = tuple(number / 200 for number in range(200))
    stored = await opened.gates.add_gates(replace(gates(TENANT, kb=KB), knobs=opened.knobs, relevance_values=values))
    assert await drift_since(opened.gates, stored) == (0, None)
    await opened.gates.put_in_force(0, tenant=TENANT, kb=KB)
    session = await opened.world.session()
    turn = await opened.questions.ask(session=session, principal=asker(), question=question("cedar"))
    for number in range(2, TURNS_MIN + 2):
        live = replace(
            turn,
            number=number,
            gates_version=stored.version,
            gates=(GateReading(name="relevance", value=0.9, threshold=0.2),),
        )
        await opened.conversations.append_turn(live, None)
    turns, found = await drift_since(opened.gates, stored)
    assert turns == TURNS_MIN and found is not None and found.drifted
    assert "DRIFTED" in drift_in_words(turns, found) and "calibrate again" in drift_in_words(turns, found)
    steady = drift(values, values)
    assert "none seen" in drift_in_words(200, steady)


def test_a_mix_is_three_whole_numbers() -> None:
    assert mix_named("2:1:0") == (2, 1, 0)
    for wrong in ("1:1", "1:1:1:1", "a:b:c", "0:1:1", "1:1:-1", "1:1:99", "1.5:1:1"):
        with pytest.raises(InvalidInput, match="is not a mix"):
            mix_named(wrong)
