"""`firstline replay` of a turn that a model answered over HTTP, as docs/replay.md shows it."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import pytest
from benchmarks.played_model import BODY_BYTES_MAX, PlayedModel

from firstline.cli import main

ROOT = Path(__file__).parents[2]
QUESTION = "How do I restore a backup to a point in time?"
SETTINGS = """
answers_by = "model"
log_level = "error"
[models.large]
chain = [{{ model = "openai:played", base_url = "{url}" }}]
"""
SHOWN = re.compile(r"^```text\n(\$ firstline replay .*?)^```", re.DOTALL | re.MULTILINE)
VARIES = re.compile(r"[0-9a-f-]{36}(?=\.\d)|\b[0-9a-f]{16}\b|\d{4}-\d\d-\d\d \d\d:\d\d|\b0\.\d{3}\b")
"""Ids, hashes and times; and values, which differ a little with the processor."""
START_S_MAX = 5.0

Run = Callable[..., tuple[int, str]]


@contextmanager
def listening(model: PlayedModel) -> Generator[str]:
    """Its address, while it listens: in a loop of its own, since each command runs one."""
    up, done = Event(), asyncio.Event()
    told: list[tuple[asyncio.AbstractEventLoop, str]] = []

    async def serve() -> None:
        async with await asyncio.start_server(model.handle, "127.0.0.1", 0, limit=BODY_BYTES_MAX) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            told.append((asyncio.get_running_loop(), url))
            up.set()
            await done.wait()

    thread = Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert up.wait(START_S_MAX)
        yield told[0][1]
    finally:
        told[0][0].call_soon_threadsafe(done.set)
        thread.join(START_S_MAX)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A turn in a data folder, and what its model was asked until it went away for good."""

    folder: Path
    turn: str
    model: PlayedModel
    said: list[str]


@pytest.fixture
def firstline(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(folder: Path, *arguments: str, **environ: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["firstline", "--data", str(folder / "data"), *arguments])
        code = 0
        with monkeypatch.context() as here:
            here.setenv("FIRSTLINE_CONFIG", str(folder / "firstline.toml"))
            for name, value in environ.items():
                here.setenv(name, value)
            try:
                main()
            except SystemExit as ended:
                code = int(ended.code or 0)
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def answered(firstline: Run) -> Generator[Answered]:
    # Not pytest's own folder: Postgres run by root is another user, who must be able to enter.
    folder = Path(tempfile.mkdtemp(prefix="firstline-replay-"))
    folder.chmod(0o711)
    model = PlayedModel(tokens_per_s=0)
    with listening(model) as url:
        (folder / "firstline.toml").write_text(SETTINGS.format(url=url), encoding="utf-8")
        assert firstline(folder, "ingest", str(ROOT / "demo" / "docs"))[0] == 0
        code, out = firstline(folder, "ask", QUESTION)
        assert code == 0
    said = [line.partition(" [")[0] for line in out.partition("\n\n")[0].splitlines()]
    yield Answered(folder=folder, turn=f"{out.split()[-1]}.1", model=model, said=said)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.timeout(120)
def test_a_replay_is_what_the_page_shows(firstline: Run, answered: Answered) -> None:
    """Its draft is judged again while no model listens; then a gate is raised, and the
    page's transcript comes of it; then passages are left out that it was written from. None of its text is printed."""
    assert (answered.model.asked, len(answered.said)) == (1, 4)
    shown = SHOWN.search((ROOT / "docs" / "replay.md").read_text(encoding="utf-8"))
    assert shown
    same, _ = firstline(answered.folder, "replay", answered.turn)
    assert same == 0
    made: list[str] = []
    for line in shown[1].splitlines():
        if not line.startswith("$ "):
            continue
        *environ, _, command, _ = line.removeprefix("$ ").split()
        _, out = firstline(answered.folder, command, answered.turn, **dict(one.split("=") for one in environ))
        made += [line, *out.splitlines()]
    assert len(made) > 10
    assert plain("\n".join(made)) == plain(shown[1].rstrip("\n"))
    code, out = firstline(answered.folder, "replay", answered.turn, FIRSTLINE_EVIDENCE_CHUNKS="2")
    assert code == 1
    assert "compose broken: the extracts were shown" in out
    assert not [text for text in (QUESTION, *answered.said) if text in out]
    assert answered.model.asked == 1


def plain(text: str) -> str:
    return VARIES.sub("#", text)
