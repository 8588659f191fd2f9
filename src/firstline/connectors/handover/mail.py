"""Hand-overs by e-mail over SMTP, as plain text."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import smtplib
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime
from typing import Final

from firstline.connectors.handover.wording import wording
from firstline.domain import HandoffMessage
from firstline.ports import Receipt

logger = logging.getLogger(__name__)

MAIL_S_MAX: Final = 30.0
HEADER_CHARS_MAX: Final = 900
SHORT: Final = SMTP.clone(max_line_length=76)
"""A blank and an encoded word, which has 75 characters at most (RFC 2047): readers show longer ones as they stand."""
STEP_S_MAX: Final = 10.0
"""For each thing that is said to the server; MAIL_S_MAX is for all of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SmtpServer:
    """`implicit_tls`: TLS from the first byte (smtps); else STARTTLS where the server offers it."""

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    implicit_tls: bool = False

    @property
    def here(self) -> bool:
        """On this machine: what is said to it crosses no network."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class MailChannel:
    """Implements `ports.DeliveryChannel`. A password goes over TLS only, or to this machine."""

    name = "email"

    def __init__(
        self,
        *,
        server: SmtpServer,
        sender: str,
        recipients: Sequence[str],
        timeout_s: float = MAIL_S_MAX,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._recipients = tuple(recipients)
        self._timeout_s = timeout_s
        self._tls = tls

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        mail = mail_of(message, idempotency_key=idempotency_key, sender=self._sender, recipients=self._recipients)
        line = _Line()
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.to_thread(self._send, mail, line)
        except TimeoutError:
            return Receipt(problem="the mail server took too long", again=True)
        finally:
            # A thread cannot be cancelled; one whose connection is gone ends by itself and sends nothing more.
            line.cut()

    def _send(self, mail: EmailMessage, line: _Line) -> Receipt:
        try:
            smtp = self._connected(line)
            try:
                refused = smtp.send_message(mail, self._sender, list(self._recipients))
                # It has been taken: whatever goes wrong with the goodbye must not have it sent again.
                with contextlib.suppress(smtplib.SMTPException, OSError):
                    smtp.quit()
            finally:
                smtp.close()
        except _NotSafe as error:
            return Receipt(problem=str(error))
        except smtplib.SMTPException as error:
            return _refusal(error)
        except ssl.SSLError:
            return Receipt(problem="no TLS with the mail server: check its certificate and the port", again=True)
        except OSError as error:
            return Receipt(problem=f"no connection to the mail server ({type(error).__name__})", again=True)
        if refused:
            logger.warning("the mail server refused %d of %d recipients", len(refused), len(self._recipients))
        return Receipt()

    def _connected(self, line: _Line) -> smtplib.SMTP:
        server, tls = self._server, self._tls or ssl.create_default_context()
        step_s = min(STEP_S_MAX, self._timeout_s)
        smtp = (
            smtplib.SMTP_SSL(server.host, server.port, timeout=step_s, context=tls)
            if server.implicit_tls
            else smtplib.SMTP(server.host, server.port, timeout=step_s)
        )
        try:
            line.hold(smtp)
            smtp.ehlo_or_helo_if_needed()
            if not server.implicit_tls and smtp.has_extn("starttls"):
                smtp.starttls(context=tls)
                smtp.ehlo()
                line.hold(smtp)
            elif server.user and not server.implicit_tls and not server.here:
                raise _NotSafe("the mail server offers no TLS, and a password is not sent without: use smtps://")
            if server.user:
                smtp.login(server.user, server.password)
        except BaseException:
            smtp.close()
            raise
        return smtp


class _NotSafe(Exception):
    """The password would cross a network in the clear."""


class _Line:
    """The connection of a thread, for cutting it from outside."""

    def __init__(self) -> None:
        self._sock: socket.socket | None = None
        self._is_cut = False

    def hold(self, smtp: smtplib.SMTP) -> None:
        self._sock = smtp.sock
        if self._is_cut:
            raise TimeoutError("too late")

    def cut(self) -> None:
        self._is_cut = True
        if self._sock is not None:
            with contextlib.suppress(OSError):
                # Not the method of a TLS socket, which lets what is still said go out in the clear.
                socket.socket.shutdown(self._sock, socket.SHUT_RDWR)


def _refusal(error: smtplib.SMTPException) -> Receipt:
    """5xx is for good, everything else may pass. The server's own words are left out: they quote addresses."""
    match error:
        case smtplib.SMTPRecipientsRefused():
            codes = [code for code, _ in error.recipients.values()]
            if all(code >= 500 for code in codes):
                return Receipt(problem=f"status {codes[0]}: every recipient was refused; correct handoff_email_to")
            return Receipt(problem=f"status {min(codes)}: every recipient was put off", again=True)
        case smtplib.SMTPAuthenticationError():
            remedy = "the mail server refuses the login; correct user and password in smtp_url"
        case smtplib.SMTPSenderRefused():
            remedy = "the sender was refused; correct handoff_email_from"
        case smtplib.SMTPNotSupportedError():
            return Receipt(problem="the mail server lacks what is needed (login or address form); check smtp_url")
        case _:
            remedy = "the mail server refuses the message; look into its log"
    code = error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else 0
    if 500 <= code < 600:
        return Receipt(problem=f"status {code}: {remedy}")
    said = f"status {code}" if code > 0 else "the connection broke"
    return Receipt(problem=f"{said} from the mail server", again=True)


def mail_of(message: HandoffMessage, *, idempotency_key: str, sender: str, recipients: Sequence[str]) -> EmailMessage:
    """The same on every attempt, to the letter: readers and servers tell a repeated one by its Message-ID."""
    said = wording(message, idempotency_key=idempotency_key)
    domain = sender.rpartition("@")[2]
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["To"] = ", ".join(recipients)
    mail["Subject"] = f"[firstline] {said.title}"
    mail["Date"] = format_datetime(message.occurred_at)
    mail["Message-ID"] = f"<{idempotency_key}@{domain}>"
    # One thread per hand-over, in every reader that threads.
    mail["References"] = f"<handoff-{message.handoff.handoff_id}@{domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    body = "\n\n".join((*(f"{part.heading}\n{part.text}" for part in said.parts), said.footer))
    mail.set_content(body, cte="quoted-printable")
    # Only now: the body's lines stay short.
    mail.policy = _Folding(linesep=SMTP.linesep, max_line_length=HEADER_CHARS_MAX)
    return mail


class _Folding(EmailPolicy):
    """A header that is plain ASCII fits its line, which folding would begin with a blank. A subject that is not must be
    folded."""

    def fold(self, name: str, value: str) -> str:
        return SHORT.fold(name, value) if _to_encode(name, value) else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        return SHORT.fold_binary(name, value) if _to_encode(name, value) else super().fold_binary(name, value)


def _to_encode(name: str, value: str) -> bool:
    return name.lower() == "subject" and not value.isascii()
