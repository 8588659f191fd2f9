"""Which colour is meant, and can one be read upon another? For text that is there and that nobody can see."""

from __future__ import annotations

import colorsys
import re
from typing import Final

Colour = tuple[int, int, int]
WHITE: Final[Colour] = (255, 255, 255)
CONTRAST_MIN: Final = 1.25
"""Ratio of luminances below which letters cannot be told from what they stand on; pale print for people has 1.6."""
OPAQUE_MIN: Final = 0.06
_HEX: Final = re.compile(r"#?([0-9a-f]{3,8})$")
_FUNCTION: Final = re.compile(r"(rgb|hsl)a?\(([^()]{1,80})\)")
_NUMBER: Final = re.compile(r"(-?\d{0,6}\.?\d{1,6})(%|deg)?")
_NAMED: Final[dict[str, Colour]] = {
    "white": WHITE,
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "floralwhite": (255, 250, 240),
    "mintcream": (245, 255, 250),
    "azure": (240, 255, 255),
    "aliceblue": (240, 248, 255),
    "honeydew": (240, 255, 240),
    "seashell": (255, 245, 238),
    "lavenderblush": (255, 240, 245),
    "oldlace": (253, 245, 230),
    "linen": (250, 240, 230),
    "lightyellow": (255, 255, 224),
    "lightcyan": (224, 255, 255),
    "cornsilk": (255, 248, 220),
    "beige": (245, 245, 220),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "navy": (0, 0, 128),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "yellow": (255, 255, 0),
}


def colour(text: str) -> Colour | None:
    """`#fffffe`, `fff`, `rgb(254 254 254)`, `hsl(0, 0%, 99%)` or a common name; None for what is not known."""
    text = text.strip().lower().removesuffix("!important").strip()
    if text in _NAMED:
        return _NAMED[text]
    if (digits := _HEX.match(text)) is not None and len(digits[1]) in {3, 4, 6, 8}:
        short = len(digits[1]) < 6
        parts = [digits[1][at] * 2 if short else digits[1][2 * at : 2 * at + 2] for at in range(3)]
        return int(parts[0], 16), int(parts[1], 16), int(parts[2], 16)
    if (called := _FUNCTION.search(text)) is None:
        return None
    numbers = _NUMBER.findall(called[2])
    if len(numbers) < 3:
        return None
    if called[1] == "hsl":
        hue, saturation, light = (float(number) for number, _ in numbers[:3])
        red, green, blue = colorsys.hls_to_rgb(hue / 360 % 1, min(1, light / 100), min(1, saturation / 100))
        return round(red * 255), round(green * 255), round(blue * 255)
    values = [round(float(number) * (2.55 if unit == "%" else 1)) for number, unit in numbers[:3]]
    return _byte(values[0]), _byte(values[1]), _byte(values[2])


def transparent(text: str) -> bool:
    """Whether it is seen through wholly, or nearly so."""
    text = text.strip().lower()
    if text.startswith("transparent"):
        return True
    if (digits := _HEX.match(text)) is not None and len(digits[1]) in {4, 8}:
        alpha = digits[1][3] * 2 if len(digits[1]) == 4 else digits[1][6:8]
        return int(alpha, 16) / 255 < OPAQUE_MIN
    called = _FUNCTION.search(text)
    numbers = _NUMBER.findall(called[2]) if called else []
    if len(numbers) < 4:
        return False
    number, unit = numbers[3]
    return float(number) / (100 if unit == "%" else 1) < OPAQUE_MIN


def lost_on(text: Colour, behind: Colour) -> bool:
    """Whether letters of one colour cannot be seen upon the other."""
    light, dark = sorted((_luminance(text), _luminance(behind)), reverse=True)
    return (light + 0.05) / (dark + 0.05) < CONTRAST_MIN


def _luminance(shade: Colour) -> float:
    parts = [value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in shade]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _byte(value: int) -> int:
    return min(255, max(0, value))
