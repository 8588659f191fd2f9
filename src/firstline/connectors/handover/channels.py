"""Which channels are configured, and are their addresses usable? Asked at the start, not by the first hand-over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

import httpx

from firstline.connectors.handover.mail import MailChannel, SmtpServer
from firstline.connectors.handover.slack import SlackChannel
from firstline.connectors.handover.webhook import WebhookChannel, secret_bytes
from firstline.errors import InvalidInput
from firstline.ports import DeliveryChannel

SECRET_BYTES_MIN: Final = 16
RECIPIENTS_MAX: Final = 20
PORT_MAX: Final = 65_535
PORTS: Final = {"smtp": 587, "smtps": 465}
_ADDRESS: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")


@dataclass(frozen=True, kw_only=True, slots=True)
class ChannelSettings:
    """The settings of the same names. An empty text: not configured."""

    handoff_webhook_url: str = field(default="", repr=False)
    handoff_webhook_secret: str = field(default="", repr=False)
    handoff_email_to: str = ""
    handoff_email_from: str = ""
    smtp_url: str = field(default="", repr=False)
    handoff_slack_webhook: str = field(default="", repr=False)
    handoff_slack_token: str = field(default="", repr=False)
    handoff_slack_channel: str = ""


def open_channels(given: ChannelSettings) -> tuple[DeliveryChannel, ...]:
    """The channels that are configured, in a fixed order. InvalidInput names the setting that is missing or unusable,
    never its value."""
    return (*_webhook(given), *_mail(given), *_slack(given))


def _webhook(given: ChannelSettings) -> Iterator[DeliveryChannel]:
    if not given.handoff_webhook_url:
        _unused("handoff_webhook_url", handoff_webhook_secret=given.handoff_webhook_secret)
        return
    url = _http_address(given.handoff_webhook_url, "handoff_webhook_url")
    try:
        secret = secret_bytes(given.handoff_webhook_secret)
    except ValueError:
        raise _unusable("handoff_webhook_secret", "is no base64 after whsec_", "Copy the whole secret.") from None
    if len(secret) < SECRET_BYTES_MIN:
        raise _unusable(
            "handoff_webhook_secret",
            "is missing" if not secret else "is too short",
            f"It signs deliveries: set {SECRET_BYTES_MIN} bytes or more, such as `openssl rand -hex 32` prints.",
        )
    yield WebhookChannel(url=url, secret=secret)


def _mail(given: ChannelSettings) -> Iterator[DeliveryChannel]:
    if not given.handoff_email_to:
        _unused("handoff_email_to", handoff_email_from=given.handoff_email_from, smtp_url=given.smtp_url)
        return
    recipients = [part.strip() for part in given.handoff_email_to.split(",") if part.strip()]
    if not 0 < len(recipients) <= RECIPIENTS_MAX:
        raise _unusable(
            "handoff_email_to", "names no or too many addresses", f"Name 1 to {RECIPIENTS_MAX}, with commas between."
        )
    for name, addresses in (("handoff_email_to", recipients), ("handoff_email_from", [given.handoff_email_from])):
        if not all(_ADDRESS.fullmatch(each) for each in addresses):
            raise _unusable(name, "is not an e-mail address", "Write it like support@example.com, without a name.")
    yield MailChannel(server=_smtp_server(given.smtp_url), sender=given.handoff_email_from, recipients=recipients)


def _smtp_server(url: str) -> SmtpServer:
    remedy = "Write it like smtp://user:password@host:587 or smtps://...; escape signs in the password (%40 for @)."
    try:
        parsed = urlsplit(url)
        host, port = parsed.hostname or "", parsed.port
    except ValueError:
        raise _unusable("smtp_url", "is no address", remedy) from None
    if parsed.scheme not in PORTS or not host:
        raise _unusable("smtp_url", "is missing" if not url else "is not an smtp(s) URL with a host", remedy)
    if parsed.path not in ("", "/") or parsed.query or parsed.fragment or port == 0:
        raise _unusable("smtp_url", "holds more than scheme, login, host and port", remedy)
    user, password = unquote(parsed.username or ""), unquote(parsed.password or "")
    if bool(user) != bool(password):
        raise _unusable("smtp_url", "has a user without a password or the reverse", remedy)
    return SmtpServer(
        host=host,
        port=port or PORTS[parsed.scheme],
        user=user,
        password=password,
        implicit_tls=parsed.scheme == "smtps",
    )


def _slack(given: ChannelSettings) -> Iterator[DeliveryChannel]:
    if given.handoff_slack_webhook:
        if given.handoff_slack_token or given.handoff_slack_channel:
            raise _unusable(
                "handoff_slack_webhook",
                "stands beside a Slack token or channel",
                "Set the webhook alone, or token and channel: a hand-over goes to Slack once.",
            )
        yield SlackChannel(url=_http_address(given.handoff_slack_webhook, "handoff_slack_webhook"))
    elif given.handoff_slack_token and given.handoff_slack_channel:
        if not (given.handoff_slack_token.isascii() and given.handoff_slack_token.isprintable()):
            raise _unusable("handoff_slack_token", "holds signs that no token has", "Copy it again: xoxb-...")
        yield SlackChannel(token=given.handoff_slack_token, channel=given.handoff_slack_channel)
    elif given.handoff_slack_token:
        raise _unusable("handoff_slack_channel", "is missing", "Name the channel's id, such as C0123456789.")
    else:
        _unused("handoff_slack_token", handoff_slack_channel=given.handoff_slack_channel)


def _http_address(url: str, setting: str) -> str:
    """Any host will do, private ones too: operators name it, nobody who asks a question can."""
    try:
        parsed = httpx.URL(url)
        # Signs that no host name has come out percent-encoded; an IPv6 address may name its zone so.
        named = bool(parsed.host) and ("%" not in parsed.host or ":" in parsed.host)
        reachable = parsed.port is None or 0 < parsed.port <= PORT_MAX
        usable, login = parsed.scheme in ("http", "https") and named and reachable, parsed.userinfo
    except (httpx.InvalidURL, ValueError):
        usable, login = False, b""
    if not usable:
        raise _unusable(setting, "is not an http(s) URL with a host", "Copy the whole address.")
    if login:
        raise _unusable(setting, "holds a login", "Leave it out: the receiver tells us by the signature.")
    return url


def _unused(needed: str, **others: str) -> None:
    """A half-configured channel would stay silent without a word."""
    for name, value in others.items():
        if value:
            raise _unusable(needed, f"is missing, while `{name}` is set", "Set both, or neither.")


def _unusable(setting: str, problem: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"The setting `{setting}` {problem}.", remedy=remedy)
