"""Pairs of a changed document sentence and a claim, for what documents say too rarely to be found in them.

"Almost", "-5", "refuses to" or "4.2 or later" is planted into the sentence that is cited, and the claim says it
without, says it otherwise, or says something else. The lists are apart from the verifier's, as in `perturb`.
Each function gives (sentence of the document, claim), or None where it does not fit.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Final

from benchmarks.perturb import quantity_number

Planted = tuple[str, str]
Plant = Callable[[str, random.Random], Planted | None]

_VERSION: Final = re.compile(r"(?<![\w./:+-])v?\d+(?:\.\d+)+(?![\w/:+-]|\.\w)(?! (?:or|and|to|through)\b)")
_AUXILIARY: Final = re.compile(
    r"\b(?:can|could|will|would|must|should|may|might) (?=(?!not|be|have|only|also)[a-z]{3,} )"
)
_HAPPENS: Final = re.compile(r"(?<=[a-z] )(?:is|are|was|were) (?=(?!not)[a-z]{4,}ed\b)")
_DONE: Final = re.compile(r"(?:(?<=\bis )|(?<=\bare ))(?=[a-z]{4,}ed\b)")
_THINGS: Final = re.compile(
    r"(?<=[a-z] )(?:users|files|nodes|pages|servers|products|orders|clients|changes|images|settings|messages"
    r"|options|documents|pods|fields|items|sites|accounts|packages|jobs|records|logs|errors|tables|requests)\b"
)
REFUSALS: Final = tuple(
    """refuses to|declines to|fails to|ceases to|neglects to|forgets to|failed to|refused to|stops short of trying to
    |will refuse to|is reluctant to|no longer manages to|omits to""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
HINDRANCES: Final = tuple(
    """prevented from being|kept from being|blocked from being|stopped from being|barred from being|exempt from being
    |prohibited from being|precluded from being|spared from being|far from being|protected from being
    |excluded from being""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
APPROXIMATIONS: Final = tuple(
    """almost|nearly|about|approximately|roughly|around|close to|circa|just under|just over|not quite|slightly over
    |some|an estimated|approx.|~|well over|barely|virtually""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
SAME_APPROXIMATIONS: Final = ("about", "approximately", "roughly", "around", "approx.", "~")
UPPER: Final = ("at most", "up to", "no more than", "a maximum of", "not more than")
LOWER: Final = ("at least", "no fewer than", "a minimum of", "no less than", "not less than")
OTHER_BOUNDS: Final = ("more than", "fewer than", "less than", "over", "under", "within", "as many as", "as few as",
                       "as little as", "upwards of", "in excess of", "fully", "exactly", "a multiple of")  # fmt: skip
LATER: Final = ("{} or later", "{} or newer", "{} and later", "{} or higher", "{}+", "{} and above", ">= {}",
                "{} or above", "{} and newer", "at least {}")  # fmt: skip
OTHER_QUALIFIERS: Final = ("{} or earlier", "{} and older", "since {}", "before {}", "until {}", "< {}", "{} onwards",
                           "starting with {}", "later than {}", "up to {}", "prior to {}", "{} and up", "as of {}",
                           "other than {}", "from {} on", "newer than {}", "{} only")  # fmt: skip
RESTRICTIONS: Final = tuple(
    """unsigned|failed|missing|invalid|inactive|disabled|unsupported|deleted|expired|corrupt|read-only|non-empty|unused
    |encrypted|deprecated|stateless|anonymous|blocked|incomplete|untagged|orphaned|unpaid|temporary|hidden|archived
    |non-default|unhealthy|misconfigured|stale|rejected""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
DEGREES: Final = ("partially", "partly", "barely", "never", "rarely", "seldom", "only", "sometimes", "nearly", "almost",
                  "incorrectly", "temporarily", "occasionally", "usually", "scarcely", "always", "incompletely",
                  "merely", "theoretically", "conditionally", "supposedly")  # fmt: skip
SHARES: Final = ("only", "some of the", "none of the", "half of the", "most of the", "few of the", "not all",
                 "one of the", "each of the", "neither of the", "a fraction of the", "hardly any of the",
                 "all but one of the")  # fmt: skip


def _one(pattern: re.Pattern[str], text: str, draw: random.Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return draw.choice(found) if found else None


def _in_front(pattern: re.Pattern[str], words: Sequence[str]) -> Plant:
    """The document says one of the words in front of what is found; the claim does not."""

    def plant(text: str, draw: random.Random) -> Planted | None:
        at = _one(pattern, text, draw)
        if at is None:
            return None
        word = draw.choice(words)
        gap = "" if word == "~" else " "
        return f"{text[: at.start()]}{word}{gap}{text[at.start() :]}", text

    return plant


def _around(pattern: re.Pattern[str], frames: Sequence[str]) -> Plant:
    def plant(text: str, draw: random.Random) -> Planted | None:
        at = _one(pattern, text, draw)
        return at and (text[: at.start()] + draw.choice(frames).format(at[0]) + text[at.end() :], text)

    return plant


def _either_way(pattern: re.Pattern[str], frames: Sequence[str]) -> Plant:
    """Two ways to say it: one in the document, one in the claim."""

    def plant(text: str, draw: random.Random) -> Planted | None:
        at = _one(pattern, text, draw)
        if at is None:
            return None
        one, two = draw.sample(list(frames), 2)
        front, back = text[: at.start()], text[at.end() :]
        return front + one.format(at[0]) + back, front + two.format(at[0]) + back

    return plant


def refused(text: str, draw: random.Random) -> Planted | None:
    """ "It refuses to start" in the document, "it can start" or "it starts" in the claim."""
    at = _one(_AUXILIARY, text, draw)
    if at is None:
        return None
    front, back = text[: at.start()], text[at.end() :]
    return f"{front}{draw.choice(REFUSALS)} {back}", draw.choice((f"{front}{back}", f"{front}will {back}"))


def hindered(text: str, draw: random.Random) -> Planted | None:
    at = _one(_HAPPENS, text, draw)
    return at and (f"{text[: at.end()]}{draw.choice(HINDRANCES)} {text[at.end() :]}", text)


def ceased(text: str, draw: random.Random) -> Planted | None:
    """ "Stop using the driver" for "use the driver"."""
    found = re.match(r"(?:Use|Run|Add|Create|Open|Install|Send|Set|Check|Move|Configure|Enter|Provide)\b(?= )", text)
    if found is None:
        return None
    verb = found[0].lower()
    doing = {"run": "running", "set": "setting"}.get(verb, verb.removesuffix("e") + "ing")
    lead = draw.choice(
        ("Stop {}", "Avoid {}", "Refrain from {}", "Abstain from {}", "Quit {}", "Cease {}", "Desist from {}")
    )
    return lead.format(doing) + text[found.end() :], draw.choice((text, doing.capitalize() + text[found.end() :]))


def sign_dropped(text: str, draw: random.Random) -> Planted | None:
    at = _one(quantity_number, text, draw)
    if at is None:
        return None
    minus = draw.choice(("-", "-", "\u2212", "minus ", "negative "))
    return f"{text[: at.start()]}{minus}{text[at.start() :]}", text


def sign_added(text: str, draw: random.Random) -> Planted | None:
    at = _one(quantity_number, text, draw)
    return at and (text, f"{text[: at.start()]}{draw.choice(('-', chr(0x2212), 'minus '))}{text[at.start() :]}")


def _range(text: str, draw: random.Random, frames: Sequence[str]) -> tuple[str, str, str, str, str] | None:
    at = _one(quantity_number, text, draw)
    if at is None or not at[0].isdigit() or len(at[0]) > 5:
        return None
    front, back = text[: at.start()], text[at.end() :]
    low, high = at[0], str(int(at[0]) + draw.randint(1, 40))
    return front, back, low, high, draw.choice(list(frames))


RANGES: Final = ("{}-{}", "{} to {}", "{}\u2013{}", "between {} and {}", "{} through {}", "{} - {}")


def range_changed(text: str, draw: random.Random) -> Planted | None:
    """A range is turned round, or one end of it is all that is claimed."""
    found = _range(text, draw, (*RANGES, "from {} to {}"))
    if found is None:
        return None
    front, back, low, high, frame = found
    other = draw.choice((frame.format(high, low), low, high, f"-{high}", f"{low} and {high}", f"{low} or {high}"))
    return front + frame.format(low, high) + back, front + other + back


def range_said_otherwise(text: str, draw: random.Random) -> Planted | None:
    found = _range(text, draw, RANGES)
    if found is None:
        return None
    front, back, low, high, frame = found
    return front + frame.format(low, high) + back, front + draw.choice(RANGES).format(low, high) + back


def negative_said_otherwise(text: str, draw: random.Random) -> Planted | None:
    return _either_way(quantity_number, ("-{}", "\u2212{}", "minus {}", "negative {}"))(text, draw)


def roles_swapped(text: str, draw: random.Random) -> Planted | None:
    """From A to B, by A on B, A instead of B, before A after B: the two change places or the words do."""
    at = _one(re.compile(r"(?<=[a-z])(?=[.]?$)"), text, draw)
    if at is None:
        return None
    one, two = draw.sample(("Alder", "Hazel", "Rowan", "Linden", "4.2", "5.1", "inventory", "billing"), 2)
    said, other = draw.choice((
        (f" from {one} to {two}", f" to {one} from {two}"), (f" from {one} to {two}", f" from {two} to {one}"),
        (f" by {one} for {two}", f" for {one} by {two}"), (f" from {one} into {two}", f" into {one} from {two}"),
        (f" with {one} instead of {two}", f" with {two} instead of {one}"),
        (f" with {one} rather than {two}", f" with {two}"), (f" with {one} instead of {two}", f" with {two}"),
        (f" before {one} and after {two}", f" after {one} and before {two}"),
        (f" between {one} and {two}", f" at {one} and {two}"), (f" from {one}", f" to {one}"),
        (f" to {one}", f" from {one}"),
        (f" by {one}", f" for {one}"), (f" against {one}", f" for {one}"), (f" before {one}", f" after {one}"),
        (f" on {one} ahead of {two}", f" on {two} ahead of {one}"),
    ))  # fmt: skip
    return text[: at.start()] + said + text[at.end() :], text[: at.start()] + other + text[at.end() :]


_TAKES: Final = ("replace", "contain", "manage", "own", "require", "extend", "override", "create", "monitor", "support")
_NAMES: Final = ("Alder", "Hazel", "the rowan pool", "the linden store", "`alder.conf`", "the primary", "the standby")


def passive_read_as_active(text: str, draw: random.Random) -> Planted | None:
    """ "A is replaced by B" in the document, "A replaces B" in the claim; and subject and object swapped."""
    verb = draw.choice(_TAKES)
    one, two = draw.sample(_NAMES, 2)
    done = f"{verb.removesuffix('e')}ed" if verb != "override" else "overridden"
    passive, active = f"{one} is {done} by {two}", f"{one} {verb}s {two}"
    said, other = draw.choice(
        ((passive, active), (active, passive), (active, f"{two} {verb}s {one}"), (passive, f"{two} is {done} by {one}"))
    )
    lead = text.rstrip(". ")
    return f"{lead}, and {said}.", f"{lead}, and {other}."


_MONTHS: Final = tuple("January February March April May June July August September October November December".split())


def _date(draw: random.Random) -> tuple[int, int, int]:
    return draw.randint(2015, 2030), draw.randint(1, 12), draw.randint(13, 28)


def _dated(day: tuple[int, int, int], how: int) -> str:
    year, month, date = day
    name = _MONTHS[month - 1]
    return (
        f"{name} {date}, {year}",
        f"{date} {name} {year}",
        f"{year}-{month:02}-{date:02}",
        f"{name[:3]} {date}, {year}",
    )[how]


def _at_the_end(text: str, said: str) -> str:
    return f"{text.rstrip('. ')} on {said}."


def date_changed(text: str, draw: random.Random) -> Planted | None:
    day = _date(draw)
    year, month, date = day
    other = draw.choice(((year + 1, month, date), (year, month % 12 + 1, date), (year, month, date - 1)))
    return _at_the_end(text, _dated(day, draw.randrange(4))), _at_the_end(text, _dated(other, draw.randrange(4)))


def date_said_otherwise(text: str, draw: random.Random) -> Planted | None:
    day = _date(draw)
    one, two = draw.sample(range(4), 2)
    return _at_the_end(text, _dated(day, one)), _at_the_end(text, _dated(day, two))


def respectively(text: str, draw: random.Random) -> Planted | None:
    first, second = draw.sample(("alder", "hazel", "rowan", "linden"), 2)
    low, high = draw.sample(range(2, 90), 2)
    lead = text.rstrip(". ")
    said = f"{lead}, and the {first} and {second} limits are {low} and {high} MB respectively."
    return said, said.replace(f"{first} and {second}", f"{second} and {first}")


_UNIT_PAIRS: Final = (
    ("GB", "GiB"), ("GiB", "GB"), ("MB", "Mb"), ("MB", "MiB"), ("KB", "MB"), ("ms", "s"), ("s", "ms"),
    ("seconds", "milliseconds"),
    ("minutes", "seconds"), ("KB", "KiB"), ("TB", "GB"), ("Mbit/s", "MB/s"), ("\u00b0C", "\u00b0F"),
    ("hours", "minutes"),
    ("days", "business days"), ("Gbps", "Mbps"), ("kHz", "MHz"), ("cm", "mm"), ("%", "percentage points"),
    ("requests per second", "requests per minute"),
    ("USD", "EUR"), ("kg", "g"), ("GB per node", "GB per pool"), ("MB", "mB"), ("bytes", "bits"),
)  # fmt: skip


def unit_exchanged(text: str, draw: random.Random) -> Planted | None:
    at = _one(quantity_number, text, draw)
    if at is None:
        return None
    one, two = draw.choice(_UNIT_PAIRS)
    gap = "" if one == "%" else " "
    rest = f" of it{text[at.end() :]}"
    front = text[: at.start()] + at[0]
    return f"{front}{gap}{one}{rest}", f"{front} {two}{rest}"


FALSE: Final[tuple[tuple[str, Plant], ...]] = (
    ("refused, done", refused),
    ("hindered, done", hindered),
    ("to be avoided, to be done", ceased),
    ("minus dropped", sign_dropped),
    ("minus added", sign_added),
    ("approximation dropped", _in_front(quantity_number, APPROXIMATIONS)),
    ("bound dropped", _in_front(quantity_number, (*UPPER, *LOWER, *OTHER_BOUNDS))),
    ("version qualifier dropped", _around(_VERSION, (*LATER, *OTHER_QUALIFIERS))),
    ("restriction dropped", _in_front(_THINGS, RESTRICTIONS)),
    ("share dropped", _in_front(_THINGS, SHARES)),
    ("degree dropped", _in_front(_DONE, DEGREES)),
    ("range changed", range_changed),
    ("roles swapped", roles_swapped),
    ("passive and active", passive_read_as_active),
    ("date changed", date_changed),
    ("respectively", respectively),
    ("unit exchanged", unit_exchanged),
)  # fmt: skip
SAME: Final[tuple[tuple[str, Plant], ...]] = (
    ("at most said otherwise", _either_way(quantity_number, tuple(f"{one} {{}}" for one in UPPER))),
    ("at least said otherwise", _either_way(quantity_number, tuple(f"{one} {{}}" for one in LOWER))),
    ("or later said otherwise", _either_way(_VERSION, LATER)),
    (
        "approximation said otherwise",
        _either_way(
            quantity_number, tuple(f"{one}{{}}" if one == "~" else f"{one} {{}}" for one in SAME_APPROXIMATIONS)
        ),
    ),
    ("range said otherwise", range_said_otherwise),
    ("negative said otherwise", negative_said_otherwise),
    ("date said otherwise", date_said_otherwise),
)
