"""What a figure is: a number with a unit, or a reason why it cannot be measured here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    value: float
    unit: str


class NotMeasurable(Exception):
    """This machine lacks what the figure needs; the message says what."""


Measure = Callable[[], Awaitable[Measured]]
Registry = dict[str, Measure]
