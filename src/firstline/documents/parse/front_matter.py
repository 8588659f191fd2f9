"""What does a page say about itself at its top, in YAML between `---` lines or TOML between `+++` lines?"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from typing import Any, Final, cast

import yaml

from firstline.domain import FrontMatter

KEYS_MAX: Final = 32
VALUE_CHARS_MAX: Final = 500
_ACCESS: Final = frozenset({"acl", "level"})


def front_values(front: FrontMatter) -> Mapping[str, str]:
    """Scalars and lists of scalars as strings; {} when it is broken: the page below it is still worth reading.

    Access (`acl`, `level`) is left out: whoever yields the item decides on it before parsing.
    """
    try:
        loaded: object = tomllib.loads(front.head) if front.toml else yaml.safe_load(front.head)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    if not isinstance(loaded, dict):
        return {}
    values: dict[str, str] = {}
    for key, value in cast("dict[Any, Any]", loaded).items():
        text = _text(value)
        if text and isinstance(key, str) and key.lower() not in _ACCESS:
            values[key] = text[:VALUE_CHARS_MAX]
        if len(values) >= KEYS_MAX:
            break
    return values


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float | date):
        return " ".join(str(value).split())
    if isinstance(value, list):
        parts = [_text(part) for part in cast("list[object]", value)[:20] if isinstance(part, str | int | float)]
        return ", ".join(part for part in parts if part)
    return ""
