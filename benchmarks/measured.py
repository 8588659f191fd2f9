"""What a figure is: a number with a unit, or a reason why it cannot be measured here."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from firstline.errors import FirstlineError
from firstline.evals.datasets import DataMissing

EXIT_NOT_HERE: Final = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    value: float
    unit: str


class NotMeasurable(Exception):
    """This machine lacks what the figure needs; the message says what."""


Measure = Callable[[], Awaitable[Measured]]
Registry = dict[str, Measure]


def run(name: str, measuring: Coroutine[Any, Any, None]) -> int:
    """Run a benchmark of its own command to its exit code; what stopped it is said in one line."""
    try:
        asyncio.run(measuring)
    except (DataMissing, NotMeasurable) as error:
        print(f"{name}: nothing was measured: {error}", file=sys.stderr)
        return EXIT_NOT_HERE
    except FirstlineError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.exit_code
    return 0
