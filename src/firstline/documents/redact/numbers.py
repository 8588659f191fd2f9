"""Which numbers belong to somebody? Cards, bank accounts, telephones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from firstline.documents.redact.checksums import luhn
from firstline.documents.redact.spans import Span

_CARD: Final = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){11,18}(?![\w]|-\d|\.\d)")
_CARD_WORD: Final = re.compile(
    r"(?i)\b(?:card|visa|master\s?card|maestro|amex|american express|discover|diners|jcb|credit|debit|cc)\b"
)
_CARD_SHAPE: Final = re.compile(
    r"^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}"
    r"|(?:2131|1800)\d{11}|62\d{14,17})$"
)
_CARD_SHAPE_NAMED: Final = re.compile(r"^(?:5[0678]|6\d|3\d|4\d|2\d|18)\d{10,17}$")

_CARD_SHAPE_SAID: Final = re.compile(r"^\d{12,19}$")
NAMED_CHARS: Final = 60
"""How far before a number a word for a card is looked for."""
NAMED_NEAR_CHARS: Final = 24
"""So near to one, a number with the right check digit is a card, whoever issued it."""

_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}(?=[ -]?[A-Za-z0-9])")
_IBAN_LENGTHS: Final = {
    entry[:2]: int(entry[2:])
    for entry in [
        "AD24",
        "AE23",
        "AL28",
        "AT20",
        "AZ28",
        "BA20",
        "BE16",
        "BG22",
        "BH22",
        "BI27",
        "BR29",
        "BY28",
        "CH21",
        "CR22",
        "CY28",
        "CZ24",
        "DE22",
        "DJ27",
        "DK18",
        "DO28",
        "EE20",
        "EG29",
        "ES24",
        "FI18",
        "FK18",
        "FO18",
        "FR27",
        "GB22",
        "GE22",
        "GI23",
        "GL18",
        "GR27",
        "GT28",
        "HR21",
        "HU28",
        "IE22",
        "IL23",
        "IQ23",
        "IS26",
        "IT27",
        "JO30",
        "KW30",
        "KZ20",
        "LB28",
        "LC32",
        "LI21",
        "LT20",
        "LU20",
        "LV21",
        "LY25",
        "MC27",
        "MD24",
        "ME22",
        "MK19",
        "MN20",
        "MR27",
        "MT31",
        "MU30",
        "NI28",
        "NL18",
        "NO15",
        "OM23",
        "PK24",
        "PL28",
        "PS29",
        "PT25",
        "QA29",
        "RO24",
        "RS22",
        "RU33",
        "SA24",
        "SC31",
        "SD18",
        "SE24",
        "SI19",
        "SK24",
        "SM27",
        "SO23",
        "ST25",
        "SV28",
        "TL23",
        "TN24",
        "TR26",
        "UA29",
        "VA22",
        "VG24",
        "XK20",
    ]
}

# A run of digits and the marks people put between them, looked at once; the shape is judged below.
_NUMBER: Final = re.compile(r"(?<![\w.:/=#@-])(?:\+|\(\+?)?\d[\d ().\-/\u00a0\u2011]{5,26}\d(?!(?!x\d)[\w:@]|[.-]\d)")
_PHONE_WORD: Final = re.compile(
    r"(?i)\b(?:phone|telephone|tel|call|fax|mobile|cell(?:phone)?|whatsapp|sms|text me"
    r"|reach (?:me|us)|hotline|dial|ring)\b"
    r"[^\d\n]{0,24}$"
)
_NORTH_AMERICAN: Final = re.compile(r"^(?:\+?1[ .\-/]?)?(?:\([2-9]\d\d\)[ ./-]?|[2-9]\d\d[ .\-/])[2-9]\d\d[ .-]\d{4}$")
_INTERNATIONAL: Final = re.compile(r"^(?:\(?\+|00)[1-9][\d ().\-/]{6,22}\d$")
_LOCAL: Final = re.compile(r"^\(?0[1-9]\d{1,4}\)?[ \-/.]\d{2,8}(?:[ \-.]\d{2,5}){0,4}$")
_DATE: Final = re.compile(
    r"^(?:(?:19|20)\d\d[-./ ][01]?\d[-./ ][0-3]?\d|[0-3]?\d[-./][0-3]?\d[-./](?:19|20)?\d\d)(?:[ .\-]|$)"
)
_PLUS: Final = re.compile(r"(?:^|[^\w+])([+\uff0b][ \u00a0]?)\Z")
_EXTENSION: Final = re.compile(r"[ ,]{0,2}(?:x|ext\.?|extension)[ .]{0,2}\d{1,6}(?!\w)", re.IGNORECASE)


def cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", match.group())
        named = list(_CARD_WORD.finditer(text, max(0, match.start() - NAMED_CHARS), match.start()))
        shape = _CARD_SHAPE_NAMED if named else _CARD_SHAPE
        if named and match.start() - named[-1].end() <= NAMED_NEAR_CHARS:
            shape = _CARD_SHAPE_SAID
        if len(set(re.findall(r"[ -]", match.group()))) > 1 or digits.endswith("000000"):
            continue  # a date after a number; a rounded float
        if shape.match(digits) and luhn(digits) and len(set(digits)) > 1:
            yield Span(start=match.start(), end=match.end(), type="CARD")


def ibans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(match.group(1).upper())
        end = _walk(text, match.start(), length) if length else None
        if end is not None and _mod97(re.sub(r"[ -]", "", text[match.start() : end]).upper()):
            yield Span(start=match.start(), end=end, type="IBAN")


def phones(text: str) -> Iterator[Span]:
    for match in _NUMBER.finditer(text):
        value = match.group().replace("\u00a0", " ").replace("\u2011", "-")
        digits = sum(character.isdigit() for character in value)
        if not 7 <= digits <= 15 or "  " in value or _DATE.match(value):
            continue
        if _is_phone(value, digits) or _announced(text, match.start(), value, digits):
            extension = _EXTENSION.match(text, match.end())
            yield Span(start=match.start(), end=extension.end() if extension else match.end(), type="PHONE")


def with_their_plus(spans: Sequence[Span], text: str) -> list[Span]:
    """Spans in order; a telephone number takes the plus along that stands before it, whoever found the number."""
    whole: list[Span] = []
    for span in spans:
        plus = _PLUS.search(text, max(0, span.start - 3), span.start) if span.type == "PHONE" else None
        if plus is not None and (not whole or whole[-1].end <= plus.start(1)):
            span = Span(start=plus.start(1), end=span.end, type=span.type)
        whole.append(span)
    return whole


def _is_phone(value: str, digits: int) -> bool:
    if value.count("(") != value.count(")"):
        return False
    if _NORTH_AMERICAN.match(value):
        return True
    if _INTERNATIONAL.match(value):
        # 00 also starts many counters and codes: it needs marks between its groups.
        return digits >= 8 and (value.startswith(("+", "(+")) or any(mark in value for mark in " -()/"))
    return _LOCAL.match(value) is not None and 9 <= digits <= 12


def _announced(text: str, start: int, value: str, digits: int) -> bool:
    """A word such as "phone" stands before it on the line, and it is not a version."""
    if value.count(".") >= 3 or digits < 7:
        return False
    return _PHONE_WORD.search(text[max(0, start - 40) : start]) is not None


def _walk(text: str, start: int, length: int) -> int | None:
    """End of `length` letters and digits from `start`, single spaces or dashes between them allowed."""
    taken = 0
    for at in range(start, min(len(text), start + 2 * length)):
        character = text[at]
        if character.isascii() and character.isalnum():
            taken += 1
            if taken == length:
                following = text[at + 1 : at + 2]
                return None if following.isalnum() else at + 1
        elif character not in " -" or text[at - 1] in " -":
            return None
    return None


def _mod97(compact: str) -> bool:
    rearranged = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in rearranged)) % 97 == 1
