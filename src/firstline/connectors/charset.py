"""Which characters do these bytes stand for? Sources hand texts over as UTF-8, and say when they had to guess."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

SAMPLE_BYTES: Final = 1_000_000
_BOMS: Final = (
    # UTF-32's mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"(?i)charset[ \t]{0,4}=[ \t\"']{0,4}([a-z0-9_-]{2,30})")
_DECLARED_WITHIN: Final = 2_048
_ENCODED: Final = "it was read as {}. Convert it if characters look wrong."


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """Something that was taken, and about which its owner should know something."""

    item_id: str
    said: str

    def __str__(self) -> str:
        return f"{self.item_id} {self.said}"


def as_utf8(raw: bytes, *, web_page: bool = False) -> tuple[bytes, str]:
    """(the text as UTF-8, what its owner should know: "" when there was nothing to guess).

    A byte order mark decides; else UTF-8 when it is; else UTF-16 or Windows-1252 by the look of it. A web page that
    declares its encoding itself is left as it is.
    """
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            return _recoded(raw[len(bom) :], encoding), ""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return (raw, "") if web_page and _declares(raw) else _guessed(raw)
    wide = _wide(raw)
    return (_recoded(raw, wide), f"is not UTF-8; {_ENCODED.format('UTF-16')}") if wide else (raw, "")


def _guessed(raw: bytes) -> tuple[bytes, str]:
    wide = _wide(raw)
    if wide:
        return _recoded(raw, wide), f"is not UTF-8; {_ENCODED.format('UTF-16')}"
    sample = raw[:SAMPLE_BYTES].decode("utf-8", errors="replace")
    # UTF-8 with a few broken bytes shows characters beyond ASCII that decoded well; Windows-1252 hardly ever does.
    bad = sample.count("\ufffd")
    good = sum(character > "\x7f" for character in sample) - bad
    if good >= bad:
        return _recoded(raw, "utf-8"), "holds bytes that are not UTF-8; each is shown as \ufffd. Save it as UTF-8."
    return _recoded(raw, "cp1252"), f"is not UTF-8; {_ENCODED.format('Windows-1252')}"


def _recoded(raw: bytes, encoding: str) -> bytes:
    return raw.decode(encoding, errors="replace").encode("utf-8", errors="replace")


def _declares(page: bytes) -> bool:
    """Whether a web page names an encoding that exists and is not Unicode."""
    declared = _DECLARED.search(page, 0, _DECLARED_WITHIN)
    try:
        return declared is not None and not codecs.lookup(declared.group(1).decode("ascii")).name.startswith("utf")
    except LookupError:
        return False


def _wide(raw: bytes) -> str:
    """UTF-16 without a byte order mark: every other byte is zero in most scripts."""
    sample = raw[:4096]
    if len(sample) < 4:
        return ""
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        half = sample[offset::2]
        if half.count(0) > len(half) * 0.6 and sample[1 - offset :: 2].count(0) < len(half) * 0.1:
            return encoding
    return ""
