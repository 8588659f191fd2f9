"""Does a text say the same over and over at its end?"""

from __future__ import annotations

from typing import Final

PERIOD_MAX: Final = 400
CHARS_MIN: Final = 1_000
TIMES_MIN: Final = 5
PROBE: Final = 24


def repeats(text: str) -> bool:
    """Whether its last thousand characters or more are one passage of up to 400, five times or more. A rule in a table,
    a list of alike rows and a quoted log stay below that, or differ in a number."""
    tail = text[-max(CHARS_MIN, PERIOD_MAX * TIMES_MIN) :]
    if len(tail) < CHARS_MIN:
        return False
    probe = tail[-PROBE:]
    at = len(tail) - PROBE
    for _ in range(PERIOD_MAX):
        at = tail.rfind(probe, 0, at + PROBE - 1)
        period = len(tail) - PROBE - at
        if at < 0 or period > PERIOD_MAX:
            return False
        length = max(CHARS_MIN, period * TIMES_MIN)
        if len(tail) >= length and tail[-length:-period] == tail[-length + period :]:
            return True
    return False
