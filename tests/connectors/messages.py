"""Hand-overs to send."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from firstline.domain import (
    Handoff,
    HandoffEvent,
    HandoffMessage,
    HandoffState,
    Intent,
    Mood,
    Reason,
    Tried,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
KEY = "0123456789abcdef0123456789abcdef"
HOSTILE = (
    "Hi\r\nBcc: everybody@evil.test\r\n\r\n<!channel> @channel @here <https://evil.test|click> & "
    "<@U012345> \x1b[2J\ud800 https://evil.test/x *bold* ."
)


def message(*, event: HandoffEvent = HandoffEvent.OPENED, test: bool = False, **changed: object) -> HandoffMessage:
    handoff = Handoff(
        handoff_id="h-1",
        session_id="s-1",
        turn=3,
        reason=Reason.LOW_CONFIDENCE,
        question="Why does the upgrade to 4.2 fail?",
        summary="Began with: The upgrade fails.\nNow asks: Why does the upgrade to 4.2 fail?",
        intent=Intent.CAUSE,
        entities=("E11000", "4.2"),
        tried=(Tried(chunk_id="c", title="Upgrading", url=None, score=0.25, why_not="is about version 4.1"),),
        language="en",
        mood=Mood.UPSET,
        next_step="Ask for the log.",
        state=HandoffState.OPEN,
        created_at=NOON,
    )
    return HandoffMessage(
        event=event,
        tenant="acme",
        kb="docs",
        handoff=replace(handoff, **changed),  # pyright: ignore[reportArgumentType]  (a table of test values)
        occurred_at=NOON,
        test=test,
    )


def hostile() -> HandoffMessage:
    """Whatever comes from outside tries to be more than text."""
    return message(
        question=HOSTILE,
        summary=HOSTILE,
        entities=(HOSTILE,),
        language=HOSTILE,
        tried=(Tried(chunk_id="c", title=HOSTILE, url="javascript:1", score=0.1, why_not=HOSTILE),),
    )
