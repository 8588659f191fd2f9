"""Which versions, and which ranges of them, does a text name?

A range's key has two ends: `4.1.1..` (that and later), `..2.3` (up to it), `..2.3)` (before it), `(2.3..` (after it),
`8.0..8.5.7` (from, to).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from firstline.documents.extract.mention import Mention
from firstline.documents.extract.page import HIDDEN
from firstline.domain import EntityKind

REACH: Final = 60
SHORT_LINE: Final = 50
"""A shorter line was not wrapped: it ends what it says."""

_V: Final = r"[vV]?\d{1,4}(?:\.(?:\d{1,5}|[xX*])){1,5}(?:[-.]?(?:rc|beta|alpha|ga|sp|fp|if)[-.]?\d{0,3}|[a-z](?!\w))?"
_FOUND: Final = re.compile(
    rf"(?:(?<![\w.$/\\=:@-])|(?<=\d-)(?=\d+\.\d+\.)|(?<=\d-)(?=[vV]\d))(?P<version>{_V})(?P<plus>\+(?!\d))?(?![\w%°]"
    rf"|\.\d|-\d{{2,}})"
    r"|(?<=[vV]ersion )(?P<whole>\d{1,3})(?![\w.%:-])|(?<=[rR]elease )(?P<release>\d{1,3})(?![\w.%:-])"
)
_LATER: Final = re.compile(
    r"\s{0,2}(?:,\s)?(?:\(?(?:and|or|&)\s{1,2}(?:all\s|any\s)?(?:later|above|newer|higher|up|onwards?|after|greater"
    r"|beyond|subsequent|following)|onwards?\b|and its later"
    r"|以上|以降|及更高|或更高|及以上)"
)
_EARLIER: Final = re.compile(
    r"\s{0,2}(?:,\s)?(?:\(?(?:and|or|&)\s{1,2}(?:all\s|any\s)?(?:earlier|below|older|prior|lower|before|previous"
    r"|down)|以下|以前|及更早|或更早)"
)
_FROM: Final = re.compile(
    r"(?:\b(?:since|as of|starting (?:with|from|in|at)|beginning (?:with|in)|from|introduced in|at least|minimum(?:"
    r" of)?|>=|≥|available (?:in|from)|new in)"
    r"(?: (?:version|release|the|v\.?|level|[A-Z][\w-]{1,30})){0,3}|>=|≥|从|自)\s{0,2}$",
    re.IGNORECASE,
)
_ABOVE: Final = re.compile(
    r"\b(?:newer|later|higher|greater|above|after)(?: than)?(?: (?:version|release|v\.?)){0,2}\s{1,2}$", re.IGNORECASE
)
_BEFORE: Final = re.compile(
    r"(?:\b(?:before|prior to|earlier than|older than|lower than|less than|below|pre)(?: (?:version|release|the|v\.?"
    r"|[A-Z][\w-]{1,30})){0,3}|<|＜)\s{0,2}-?$",
    re.IGNORECASE,
)
_UPTO: Final = re.compile(
    r"(?:\b(?:up to|until|through|up through)(?: and including)?(?: (?:version|release|v\.?)){0,2}|<=|≤)\s{0,2}$",
    re.IGNORECASE,
)
_TO: Final = re.compile(r"\s{0,2}(?:-|–|—|~|～|to|through|thru|up to|and up to)\s{0,2}(?:version |release |[vV]\.?)?$")
_BETWEEN: Final = re.compile(r"\bbetween(?: versions?| releases?)?\s{1,2}$", re.IGNORECASE)
_SAYS: Final = re.compile(
    r"(?:\b(?:versions?|releases?|ver\.?|level|fix ?pack|patch|update|v\.?|build|firmware|service pack)|版本"
    r"|バージョン)[\s:]{0,3}$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:^|[^\w.])([A-Z][\w+#/.-]{1,40}|[a-z]{1,20}[A-Z]\w{0,30}|[a-z][a-z-]{2,30}\x01?)[\s\x01]{1,3}(?:[(]\s?)?[vV]?$"
)
_NOT_BEFORE: Final = re.compile(
    r"(?:\b(?:section|figure|table|chapter|step|page|score|cvss|equation|appendix|item|rfc|part|grade|tls|ssl|tlsv"
    r"|http|soap|xml|usb|bluetooth|port|vol|no|of|is|to|by|than|about|approximately|the|a|in|at|for|with|and|or"
    r"|on)\.?|[$€£])\s{0,2}$",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(
    r"\b(?:is|to|by|of|the|a|in|at|for|with|and|or|on|about|approximately|than|no)\s{0,2}$", re.IGNORECASE
)
_UNIT: Final = re.compile(
    r"\s?(?:%|percent|[KMGT]i?B\b|[kmgt]b\b|ms\b|s\b|seconds?|minutes?|hours?|days?|times|cores?|cpus?|GHz|MHz|x\b"
    r"|million|billion|points?|inch|cm\b|mm\b|km\b|mi\b|degrees|°|dollars|USD|EUR)",
)
_AND: Final = re.compile(
    r"[\s\x01]{0,2}(?:,|/|;|and|or|&|,\s?and|,\s?or)[\s\x01]{0,2}(?:versions? |releases? |[vV]\.?)?"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """`is_range`: it has an open end, or two ends."""

    told: Mention
    is_range: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    number: str
    start: int
    end: int
    plus: bool
    lettered: bool
    """Written with a v in front."""


def versions(prose: str, text: str) -> Iterator[Version]:
    """In reading order. A number with a dot is a version when a word or a name before it says so, or when it is one of
    a range; `text` is what the prose was before parts of it were hidden."""
    places = [
        _Place(
            number=_bare(found),
            start=found.start(),
            end=found.end(),
            plus=bool(found["plus"]),
            lettered=found.group()[0] in "vV",
        )
        for found in _FOUND.finditer(prose)
        if _is_plain(found, prose)
    ]
    at = 0
    last: tuple[int, bool] = (-1, False)
    while at < len(places):
        one = places[at]
        two = places[at + 1] if at + 1 < len(places) else None
        before = _before(prose, one.start)
        follows = last[1] and bool(_AND.fullmatch(prose[last[0] : one.start]))
        if (
            two is not None
            and two.start - one.end <= 24
            and _joined(prose, one, two, before)
            and _meant(one, before, follows=follows)
        ):
            yield _range(f"{one.number}..{two.number}", one.start, two.end, text)
            last = (two.end, True)
            at += 2
            continue
        key = _open_range(one, before, prose[one.end : one.end + 40])
        if key:
            if key.strip("().") and _meant_open(before, one):
                yield _range(key, one.start, one.end, text)
                last = (one.end, True)
        elif follows or _meant(one, before, follows=False):
            told = Mention(
                kind=EntityKind.VERSION, key=one.number, name=text[one.start : one.end], start=one.start, end=one.end
            )
            yield Version(told=told, is_range=False)
            last = (one.end, True)
        at += 1


def _before(prose: str, place: int) -> str:
    """What stands before a number, up to the end of a short line: a number that begins a line counts something."""
    before = prose[max(0, place - REACH) : place]
    line, opened, rest = before.rpartition("\n")
    if opened and not rest.strip() and len(line.rpartition("\n")[2].strip()) < SHORT_LINE:
        return ""
    return before.replace("\n", " ")


def _bare(found: re.Match[str]) -> str:
    number = found["version"] or found["whole"] or found["release"]
    number = number.lower().removeprefix("v")
    return re.sub(r"(?:\.[x*])+$", ".x", number)


def _is_plain(found: re.Match[str], prose: str) -> bool:
    """No address of a machine, no date, no amount."""
    number = (found["version"] or "1.0").lstrip("vV")
    parts = number.split(".")
    if len(parts) == 4 and parts[0] in ("10", "127", "172", "192", "0", "255", "169"):
        return False
    if (
        len(parts) >= 3
        and all(part.isdigit() for part in parts)
        and len(parts[-1]) == 4
        and int(parts[0]) <= 31
        and int(parts[1]) <= 12
        and parts[-1][:2] in ("19", "20")
    ):
        return False
    return not _UNIT.match(prose, found.end())


def _joined(prose: str, one: _Place, two: _Place, before: str) -> bool:
    between = prose[one.end : two.start]
    if _TO.fullmatch(between):
        return True
    return bool(_BETWEEN.search(before)) and between.strip() in ("and", "to")


def _open_range(one: _Place, before: str, after: str) -> str:
    if one.plus or _LATER.match(after):
        return f"{one.number}.."
    if _EARLIER.match(after):
        return f"..{one.number}"
    if _BEFORE.search(before):
        return f"..{one.number})"
    if _UPTO.search(before):
        return f"..{one.number}"
    if _ABOVE.search(before):
        return f"({one.number}.."
    if _FROM.search(before):
        return f"{one.number}.."
    return ""


def _meant_open(before: str, one: _Place) -> bool:
    """ "before 2.5" may be a time or an amount: two dots, or a word or name that says version."""
    return one.number.count(".") >= 1 and not re.search(
        r"[$€£]\s?$|\b(?:section|chapter|figure|table|step)s?\s{1,2}$", before, re.IGNORECASE
    )


def _meant(one: _Place, before: str, *, follows: bool) -> bool:
    if follows or one.lettered or _SAYS.search(before):
        return True
    if _NOT_BEFORE.search(before):
        return False
    named = _NAMED.search(before.replace(HIDDEN, "\x01"))
    if named is None:
        return one.number.count(".") >= 2 and bool(before.strip()) and before.rstrip()[-1:] not in ".:;"
    word = named[1]
    return word[:1].isupper() or any(sign.isupper() for sign in word) or "-" in word or one.number.count(".") >= 2


def _range(key: str, start: int, end: int, text: str) -> Version:
    told = Mention(kind=EntityKind.VERSION, key=key, name=_shown(key), start=start, end=end, weight=3)
    return Version(told=told, is_range=True)


def _shown(key: str) -> str:
    low, _, high = key.partition("..")
    if high.endswith(")"):
        return f"before {high[:-1]}"
    if low.startswith("("):
        return f"after {low[1:]}"
    if not low:
        return f"{high} and earlier"
    return f"{low} - {high}" if high else f"{low} and later"
