"""Which characters do these bytes stand for? And the tidying that every format shares."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

from firstline.errors import NotAccepted

UNREADABLE_SHARE_MAX: Final = 0.10
SAMPLE_BYTES: Final = 1_000_000

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Signs that no reader sees go too: they break words for the search, turn text around, or hide text of their own.
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f\u00ad\u115f\u1160\u180e\u200b\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e01ef]|(?<=[ -\u024f])[\u200c-\u200f](?=[ -\u024f])"
)
_ESCAPE_SEQUENCE: Final = re.compile("\x1b\\[[0-9;]{0,16}[A-Za-z]")
_BLANKS: Final = re.compile(r"\n{4,}")
_TRAILING: Final = re.compile(r"(?<![ \t])[ \t]+$", re.MULTILINE)


def decode(raw: bytes) -> str:
    """By byte order mark, else UTF-8 (as sources hand texts over), else Windows-1252.

    NotAccepted when over a tenth comes out unreadable.
    """
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            return _readable(raw[len(bom) :].decode(encoding, errors="replace"))
    try:
        return _readable(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return _readable(raw.decode("cp1252", errors="replace"))


def tidy(text: str) -> str:
    """NFC, `\\n` line ends, no control characters or terminal colours, no trailing blanks, few blank lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\u2028", "\n")
    text = _CONTROL.sub("", _ESCAPE_SEQUENCE.sub("", text)).replace("\u00a0", " ")
    text = _BLANKS.sub("\n\n\n", _TRAILING.sub("", unicodedata.normalize("NFC", text)))
    return text.strip("\n") + "\n" if text.strip() else ""


def _readable(text: str) -> str:
    sample = text[:SAMPLE_BYTES]
    bad = sum(character == "\ufffd" or (character < " " and character not in "\t\n\r\f\x1b") for character in sample)
    if bad > len(sample) * UNREADABLE_SHARE_MAX:
        raise NotAccepted(
            "It is not readable text: its bytes fit no known character encoding.", remedy="Save it as UTF-8."
        )
    return text
