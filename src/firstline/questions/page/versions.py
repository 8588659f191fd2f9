"""Which versions does a page speak of, and is the one asked for among them? Shared vocabulary; it calls no step.

A version is its leading numbers: "4.2.1-rc1" is (4, 2, 1). Where one is the beginning of the other they agree: who
asks about 4.2 is served by a page about 4.2.1, and by one about 4.x.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from firstline.domain import Document

Numbers = tuple[int, ...]

FIELDS: Final = ("version", "versions", "applies_to", "product_version", "affected_versions")
TEXT_CHARS_MAX: Final = 400
"""A title or a metadata value is read up to here."""
STATED_MAX: Final = 16
ADDRESS_CHARS_MAX: Final = 2_000
SEGMENTS_MAX: Final = 64
PAGES_KEPT_MAX: Final = 2_048
"""Pages whose versions are remembered: the same few are found again and again."""

_NUMBER: Final = r"\d{1,4}(?:\.\d{1,4}){0,4}(?:\.[xX*](?!\w))?"
_STATED: Final = re.compile(
    r"(?P<least>>=?[ ]?|\b(?:from|since)[ ])?(?P<most><=?[ ]?|\b(?:up[ ]to|until|before)[ ])?"
    rf"(?<![\w.])(?P<said>v(?:ersions?[ ]|\.[ ]?)?|releases?[ ])?(?P<low>{_NUMBER})"
    rf"(?:[ ]?(?:-|–|—|\.\.|\bto\b|\bthrough\b)[ ]?v?(?P<high>{_NUMBER}))?"
    r"(?P<more>[ ]?\+|[ ](?:and|or)[ ](?:later|newer|above|up|higher)\b|[ ]onwards\b)?(?![\w%])",
    re.IGNORECASE,
)
_SEGMENT: Final = re.compile(r"v?\d{1,4}(?:\.\d{1,4}){1,4}(?:\.x)?|v\d{1,4}(?:\.x)?", re.IGNORECASE)
_NAME_BEFORE: Final = re.compile(r"([A-Za-z][\w+#.-]*)[ ]+(?:(?:versions?|releases?|v\.?)[ ]+)?$", re.IGNORECASE)
_NO_NAME: Final = frozenset(
    """version versions release releases v in on for to of with and or the a our my at under from since before after
    run runs running use uses using have has is are am still currently now not upgrade upgraded upgrading update updated
    updating install installed installing migrate migrated migrating server client cluster""".split()
)
_VERSION_WORD: Final = re.compile(r"\b(?:versions?|ver)\b\.?", re.IGNORECASE)
_NOT_WORDS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Stated:
    """One version, or a range of them, both ends included; None: no end. `name` is the word in front ("python")."""

    low: Numbers | None
    high: Numbers | None
    name: str = ""

    def covers(self, asked: Numbers) -> bool:
        above = self.low is None or _cut(asked, self.low) >= _cut(self.low, asked)
        return above and (self.high is None or _cut(asked, self.high) <= _cut(self.high, asked))

    @property
    def is_one(self) -> bool:
        """A single version, not a range."""
        return self.low == self.high

    @property
    def newest(self) -> tuple[int, Numbers]:
        """Orders versions: an open end is newer than any number."""
        return (1, self.low or ()) if self.high is None else (0, self.high)

    @property
    def span(self) -> str:
        """In figures alone: "4.1", "4.1–" (and later), "–4.3" (and earlier), "4.1–4.3"."""
        low, high = _spelled(self.low), _spelled(self.high)
        return low if self.is_one else f"{low}–{high}"

    def __str__(self) -> str:
        """In our own wording, from the numbers alone."""
        low, high = _spelled(self.low), _spelled(self.high)
        if self.is_one:
            return low
        if self.high is None:
            return f"{low} and later"
        return f"{low} to {high}" if low else f"{high} and earlier"


def numbers_of(text: str) -> Numbers:
    """The leading numbers of a version as written; () when it has none."""
    found = re.match(r"\D{0,8}?(\d{1,4}(?:\.\d{1,4}){0,4})", text)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def covers(asked: str, found: str) -> bool:
    """Does a page about `found` ("4.2.1", "4.x", "4.0 to 4.4", "4.2+") serve somebody who asked about `asked`?"""
    numbers = numbers_of(asked)
    return bool(numbers) and any(stated.covers(numbers) for stated in stated_in(found, plain=True))


def versions_of(document: Document) -> tuple[Stated, ...]:
    """What its source says in metadata; else what its title says; else what stands in its address."""
    fields = tuple(document.metadata.get(field, "")[:TEXT_CHARS_MAX] for field in FIELDS)
    return _versions(fields, document.title[:TEXT_CHARS_MAX], (document.url or document.doc_id)[:ADDRESS_CHARS_MAX])


@lru_cache(maxsize=PAGES_KEPT_MAX)
def _versions(fields: tuple[str, ...], title: str, address: str) -> tuple[Stated, ...]:
    declared = tuple(stated for field in fields for stated in stated_in(field, plain=True))
    return declared or stated_in(title) or _in_address(address)


def stated_in(text: str, *, plain: bool = False) -> tuple[Stated, ...]:
    """Versions in a text. A number without a point counts only where `plain`, or after "v" or "version"."""
    return tuple(stated for _, stated in islice(_found(text, plain=plain), STATED_MAX))


@lru_cache(maxsize=PAGES_KEPT_MAX)
def without_versions(title: str, known: tuple[Stated, ...] = ()) -> str:
    """The title as its versions share it: without version numbers, letter case and punctuation.

    A whole number is one of the title's words ("Error 404") unless it is one of the versions `known`.
    """
    title = unicodedata.normalize("NFKC", title)[:TEXT_CHARS_MAX]
    plain_known = {number for stated in known for number in (stated.low, stated.high) if number}
    kept: list[str] = []
    at = 0
    for match, stated in _found(title, plain=True):
        if _is_pointed(match) or stated.low in plain_known:
            kept.append(title[at : match.start()])
            at = match.end()
    kept.append(title[at:])
    return " ".join(_NOT_WORDS.sub(" ", _VERSION_WORD.sub(" ", " ".join(kept))).casefold().split())


def name_before(text: str, version: str) -> str:
    """The word that the version is said of ("lark-py" in "on lark-py 3.1"), casefolded; "" when there is none."""
    at = text.find(version)
    return _name(text[max(0, at - TEXT_CHARS_MAX) : at].removesuffix("v").removesuffix("V")) if at > 0 else ""


def _found(text: str, *, plain: bool) -> Iterator[tuple[re.Match[str], Stated]]:
    text = text[:TEXT_CHARS_MAX]
    for match in _STATED.finditer(text):
        if not plain and not _is_pointed(match):
            continue
        low, high = numbers_of(match["low"]), numbers_of(match["high"] or "")
        name = _name(text[: match.start()])
        if match["least"] or match["more"]:
            yield match, Stated(low=low, high=None, name=name)
        elif match["most"]:
            yield match, Stated(low=None, high=low, name=name)
        else:
            yield match, Stated(low=low, high=high or low, name=name)


def _is_pointed(match: re.Match[str]) -> bool:
    return "." in match["low"] or bool(match["said"])


def _name(before: str) -> str:
    found = _NAME_BEFORE.search(before)
    name = found[1].casefold() if found else ""
    return "" if name in _NO_NAME else name


def _in_address(address: str) -> tuple[Stated, ...]:
    _, scheme, rest = address.partition("://")
    # By hand: an address as a source wrote it may be none that a parser takes.
    path = rest.partition("/")[2] if scheme else address
    segments = re.split(r"[?#]", path, maxsplit=1)[0].split("/")[:SEGMENTS_MAX]
    numbers = [numbers_of(segment) for segment in segments if _SEGMENT.fullmatch(segment)]
    return tuple(Stated(low=number, high=number) for number in numbers[:1])


def _cut(numbers: Numbers, to: Numbers) -> Numbers:
    return numbers[: len(to)]


def _spelled(numbers: Numbers | None) -> str:
    return ".".join(map(str, numbers or ()))
