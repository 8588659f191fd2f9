"""What does a kept value hold? Its bytes, and its texts."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, cast

ENTRY_BYTES: Final = 400
"""Key, place in the order and bookkeeping of one entry."""
PAIR_BYTES: Final = 100
"""A pair of a mapping: a view on one does not tell what it holds."""


def size_of(value: object) -> int:
    """Of frozen nouns, tuples, mappings, texts and arrays: each object once, however often it is named. Members of an
    enumeration belong to everybody."""
    waiting: list[Any] = [value]
    seen: set[int] = set()
    total = ENTRY_BYTES
    while waiting:
        one = waiting.pop()
        if one is None or isinstance(one, bool | Enum | type) or id(one) in seen:
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        waiting += _parts(one)
        if isinstance(one, Mapping):
            total += PAIR_BYTES * len(cast("Mapping[Any, Any]", one))
    return total


def texts_of(value: object) -> list[str]:
    """Every text in it, to be looked through."""
    waiting: list[Any] = [value]
    seen: set[int] = set()
    texts: list[str] = []
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str):
            texts.append(one)
        elif one is not None and not isinstance(one, type):
            waiting += _parts(one)
    return texts


def _parts(one: Any) -> Iterable[Any]:
    if dataclasses.is_dataclass(one):
        return [getattr(one, field.name) for field in dataclasses.fields(one)]
    if isinstance(one, Mapping):
        pairs = cast("Mapping[Any, Any]", one)
        return [*pairs.keys(), *pairs.values()]
    if isinstance(one, tuple | list | set | frozenset):
        return cast("Iterable[Any]", one)
    return ()
