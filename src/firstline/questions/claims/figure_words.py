"""Which figures stand in a text, and what do they measure? "24 hours", "every day" and "1 d" are one; so are 5 GB and
5000 MB. English, German, French and Spanish names of units. Nothing here knows what a figure is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from firstline.questions.claims.quantities import NUMBER_WORDS

FIGURES_MAX: Final = 64
SLACK: Final = 0.03
AROUND: Final = 24
"""Signs on either side that say whether a figure is a limit."""

_TIME: Final = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_UNITS: Final = {
    word: (kind, size)
    for kind, size, words in (
        ("time", _TIME["ms"], "ms msec millisecond milliseconds millisekunden millisecondes milisegundos"),
        ("time", _TIME["s"], "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos"),
        ("time", _TIME["min"], "min mins minute minutes minuten minuto minutos"),
        ("time", _TIME["h"], "h hr hrs hour hours stunde stunden heure heures hora horas"),
        ("time", _TIME["d"], "d day days tag tage tagen jour jours día días dia dias"),
        ("time", 7 * _TIME["d"], "week weeks woche wochen semaine semaines semana semanas"),
        ("time", 30 * _TIME["d"], "month months monat monate monaten mois mes meses"),
        ("time", 365 * _TIME["d"], "year years jahr jahre jahren an ans année années año años"),
        ("data", 1e3, "kb kilobyte kilobytes kib"),
        ("data", 1e6, "mb megabyte megabytes mib mo"),
        ("data", 1e9, "gb gigabyte gigabytes gib"),
        ("data", 1e12, "tb terabyte terabytes tib"),
        ("share", 1.0, "% percent pct prozent"),
        ("dollars", 1.0, "$ usd dollar dollars"),
        ("euros", 1.0, "€ eur euro euros"),
        ("pounds", 1.0, "£ gbp pounds"),
        ("pixels", 1.0, "px pixel pixels"),
    )
    for word in words.split()
}
_SPAN: Final = {
    "hourly": 3600.0,
    "daily": 86_400.0,
    "nightly": 86_400.0,
    "weekly": 604_800.0,
    "monthly": 2_592_000.0,
    "yearly": 31_536_000.0,
    "annually": 31_536_000.0,
    "stündlich": 3600.0,
    "täglich": 86_400.0,
}

_NUMBER: Final = r"\d{1,12}(?:,\d{3})*(?:[.,]\d{1,6})?"
_SPELLED: Final = "|".join(
    sorted((word for word in NUMBER_WORDS if word not in ("twice", "half")), key=len, reverse=True)
)
_NAMES: Final = "|".join(sorted((re.escape(word) for word in _UNITS if word.isalpha()), key=len, reverse=True))
_FIGURE: Final = re.compile(
    rf"""(?P<sign>[$€£])[ ]?(?P<price>{_NUMBER})(?![\w.:/-]*\d)
      | (?<![\w.,:/$€£-])(?:(?P<low>{_NUMBER})[ ]?(?:-|–|to|and|bis|à|a)[ ]?)?(?P<number>{_NUMBER}|(?:{_SPELLED})\b)
        [ -]?(?P<unit>[%$€£]|(?:{_NAMES})\b)
      | \bport[ ](?:number[ ]|is[ ]|to[ ])?(?P<port>\d{{2,5}})(?![\w.]*\d)
      | \b(?:versions?|release)\b(?:[ ](?:is|of|was))?[ ]v?(?P<version>\d{{1,4}}(?:\.\d{{1,4}}){{0,3}})(?![\w-]*\d)
      | (?<![\w.])v(?P<v>\d{{1,4}}(?:\.\d{{1,4}}){{0,3}})(?![\w.-]*\d)
      | \b(?P<times>once|twice|(?:{_SPELLED}|\d{{1,3}})[ ]times)[ ](?:an?|per|each|every)[ ]
        (?P<per>hour|day|week|month|year)\b
      | \b(?:(?P<often>every|each)|per|a|an|jede\w?|jeden|pro|chaque|cada)[ ]
        (?P<each>hour|day|week|month|year|stunde|tag|woche|monat|jahr|heure|jour|semaine|mois|hora|día|semana|mes|año)\b
      | \b(?P<span>{"|".join(_SPAN)})\b""",
    re.IGNORECASE | re.VERBOSE,
)
_UPPER_BEFORE: Final = re.compile(
    r"\b(?:up to|at most|maximum|max|less than|under|within|more than is|exceed|below|until|limit(?:ed)?|before|bis zu"
    r"|höchstens|maximal|jusqu|au plus|hasta|como máximo)\b[^.\d]*$",
    re.IGNORECASE,
)
_LOWER_BEFORE: Final = re.compile(
    r"\b(?:at least|minimum|min|more than|over|from|since|starting|above|mindestens|ab|au moins|al menos)\b[^.\d]*$",
    re.I,
)
_UPPER_BEHIND: Final = re.compile(r"\W*(?:(?:or|and) (?:less|below|earlier|older)|max|maximum|limit|at most)\b", re.I)
_LOWER_BEHIND: Final = re.compile(
    r"\W*(?:\+|(?:(?:or|and) (?:more|later|newer|above|higher|up)|onwards?|min|minimum|at least)\b)", re.IGNORECASE
)


EVERY: Final = re.compile(r"\b(?:every|each|alle|jede[nrs]?|(?:toute?s|tous)\s+les|chaque|cada)\s+$", re.IGNORECASE)
"""Before a figure: it says how often."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """`text` as written from `start` to `end`; it stands for everything from `low` to `high`, both included. Versions
    are tuples of numbers, everything else is one number in the unit of its `kind`. `often`: how often something is;
    `bare`: a span without a number that says only in passing how often."""

    text: str
    start: int
    end: int
    kind: str
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None
    often: bool = False
    bare: bool = False

    def says(self, other: Figure) -> bool:
        """What `other` names is among what this stands for."""
        value = other.high
        if self.kind != other.kind or value is None:
            return False
        if self.kind == "version" and self.low == self.high and self.low is not None:
            shared = min(len(self.low), len(value))
            return self.low[:shared] == value[:shared]
        # A month is 30 days here and 31 there, a GB has 1000 MB or 1024.
        slack = SLACK * abs(value[0]) if self.kind in ("time", "data") else 0.0
        above = self.low is None or _lowered(self.low, slack) <= value
        return above and (self.high is None or _lowered(value, slack) <= self.high)


def _lowered(value: tuple[float, ...], by: float) -> tuple[float, ...]:
    return (value[0] - by, *value[1:])


def figures(text: str, *, limits: bool) -> list[Figure]:
    """In the order of the text. `limits`: "up to 30 days" stands for everything below; else it is the number alone."""
    return [_figure(text, found, limits=limits) for found in islice(_FIGURE.finditer(text), FIGURES_MAX)]


def _figure(text: str, found: re.Match[str], *, limits: bool) -> Figure:
    kind, low, high = _measured(found)
    if limits:
        before, behind = text[max(0, found.start() - AROUND) : found.start()], text[found.end() : found.end() + AROUND]
        if _UPPER_BEFORE.search(before) or _UPPER_BEHIND.match(behind):
            low = None
        elif _LOWER_BEFORE.search(before) or _LOWER_BEHIND.match(behind):
            high = None
    spans = bool(found["each"] or found["span"] or found["times"])
    return Figure(
        text=found[0].strip(),
        start=found.start(),
        end=found.end(),
        kind=kind,
        low=low,
        high=high,
        often=spans or EVERY.search(text, max(0, found.start() - AROUND), found.start()) is not None,
        bare=bool(found["each"] and not found["often"]),
    )


def _measured(found: re.Match[str]) -> tuple[str, tuple[float, ...], tuple[float, ...]]:
    if version := found["version"] or found["v"]:
        numbers = tuple(float(part) for part in version.split("."))
        return "version", numbers, numbers
    if found["port"]:
        value = (float(found["port"]),)
        return "port", value, value
    if found["span"]:
        value = (_SPAN[found["span"].casefold()],)
        return "time", value, value
    if found["times"]:
        count = {"once": "1", "twice": "2"}.get(found["times"].casefold(), found["times"].split()[0])
        value = (_UNITS[found["per"].casefold()][1] / max(1.0, _value(count)),)
        return "time", value, value
    if found["price"]:
        kind, size = _UNITS[found["sign"]]
        value = (size * _value(found["price"]),)
        return kind, value, value
    kind, size = _UNITS[(found["each"] or found["unit"]).casefold()]
    value = (size * (1.0 if found["each"] else _value(found["number"])),)
    return kind, (size * _value(found["low"]),) if found["low"] else value, value


def _value(number: str) -> float:
    spelled = NUMBER_WORDS.get(number.casefold(), number)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", spelled):
        return float(spelled.replace(",", ""))
    return float(spelled.replace(",", "."))
