"""`firstline eval`: settings beside each other, a baseline that fails a run, a judge over HTTP, the recipe for CI."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import yaml
from benchmarks.played_model import PlayedModel

from firstline.cli import main

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "ops" / "ci" / "evaluate.sh"
WORKFLOW = ROOT / "ops" / "ci" / "github-actions.yml"
FIRSTLINE = Path(sys.executable).with_name("firstline")
PAGES = {
    "spooler.md": "# Why the printer queue stalls\n\nThe printer queue stalls when the spooler service is stopped. "
    "Start the spooler service to clear the printer queue.\n\nWait 30 seconds before you print again.\n",
    "badges.md": "# Replace a lost badge\n\nA lost badge is replaced at the front desk. Bring a passport to replace a "
    "lost badge.\n",
    "vpn.md": "# VPN certificates\n\nA VPN certificate is valid for 90 days. Renew a VPN certificate with "
    "`vpnctl renew`.\n",
}
CASES = [
    {"id": "1", "question": "Why does the printer queue stall?", "docs": ["docs/spooler.md"], "outcome": "answered"},
    {"id": "2", "question": "How do I replace a lost badge?", "docs": ["docs/badges.md"], "outcome": "answered"},
    {"id": "3", "question": "How long is a VPN certificate valid?", "docs": ["docs/vpn.md"], "outcome": "answered"},
    {"id": "4", "question": "Who won the match yesterday?", "answerable": False},
]
Run = Callable[..., tuple[int, str]]
TWO = ("--settings", "plain.toml", "--settings", "strict.toml")


@pytest.fixture(scope="module")
def place() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-eval-"))
    made.chmod(0o711)
    (made / "docs").mkdir()
    for name, text in PAGES.items():
        (made / "docs" / name).write_text(text)
    (made / "golden.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    (made / "plain.toml").write_text("turns_at_once = 3\n")
    (made / "strict.toml").write_text("confidence_gate = 1.0\n")
    subprocess.run([FIRSTLINE, "--data", "kb", "ingest", "docs", "--quiet"], cwd=made, check=True, capture_output=True)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def firstline(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(place)
    monkeypatch.setenv("PLAYED_KEY", "sk-test")

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["firstline", "--data", "kb", *arguments])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


@pytest.fixture(scope="module")
def played(place: Path) -> Generator[PlayedModel]:
    """A model over HTTP, as writer (`writer.toml`) and as judge, in a thread of its own."""
    model, ready, stop = PlayedModel(tokens_per_s=0), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with await asyncio.start_server(model.handle, "127.0.0.1", 0, limit=4 * 1024 * 1024) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            judge = f'chain = [{{ model = "openai:judge", base_url = "{url}", key_env = "PLAYED_KEY" }}]'
            (place / "judge.toml").write_text(f"[models.judge]\n{judge}\n")
            writer = judge.replace("openai:judge", "openai:writer")
            both = f'answers_by = "model"\n[models.large]\n{writer}\n[models.judge]\n{judge}\n'
            (place / "writer.toml").write_text(both)
            own = writer.replace("openai:writer", "openai:JUDGE").replace("/v1", "/v1/")
            (place / "own.toml").write_text(f"[models.large]\n{own}\n[models.judge]\n{judge}\n")
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    yield model
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    loop.close()


# --- settings beside each other, and a baseline ---------------------------------------------------------------------


def test_settings_are_compared_on_the_same_cases_and_knowledge(firstline: Run) -> None:
    code, out = firstline("eval", "golden.jsonl", *TWO)
    assert code == 0
    assert "A: golden with plain.toml\nB: golden with strict.toml" in out
    assert re.search(r"Right: [67] before, [34] now, of 7\. Worse: 3\.", out)
    assert "WORSE cases/1: answered full -> clarify: Why does the printer queue stall?" in out
    code, out = firstline("eval", "golden.jsonl", *TWO, "--fail-on-regression")
    assert code == 1
    assert "3 cases got worse, and 0 may." in out
    code, _ = firstline("eval", "golden.jsonl", *TWO, "--fail-on-regression", "--allow", "3")
    assert code == 0


def test_a_baseline_fails_the_run_that_is_worse(firstline: Run, place: Path) -> None:
    code, _ = firstline("eval", "golden.jsonl", "--save", "base.json")
    assert code == 0
    code, out = firstline("eval", "golden.jsonl", "--baseline", "base.json", "--fail-on-regression")
    assert (code, "Worse: 0." in out) == (0, True)
    code, out = firstline(
        "eval", "golden.jsonl", "--settings", "strict.toml", "--baseline", "base.json", "--fail-on-regression"
    )
    assert code == 1
    assert out.count("WORSE cases/") == 3


def test_a_case_that_lacks_a_text_now_is_worse_although_it_is_answered(firstline: Run, place: Path) -> None:
    case = {**CASES[0], "must_contain": ["spooler"]}
    (place / "has.jsonl").write_text(json.dumps(case) + "\n")
    firstline("eval", "has.jsonl", "--save", "has.json")
    kept = json.loads((place / "has.json").read_text())
    (place / "lacks.jsonl").write_text(json.dumps({**case, "must_contain": ["toner"]}) + "\n")
    assert kept["judged"][0]["met"] is True
    code, out = firstline("eval", "lacks.jsonl", "--baseline", "has.json", "--fail-on-regression")
    assert code == 1
    assert "WORSE cases/1: answered full -> answered full, without 'toner'" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["golden.jsonl", "--fail-on-regression"], "needs --baseline, or --settings twice"),
        (
            ["golden.jsonl", "--settings", "plain.toml", "--settings", "strict.toml", "--save", "x.json"],
            "keeps one run",
        ),
        (["--compare", "a.json", "b.json", "--baseline", "c.json"], "and nothing beside them"),
        (["golden.jsonl", "--settings", "absent.toml"], "There is no settings file at absent.toml"),
        (["golden.jsonl", "--baseline", "absent.json"], "absent.json cannot be read"),
        (["golden.jsonl", "--settings", "plain.toml", "--settings", "other.toml"], "has another `kb` than plain.toml"),
        (["golden.jsonl", "--judge"], "No model is configured that judges"),
        (["golden.jsonl", "--allow", "-1"], "-1 is not in the range"),
        ([], "Name a file of cases"),
    ],
    ids=[
        "no-baseline",
        "save-two",
        "compare-more",
        "no-file",
        "no-results",
        "other-kb",
        "no-judge",
        "allow",
        "nothing",
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_asked(
    firstline: Run, place: Path, arguments: list[str], said: str
) -> None:
    (place / "other.toml").write_text('kb = "other"\n')
    code, out = firstline("eval", *arguments)
    assert code == 2
    assert said in out


# --- a judge --------------------------------------------------------------------------------------------------------


def test_a_judge_marks_answers_and_says_first_whether_to_believe_it(firstline: Run, played: PlayedModel) -> None:
    before = played.asked
    code, out = firstline("eval", "golden.jsonl", "--settings", "judge.toml", "--judge")
    assert code == 0
    assert played.asked - before == 3
    report = out[out.index("The judge: openai:judge, asked 3 times") :]
    assert report.index("NOT TO BE BELIEVED: people judged 0") < report.index("3 answers judged")
    assert re.search(r"faithfulness  5\.00  0  0  0  0  3", report)
    code, out = firstline("eval", "golden.jsonl", "--settings", "judge.toml", "--judge")
    assert "asked 0 times" in out, "kept from the run before"


def test_two_settings_are_compared_by_the_judge_in_both_orders(firstline: Run, played: PlayedModel) -> None:
    code, out = firstline("eval", "golden.jsonl", "--settings", "judge.toml", "--settings", "writer.toml", "--judge")
    assert code == 0
    assert "Preferred by the judge, each pair in both orders" in out
    assert "(A: golden with judge.toml, B: golden with writer.toml)" in out


def test_who_writes_does_not_judge_unless_it_is_forced(firstline: Run, played: PlayedModel) -> None:
    before = played.asked
    code, out = firstline("eval", "golden.jsonl", "--settings", "own.toml", "--judge")
    assert code == 2
    assert "writes answers and would judge them too" in out
    assert played.asked == before
    code, out = firstline("eval", "golden.jsonl", "--settings", "own.toml", "--judge", "--force-same-judge")
    assert code == 0
    assert "IT JUDGES ITS OWN ANSWERS" in out


# --- in CI ----------------------------------------------------------------------------------------------------------


def script(place: Path, *arguments: str, **environ: str) -> tuple[int, str]:
    done = subprocess.run(
        [SCRIPT, *arguments],
        cwd=place,
        env={**os.environ, "FIRSTLINE": str(FIRSTLINE), **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_script_fails_a_change_that_makes_cases_worse(place: Path) -> None:
    code, out = script(place)
    assert (code, "make one with" in out) == (2, True)
    code, out = script(place, "--accept")
    assert code == 0, out
    assert (place / "golden.baseline.json").is_file()
    code, out = script(place)
    assert (code, "Worse: 0." in out) == (0, True), out
    code, out = script(place, FIRSTLINE_CONFIDENCE_GATE="1")
    assert code == 1
    assert out.count("WORSE cases/") == 3
    code, out = script(place, SETTINGS="plain.toml strict.toml")
    assert (code, out.count("WORSE cases/")) == (1, 3)


def test_a_page_that_went_is_a_regression_too(place: Path) -> None:
    (place / "fewer").mkdir()
    shutil.copytree(place / "docs", place / "fewer" / "docs")
    for name in ("golden.jsonl", "golden.baseline.json"):
        shutil.copy(place / name, place / "fewer" / name)
    (place / "fewer" / "docs" / "vpn.md").unlink()
    code, out = script(place / "fewer")
    assert code == 1
    assert "WORSE cases/3" in out


def test_the_workflow_runs_the_script_with_what_it_reads() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow[True] == {
        "pull_request": {"paths": workflow[True]["pull_request"]["paths"]}
    }  # `on`, as YAML reads it
    (job,) = workflow["jobs"].values()
    step = job["steps"][-1]
    read = set(re.findall(r"\$\{([A-Z]+):-", SCRIPT.read_text(encoding="utf-8")))
    assert set(step["env"]) <= read
    assert "./evaluate.sh" in step["run"]
    assert subprocess.run(["bash", "-n", SCRIPT], check=False).returncode == 0
