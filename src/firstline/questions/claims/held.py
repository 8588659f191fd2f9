"""Where does the sentence begin and end that a span was cut from?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_STOP: Final = re.compile(r"[.!?:;。！？][\"'”’)\]*_`]*\s+|\n\s*(?:\n|(?:[-*+•|#>]|\d{1,3}[.)])\s)")
_GOES_ON: Final = re.compile(r"[\w,`*(–—-]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """A cited span with the text of its chunk on either side."""

    before: str
    text: str
    behind: str


def whole_sentences(held: Held) -> str:
    """The span with the rest of the sentences that it begins or ends within; most spans do neither."""
    front = _front(held) if held.before else ""
    back = _back(held) if held.behind else ""
    return front + held.text + back if front or back else held.text


def _front(held: Held) -> str:
    said, before = held.text.lstrip(), held.before.rstrip()
    if not said or not before or not _GOES_ON.match(before[-1]) or not _is_one_line(held.before[len(before) :], said):
        return ""
    last = 0
    for found in _STOP.finditer(held.before):
        last = found.end()
    return held.before[last:]


def _back(held: Held) -> str:
    said, behind = held.text.rstrip(), held.behind.lstrip()
    gap = held.text[len(said) :] + held.behind[: len(held.behind) - len(behind)]
    if (
        not said
        or not behind
        or said[-1] in ".!?:;。！？|"
        or not _GOES_ON.match(behind[0])
        or not _is_one_line(gap, behind)
    ):
        return ""
    found = _STOP.search(held.behind)
    return held.behind[: found.start() + 1] if found else held.behind


def _is_one_line(gap: str, behind: str) -> bool:
    """What stands behind the gap goes on with the sentence before it: on the same line, or wrapped in lower case."""
    lines = gap.count("\n")
    return lines == 0 or (lines == 1 and behind[0].islower())
