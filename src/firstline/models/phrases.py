"""Which words and short phrases is a message made of? What the triage classifier reads beside the vector.

An embedding says what a message is about and loses who is speaking of what: "cancel a query" and "cancel my plan",
"is my order shipped" and "are orders shipped" lie close together. The small words tell them apart.
"""

from __future__ import annotations

import re
from typing import Final

WORDS_MAX: Final = 60
"""What somebody wants stands at the start; a log follows."""
CHARS_MAX: Final = 2_000
START: Final = "^"
END: Final = "$"
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_DIGITS: Final = re.compile(r"\d+")


def phrases(text: str) -> frozenset[str]:
    """Words, pairs and triples of neighbours, in lower case, with marks for the start and the end; any number is 0."""
    plain = text[:CHARS_MAX].casefold().replace("’", "'")
    words = [_DIGITS.sub("0", word) for word in _WORD.findall(plain)[:WORDS_MAX]]
    marked = [START, *words, END]
    pairs = {" ".join(marked[at : at + 2]) for at in range(len(marked) - 1)}
    triples = {" ".join(marked[at : at + 3]) for at in range(len(marked) - 2)}
    return frozenset({*words, *pairs, *triples})
