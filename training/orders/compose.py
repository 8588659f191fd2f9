"""Composes further orders from `templates.toml`, for breadth beside the written ones. Same seed, same sentences."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TEMPLATES_PATH: Final = Path(__file__).with_name("templates.toml")
EACH: Final = 40


def composed(seed: int) -> Iterator[tuple[str, str]]:
    """(family, sentence), EACH of every template."""
    told = tomllib.loads(TEMPLATES_PATH.read_text(encoding="utf-8"))
    slots: dict[str, list[str]] = told["slots"]
    dice = random.Random(seed)  # noqa: S311 (a choice of examples, no secret)
    for family, templates in told["templates"].items():
        for template in templates:
            for _ in range(EACH):
                text = re.sub(r"\{(\w+)\}", lambda slot: dice.choice(slots[slot[1]]), template)
                yield family, text[0].upper() + text[1:] + "."
