"""How much of a conversation is read for its summary? Each message a little, the first and the newest ones most.

A card is made anew with each message while nobody owns the hand-over: what it reads has a limit of its own, whatever
was pasted and however long the conversation is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.questions.message.pasted import condensed

MESSAGE_CHARS_MAX: Final = 4_000
TOTAL_CHARS_MAX: Final = 24_000
BRIEF_CHARS_MAX: Final = 100
"""Of a message that comes after the total is used up."""
PASTED_CHARS_MAX: Final = 20_000


def read_of(messages: Sequence[str]) -> list[str]:
    """The same number of messages, in the same order: the newest and the first in full as far as the limits go, the
    lines of logs and traces that tell nothing left out, and the starts of the others."""
    if not messages:
        return []
    left = TOTAL_CHARS_MAX
    read = [""] * len(messages)
    last = len(messages) - 1
    for place in dict.fromkeys((last, 0, *range(last - 1, 0, -1))):
        text = _told(messages[place])
        text = text[: max(BRIEF_CHARS_MAX, min(MESSAGE_CHARS_MAX, left))]
        left -= len(text)
        read[place] = text
    return read


def _told(message: str) -> str:
    if len(message) <= MESSAGE_CHARS_MAX:
        return message
    return condensed(message[:PASTED_CHARS_MAX])
