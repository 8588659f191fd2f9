"""What does the name finder see of a word? Numbers of rows in its table: the word, its ends, its form, and the lists
it is in."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

LISTS: Final = ("first", "last", "town", "plain")
"""Names of the lists a model ships: words of first names, last names and towns, and plain words."""
RESERVED: Final = 32
"""Rows of the table that no hash leads to: for the forms and lists."""
WORD: Final = re.compile(r"[^\W\d_]+(?!\d)(?:['’][^\W\d_]+)*|[^\W_]+|\n(?:[ \t]*\n)*|[^\w\s]|_+")
_CHARS_MAX: Final = 40
Hashes = npt.NDArray[np.uint32]


def hashed(text: str) -> int:
    """Equal in every process and on every machine."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def rows_of(word: str, *, lists: Sequence[Hashes], rows: int) -> list[int]:
    """`lists` are sorted hashes of lower-case words, as LISTS names them; `rows` is the length of the table."""
    low = word[:_CHARS_MAX].lower()
    if not low.isdigit() and any(map(str.isdigit, low)):
        return [7, RESERVED + hashed("c" + _shape(word)) % (rows - RESERVED)]
    if not low[:1].isalpha():
        mark = f"d{min(len(low), 6)}" if low.isdigit() else "n" if low.startswith("\n") else low[:2]
        return [RESERVED + hashed("m" + mark + ("0" if low.startswith("0") else "")) % (rows - RESERVED)]
    stem = low[:-2] if low.endswith(("'s", "’s")) else low
    found = [_form(word), 8 + min(len(low), 9) // 2]
    value = hashed(stem)
    found.extend(16 + place for place, entries in enumerate(lists) if _holds(entries, value))
    marks = ["w" + stem, "p" + stem[:2], "q" + stem[:3], "s" + stem[-2:], "t" + stem[-3:], "u" + stem[-4:]]
    if stem is not low:
        found.append(24)
    found.extend(RESERVED + hashed(mark) % (rows - RESERVED) for mark in marks)
    return found


def listed_name(word: str, lists: Sequence[Hashes]) -> bool:
    """Is it a first or last name of the lists, and no plain word?"""
    value = hashed(word.lower())
    first, last, _, plain = lists
    return (_holds(first, value) or _holds(last, value)) and not _holds(plain, value)


def plain_word(word: str, lists: Sequence[Hashes]) -> bool:
    """Is it an English word, or no word at all? It may be a name as well."""
    return not word[0].isalpha() or _holds(lists[3], hashed(word.lower()))


def _holds(entries: Hashes, value: int) -> bool:
    at = int(np.searchsorted(entries, np.uint32(value)))
    return at < len(entries) and int(entries[at]) == value


def _shape(word: str) -> str:
    """Runs of capitals, small letters and figures of a code, a house number or a postcode: A2d5."""
    runs: list[list[str]] = []
    for sign in word[:_CHARS_MAX]:
        kind = "d" if sign.isdigit() else "A" if sign.isupper() else "a"
        if runs and runs[-1][0] == kind:
            runs[-1].append(sign)
        else:
            runs.append([kind, sign])
    return "".join(f"{run[0]}{min(len(run) - 1, 6)}" for run in runs)


def _form(word: str) -> int:
    if word.isupper():
        return 1 if len(word) == 1 else 2
    if word.islower():
        return 3
    if word[0].isupper():
        return 4 if word[1:].islower() or "'" in word or "’" in word else 5
    return 6
