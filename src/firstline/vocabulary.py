"""Which words of a text are spelt one way or another? Shared by what stores words and what looks them up."""

from __future__ import annotations

import re
from typing import Final

WORD_CHARS_MIN: Final = 3
WORD_CHARS_MAX: Final = 40
WORDS_MAX: Final = 5_000
"""Of one text, the first ones: more than that is a list or a dump, not prose."""

_RUN: Final = re.compile(r"[^\W_]+")
_HEX: Final = re.compile(r"(?=[a-f]*\d)[0-9a-f]{8,}")


def vocabulary(text: str) -> frozenset[str]:
    """Plain words and codes (`e11000`, `sql0911n`) in lower case, in the letters and figures of ASCII.

    Names with joints (`max_pool_size`, `read-only`) come in their parts. Numbers, versions and hashes are no words.
    """
    found: dict[str, None] = {}
    for run in dict.fromkeys(_RUN.findall(text)):
        if not WORD_CHARS_MIN <= len(run) <= WORD_CHARS_MAX or not run.isascii() or run[0].isdigit():
            continue
        word = run.lower()
        if _HEX.fullmatch(word) is None:
            found[word] = None
            if len(found) == WORDS_MAX:
                break
    return frozenset(found)
