"""What the documentation shows, works: every example is run, unless the line before it says why not.

<!-- not run: REASON -->
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from firstline.evals.cases import load_cases
from firstline.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = {"console", "python"}
READ = {"json", "text", "toml", "yaml"}
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
EXAMPLE_S_MAX = 120
READY_S_MAX = 60


@dataclass(frozen=True, kw_only=True)
class Example:
    page: str
    place: int
    language: str
    text: str
    reason: str


def examples() -> list[Example]:
    return [
        Example(
            page=page.relative_to(ROOT).as_posix(),
            place=place,
            language=match["language"],
            text=match["text"],
            reason=match["reason"] or "",
        )
        for page in PAGES
        for place, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")))
    ]


def named(example: Example) -> str:
    return f"{example.page}-{example.place}"


ALL = examples()


@dataclass(frozen=True, kw_only=True)
class Place:
    """A folder with documents as the examples name them, and an environment for commands in it."""

    folder: Path
    port: int
    environ: dict[str, str]

    def here(self, text: str) -> str:
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")


@pytest.fixture(scope="module")
def place() -> Generator[Place]:
    # Not pytest's own folder: Postgres run by root is another user, who must be able to enter.
    folder = Path(tempfile.mkdtemp(prefix="firstline-docs-"))
    folder.chmod(0o711)
    (folder / "path" / "to").mkdir(parents=True)
    pages = sorted((ROOT / "demo" / "docs").rglob("*.md"))[:12]
    (folder / "path" / "to" / "docs").mkdir()
    for page in pages:
        shutil.copy(page, folder / "path" / "to" / "docs" / page.name)
    ticket = {"id": "t1", "title": "Logs fill the disk", "symptom": "The disk is full.", "resolution": "Rotate them."}
    (folder / "tickets.jsonl").write_text(json.dumps(ticket) + "\n")
    from benchmarks.processes import free_port

    port = free_port()
    binaries = Path(sys.executable).parent
    environ = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "FIRSTLINE_PORT": str(port)}
    yield Place(folder=folder, port=port, environ=environ)
    shutil.rmtree(folder, ignore_errors=True)


def test_every_block_names_its_language_and_a_reason_when_it_is_not_run() -> None:
    assert {"README.md", "docs/api.md"} <= {example.page for example in ALL}
    for example in ALL:
        assert example.language in RUN | READ, f"{named(example)} is a block of {example.language!r}"
        fences = (ROOT / example.page).read_text(encoding="utf-8").count("```")
        assert fences == 2 * sum(one.page == example.page for one in ALL), f"{example.page}: a fence that is not seen"


@pytest.mark.parametrize("example", [one for one in ALL if one.language == "json"], ids=named)
def test_json_that_is_shown_can_be_read(example: Example, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(example.text, encoding="utf-8")
    assert len(load_cases(path)) == example.text.count("\n")


@pytest.mark.parametrize("example", [one for one in ALL if one.language == "toml"], ids=named)
def test_settings_that_are_shown_are_settings(example: Example) -> None:
    assert Settings(**tomllib.loads(example.text)) != Settings()


@pytest.mark.slow
@pytest.mark.timeout(3 * EXAMPLE_S_MAX)
@pytest.mark.parametrize("example", [one for one in ALL if one.language in RUN and not one.reason], ids=named)
def test_an_example_works(example: Example, place: Place) -> None:
    if example.language == "console" and "firstline serve" in example.text:
        run_console(example.text.replace("$ firstline serve\n", ""), place)
        with server(place):
            pass
    else:
        with server(place):
            if example.language == "console":
                run_console(example.text, place)
            else:
                run_python(example.text, place)


def run_console(text: str, place: Place) -> None:
    lines = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith(("$ ", "    "))]
    # The examples' own environment is this one.
    script = "\n".join(line for line in lines if line != ". .venv/bin/activate")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", place.here(script)],
        cwd=place.folder,
        env=place.environ,
        capture_output=True,
        text=True,
        timeout=EXAMPLE_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def run_python(text: str, place: Place) -> None:
    key = subprocess.run(
        ["firstline", "key", "create"], cwd=place.folder, env=place.environ, capture_output=True, text=True, check=True
    )
    done = subprocess.run(
        [sys.executable, "-c", place.here(text)],
        cwd=place.folder,
        env={**place.environ, "FIRSTLINE_KEY": key.stdout.strip()},
        capture_output=True,
        text=True,
        timeout=EXAMPLE_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "outcome" in done.stdout


class server:
    """`firstline serve` in the folder, from ready to stopped."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def __enter__(self) -> None:
        self._process = subprocess.Popen(
            ["firstline", "serve"],
            cwd=self._place.folder,
            env=self._place.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + READY_S_MAX
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._place.port}/readyz", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        self._process.kill()
        self._process.wait()
        raise AssertionError("the server was not ready")

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)
