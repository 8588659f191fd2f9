"""What does a text say once its disguises are taken off? Look-alike letters, invisible signs, spelt-out letters,"
" base64.

Only for looking at: what is stored and quoted is never made of an unfolded text.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Final
from urllib.parse import unquote

ENCODED_CHARS_MAX: Final = 20_000
"""Decoded of one stretch; stretches are not counted, for each is read once, in time linear in its length."""
ADDRESSES_MAX: Final = 2_000
"""Different ones of a text whose words are looked at."""
READABLE_SHARE_MIN: Final = 0.95
SPELT_WORDS_MIN: Final = 2
OF_ADDRESS: Final = "the words of an address"
READABLE: Final = " .,:;!?'\"-/()@=_&+#$%*<>\n"

_LOOK_ALIKE: Final = str.maketrans(
    "аеорсухіјѕԁһӏвкмнтɡαονιρτυκ" + "АЕОРСУХІЈЅВКМНТΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlbkmhtgaovipruk" + "AEOPCYXIJSBKMHTABEZHIKMNOPTYX",
)
_DIGIT_FOR_LETTER: Final = str.maketrans("013457@$!", "oieastasi")
_WORD: Final = re.compile(r"[^\W_]+")
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_ENCODED: Final = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,}(?:\r?\n[A-Za-z0-9+/_-]{16,})*={0,2}(?![\w+/=])")
_HEX: Final = re.compile(r"(?<![\w])(?:[0-9a-fA-F]{2}){20,2000}(?![\w])")
_ADDRESS: Final = re.compile(r"(?:https?://|\]\(<?|www\.)[^\s()<>\"']{30,2000}")
_JOINED: Final = re.compile(r"(?:[A-Za-z]{1,20}[-_+.]){4,100}[A-Za-z]{1,20}")
_SPELT: Final = re.compile(r"(?<![^\W_])(?:[^\W\d_](?:[ \t]{1,3}|[.\-_*·])){7,400}[^\W\d_](?![^\W_])")
_MARKED: Final = re.compile(r"(?<![^\W_])(?:[^\W\d_][.\-_*·]){2,40}[^\W\d_](?![^\W_])")
_WITH_DIGITS: Final = re.compile(r"(?<!\w)(?=[\w@$!]{0,12}[a-z])(?=[\w@$!]{0,12}[013457@$!])[a-z013457@$!]{3,24}(?!\w)")
_PERCENT: Final = re.compile(r"[^\s()<>\"']{0,500}%20[^\s()<>\"']{0,1000}")
_TELLING: Final = re.compile(
    r"[i1!]gn[o0]r[e3]|d[i1!][s5$]r[e3]g[a4@]rd|f[o0]rg[e3][t7]|pr[e3]v[i1!][o0]u[s5$]"
    r"|[i1!]n[s5$][t7]ruc[t7][i1!][o0]n|pr[o0]mp[t7]"
)
"""Who writes one of these with digits hides it; a code or a version seldom becomes one."""


def flat(text: str) -> str:
    """Without invisible signs, wide and ornamental letters as plain ones. Not the same length."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def lowered(text: str) -> str:
    """In lower case and of the same length, so that places found in it are places of the text."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


def invisible(text: str) -> int:
    """How many signs of the text no reader sees. Those that script and emoji need (U+200C, U+200D, selectors, marks of
    direction) and soft hyphens are not counted."""
    if text.isascii():
        return 0
    return sum(1 for sign in text if sign in "\u200b\u2060\u202d\u202e\u3164" or 0xE0000 <= ord(sign) <= 0xE01EF)


def masked(text: str) -> list[str]:
    """Words of four letters or more that mix Latin letters with look-alikes of other scripts, and nothing else."""
    if text.isascii():
        return []
    return [
        word
        for word in _WORD.findall(text)
        if len(word) >= 4
        and not word.isascii()
        and any(sign.isascii() for sign in word)
        and word.translate(_LOOK_ALIKE).isascii()
    ]


def disguised(text: str) -> Iterator[tuple[str, str, str]]:
    """(kind of disguise, what stands behind it, the same in lower case to look for signs in), for each disguise that
    this text uses. The last two are of one length. `text` is as written."""
    if not text.isascii():
        yield from _look_alike(lowered(flat(text)))
        smuggled = "".join(chr(ord(sign) - 0xE0000) for sign in text if 0xE0020 <= ord(sign) <= 0xE007E)
        if smuggled:
            yield "invisible letters", smuggled, lowered(smuggled)
    for spelt in _SPELT.finditer(text):
        together = re.sub(r"[^\w]+", "", spelt.group())
        yield "letters set apart", together, lowered(together)
    joined, words = _MARKED.subn(lambda word: re.sub(r"[\W_]", "", word.group()), text)
    if words >= SPELT_WORDS_MIN:
        yield "letters set apart", joined, lowered(joined)
    lower = lowered(text)
    if any(not word.isalpha() for word in _TELLING.findall(lower)):
        letters = _WITH_DIGITS.sub(lambda word: word.group().translate(_DIGIT_FOR_LETTER), lower)
        yield "digits for letters", letters, letters
    if "&#" in text:
        unescaped = html.unescape(text)
        yield "HTML entities", unescaped, lowered(unescaped)
    for found in _PERCENT.findall(text) if "%20" in text else ():
        unquoted = unquote(found)
        yield "percent encoding", unquoted, re.sub(r"[+_/=&?.-]", " ", lowered(unquoted))
    for _, decoded in encoded(text):
        yield "base64", decoded, lowered(decoded)
    for decoded in _in_hex(text):
        yield "hexadecimal digits", decoded, lowered(decoded)
    joined = (words for address in _ADDRESS.findall(text) for words in _JOINED.findall(address))
    for words in islice(dict.fromkeys(joined), ADDRESSES_MAX):
        apart = re.sub(r"[-_+.]", " ", words)
        yield OF_ADDRESS, apart, lowered(apart)


def _look_alike(text: str) -> Iterator[tuple[str, str, str]]:
    """Words that are Latin once their Greek and Cyrillic look-alikes are replaced."""

    def latin(word: re.Match[str]) -> str:
        found = word.group().translate(_LOOK_ALIKE)
        return found if found.isascii() else word.group()

    unfolded = _WORD.sub(latin, text)
    if unfolded != text:
        yield "look-alike letters", unfolded, lowered(unfolded)


def encoded(text: str) -> Iterator[tuple[str, str]]:
    """(as it stands there, what it says), for each stretch that is readable text in base64, however it is wrapped."""
    for found in _ENCODED.finditer(text):
        written = "".join(found.group().split()).rstrip("=").replace("-", "+").replace("_", "/")
        written = written[: ENCODED_CHARS_MAX // 3 * 4]
        try:
            decoded = base64.b64decode(written + "=" * (-len(written) % 4), validate=True).decode()
        except (binascii.Error, ValueError):
            continue
        if _readable(decoded):
            yield found.group(), decoded


def _in_hex(text: str) -> Iterator[str]:
    for found in _HEX.findall(text):
        try:
            decoded = bytes.fromhex(found).decode()
        except ValueError:
            continue
        if _readable(decoded):
            yield decoded


def _readable(text: str) -> bool:
    return sum(sign.isalnum() or sign in READABLE for sign in text) >= READABLE_SHARE_MIN * len(text)
