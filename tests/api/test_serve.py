"""A real server on a loopback port, in a process of its own."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from calls import bearer

from firstline.api.serve import free_port
from firstline.errors import Conflict, InvalidInput

HERE = Path(__file__).parent


@contextmanager
def _server() -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address and a customer's token."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "served.py"), "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        url, token = process.stdout.readline().split()
        yield process, url, token
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=10)


def test_a_taken_port_says_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Conflict, match=f"Port {port} is already in use"):
            free_port("127.0.0.1", port)


def test_a_running_server_holds_its_port() -> None:
    with _server() as (_, url, _token), pytest.raises(Conflict):
        free_port("127.0.0.1", int(url.rsplit(":", 1)[1]))


@pytest.mark.parametrize("host", ["203.0.113.9", "not an address"])
def test_an_address_of_another_machine(host: str) -> None:
    with pytest.raises(InvalidInput):
        free_port(host, 0)


def test_port_0_is_a_free_one() -> None:
    assert free_port("127.0.0.1", 0) > 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_turns_under_way_are_recorded(how: signal.Signals) -> None:
    with _server() as (process, url, token), httpx.Client(base_url=url, headers=bearer(token)) as client:
        session = client.post("/v1/sessions").json()["session_id"]
        path = f"/v1/sessions/{session}/messages"
        with client.stream(
            "POST", path, json={"text": "slow duplicate key"}, headers={"Accept": "text/event-stream"}
        ) as response:
            lines = response.iter_lines()
            assert next(lines) == "event: ack"
            process.send_signal(how)
            rest = list(lines)
        out, err = process.communicate(timeout=10)
        assert process.returncode == 0, err
        assert "event: final" in rest
        assert out.strip() == "recorded 1"
        assert err == ""


def test_the_stream_arrives_in_pieces() -> None:
    with _server() as (_, url, token), httpx.Client(base_url=url, headers=bearer(token)) as client:
        session = client.post("/v1/sessions").json()["session_id"]
        began = time.monotonic()
        arrived: dict[str, float] = {}
        with client.stream(
            "POST",
            f"/v1/sessions/{session}/messages",
            json={"text": "slow duplicate key"},
            headers={"Accept": "text/event-stream"},
        ) as response:
            for line in response.iter_lines():
                if line.startswith("event: "):
                    arrived.setdefault(line[7:], time.monotonic() - began)
        assert list(arrived) == ["ack", "status", "delta", "final"]
        # The scripted turn takes 0.3 s: the acknowledgement must not have waited for it.
        assert arrived["ack"] < arrived["final"] - 0.2


def test_an_idle_connection_does_not_hold_up_the_end() -> None:
    with _server() as (process, url, _token), httpx.Client(base_url=url) as client:
        assert client.get("/healthz").status_code == 200
        process.terminate()
        process.communicate(timeout=10)
        assert process.returncode == 0
