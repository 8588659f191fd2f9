"""Which spellings name one number and unit? "16MB" and "16 MB" do; GB and GiB, Mb and MB, ms and s do not."""

from __future__ import annotations

import re
from typing import Final

_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WITH_UNIT: Final = re.compile(r"(\d[\d,]*(?:\.\d+)?)([A-Za-zµμ°%]{1,12})")
_VERSION: Final = re.compile(r"v?\d+(?:\.[\dxX*]+)+(?:[-.+]?[\w.]+)?", re.IGNORECASE)

NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split()
    )
} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
    "twice": "2times",
    "half": "1/2",
}

# Letter case tells units of data apart: Mb are bits, MB bytes.
_CASED: Final = {unit: unit for unit in "b B kb kB Kb KB Mb MB Gb GB Tb TB Pb PB kbps Mbps Gbps MBps".split()} | {
    unit: unit for unit in "KiB MiB GiB TiB PiB Ki Mi Gi Ti K M G T Kbit Mbit Gbit".split()
}
_NAMED: Final = {
    word: unit
    for unit, words in {
        "ns": "ns nanosecond nanoseconds",
        "us": "us µs μs microsecond microseconds",
        "ms": "ms msec msecs millisecond milliseconds millis",
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "d": "d day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years",
        "B": "byte bytes",
        "b": "bit bits",
        "KB": "kilobyte kilobytes",
        "MB": "megabyte megabytes",
        "GB": "gigabyte gigabytes",
        "TB": "terabyte terabytes",
        "KiB": "kibibyte kibibytes kib",
        "MiB": "mebibyte mebibytes mib",
        "GiB": "gibibyte gibibytes gib",
        "TiB": "tebibyte tebibytes tib",
        "%": "% percent pct",
        "px": "px pixel pixels",
        "pt": "pt pts",
        "cm": "cm",
        "mm": "mm",
        "km": "km kilometer kilometers kilometre kilometres",
        "mile": "mile miles",
        "kg": "kg kilogram kilograms",
        "hz": "hz",
        "khz": "khz",
        "mhz": "mhz",
        "ghz": "ghz",
        "dpi": "dpi",
        "usd": "usd dollar dollars",
        "eur": "eur euro euros",
        "times": "times x",
        "m": "m",
    }.items()
    for word in words.split()
}


def unit_of(word: str) -> str:
    """The unit that a word stands for after a number; "" when it is none."""
    return _CASED.get(word) or _NAMED.get(word.casefold(), "")


def number_with_unit(token: str) -> tuple[str, str]:
    """("16", "MB") for "16MB", ("1000", "") for "1,000"; ("", "") for what is no plain number."""
    if token.replace(",", "").replace(".", "", 1).isdigit():
        return _plain(token), ""
    found = _WITH_UNIT.fullmatch(token)
    if found:
        unit = unit_of(found[2])
        if unit:
            return _plain(found[1]), unit
    return "", ""


def is_version(token: str) -> bool:
    """ "4.2.1", "v3.x": a number with a point and more behind it."""
    return _VERSION.fullmatch(token) is not None


def _plain(number: str) -> str:
    return number.replace(",", "") if _THOUSANDS.fullmatch(number) else number
