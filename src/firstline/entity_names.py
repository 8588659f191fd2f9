"""When are two ways of writing a name the same name? Shared by what stores names and what looks them up.

`ReplicaSet`, `replica set`, `replica-sets` and `Replica Set (concept)` are one name; a name keeps its figures, so
that `log4j` and `log4j2` are two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

KEY_CHARS_MIN: Final = 2
KEY_CHARS_MAX: Final = 80
"""A longer name is a sentence: titles of tickets often are. Nobody mentions one by it."""
WORDS_MAX: Final = 8
"""Of a name that is looked for in running text."""
TEXT_CHARS_MAX: Final = 6_000
"""Of a text in which names are looked for: what stands behind is not read."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]{2,})?")
_ASIDE: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_PLURAL_CHARS_MIN: Final = 4
_NO_PLURAL: Final = ("ss", "us", "is", "os", "as")
_GENERIC: Final = frozenset(
    "a about all also an and any are as at be but by can do does for from get has have he her here how i if in into is"
    " it its me more my new no none not now null of on one only or other our out she so some such than that the their"
    " then there these they this those to undefined untitled up us use used was we were what when where which who why"
    " will with you your introduction overview example examples summary description note notes page home index readme"
    " faq question answer problem cause resolution error errors true false yes no nan test".split()
)


@lru_cache(maxsize=1 << 16)
def name_key(name: str) -> str:
    """Its letters and figures without case, accents, joints and the plural of its last word; "" for what names nothing:
    nothing but signs, a word like "it", or a whole sentence."""
    words = [_folded(word) for word in _WORD.findall(unicodedata.normalize("NFKC", name)[: 4 * KEY_CHARS_MAX + 1])]
    words = [word for word in words if word]
    if not words or (len(words) == 1 and words[0] in _GENERIC):
        return ""
    key = "".join((*words[:-1], _singular(words[-1])))
    return key if KEY_CHARS_MIN <= len(key) <= KEY_CHARS_MAX else ""


def without_aside(name: str) -> str:
    """The name without what stands in brackets behind it to tell it from its namesakes; "" when there is none."""
    bare = _ASIDE.sub("", name)
    return bare if bare != name and bare.strip() else ""


def keys_in(text: str, *, words_max: int = WORDS_MAX) -> Iterator[tuple[str, int, int]]:
    """Every key that words in a row could be the name of, and the characters they stand at; longest first of each word.

    Words in a row are not parted by the end of a sentence, a line or anything but spaces, joints, a dot behind an
    initial or a comma. At most `words_max` words, `WORDS_MAX` at the most; linear in the length of the text.
    """
    text = text[:TEXT_CHARS_MAX]
    found = [(match.start(), match.end(), _folded(match.group())) for match in _WORD.finditer(text)]
    alone = [_singular(word) for _, _, word in found]
    reach = _reaches(text, found)
    for first, (start, _, word) in enumerate(found):
        keys: list[tuple[str, int, int]] = []
        before = ""
        for last in range(first, min(reach[first] + 1, first + words_max, first + WORDS_MAX)):
            if len(before) > KEY_CHARS_MAX:
                break
            key = before + alone[last]
            before += found[last][2]
            if KEY_CHARS_MIN <= len(key) <= KEY_CHARS_MAX and (last > first or word not in _GENERIC):
                keys.append((key, start, found[last][1]))
        yield from reversed(keys)


def _reaches(text: str, found: list[tuple[int, int, str]]) -> list[int]:
    """For each word the last one that stands in a row with it."""
    reach = list(range(len(found)))
    for at in range(len(found) - 2, -1, -1):
        between = text[found[at][1] : found[at + 1][0]]
        initial = found[at][1] - found[at][0] == 1
        if len(between) <= 3 and (not between.strip(" -_/:,()'’\"`*&") or (initial and between.strip() in (".", ".-"))):
            reach[at] = reach[at + 1]
    return reach


@lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    parted = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in parted if sign.isalnum())


def _singular(word: str) -> str:
    if len(word) >= _PLURAL_CHARS_MIN and word.endswith("s") and not word.endswith(_NO_PLURAL) and word.isalpha():
        return word[:-1]
    return word
