"""Which names are nearly the same, and are two things to the graph?

`entity_names.name_key` has made one of what differs in case, joints and the plural of its last word. What is left is
what nobody can decide by the signs alone: a plural in the middle, an acronym and its long form, a letter more or less.
Pairs are found by what they share and never by comparing all with all.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

LETTERS_MIN: Final = 8
"""Of names that a single letter tells apart: in a shorter one it tells two words apart."""
WORD_LETTERS_MIN: Final = 5
"""Of the word that the letter stands in: `get` and `set` are two."""
CHARS_MAX: Final = 80
GROUP_MAX: Final = 40
"""Names with so much in common are a family, as are the settings of one part: no pair of it is told."""
LONG_FORMS_MAX: Final = 3
"""An acronym of more names tells nothing."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")
_ACRONYM: Final = re.compile(r"([A-Z]{2,6})s?")
_SMALL: Final = frozenset({"a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or", "the", "to", "with"})


class Likeness(StrEnum):
    SPELLING = "written otherwise"
    ACRONYM = "its first letters"
    LETTER = "one letter differs"


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """`docs` are numbers of the documents that tell of it."""

    entity_id: str
    written: str
    docs: frozenset[int] | set[int]


@dataclass(frozen=True, slots=True)
class Pair:
    first: Name
    second: Name
    why: Likeness


def pairs(names: Sequence[Name], *, letters: bool = True) -> list[Pair]:
    """Of one kind. Those that are surest alike first, then those that both sides tell of most; each pair once, its more
    frequent name first. `letters`: where one letter is a slip; in code it is another name."""
    short = [name for name in names if len(name.written) <= CHARS_MAX]
    words = {name.entity_id: split(name.written) for name in short}
    found: dict[tuple[str, str], Pair] = {}
    near = [*_spelt(short, words), *_acronyms(short, words), *(_letters(short, words) if letters else ())]
    for first, second, why in near:
        ordered = sorted((first, second), key=lambda one: (-len(one.docs), one.entity_id))
        found.setdefault((ordered[0].entity_id, ordered[1].entity_id), Pair(ordered[0], ordered[1], why))
    order = list(Likeness)
    return sorted(
        found.values(),
        key=lambda pair: (
            order.index(pair.why),
            -min(len(pair.first.docs), len(pair.second.docs)),
            pair.first.entity_id,
            pair.second.entity_id,
        ),
    )


def split(name: str) -> tuple[str, ...]:
    """Its words without accents, as they are written; parted at signs, figures and capitals within a word. An acronym
    loses its plural."""
    if found := _ACRONYM.fullmatch(name.strip()):
        return (found[1],)
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name))
    return tuple(_WORD.findall("".join(sign for sign in plain if not unicodedata.combining(sign))))


def _folded(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(_singular(word.casefold()) for word in words)


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os", "as"))
    return word[:-1] if plural else word


def _spelt(names: Sequence[Name], words: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Name, Name, Likeness]]:
    groups: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names:
        groups["".join(_folded(words[name.entity_id]))].append(name)
    for skeleton, group in groups.items():
        if skeleton and len(group) <= GROUP_MAX:
            yield from ((first, second, Likeness.SPELLING) for first, second in combinations(group, 2))


def _acronyms(names: Sequence[Name], words: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Name, Name, Likeness]]:
    """Short forms in capitals, and names whose words begin with these. Two letters are too few to go by, unless a
    document tells of both."""
    long: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names:
        own = [word for word in words[name.entity_id] if word not in _SMALL]
        if len(own) > 1 and all(word[0].isupper() for word in own) and not any(word.isupper() for word in own):
            long["".join(word[0] for word in own)].append(name)
    for name in names:
        found = _ACRONYM.fullmatch(name.written.strip())
        forms = long.get(found[1], []) if found else []
        if found and len(found[1]) == 2:
            forms = [one for one in forms if not one.docs.isdisjoint(name.docs)]
        if len(forms) <= LONG_FORMS_MAX:
            yield from ((name, one, Likeness.ACRONYM) for one in forms)


def _letters(names: Sequence[Name], words: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Name, Name, Likeness]]:
    """Long names with one letter more, less or another one: one of their halves is the same."""
    groups: defaultdict[tuple[str, int, str], list[Name]] = defaultdict(list)
    folded = {name.entity_id: _folded(words[name.entity_id]) for name in names}
    for name in names:
        text = " ".join(folded[name.entity_id])
        if len(text) < LETTERS_MIN:
            continue
        # Of both the shorter one's half, whichever of them is the shorter one.
        for half in {len(text) // 2, (len(text) - 1) // 2}:
            groups["begins", half, text[:half]].append(name)
            groups["ends", half, text[-half:]].append(name)
    for group in groups.values():
        if len(group) <= GROUP_MAX:
            for first, second in combinations(group, 2):
                if a_letter_apart(folded[first.entity_id], folded[second.entity_id]):
                    yield first, second, Likeness.LETTER


def a_letter_apart(first: Sequence[str], second: Sequence[str]) -> bool:
    """The same words but for one, and that one but for a letter. A figure, or a word with one, tells two apart."""
    if len(first) != len(second):
        return False
    other = [(one, two) for one, two in zip(first, second, strict=True) if one != two]
    if len(other) != 1:
        return False
    short, long = sorted(other[0], key=len)
    if len(short) < WORD_LETTERS_MIN or len(long) - len(short) > 1 or not (short.isalpha() and long.isalpha()):
        return False
    at = next((at for at, (one, two) in enumerate(zip(short, long, strict=False)) if one != two), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]
