"""What did the asker mean to write? A misspelt word is read as a word of the knowledge base that the asker may see.

A word that stands in a visible document is never changed, nor is one whose other form does, nor an English word. What
may be a name, a quotation or code is left alone. An error code (`E1100`) is read as another only where no other reading
is possible, and never with another figure in a place or two figures swapped: that is more often another code of the
same family, and a wrong code is worse than none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.ports import KnowledgeLedger, Scope

CHARS_MAX: Final = 2_000
"""Only the start of a message is read for mistakes: what follows is a log."""
SUSPECTS_MAX: Final = 24
CORRECTIONS_MAX: Final = 4
UNKNOWN_SHARE_MAX: Final = 0.5
"""Where more of the words than this are unknown, nothing is corrected. English words count as known."""
UNKNOWN_ENOUGH: Final = 2
"""So many unknown words say nothing about the language yet."""
WORD_CHARS_MIN: Final = 5
WORD_CHARS_MAX: Final = 24
NAME_CHARS_MIN: Final = 7
"""Of a word with a capital inside a sentence: short names differ by a letter without being misspelt."""
CODE_FIGURES_MIN: Final = 3

_QUOTED: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d", re.DOTALL)
_TOKEN: Final = re.compile(r"(?:(?<=[\s(\[])|^)[A-Za-z][A-Za-z0-9]*(?=(?:'s)?[.,;:!?)\]]*(?:\s|$))", re.MULTILINE)
_WITHOUT_APOSTROPHE: Final = frozenset(
    f"{verb}nt" for verb in "are ca could did do does had has have is must need should was were wo would".split()
)
_SENTENCE_END: Final = frozenset(".!?:\n")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_FIGURES: Final = "0123456789"
_LOOK_ALIKE: Final = frozenset({"o0", "0o", "l1", "1l", "i1", "1i", "s5", "5s", "b8", "8b", "z2", "2z"})

_SLIP, _MISSING_OR_EXTRA, _REPLACED = 0, 1, 2
_LIKELY: Final[Mapping[int, float]] = {_SLIP: 4.0, _MISSING_OR_EXTRA: 2.0, _REPLACED: 0.0}
"""How much likelier than a replaced letter, as a power of e: letters swapped or doubled, one missing or too many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spelling:
    """The message as it is read, and each change as (written, read as). Without a change, `text` is the message."""

    text: str
    corrections: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspect:
    """A word at text[start:end]; `word` is it in lower case."""

    start: int
    end: int
    word: str

    @property
    def is_code(self) -> bool:
        return not self.word.isalpha()


async def spelling(
    text: str, scope: Scope, *, ledger: KnowledgeLedger, english: Collection[str] = frozenset()
) -> Spelling:
    """`english`: words (lower case) that are never taken for misspelt. In documents that say "quote" a "quite" is no
    mistake. While words of some document are unknown, any word may be one of its own: nothing is corrected.
    No look-up where nothing is suspect, one where every word is known, two where one is not."""
    looked_at = suspects(text, english=english)
    if not looked_at:
        return Spelling(text=text)
    forms = {suspect.word: (suspect.word, *relatives(suspect.word)) for suspect in looked_at}
    known = await ledger.word_counts({form for own in forms.values() for form in own}, scope)
    if known is None:
        return Spelling(text=text)
    unknown = [word for word, own in forms.items() if known.keys().isdisjoint(own)]
    if not unknown or _is_foreign(text, english, unknown=len(unknown), of=len(forms)):
        return Spelling(text=text)
    readings = {word: edits(word) for word in unknown[:CORRECTIONS_MAX]}
    counts = await ledger.word_counts({reading for own in readings.values() for reading in own}, scope)
    if counts is None:
        return Spelling(text=text)
    chosen = {word: choose(word, own, counts) for word, own in readings.items()}
    return respelled(text, looked_at, {word: reading for word, reading in chosen.items() if reading is not None})


def _is_foreign(text: str, english: Collection[str], *, unknown: int, of: int) -> bool:
    """In another language, or about something else."""
    understood = {token.lower() for token in _TOKEN.findall(text[:CHARS_MAX])}.intersection(english)
    return unknown > UNKNOWN_ENOUGH and unknown > UNKNOWN_SHARE_MAX * (of + len(understood))


def suspects(text: str, *, english: Collection[str] = frozenset()) -> tuple[Suspect, ...]:
    """Words that may be misspelt, codes first, each spelling at every place where it stands.

    Left out: quotations and code, paths, flags, versions and addresses; English words; short names (a capital inside a
    sentence), `camelCase` and `ABBREVIATIONS`.
    """
    head = text[:CHARS_MAX]
    plain = _QUOTED.sub(lambda quoted: '"' * len(quoted.group()), head)
    found: dict[str, list[Suspect]] = {}
    for token in _TOKEN.finditer(plain):
        # A word at the cut may go on behind it.
        word = token.group().lower()
        if word in english or word in _WITHOUT_APOSTROPHE or token.end() == CHARS_MAX:
            continue
        if _may_be_misspelt(token.group(), opens_sentence=_opens_sentence(plain, token.start())):
            found.setdefault(word, []).append(Suspect(start=token.start(), end=token.end(), word=word))
    first = sorted(found, key=str.isalpha)[:SUSPECTS_MAX]
    return tuple(suspect for word in first for suspect in found[word])


def _may_be_misspelt(token: str, *, opens_sentence: bool) -> bool:
    if not WORD_CHARS_MIN <= len(token) <= WORD_CHARS_MAX:
        return False
    if not token.isalpha():
        # With fewer figures it is a product and its version: V8, WAS85.
        return (token.isupper() or token.islower()) and sum(map(str.isdigit, token)) >= CODE_FIGURES_MIN
    may_have_capital = opens_sentence or len(token) >= NAME_CHARS_MIN
    return token.islower() or (may_have_capital and token[1:].islower())


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t([")
    return not before or before[-1] in _SENTENCE_END


def relatives(word: str) -> tuple[str, ...]:
    """Other forms of a plain word: plural, past, -ing, -er, -ly. A code has none."""
    if not word.isalpha():
        return ()
    found = {word + ending for ending in ("s", "es", "d", "ed", "ing", "er", "ly")}
    for ending in ("s", "es", "d", "ed", "r", "er", "ers", "ing", "ings", "ly", "able"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            found |= {base, base + "e", base + "s", base + "ed", base + "ing"}
            if len(base) > 2 and base[-1] == base[-2]:
                found.add(base[:-1])  # stopped: stop
            if base.endswith("i"):
                found.add(base[:-1] + "y")  # tries: try
    if word.endswith("e"):
        found |= {word[:-1] + "ing", word[:-1] + "ed"}
    if word.endswith("y"):
        found |= {word[:-1] + "ies", word[:-1] + "ied"}
    found.add(word + word[-1] + "ing")
    found.add(word + word[-1] + "ed")
    return tuple(sorted(form for form in found - {word} if len(form) > 2))


def edits(word: str) -> dict[str, int]:
    """Every reading that is one slip away, with the kind of slip. The first letter stays, except when swapped."""
    found: dict[str, int] = {}
    for reading, kind in _edits(word):
        if reading != word:
            found[reading] = min(kind, found.get(reading, kind))
    return found


def _edits(word: str) -> Iterator[tuple[str, int]]:
    is_code = not word.isalpha()
    alphabet = _LETTERS + _FIGURES if is_code else _LETTERS
    for at in range(len(word)):
        before, letter, after = word[:at], word[at], word[at + 1 :]
        if after and not (letter.isdigit() and after[0].isdigit()):
            yield before + after[0] + letter + after[1:], _SLIP
        for extra in alphabet:
            doubled = extra == letter
            yield before + letter + extra + after, _SLIP if doubled else _MISSING_OR_EXTRA
        if at == 0:
            continue
        yield before + after, _SLIP if letter == word[at - 1] else _MISSING_OR_EXTRA
        for other in alphabet:
            # Of five letters one replaced is another word too often: abort, about.
            if letter + other in _LOOK_ALIKE if is_code else len(word) > WORD_CHARS_MIN:
                yield before + other + after, _REPLACED


def choose(word: str, readings: Mapping[str, int], counts: Mapping[str, int]) -> str | None:
    """The likeliest of the readings that are known; of a code the only one, or none."""
    known = sorted(reading for reading in readings if reading in counts)
    if not known:
        return None
    if not word.isalpha():
        return known[0] if len(known) == 1 else None
    return max(known, key=lambda reading: math.log(counts[reading]) + _LIKELY[readings[reading]])


def respelled(text: str, looked_at: Sequence[Suspect], readings: Mapping[str, str]) -> Spelling:
    """`text` with the readings in the places of the words, in capitals where the asker wrote capitals."""
    corrections: dict[str, str] = {}
    for suspect in sorted(looked_at, key=lambda suspect: suspect.start, reverse=True):
        reading = readings.get(suspect.word)
        if reading is not None:
            written = text[suspect.start : suspect.end]
            corrections[written] = _in_the_case_of(written, reading)
            text = text[: suspect.start] + corrections[written] + text[suspect.end :]
    return Spelling(text=text, corrections=tuple(reversed(corrections.items())))


def _in_the_case_of(written: str, reading: str) -> str:
    if written.isupper():
        return reading.upper()
    return reading.capitalize() if written[0].isupper() else reading
