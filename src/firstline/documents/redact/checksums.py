"""Does a number's check digit fit? One function per scheme; each takes the number without marks between."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

_CODICE_ODD: Final = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21),
            *(2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        ),
        strict=True,
    )
)
_VERHOEFF_FIVES: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    total = 0
    for position, character in enumerate(reversed(digits)):
        value = int(character)
        if position % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


def weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def mod_11_10(digits: str) -> bool:
    """ISO 7064, as Germany's tax number has it."""
    product = 10
    for digit in digits[:-1]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[-1])


def german_tax(digits: str) -> bool:
    """Of the first ten digits one stands twice or three times."""
    return digits[0] != "0" and len(set(digits[:10])) in (8, 9) and mod_11_10(digits)


def british_health(digits: str) -> bool:
    check = 11 - weighted(digits, range(10, 1, -1)) % 11
    return check != 10 and check % 11 == int(digits[9])


def french(number: str) -> bool:
    number = number.upper().replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number[:13]) % 97 == int(number[13:])


def spanish(number: str) -> bool:
    number = number.upper()
    digits = str("XYZ".find(number[0])) + number[1:-1] if number[0] in "XYZ" else number[:-1]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


def italian(number: str) -> bool:
    if not number.isascii():
        return False  # figures of another script stand in no code
    number = number.upper()
    total = sum(
        _CODICE_ODD[sign] if place % 2 == 0 else int(sign, 36) - (10 if sign.isalpha() else 0)
        for place, sign in enumerate(number[:15])
    )
    return chr(ord("A") + total % 26) == number[15]


def dutch(digits: str) -> bool:
    digits = digits.zfill(9)
    return int(digits) > 0 and (weighted(digits[:8], range(9, 1, -1)) - int(digits[8])) % 11 == 0


def belgian(digits: str) -> bool:
    """Of those born from 2000 on, a 2 is put before the nine digits."""
    check = int(digits[9:])
    return check in (97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97)


def polish(digits: str) -> bool:
    month = int(digits[2:4])
    return (
        1 <= month % 20 <= 12
        and 1 <= int(digits[4:6]) <= 31
        and (weighted(digits[:10], (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) + int(digits[10])) % 10 == 0
    )


def swedish(digits: str) -> bool:
    """The century counts for nothing; 60 is added to the day of who moved there."""
    short = digits[-10:]
    return _is_date(short[2:4], short[4:6], plus=60) and luhn(short)


def finnish(number: str) -> bool:
    number = number.upper()
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(number[:6] + number[7:10]) % 31] == number[10] and _is_date(
        number[2:4], number[:2]
    )


def norwegian(digits: str) -> bool:
    first = weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    second = weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11
    return first == 0 and second == 0 and _is_date(digits[2:4], digits[:2], plus=40)


def danish(digits: str) -> bool:
    """No check digit is kept any more: a date, and that is all."""
    return _is_date(digits[2:4], digits[:2])


def swiss(digits: str) -> bool:
    return weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def austrian(digits: str) -> bool:
    check = weighted(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11
    return digits[0] != "0" and check == int(digits[3]) and 1 <= int(digits[4:6]) <= 31


def portuguese(digits: str) -> bool:
    return digits[0] in "1235689" and (11 - weighted(digits, range(9, 1, -1)) % 11) % 11 % 10 == int(digits[8])


def brazilian(digits: str) -> bool:
    if len(set(digits)) == 1:
        return False
    return all(weighted(digits[:at], range(at + 1, 1, -1)) * 10 % 11 % 10 == int(digits[at]) for at in (9, 10))


def indian(digits: str) -> bool:
    """Verhoeff's scheme, over the ten turns and reflections of a pentagon."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit)
        for _ in range(place % 8):
            value = _VERHOEFF_FIVES[value]
        check = _turned(check, value)
    return digits[0] not in "01" and check == 0


def australian(digits: str) -> bool:
    weights = (1, 4, 3, 7, 5, 8, 6, 9, 10) if len(digits) == 9 else (10, 7, 8, 4, 6, 3, 5, 1)
    return int(digits) > 0 and weighted(digits, weights) % 11 == 0


def american(digits: str) -> bool:
    """Not one of those that were never given out; there is no check digit."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def _turned(a: int, b: int) -> int:
    if a < 5:
        return (a + b) % 5 if b < 5 else 5 + (a + b) % 5
    return 5 + (a - b) % 5 if b < 5 else (a - b) % 5


def _is_date(month: str, day: str, *, plus: int = 0) -> bool:
    """Some year has that day."""
    value = int(day)
    value = value - plus if value > plus else value
    try:
        date(2000, int(month), value)
    except ValueError:
        return False
    return True
