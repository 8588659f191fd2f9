"""What has nobody said that an answer would need?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.questions.card.running_version import running_version
from firstline.questions.card.said import Sentence
from firstline.questions.card.telling_words import BILLED, CHANGED, DATA_LOST, PLACE

_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_GROWS: Final = re.compile(
    r"\b(?:grow\w*|slow\w*|lags?|latency|memory|space|too\s+(?:much|many|long)|costs?|langsam|dauert|takes\s+\w+|lent\w*|lento)\b",
    re.I,
)
_NUMBERED: Final = re.compile(r"\b(?:id|number|invoice\s+\S*\d|account\s+\S*\d)\b|\b[A-Z]+-\d")


def missing_of(
    stating: Sequence[Sentence], messages: Sequence[str], *, fails: bool, error: bool, commercial: bool
) -> tuple[str, ...]:
    if not stating:
        return ("what it is about",)
    said = " \n".join(one.text for one in stating)
    absent: list[str] = []
    if commercial:
        numbered = not BILLED.search(said) or _NUMBERED.search(said)
        return () if numbered else ("the invoice or account number",)
    if fails and not error and not DATA_LOST.search(said):
        absent.append("what the log says" if _GROWS.search(said) else "the exact error message")
    if running_version([_ADDRESS.sub(" ", message) for message in messages]) is None:
        absent.append("the version")
    if fails and not PLACE.search(said):
        absent.append("the platform it runs on")
    if fails and not any(CHANGED.search(one.text) for one in stating):
        absent.append("what changed before it began")
    return tuple(absent)
