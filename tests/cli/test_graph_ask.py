"""`firstline graph ask` on a data folder of its own, with a model over HTTP."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.played_model import PlayedModel

from firstline.cli import main

FIRSTLINE = Path(sys.executable).with_name("firstline")
PAGE = (
    "# Night export\n\nWhen the queue is full, raise the worker limit and restart the export daemon, which clears the "
    "stuck job and tells the door controller.\n"
)
FOUND = {"kind": "component", "name": "export daemon", "relation": "MENTIONS", "quote": "restart the export daemon"}
Run = Callable[..., tuple[int, str]]


class Reader(PlayedModel):
    async def _say(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> None:
        text = json.dumps({"found": [FOUND]})
        chunk = {"id": "c", "object": "chat.completion.chunk", "model": "m", "created": 0}
        delta = {**chunk, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        end = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        sent = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in (delta, end)) + b"data: [DONE]\n\n"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(sent)}\r\n\r\n"
        writer.write(head.encode() + sent)
        await writer.drain()


@pytest.fixture(scope="module")
def place() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-ask-"))
    made.chmod(0o711)
    (made / "docs").mkdir()
    (made / "docs" / "export.md").write_text(PAGE)
    subprocess.run([FIRSTLINE, "--data", "kb", "ingest", "docs", "--quiet"], cwd=made, check=True, capture_output=True)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def reader(place: Path) -> Generator[Reader]:
    model, ready, loop, stop = Reader(), threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with await asyncio.start_server(model.handle, "127.0.0.1", 0, limit=4 * 1024 * 1024) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            entry = f'{{ model = "openai:reader", base_url = "{url}", price_in = 1.0, price_out = 2.0 }}'
            (place / "firstline.toml").write_text(f"[models.small]\nchain = [{entry}]\n")
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    yield model
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    loop.close()


@pytest.fixture
def firstline(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(place)

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


def test_without_a_model_it_says_what_to_do(firstline: Run, place: Path) -> None:
    (place / "firstline.toml").unlink(missing_ok=True)
    code, out = firstline("graph", "ask", "--estimate")
    assert code == 2
    assert "[models.small]" in out


def test_it_counts_first_asks_then_and_not_twice(firstline: Run, reader: Reader) -> None:
    for arguments in (("--estimate",), ()):
        code, out = firstline("graph", "ask", *arguments)
        assert code == 0
        assert "1 chunks to ask about" in out
        assert reader.asked == 0, "nobody is asked without a cap"
    code, out = firstline("graph", "ask", "--calls-max", "5", "--json")
    told = json.loads(out)
    assert (code, told["asked"], told["edges_kept"], told["left"]) == (0, 1, 1, 0)
    assert told["cost"] > 0
    code, out = firstline("graph", "ask", "--calls-max", "5")
    assert "0 chunks asked, 0 edges kept; 1 were asked before" in out
    assert reader.asked == 1
    assert "restart" not in (Path("kb") / "graph_asked.jsonl").read_text()
    code, out = firstline("graph", "show", "export daemon")
    assert code == 0
    assert "Night export" in out
    code, out = firstline("graph", "build", "--check")
    assert code == 0, out


@pytest.mark.parametrize("more", [["--calls-max", "0"], ["--calls-max", "x"], ["--kb", "absent", "--estimate"]])
def test_wrong_flags_are_refused(firstline: Run, reader: Reader, more: list[str]) -> None:
    code, _ = firstline("graph", "ask", *more)
    assert code == 2
