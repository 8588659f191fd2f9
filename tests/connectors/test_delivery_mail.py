"""Hand-overs by e-mail, on a real mail server on loopback."""

from __future__ import annotations

import email
import email.policy
import logging
import re
import shutil
import ssl
import subprocess
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from messages import KEY, hostile, message
from receivers import MailReceiver, listening, unused_port
from tests.cost import ends_within

from firstline.connectors.handover.mail import MailChannel, SmtpServer
from firstline.domain import HandoffMessage
from firstline.ports import Receipt

PASSWORD = "SECRET-PASSWORD"
TO = ("team@acme.test", "boss@acme.test")


def channel(receiver: MailReceiver, *, host: str = "127.0.0.1", timeout_s: float = 5.0, **given: Any) -> MailChannel:
    tls = given.pop("trusting", None)
    server = SmtpServer(host=host, port=receiver.port, **given)
    return MailChannel(server=server, sender="bot@acme.test", recipients=TO, timeout_s=timeout_s, tls=tls)


async def mailed(receiver: MailReceiver, sent: HandoffMessage | None = None, **given: Any) -> Receipt:
    async with listening(receiver):
        return await channel(receiver, **given).send(sent or message(), idempotency_key=KEY)


def read(raw: bytes) -> EmailMessage:
    found = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(found, EmailMessage)
    return found


async def test_a_hand_over_arrives_as_plain_text() -> None:
    receiver = MailReceiver()
    assert await mailed(receiver) == Receipt()
    (raw,) = receiver.messages
    mail = read(raw)
    assert mail["From"] == "bot@acme.test"
    assert mail["To"] == ", ".join(TO)
    assert mail["Subject"] == "[firstline] Hand-over (low confidence): Why does the upgrade to 4.2 fail?"
    assert mail["Message-ID"] == f"<{KEY}@acme.test>"
    assert mail["References"] == "<handoff-h-1@acme.test>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_content_type() == "text/plain"
    text = mail.get_content().replace("\r\n", "\n")
    for part in ("Question\nWhy does", "is about version 4.1", "Next step\nAsk for the log.", KEY):
        assert part in text, part
    assert [line for line in receiver.lines if line.startswith("rcpt")] == [f"rcpt TO:<{to}>" for to in TO]


async def test_a_repeated_mail_is_the_same_to_the_letter() -> None:
    receiver = MailReceiver(drop=".")
    async with listening(receiver):
        one = channel(receiver)
        receipt = await one.send(message(), idempotency_key=KEY)
        assert receipt == Receipt(problem="the connection broke from the mail server", again=True)
        receiver.drop = ""
        assert await one.send(message(), idempotency_key=KEY) == Receipt()
    first, second = receiver.messages
    assert first == second


async def test_what_a_customer_writes_adds_no_header_and_no_command() -> None:
    receiver = MailReceiver()
    assert await mailed(receiver, hostile()) == Receipt()
    (raw,) = receiver.messages
    head = raw.partition(b"\r\n\r\n")[0].decode()
    names = [line.split(":")[0] for line in head.split("\r\n") if not line.startswith((" ", "\t"))]
    assert sorted(names) == sorted(
        "From To Subject Date Message-ID References Auto-Submitted Content-Type MIME-Version "
        "Content-Transfer-Encoding".split()
    )
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) < 998
    mail = read(raw)
    assert "\n" not in mail["Subject"]
    assert "\x1b" not in mail.get_content()
    assert "Bcc: everybody@evil.test" in mail.get_content(), "it is text"
    assert len([line for line in receiver.lines if line.lower().startswith("rcpt")]) == len(TO)


@pytest.mark.parametrize(
    "question",
    [
        "Warum schlägt das Update auf 4.2 mit „ungültige Prüfsumme“ fehl, wenn äußere Schlüssel gelöscht wurden? " * 2,
        "アップグレードが失敗するのはなぜですか" * 6,
        "é" * 200,
        "\U0001f600" * 60,
        "plain " * 4,
    ],
    ids=["German", "Japanese", "no blank", "signs", "ASCII"],
)
async def test_a_subject_in_any_language_is_folded_as_readers_can_decode_it(question: str) -> None:
    receiver = MailReceiver()
    assert await mailed(receiver, message(question=question)) == Receipt()
    (raw,) = receiver.messages
    head = raw.partition(b"\r\n\r\n")[0].decode("ascii")
    words = re.findall(r"=\?[^?]+\?[bqBQ]\?[^?]*\?=", head)
    assert max(map(len, words), default=0) <= 75
    assert bool(words) is not question.isascii()
    shown = read(raw)["Subject"]
    assert shown.startswith("[firstline] Hand-over") and question.split()[0][:40] in shown


async def test_a_line_with_a_single_dot_ends_nothing() -> None:
    receiver = MailReceiver()
    assert await mailed(receiver, message(summary="before\n.\nafter")) == Receipt()
    (raw,) = receiver.messages
    assert b"after" in raw


@pytest.mark.parametrize(
    ("refuse", "again", "said"),
    [
        ({"RCPT": "550 no such user"}, False, "handoff_email_to"),
        ({"RCPT": "450 later"}, True, "450"),
        ({"MAIL": "550 not you"}, False, "handoff_email_from"),
        ({"MAIL": "451 later"}, True, "451"),
        ({".": "554 spam"}, False, "554"),
        ({".": "452 full"}, True, "452"),
        ({"EHLO": "500 what", "HELO": "421 busy"}, True, "421"),
    ],
)
async def test_refusals(refuse: dict[str, str], again: bool, said: str) -> None:
    receipt = await mailed(MailReceiver(refuse=refuse))
    assert receipt.again is again
    assert said in receipt.problem
    assert "acme.test" not in receipt.problem


async def test_one_recipient_of_two_is_an_arrival(caplog: pytest.LogCaptureFixture) -> None:
    receiver = MailReceiver(refuse={"RCPT TO:<BOSS": "550 gone"})
    assert await mailed(receiver) == Receipt()
    assert len(receiver.messages) == 1
    assert "refused 1 of 2 recipients" in caplog.text


async def test_a_goodbye_that_fails_sends_nothing_twice() -> None:
    receiver = MailReceiver(refuse={"QUIT": "500 no"})
    assert await mailed(receiver) == Receipt()
    receiver = MailReceiver(drop="QUIT")
    assert await mailed(receiver) == Receipt()


async def test_a_server_that_hangs_or_is_gone_is_tried_again() -> None:
    async def hangs() -> None:
        receipt = await mailed(MailReceiver(hang="MAIL"), timeout_s=0.4)
        assert receipt.again

    assert await ends_within(hangs, 3)
    gone = MailReceiver(port=unused_port())
    receipt = await channel(gone).send(message(), idempotency_key=KEY)
    assert receipt.again
    assert receipt.problem.startswith("no connection to the mail server")


# --- login and TLS --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """(the server's side, a client's that trusts it)."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate, and is not here")
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    return serving(cert, key), ssl.create_default_context(cafile=str(cert))


def serving(cert: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


async def test_a_login_goes_over_starttls(certificate: tuple[ssl.SSLContext, ssl.SSLContext]) -> None:
    own, trusting = certificate
    receiver = MailReceiver(tls=own, login=True)
    receipt = await mailed(receiver, host="localhost", user="bot", password=PASSWORD, trusting=trusting)
    assert receipt == Receipt()
    assert receiver.secured
    words = [line.split()[0].upper() for line in receiver.lines]
    assert words.index("STARTTLS") < words.index("AUTH")
    assert len(receiver.messages) == 1


async def test_a_login_goes_over_smtps(certificate: tuple[ssl.SSLContext, ssl.SSLContext]) -> None:
    own, trusting = certificate
    receiver = MailReceiver(login=True)
    async with listening(receiver, tls=own):
        one = channel(receiver, host="localhost", user="bot", password=PASSWORD, implicit_tls=True, trusting=trusting)
        assert await one.send(message(), idempotency_key=KEY) == Receipt()
    assert len(receiver.messages) == 1


@pytest.mark.parametrize("implicit", [True, False])
async def test_a_certificate_that_nobody_trusts_gets_no_mail(
    certificate: tuple[ssl.SSLContext, ssl.SSLContext], implicit: bool
) -> None:
    own, _ = certificate
    receiver = MailReceiver(tls=None if implicit else own, login=True)
    async with listening(receiver, tls=own if implicit else None):
        one = channel(receiver, host="localhost", user="bot", password=PASSWORD, implicit_tls=implicit)
        receipt = await one.send(message(), idempotency_key=KEY)
    assert "certificate" in receipt.problem
    assert receiver.messages == []
    assert not any(line.startswith("AUTH") for line in receiver.lines)


async def test_a_password_crosses_no_network_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SmtpServer, "here", property(lambda _: False))
    receiver = MailReceiver(login=True)
    receipt = await mailed(receiver, user="bot", password=PASSWORD)
    assert not receipt.again
    assert "smtps://" in receipt.problem
    assert not any(line.startswith("AUTH") for line in receiver.lines)


async def test_a_wrong_login_says_what_to_correct_and_never_the_password(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    receiver = MailReceiver(login=True, refuse={"AUTH": f"535 no such {PASSWORD}"})
    receipt = await mailed(receiver, user="bot", password=PASSWORD)
    assert not receipt.again
    assert "smtp_url" in receipt.problem
    for text in (receipt.problem, caplog.text, repr(SmtpServer(host="h", port=1, password=PASSWORD))):
        assert PASSWORD not in text


@pytest.mark.parametrize(("host", "here"), [("localhost", True), ("127.0.0.1", True), ("::1", True), ("mail.x", False)])
def test_this_machine_is_known(host: str, here: bool) -> None:
    assert SmtpServer(host=host, port=25).here is here
