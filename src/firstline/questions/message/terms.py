"""Which words of a text carry its meaning? Shared vocabulary of the steps; it calls none of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]  (the package ships no types)

TOKEN: Final = re.compile(r"[^\W_]+(?:[._:/+#-][^\W_]+)*", re.UNICODE)
IDENTIFIER: Final = re.compile(
    r"\b(?:[A-Za-z](?:[A-Za-z\d]{0,8}[A-Za-z])?[-_]?\d{3,6}(?:-\d{2,7}){0,2}[A-Za-z]?"  # E11000, CVE-2015-0138
    r"|v?\d+\.\d+(?:\.\d+)*"  # 4.1.1.2
    r"|[A-Za-z]\w*(?:[._]\w+)+"  # dotted and snake_case names
    r"|[a-z]+(?:[A-Z][a-z0-9]+)+"  # camelCase
    r"|--[a-z][\w-]+)\b"
)
FUNCTION_WORDS: Final = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can cannot could did do
    does doing don done for from get gets getting got had has have having he hello help hi how i if im in into is
    it its just know like me my need no not of off on one only or our out please possible so some such tell than
    thank thanks that the their them then there these they thing this those to too try trying up us use used using
    very want wanted was we were what when where whether which while who why will with without won would you your
    """.split()
)
TERMS_MAX: Final = 64
_stemmer: Any = cast(Any, snowballstemmer).stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Plain words lose their ending; anything with a digit or a joint is an identifier and stays as it is."""
    if not word.isalpha() or not word.isascii():
        return word
    return str(_stemmer.stemWord(word))


def terms(text: str) -> tuple[str, ...]:
    """Stems of the content words, each once, in order of appearance; at most TERMS_MAX."""
    found: dict[str, None] = {}
    for token in TOKEN.findall(text):
        lowered = token.casefold()
        if lowered in FUNCTION_WORDS or len(lowered) < 2:
            continue
        found.setdefault(stem(lowered))
        if len(found) >= TERMS_MAX:
            break
    return tuple(found)


CODE: Final = re.compile(r"[A-Za-z](?:[A-Za-z\d]{0,8}[A-Za-z])?[-_]?\d{3,6}(?:-\d{2,7}){0,2}[A-Za-z]?$")


def codes(text: str) -> tuple[str, ...]:
    """Error codes as they are written (E11000, SQL0911N, lk-1100), each once."""
    return tuple(name for name in identifiers(text) if CODE.match(name))


def joined(code: str) -> str:
    """A code without what people put between its letters and its number: LK-1100 is LK1100."""
    return re.sub(r"(?<=[^\W\d_])[-_](?=\d)", "", code.casefold())


_JOINTS: Final = re.compile(r"[._:/+#-]")


def all_stems(text: str) -> frozenset[str]:
    """Every stem of a text, identifiers whole and in parts, for membership tests."""
    # Each spelling once: a text repeats its words, and every piece of evidence comes through here in every turn.
    found: set[str] = set()
    for lowered in set(TOKEN.findall(text.casefold())):
        found.add(stem(lowered))
        if not lowered.isalnum():
            found.update(stem(part) for part in _JOINTS.split(lowered) if part)
    return frozenset(found)


def identifiers(text: str) -> tuple[str, ...]:
    """Error codes, versions, dotted, snake and camel names and flags, each once."""
    return tuple(dict.fromkeys(IDENTIFIER.findall(text)))[:TERMS_MAX]
