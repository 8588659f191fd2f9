"""What is a message made of, beside its meaning? What the triage classifier reads together with the vector.

An embedding says what a message is about and loses who is speaking of what: "cancel a query" and "cancel my plan",
"is my order shipped" and "are orders shipped" lie close together. The small words tell them apart. Pieces of words
know a word again that is misspelt or stands in another form, and tell letters that no language puts together.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

WORDS_MAX: Final = 60
"""What somebody wants stands at the start; a log follows."""
CHARS_MAX: Final = 2_000
WORD_CHARS_MAX: Final = 40
"""Longer strings are hashes and links: their pieces say nothing."""
START: Final = "^"
END: Final = "$"
PIECE: Final = "~"
"""Stands before each piece of a word, so that no piece is taken for a word."""
PIECE_LENGTHS: Final = (3, 4, 5)
LENGTHS: Final = (1, 2, 4, 8, 15, 30)
SHOUTED_LETTERS_MIN: Final = 6
SHOUTED_SHARE_MIN: Final = 0.7
STRANGE_SHARES: Final = (0.0, 0.15, 0.4)
MARKS: Final = (
    *(f"#words{at}" for at in range(len(LENGTHS) + 1)),
    "#shouted",
    "#digits",
    *(f"#strange{at}" for at in range(len(STRANGE_SHARES) + 1)),
)
"""How the message looks: length, capitals, digits, and the share of its letters that no known word puts together."""
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_DIGITS: Final = re.compile(r"\d+")


def words_of(text: str) -> list[str]:
    """In lower case, any number is 0."""
    plain = text[:CHARS_MAX].casefold().replace("’", "'")
    return [_DIGITS.sub("0", word) for word in _WORD.findall(plain)[:WORDS_MAX]]


def phrases(text: str) -> frozenset[str]:
    """Words, pairs and triples of neighbours, with marks for the start and the end."""
    words = words_of(text)
    marked = [START, *words, END]
    pairs = {" ".join(marked[at : at + 2]) for at in range(len(marked) - 1)}
    triples = {" ".join(marked[at : at + 3]) for at in range(len(marked) - 2)}
    return frozenset({*words, *pairs, *triples})


def pieces(text: str) -> frozenset[str]:
    """Three to five neighbouring letters of each word, its borders included."""
    found: set[str] = set()
    for word in words_of(text):
        edged = f" {word[:WORD_CHARS_MAX]} "
        for length in PIECE_LENGTHS:
            found.update(PIECE + edged[at : at + length] for at in range(len(edged) - length + 1))
    return frozenset(found)


def marks(text: str, *, found: Collection[str], known: Collection[str]) -> frozenset[str]:
    """Those of MARKS that hold. `found`: of `pieces`; `known`: the pieces of known words, anything else may stand
    among them."""
    count = len(words_of(text))
    told = {f"#words{sum(count > limit for limit in LENGTHS)}"}
    letters = [letter for letter in text[:CHARS_MAX] if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    if len(letters) >= SHOUTED_LETTERS_MIN and capitals > SHOUTED_SHARE_MIN * len(letters):
        told.add("#shouted")
    if any(letter.isdigit() for letter in text[:CHARS_MAX]):
        told.add("#digits")
    short = [piece for piece in found if len(piece) == len(PIECE) + PIECE_LENGTHS[0]]
    share = sum(piece not in known for piece in short) / max(1, len(short))
    told.add(f"#strange{sum(share > limit for limit in STRANGE_SHARES)}")
    return frozenset(told)
