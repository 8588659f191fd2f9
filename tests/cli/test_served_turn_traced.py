"""One turn of a real `firstline serve`: in its log, at a collector, and by `firstline trace` afterwards."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.otlp_collector import collecting, values

STARTS_S_MAX = 90.0
QUESTION = "Why does the flux capacitor of jane.roe@example.com hum?"
CALLER = "c" * 32


@pytest.fixture
def place() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    made = Path(tempfile.mkdtemp(prefix="firstline-served-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made, ignore_errors=True)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from firstline.cli import main; main()", "--data", "data", *arguments]


def done(place: Path, *arguments: str) -> str:
    """What it prints."""
    ran = subprocess.run(
        command(*arguments), cwd=place, capture_output=True, text=True, timeout=STARTS_S_MAX, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def asked(url: str, token: str, **headers: str) -> str:
    """Ask in a session of its own; gives the turn."""

    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - our own address
            url + path,
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return json.loads(answer.read())

    session = post("/v1/sessions", {})["session_id"]
    assert post(f"/v1/sessions/{session}/messages", {"text": QUESTION})["reply"]["outcome"] == "escalated"
    return f"{session}.1"


@pytest.mark.timeout(240)
def test_the_log_the_collector_and_the_command_tell_of_the_same_turn(place: Path) -> None:
    token = done(place, "key", "create").split()[0]
    with collecting() as collector:
        environ = {
            **os.environ,
            "FIRSTLINE_TRACE_ENDPOINT": collector.endpoint,
            "FIRSTLINE_LOG_FORMAT": "json",
            "FIRSTLINE_TURN_DEADLINE_S": "0.0001",  # what every turn logs: that it was late
        }
        server = subprocess.Popen(
            command("serve", "--port", "0"),
            cwd=place,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            own, continued = asked(url, token), asked(url, token, traceparent=f"00-{CALLER}-{'d' * 16}-01")
        finally:
            server.send_signal(signal.SIGTERM)
            _, log = server.communicate(timeout=60)
    assert server.returncode == 0, log

    told = json.loads(done(place, "trace", own, "--json"))
    lines = [json.loads(line) for line in log.splitlines()]
    late = {line["turn"]: line for line in lines if line["message"] == "a turn reached its deadline"}
    assert {turn: line["trace_id"] for turn, line in late.items()} == {own: told["trace_id"], continued: CALLER}
    assert late[own]["level"] == "warning"
    assert late[own]["logger"] == "firstline.questions.cut_short"
    assert "capacitor" not in log
    assert "jane.roe" not in log

    roots = {values(span.attributes)["firstline.turn"]: span for span in collector.spans if span.name == "turn"}
    assert {turn: span.trace_id.hex() for turn, span in roots.items()} == {own: told["trace_id"], continued: CALLER}
    assert (roots[own].status.message, told["tree"]["error"]) == ("late", "late")
    assert "capacitor" not in "".join(map(str, collector.spans))

    printed = done(place, "trace", own)
    assert f"turn {own}, recorded" in printed
    assert told["trace_id"] in printed
    assert "outcome=Escalated" in printed
