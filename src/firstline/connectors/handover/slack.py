"""Hand-overs to Slack: through an incoming webhook, or as chat.postMessage with a bot's token.

A customer's text can name nobody and link nowhere: it is escaped, Slack is told to look for neither names nor
addresses, and the sign before a name that rings everybody is parted from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from firstline.connectors.handover.post import POST_S_MAX, post
from firstline.connectors.handover.replies import receipt_of
from firstline.connectors.handover.wording import wording
from firstline.domain import HandoffMessage
from firstline.ports import Receipt

POST_MESSAGE: Final = "https://slack.com/api/chat.postMessage"
SECTION_CHARS_MAX: Final = 2_900
"""Slack takes 3,000 characters in a section, counted after escaping."""
HEADER_CHARS_MAX: Final = 150

PASSING: Final = frozenset(
    {"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}
)
REMEDIES: Final[Mapping[str, str]] = {
    "channel_not_found": "Slack knows no such channel: correct handoff_slack_channel",
    "not_in_channel": "the bot is not in that channel: invite it",
    "is_archived": "that channel is archived: choose another",
    "invalid_auth": "Slack does not accept the token: set a valid handoff_slack_token",
    "not_authed": "Slack does not accept the token: set a valid handoff_slack_token",
    "account_inactive": "the token's owner is gone: set a valid handoff_slack_token",
    "token_revoked": "the token was revoked: set a valid handoff_slack_token",
    "token_expired": "the token has expired: set a valid handoff_slack_token",
    "missing_scope": "the token lacks the scope chat:write: add it and install the app again",
}
_CODE: Final = re.compile(r"[a-z_]{1,40}")
_STAMP: Final = re.compile(r"\d{1,12}\.\d{1,9}")
"""How chat.postMessage names the message that it made."""
_RINGS: Final = re.compile(r"@(?=channel|here|everyone)", re.IGNORECASE)


class SlackChannel:
    """Implements `ports.DeliveryChannel`. With a `token` the message goes to `channel` by chat.postMessage, and what
    becomes of the hand-over into the thread of its first message; else `url` is an incoming webhook, which has its
    channel and names no message that a thread could begin with."""

    name = "slack"

    def __init__(
        self, *, url: str = POST_MESSAGE, token: str = "", channel: str = "", timeout_s: float = POST_S_MAX
    ) -> None:
        self._url = url
        self._token = token
        self._channel = channel
        self._timeout_s = timeout_s

    async def send(self, message: HandoffMessage, *, idempotency_key: str) -> Receipt:
        body = slack_message(message, idempotency_key=idempotency_key)
        headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "firstline"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
            body["channel"] = self._channel
            if message.thread:
                body["thread_ts"] = message.thread
            # Slack knows no idempotency keys: who looks for a repeated message finds it by this.
            body["metadata"] = {"event_type": "firstline_handoff", "event_payload": {"delivery_id": idempotency_key}}
        content = json.dumps(body).encode()
        reply = await post(self._url, content=content, headers=headers, timeout_s=self._timeout_s)
        if isinstance(reply, Receipt):
            return reply
        status, answered, text = reply
        receipt = receipt_of(status, answered)
        return _said(text) if self._token and not receipt.problem else receipt


def _said(body: bytes) -> Receipt:
    """chat.postMessage refuses with status 200 and {"ok": false, "error": CODE}."""
    try:
        answer = cast("dict[str, Any]", json.loads(body))
        if answer.get("ok") is True:
            stamp = str(answer.get("ts", ""))
            return Receipt(thread=stamp if _STAMP.fullmatch(stamp) else "")
        error = str(answer.get("error", ""))
    except (ValueError, AttributeError):
        return Receipt(problem="the reply is not Slack's", again=True)
    code = error if _CODE.fullmatch(error) else "unknown"
    if code in PASSING:
        return Receipt(problem=f"Slack says {code}", again=True)
    remedy = REMEDIES.get(code, "look it up among the errors of chat.postMessage")
    return Receipt(problem=f"Slack says {code}: {remedy}")


def slack_message(message: HandoffMessage, *, idempotency_key: str) -> dict[str, Any]:
    said = wording(message, idempotency_key=idempotency_key)
    title = harmless(said.title)
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": _fit(title, HEADER_CHARS_MAX), "emoji": False}}
    ]
    blocks += [_section(f"*{part.heading}*\n{harmless(part.text)}") for part in said.parts]
    blocks.append({"type": "context", "elements": [_text(harmless(said.footer))]})
    return {
        "text": title,
        "mrkdwn": False,
        "parse": "none",
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": blocks,
    }


def harmless(text: str) -> str:
    """Escaped as Slack asks; a zero-width joiner parts "@" from the names that ring everybody."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _RINGS.sub("@\u200d", escaped)


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": _text(text)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": _fit(text, SECTION_CHARS_MAX), "verbatim": True}


def _fit(text: str, chars_max: int) -> str:
    """Cut, and never inside an entity."""
    if len(text) <= chars_max:
        return text
    cut = text[: chars_max - 1]
    return re.sub(r"&[a-z]{0,3}$", "", cut) + "…"
