"""Which things with a name does prose speak of? Runs of capitalised words, CamelCase, letters mixed with figures,
acronyms, names in East Asian quotes.

A capital at the beginning of a sentence says nothing by itself: such a word is left out when the page writes it in
small letters elsewhere or when it is one that sentences begin with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.errors import error_name
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.no_names import (
    DATES,
    FUNCTION,
    GENERIC,
    KINDS_OF,
    LABELS,
    NO_ACRONYM,
    ORDINARY,
    TRAILING,
)
from firstline.documents.extract.page import HIDDEN, Page
from firstline.domain import EntityKind

WORDS_MAX: Final = 7
TIMES_MIN: Final = 3
"""A single capitalised word is a name when the page writes it so within sentences this often, and never small."""

SHOUTED_CHARS_MIN: Final = 6
"""Two words of so many capitals are a shout."""

_C: Final = r"[A-ZÀ-ÖØ-ÞŁŚŽČĐİ][\w]*(?:[-'’&+][\w]+)*"
_RUN: Final = re.compile(
    rf"(?<![\w@/\\$.#_+-]){_C}(?:(?:(?<=\b[A-Z])\.[ ]?|[®™]?[ ]|[®™]?\n|[®™]?[ ](?:of|of the|de|von|van|van der|del"
    rf"|da|di|du|la)[ ]){_C}|[ ](?=\d)\d{{1,4}}(?=[ ]{_C}))*"
)
_NAME: Final = re.compile(
    r"[A-Z][a-z0-9]+[A-Z]\w*|[a-z]{1,3}[A-Z][a-z]+\w*|[A-Z]{2,}[a-z]+[A-Z]\w*|[A-Z][A-Za-z]{1,20}\d{1,3}[a-z]{0,2}"
    r"|[A-Z]{2,8}/[A-Z]{2,8}"
)
_SMALL_CAMEL: Final = re.compile(
    r"(?<![\w@/\\$.#_-])[a-z]{1,12}[A-Z][a-z]{2,30}(?:[A-Z][a-z0-9]{1,30}){0,5}(?![\w(./-])"
)
_HYPHENS: Final = re.compile(r"(?<![\w./-])[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,8}(?![\w/-])")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]{2,7}s?")
_EAST: Final = re.compile(r"[「『《【“]([^「」『』《》【】“”\n]{2,20})[」』》】”]")
_PARTED: Final = re.compile(r"[A-Z]\w* (?:for|and|on|with|in|to|&) $")
"""The rest of a longer name or a list: "Monitoring for Databases"."""
_BELONGS: Final = re.compile(r"[A-Z]\w* [A-Z]\w*[®™]? for $|(?<=[a-z,] )[A-Z][a-z]\w* for $|[\[<]$")
"""The rest of a product's name, or a blank to be filled in: `<ServerName>`."""
_STARTS: Final = re.compile(
    r"(?:^|[\n.!?:;|>•·–—(\[\"“'*\x01-])[ \t]*(?:[-*+>] |\d{1,3}[.)] |[a-z][.)] |\([a-z0-9]{1,3}\) )?[\"'“*_(]{0,3}$"
)
_VERSIONED: Final = re.compile(r"[vV]\d{1,3}(?:R\d{1,2})?(?:M\d{1,2})?")
_ON_SCREEN: Final = re.compile(
    r"[\"'*”’]{0,3}\s(?:tab|button|menu|field|dialog|window|icon|link|column|check ?box|panel|pane|screen|box|radio"
    r"|drop-?down|wizard|tile|heading)s?\b"
)
"""What stands before it is a label on a screen."""
_IN_MARKUP: Final = re.compile(r"[\"']?(?:=|/?>|\.[a-z]\w{0,5}\b|_\d)")
"""What stands before it is an attribute, a tag, a frame of a trace or a made-up id."""
_NUMBERED: Final = re.compile(r"[A-Z]{1,4}\d{4,7}[A-Z]?")
"""A ticket or a message by its number: "Interim Fix AB12345" is a name, in a list without marks "Acme Server AB12345"
is the end of one entry and the beginning of the next."""
_TELLS_HOW: Final = re.compile(r"[A-Z][a-z]{2,20}(?:ing|ed|ly)|Un[a-z]{3,15}(?:ed|ary|able)")
"""Begins a sentence before a name: "Reduced", "Monitoring", "Temporarily"."""
_SHOUT: Final = re.compile(r"[A-Z]{3,12}(?:EST|ING|ED|LY|TION|MENT|ABLE|NESS)")
_LOGGED: Final = re.compile(
    r"[ \t>*]{0,4}\[?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}|[A-Z][a-z]{2} {1,2}\d{1,2})[ T,]{1,2}\d{1,2}:\d\d(?::\d\d)?"
)
"""A line that begins with day and time is of a log: it names what ran."""
_COLON: Final = re.compile(r"[*_]{0,3}:[*_]{0,3}(?=[\s<]|$)")
_LINE_BEGINS: Final = re.compile(r"[ \t>]*(?:(?:[-*+•·]|\d{1,3}[.)]|[a-z][.)])[ \t]+)?[*_]{0,3}")
_FIELD: Final = re.compile(r"[ \t]*[A-Za-z][\w .()/-]{1,40}:(?:[ \t<]|$)")
_MADE_UP: Final = re.compile(r"(?:Your|My|Some)[A-Z]")


def proper(page: Page) -> Iterator[Mention]:
    prose = page.prose
    singles: list[tuple[str, int, bool]] = []
    for found in _RUN.finditer(prose):
        yield from _of_run(found.group(), found.start(), page, singles)
    for found in _SMALL_CAMEL.finditer(prose):
        if _IN_MARKUP.match(prose, found.end()):
            continue
        yield from _one(mention(EntityKind.COMPONENT, found.group(), *found.span(), weight=2))
    yield from _often(singles, page)
    yield from _as_in_code(page)
    if not page.text.isascii():
        for found in _EAST.finditer(prose):
            if any("぀" <= sign <= "鿿" for sign in found[1]) and not re.search(r"[。、，！？,.!?]", found[1]):
                yield from _one(mention(EntityKind.COMPONENT, found[1], *found.span(1), weight=2))


def _of_run(run: str, at: int, page: Page, singles: list[tuple[str, int, bool]]) -> Iterator[Mention]:
    """A run is parted at line breaks that end short lines, loses the words that only begin a sentence, and is a name
    when two words are left, or one that looks like a name by itself."""
    prose = page.prose
    for start, end in _lines_of(run, at, prose):
        part = prose[start:end]
        words = [(found.group(), start + found.start()) for found in re.finditer(r"\S+", part)]
        opens = bool(_STARTS.search(prose[max(0, start - 12) : start]))
        dropped = 0
        while words and _is_ordinary(words[0][0], page, first=opens and not dropped, more=len(words)):
            words.pop(0)
            dropped += 1
        if len(words) > 1 and _NUMBERED.fullmatch(words[-1][0]) and words[-2][0].lower() not in GENERIC:
            words.pop()
        while words and _trails(words[-1][0]):
            words.pop()
        if not words or _shouted(prose, start, end) or _is_label([word for word, _ in words]):
            continue
        if _LOGGED.match(prose, prose.rfind("\n", max(0, start - 300), start) + 1):
            continue
        words = _own(_behind_kind(words))
        if not words or _is_field(prose, start, end, [word for word, _ in words], page):
            continue
        first, last = words[0], words[-1]
        stop = last[1] + len(last[0])
        if (
            _ON_SCREEN.match(prose, stop)
            or _IN_MARKUP.match(prose, stop)
            or _BELONGS.search(prose, max(0, first[1] - 60), first[1])
        ):
            continue
        if len(words) == 1:
            yield from _of_word(first[0], first[1], page, singles, begins=opens and not dropped)
        elif len(words) <= WORDS_MAX and not any(word.lower().strip(".,") in DATES for word, _ in words):
            yield from _one(mention(EntityKind.COMPONENT, prose[first[1] : stop], first[1], stop, weight=2))


def _behind_kind(words: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """What "List of", "Number of" and the like speak of."""
    if len(words) > 2 and words[1][0] == "of" and words[0][0].lower() in KINDS_OF:
        return words[2:]
    return words


def _is_field(prose: str, start: int, end: int, words: list[str], page: Page) -> bool:
    """What begins its line and has a colon behind it: the label of a value, when it is one word and the next line or
    the one before has one too; or, in words that the page writes in small letters elsewhere, a topic."""
    top = prose.rfind("\n", max(0, start - 300), start) + 1
    stop = _COLON.match(prose, end)
    if stop is None or not _LINE_BEGINS.fullmatch(prose, top, start):
        return False
    if all(word.lower() in page.lower or word.lower() in ORDINARY or word.lower() in GENERIC for word in words):
        return True
    bottom = prose.find("\n", end, end + 300)
    before = prose[max(0, prose.rfind("\n", max(0, top - 300), max(0, top - 1)) + 1) : max(0, top - 1)]
    after = prose[bottom + 1 : bottom + 120] if bottom > 0 else ""
    return top == start and len(words) == 1 and bool(_FIELD.match(before) or _FIELD.match(after))


def _own(words: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Up to the one whose something it is: of "Keeper's API" the Keeper."""
    for place, (word, at) in enumerate(words):
        bare = re.sub(r"['’]s?$", "", word)
        if bare != word:
            return [*words[:place], (bare, at)]
    return words


def _trails(word: str) -> bool:
    """A word that belongs to no name's end: a version, or what leads to one."""
    low = word.lower()
    return low in ORDINARY or low in TRAILING or len(word) == 1 or bool(_VERSIONED.fullmatch(word))


def _is_label(words: list[str]) -> bool:
    if len(words) > 2 and all(word.isupper() for word in words):
        return True
    if sum(word.isupper() and len(word) >= SHOUTED_CHARS_MIN for word in words) > 1:
        return True
    low = [word.lower() for word in words]
    return all(word in GENERIC for word in low) or (len(low) > 1 and any(word in LABELS for word in low))


def _lines_of(run: str, at: int, prose: str) -> Iterator[tuple[int, int]]:
    if "\n" not in run:
        yield at, at + len(run)
        return
    start = at
    for found in re.finditer("\n", run):
        place = at + found.start()
        if place - (prose.rfind("\n", max(0, place - 400), place) + 1) < 55:
            yield start, place
            start = place + 1
    yield start, at + len(run)


def _is_ordinary(word: str, page: Page, *, first: bool, more: int) -> bool:
    """`more`: how many words there are."""
    low = word.lower()
    if low in (ORDINARY if first else FUNCTION):
        return low != "new" or more == 1
    if first and more > 1 and _TELLS_HOW.fullmatch(word):
        return True
    return first and low in page.lower and more == 2 and word[1:].islower()


def _shouted(prose: str, start: int, end: int) -> bool:
    """A line without small letters is a heading, whatever it says."""
    top = prose.rfind("\n", max(0, start - 300), start) + 1
    bottom = prose.find("\n", end, end + 300)
    line = prose[max(top, start - 300) : bottom if bottom > 0 else end + 300]
    return not any(sign.islower() for sign in line)


def _of_word(
    word: str, at: int, page: Page, singles: list[tuple[str, int, bool]], *, begins: bool
) -> Iterator[Mention]:
    if error_name(word) or _VERSIONED.fullmatch(word) or _MADE_UP.match(word):
        return
    end = at + len(word)
    if _NAME.fullmatch(word):
        yield from _one(mention(EntityKind.COMPONENT, word, at, end, weight=2))
    elif _ACRONYM.fullmatch(word):
        if (
            word.rstrip("s") not in NO_ACRONYM
            and not _SHOUT.fullmatch(word)
            and word.lower() not in page.lower
            and any(sign.isalpha() for sign in word[1:])
        ):
            yield from _one(mention(EntityKind.COMPONENT, word, at, end, weight=1))
    elif (
        not _PARTED.search(page.prose, max(0, at - 40), at)
        and page.prose[end : end + 1] != ":"
        and len(word) >= 4
        and word[1:].islower()
        and word.isalpha()
    ):
        singles.append((word, at, begins))


def _as_in_code(page: Page) -> Iterator[Mention]:
    """A hyphenated word is a name in prose, too, when the page writes it as code somewhere."""
    known = {code.text for code in page.codes if not code.block and _HYPHENS.fullmatch(code.text)}
    for found in _HYPHENS.finditer(page.prose) if known else ():
        if found.group() in known:
            yield from _one(mention(EntityKind.COMPONENT, found.group(), *found.span(), weight=2))


def _often(singles: list[tuple[str, int, bool]], page: Page) -> Iterator[Mention]:
    times = Counter(word for word, _, begins in singles if not begins)
    for word, at, _ in singles:
        low = word.lower()
        if times[word] >= TIMES_MIN and low not in page.lower and low not in DATES and low not in ORDINARY:
            yield from _one(mention(EntityKind.COMPONENT, word, at, at + len(word), weight=1))


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None and HIDDEN not in found.name:
        yield found
