"""Frozen dataclasses to JSON values and back, by their type hints.

A member of a union of dataclasses (an Outcome) is tagged with its class name under "type". What JSON cannot say is
written so that it comes back: datetimes as ISO text, sets sorted, floats that are no number as text.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast

from firstline.engines.postgres.text import storable
from firstline.errors import Broken

T = TypeVar("T")
TAG = "type"


def encode(value: object) -> Any:
    """A value that `json.dumps` takes and Postgres can store."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return _encode_composed(value)


def _encode_composed(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {TAG: type(value).__name__, **fields}
    if isinstance(value, Mapping):
        return {storable(str(key)): encode(part) for key, part in cast(Mapping[object, object], value).items()}
    if isinstance(value, frozenset):
        return sorted(encode(part) for part in cast(frozenset[object], value))
    if isinstance(value, tuple):
        return [encode(part) for part in cast(tuple[object, ...], value)]
    raise TypeError(f"no way to write a {type(value).__name__}")


def decode(kind: type[T], value: Any) -> T:
    """The dataclass that `encode` made `value` from. Broken when it was not made from one of these.

    A field that is missing takes its default, and one that is not known any more is left out: a record that an older
    version wrote can still be read.
    """
    try:
        return cast(T, _decode(kind, value))
    except (KeyError, TypeError, ValueError) as error:
        raise Broken(
            f"A stored {kind.__name__} cannot be read ({error}).", remedy="Restore the database from a backup."
        ) from error


def _decode(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(typing.get_args(kind), value)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), value)
    if origin is frozenset:
        (part,) = typing.get_args(kind)
        return frozenset(_decode(part, item) for item in value)
    if origin is Mapping:
        _, part = typing.get_args(kind)
        return {key: _decode(part, item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(cast(type[Any], kind), value)
    return _decode_scalar(kind, value)


def _decode_scalar(kind: Any, value: Any) -> Any:
    if kind is datetime:
        return datetime.fromisoformat(value)
    if kind is float or issubclass(kind, Enum):
        return kind(value)
    if not isinstance(value, kind):
        raise TypeError(f"a {kind.__name__} was expected")
    return value


def _decode_union(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None:
        if types.NoneType not in kinds:
            raise TypeError("a value is missing")
        return None
    possible = [kind for kind in kinds if kind is not types.NoneType]
    if len(possible) == 1:
        return _decode(possible[0], value)
    named = {kind.__name__: kind for kind in possible}
    return _decode_dataclass(named[value[TAG]], value)


def _decode_tuple(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode(kinds[0], item) for item in value)
    return tuple(_decode(kind, item) for kind, item in zip(kinds, value, strict=True))


def _decode_dataclass(kind: type[Any], value: Any) -> Any:
    hints = _hints(kind)
    return kind(**{name: _decode(hint, value[name]) for name, hint in hints.items() if name in value})


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    """Resolved once per class: reading annotations costs more than decoding a turn."""
    return typing.get_type_hints(kind)
