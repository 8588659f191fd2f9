"""What does a text claim, word by word? Shared reading of claims and of what they cite; it calls no step.

Markdown, letter case and wording that changes nothing are gone; what is left are keys. A key is exact (a number with
its unit, a version, an identifier), telling (see `claim_words`) or plain (the stem of a word, or of one that says the
same). Keys stand in clauses and clauses in sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Final

from firstline.questions.claims.claim_words import ACTIONS, ALIKE, EMPTY, TELLING
from firstline.questions.claims.phrases import with_phrases_read
from firstline.questions.claims.quantities import NUMBER_WORDS, is_version, number_with_unit, unit_of
from firstline.questions.message.terms import stem

CHARS_MAX: Final = 20_000
"""A text is read up to here; a claim that is longer is none."""
ITEM_KEYS_MAX: Final = 3
PAIRED: Final = frozenset(stem(word) for word in "respectively between order sequence".split())
"""With one of these the order of a list says something."""

_LINK: Final = re.compile(r"!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)")
_QUOTE: Final = re.compile(r"^[ \t]*(?:>(?!=)[ \t]?)+", re.MULTILINE)
_LIST_MARK: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_QUOTE_OR_BULLET: Final = re.compile(r"^[ \t]*(?:>[ \t]?)*(?:[-*+•][ \t]+)?", re.MULTILINE)
_HEADING: Final = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]", re.MULTILINE)
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]{0,20}[ \t]*$", re.MULTILINE)
_RULE: Final = re.compile(r"^[ \t|:]*-{2,}[-| \t:]*$", re.MULTILINE)
_TOKEN: Final = re.compile(
    r"(?P<word>(?<![\w-])--?[A-Za-z][\w-]*|(?:(?<![\w.)\]%-])[-\u2212\u2013](?=[$€£]?\d))?[$€£]?[^\W_]+(?:(?:[._:/@+#&\\=-]|,(?=\d{3}(?!\d))|_+)[^\W_]+)*(?:%|\+\+?(?!\w)|\#(?!\w))?)"
    r"|(?P<stop>[.!?]+(?=[\s\"'”’)\]*_]|$)|\n\s*\n|。|！|？)"
    r"|(?P<mark>[,;:()\[\]|·—–>]|-(?=\s)|\n(?=\s*[A-Z]))"
    r"|(?P<sign>[<≤≥]=?|\^|%|(?<=\s)=(?=\s))"
)
_CAMEL: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_SIGNS: Final = {"<": "less", "≤": "upmost", "<=": "upmost", "≥": "least", ">=": "least"}
_JOINS: Final = frozenset(("and", "or", "but", "&"))
_CLAUSE_WORDS: Final = frozenset("if unless while when until till whenever whether before after".split())
_RELATIVE: Final = frozenset("which who whom whose where".split())
"""After a comma these begin an aside that lasts to the next mark."""


class Kind(IntEnum):
    PLAIN = 0
    TELLING = 1
    EXACT = 2
    VERSION = 3


@dataclass(slots=True)
class Clause:
    """Keys [start, end) between two marks. `joined`: a comma, "and" or "or" stands in front, `by_word`: which of
    the words, if one does; `aside`: it stands in brackets, or is an example or a relative clause."""

    start: int
    end: int
    joined: bool
    aside: bool
    by_word: str = ""
    leads: bool = False
    """A colon stands behind it."""


@dataclass(slots=True)
class Sentence:
    keys: list[str] = field(default_factory=list[str])
    kinds: list[Kind] = field(default_factory=list[Kind])
    clauses: list[Clause] = field(default_factory=list[Clause])
    parts: tuple[int, ...] = (0,)
    """Where each of the sentences begins that were joined to this one."""
    apart: bool = False
    """They do not follow each other."""

    def joined_with(self, other: Sentence, *, apart: bool = False) -> Sentence:
        """Both as one, a clause boundary between them."""
        shift = len(self.keys)
        moved = [
            Clause(one.start + shift, one.end + shift, one.joined and place > 0, one.aside, one.by_word, one.leads)
            for place, one in enumerate(other.clauses)
        ]
        parts = (*self.parts, *(shift + part for part in other.parts))
        return Sentence(self.keys + other.keys, self.kinds + other.kinds, self.clauses + moved, parts, apart)

    def runs(self) -> list[list[Clause]]:
        """Clauses that hang together by commas, "and" and "or", two or more of them."""
        runs: list[list[Clause]] = [[]]
        for clause in self.clauses:
            if not clause.joined:
                runs.append([])
            runs[-1].append(clause)
        return [run for run in runs if len(run) > 1]

    def lists_things(self, run: Sequence[Clause]) -> bool:
        """A run of short items, where order says nothing. A list of actions is a procedure."""
        if not any(clause.by_word for clause in run[1:]):
            return False
        if any(clause.end - clause.start > ITEM_KEYS_MAX for clause in run[1:-1]):
            return False
        places = range(run[1].start, run[-1].start + 1)
        if not PAIRED.isdisjoint(self.keys):
            return False
        return not any(self.keys[place] in ACTIONS or self.kinds[place] is Kind.TELLING for place in places)


def without_marks(text: str) -> str:
    """Links to their text, without signs of quotes and of unnumbered lists: as a claim shows its span."""
    return _QUOTE_OR_BULLET.sub("", _LINK.sub(r"\1", text) if "](" in text else text)


@lru_cache(maxsize=512)
def read_claims(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text; list items, paragraphs and headings are sentences of their own."""
    text = _LINK.sub(r"\1", text[:CHARS_MAX])
    if "#" in text:
        text = _HEADING.sub("\n\n", text)
    if "--" in text:
        text = _RULE.sub("\n\n", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n\n", text)
    if ">" in text:
        text = _QUOTE.sub("", text)
    text = _LIST_MARK.sub("\n\n", text)
    return tuple(_Reader().read(with_phrases_read(text.replace("*", "").replace("`", ""))))


class _Role(IntEnum):
    """What a word does in its sentence."""

    KEY = 0
    EMPTY = 1
    JOINS = 2
    RELATES = 3
    LEADS = 4
    NUMBER = 5
    PARTS = 6


@lru_cache(maxsize=50_000)
def _read_word(word: str) -> tuple[_Role, str, Kind]:
    """(role, key, kind) of a word as written; a NUMBER may be followed by its unit."""
    lowered = word.casefold()
    if lowered in _JOINS:
        return _Role.JOINS, "or" if lowered == "or" else "and", Kind.PLAIN
    if lowered in EMPTY:
        if len(word) > 2 and word.isupper():
            # GET and HAVE in capitals are names, or shouted alike on both sides.
            return _Role.KEY, word, Kind.EXACT
        return (_Role.RELATES if lowered in _RELATIVE else _Role.EMPTY), "", Kind.PLAIN
    telling = TELLING.get(lowered)
    if telling:
        return (_Role.LEADS if lowered in _CLAUSE_WORDS else _Role.KEY), telling, Kind.TELLING
    if word[0] in "-\u2212\u2013":
        return _read_signed(word)
    if word.isalpha():
        if lowered in NUMBER_WORDS:
            return _Role.NUMBER, NUMBER_WORDS[lowered], Kind.EXACT
        if word.isascii() and _CAMEL.search(word):
            return _Role.KEY, lowered, Kind.EXACT
        plain = stem(lowered)
        return _Role.KEY, ALIKE.get(plain, plain), Kind.PLAIN
    return _read_jointed(word, lowered)


def _read_signed(word: str) -> tuple[_Role, str, Kind]:
    """A flag, or a number with a minus."""
    if not any(map(str.isdigit, word[1:3])):
        return _Role.KEY, word, Kind.EXACT
    role, key, kind = _read_word(word[1:])
    return role, f"-{key}", kind


def _read_jointed(word: str, lowered: str) -> tuple[_Role, str, Kind]:
    number, unit = number_with_unit(word)
    if number:
        return (_Role.KEY if unit else _Role.NUMBER), number + unit, Kind.EXACT
    if word[0] in "$€£" or any(map(str.isdigit, word)):
        front, _, behind = lowered.partition("-")
        if front.isdigit() and unit_of(behind):
            return _Role.KEY, front + unit_of(behind), Kind.EXACT
        return _Role.KEY, lowered, Kind.VERSION if is_version(word) else Kind.EXACT
    if lowered.replace("-", "").isalpha():
        return _Role.PARTS, "", Kind.PLAIN
    return _Role.KEY, lowered, Kind.EXACT


class _Reader:
    def __init__(self) -> None:
        self._sentences: list[Sentence] = []
        self._now = Sentence()
        self._joined = False
        self._depth = 0
        self._relative = False
        self._number = ""
        """A number whose unit may follow."""

    def read(self, text: str) -> list[Sentence]:
        self._clause(joined=False)
        for found in _TOKEN.finditer(text):
            word = found["word"]
            if word:
                self._word(word)
            elif found["stop"]:
                self._flush_number()
                self._sentence()
            elif found["sign"]:
                self._sign(found["sign"])
            else:
                self._mark(found["mark"])
        self._flush_number()
        self._sentence()
        return self._sentences

    def _word(self, word: str) -> None:
        if word[-1] == "+" and word[-2:-1].isalnum() and any(map(str.isdigit, word)):
            # 4.2+ is 4.2 or later.
            self._flush_number()
            self._add("least", Kind.TELLING)
            word = word[:-1]
        if self._number:
            unit = unit_of(word)
            number, self._number = self._number, ""
            self._add(number + unit, Kind.EXACT)
            if unit:
                return
        role, key, kind = _read_word(word)
        if role is _Role.KEY:
            self._add(key, kind)
        elif role is _Role.EMPTY:
            return
        elif role is _Role.JOINS:
            self._clause(joined=True, by_word=key)
        elif role is _Role.RELATES:
            if self._now.clauses[-1].joined and self._now.clauses[-1].start == len(self._now.keys):
                self._relative = True
                self._clause(joined=False)
        elif role is _Role.LEADS:
            self._clause(joined=False)
            self._add(key, kind)
        elif role is _Role.NUMBER:
            self._number = key
        else:
            for part in word.split("-"):
                if part:
                    self._word(part)

    def _sign(self, sign: str) -> None:
        if sign == "%" and self._number:
            self._add(self._number + "%", Kind.EXACT)
            self._number = ""
            return
        self._flush_number()
        if sign in _SIGNS:
            self._add(_SIGNS[sign], Kind.TELLING)

    def _mark(self, mark: str) -> None:
        self._flush_number()
        if mark in "([":
            self._depth += 1
        elif mark in ")]":
            self._depth = max(0, self._depth - 1)
        self._relative = False
        self._now.clauses[-1].leads = mark == ":"
        self._clause(joined=mark == ",")

    def _flush_number(self) -> None:
        if self._number:
            number, self._number = self._number, ""
            self._add(number, Kind.VERSION if "." in number else Kind.EXACT)

    def _add(self, key: str, kind: Kind) -> None:
        now = self._now
        now.keys.append(key)
        now.kinds.append(kind)
        now.clauses[-1].end = len(now.keys)

    def _clause(self, *, joined: bool, by_word: str = "") -> None:
        self._flush_number()
        now = self._now
        at = len(now.keys)
        if now.clauses and now.clauses[-1].start == at:
            # ", and": nothing stands between the two.
            now.clauses[-1].joined = now.clauses[-1].joined or joined
            now.clauses[-1].by_word = now.clauses[-1].by_word or by_word
            now.clauses[-1].aside = self._aside
            return
        now.clauses.append(Clause(at, at, joined, self._aside, by_word))

    @property
    def _aside(self) -> bool:
        return self._depth > 0 or self._relative

    def _sentence(self) -> None:
        now = self._now
        if now.keys:
            if now.clauses[-1].start == len(now.keys):
                now.clauses.pop()
            self._sentences.append(now)
        self._now = Sentence()
        self._depth = 0
        self._relative = False
        self._clause(joined=False)
