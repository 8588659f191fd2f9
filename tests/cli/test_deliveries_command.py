"""`firstline deliveries`, on a real ledger and a real receiver."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstline.cli.deliveries_command import test_message as made_up
from firstline.cli.main import group
from firstline.domain import Escalated, Session, Turn
from firstline.errors import FirstlineError, InvalidInput, NotFound
from firstline.settings import load_settings
from firstline.wiring import channels_of, open_ledgers


@pytest.fixture(scope="module")
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-deliveries-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


class Receiver(ThreadingHTTPServer):
    status = 200
    bodies: list[bytes]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Generator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(server.status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = Receiver(("127.0.0.1", 0), Handler)
    server.bodies = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("FIRSTLINE_HANDOFF_WEBHOOK_URL", f"http://127.0.0.1:{server.server_port}/SECRET-IN-PATH")
    monkeypatch.setenv("FIRSTLINE_HANDOFF_WEBHOOK_SECRET", "hunter2-hunter2-hunter2")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def firstline(*arguments: str, data: Path | None = None) -> Result:
    given = ["--data", str(data)] if data else []
    return CliRunner().invoke(group, [*given, *arguments])


def test_without_a_channel_a_test_says_what_to_set() -> None:
    result = firstline("deliveries", "test")
    assert result.exit_code == 5
    assert "handoff_webhook_url" in result.output


def test_a_test_message_is_marked_and_says_what_happened(receiver: Receiver) -> None:
    result = firstline("deliveries", "test")
    assert (result.exit_code, result.output) == (0, "ok    webhook: sent\n")
    (body,) = receiver.bodies
    sent = json.loads(body)
    assert sent["test"] is True
    assert "test" in sent["handoff"]["question"]


def test_a_test_that_fails_says_why_and_no_secret(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLINE_HANDOFF_EMAIL_TO", "team@acme.test")
    monkeypatch.setenv("FIRSTLINE_HANDOFF_EMAIL_FROM", "bot@acme.test")
    monkeypatch.setenv("FIRSTLINE_SMTP_URL", "smtp://bot:hunter2@127.0.0.1:9")
    receiver.status = 403
    result = firstline("deliveries", "test")
    assert result.exit_code == 5
    lines = result.output.splitlines()
    assert lines[0].startswith("BAD   webhook: status 403: ")
    assert "given up at once" in lines[0]
    assert lines[1].startswith("BAD   email: no connection")
    assert "tried again" in lines[1]
    assert "hunter2" not in result.output
    assert "SECRET-IN-PATH" not in result.output


def test_a_channel_that_breaks_is_a_bad_channel_and_no_traceback(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(*_: object, **__: object) -> None:
        raise OverflowError("SECRET-IN-PATH")

    monkeypatch.setattr("firstline.connectors.handover.webhook.WebhookChannel.send", breaks)
    result = firstline("deliveries", "test")
    assert result.exit_code == 5 and isinstance(result.exception, SystemExit)
    assert result.output.startswith("BAD   webhook: the channel broke (OverflowError)")
    assert "SECRET-IN-PATH" not in result.output


def test_a_bad_setting_is_refused_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIRSTLINE_HANDOFF_WEBHOOK_URL", "nowhere")
    result = firstline("deliveries", "list", data=tmp_path / "data")
    assert isinstance(result.exception, InvalidInput)
    assert "handoff_webhook_url" in result.exception.message


def test_retry_wants_to_know_which() -> None:
    for arguments in ([], ["an-id", "--all-dead"]):
        assert isinstance(firstline("deliveries", "retry", *arguments).exception, InvalidInput)


async def hand_over(data: Path) -> str:
    """One hand-over whose delivery was given up. Returns the delivery's id."""
    message = made_up("default", "docs")
    session = Session(session_id="test", tenant="default", kb="docs", user="u", created_at=message.occurred_at)
    turn = Turn(
        session_id="test",
        number=1,
        question="?",
        asked_at=message.occurred_at,
        scope_hash="",
        snapshot=0,
        settings_hash="",
        model_ids=(),
        triage=None,
        plan=None,
        evidence=(),
        gates=(),
        outcome=Escalated(handoff=message.handoff),
        timings_ms={},
    )
    settings = load_settings(flags={"data_folder": data})
    (channel,) = channels_of(settings)
    async with open_ledgers(settings) as ledgers:
        await ledgers.conversations.create_session(session)
        await ledgers.conversations.append_turn(turn, message.handoff)
        (one,) = await ledgers.deliveries.claim(channel.name, limit=1, lease_s=60)
        await ledgers.deliveries.failed(one.delivery_id, lease=one.lease, problem="status 404: gone", again_in_s=None)
    return one.delivery_id


@pytest.mark.timeout(120)
def test_what_was_given_up_is_listed_shown_and_retried(receiver: Receiver, data: Path) -> None:
    result = firstline("deliveries", data=data)
    assert (result.exit_code, result.output) == (0, "No deliveries.\n"), result.output
    delivery_id = asyncio.run(hand_over(data))
    listed = firstline("deliveries", "list", "--state", "dead", data=data).output
    assert delivery_id in listed
    assert "status 404: gone" in listed
    shown = firstline("deliveries", "show", delivery_id, data=data).output
    assert "problem: status 404: gone" in shown
    assert "dead" in firstline("status", data=data).output
    missing = firstline("deliveries", "show", "unknown", data=data).exception
    assert isinstance(missing, NotFound)
    retried = firstline("deliveries", "retry", "--all-dead", data=data)
    assert retried.output.splitlines()[0] == f"{delivery_id} is pending again."
    assert isinstance(firstline("deliveries", "retry", delivery_id, data=data).exception, FirstlineError)
    assert "next attempt" in firstline("deliveries", "show", delivery_id, data=data).output
    assert "1 pending" in firstline("status", data=data).output
