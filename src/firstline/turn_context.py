"""Which turn is this code working for, and whose trace is it part of? For logs and traces, wherever they are made."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

TRACEPARENT: Final = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}")
"""W3C Trace Context, https://www.w3.org/TR/trace-context/#traceparent-header"""
_TURN: Final[ContextVar[str]] = ContextVar("turn", default="")
_PARENT: Final[ContextVar[str]] = ContextVar("traceparent", default="")


@contextmanager
def in_turn(turn_id: str) -> Generator[None]:
    token = _TURN.set(turn_id)
    try:
        yield
    finally:
        _TURN.reset(token)


def turn_under_way() -> str:
    """SESSION.NUMBER, or "" outside of turns."""
    return _TURN.get()


def continue_trace(traceparent: str) -> None:
    """What is worked on in this task from here on is part of that trace. One that is not whole is no trace."""
    _PARENT.set(traceparent if TRACEPARENT.fullmatch(traceparent) else "")


def parent_span() -> tuple[str, str] | None:
    """(trace id, span id), both hexadecimal, of the span that asked."""
    found = TRACEPARENT.fullmatch(_PARENT.get())
    return (found[1], found[2]) if found else None
