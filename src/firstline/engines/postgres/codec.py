"""Frozen dataclasses to JSON values and back, by their type hints.

A member of a union of dataclasses (an Outcome) is tagged with its class name under "type". What JSON cannot say is
written so that it comes back: datetimes as ISO text, sets sorted, floats that are no number as text.

Every turn writes its record and reads the ones before it, so types are looked at once: what a class or a hint means
is kept as a function (one per class or hint that occurs in the domain).
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast

from firstline.engines.postgres.text import storable
from firstline.errors import Broken

T = TypeVar("T")
TAG = "type"

Convert = Callable[[Any], Any]


def encode(value: object) -> Any:
    """A value that `json.dumps` takes and Postgres can store."""
    return _writer(type(value))(value)


def decode(kind: type[T], value: Any) -> T:
    """The dataclass that `encode` made `value` from. Broken when it was not made from one of these.

    A field that is missing takes its default, and one that is not known any more is left out: a record that an older
    version wrote can still be read.
    """
    try:
        return cast(T, _reader(kind)(value))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Broken(
            f"A stored {kind.__name__} cannot be read ({error}).", remedy="Restore the database from a backup."
        ) from error


# --- writing --------------------------------------------------------------------------------------------------------


@cache
def _writer(kind: type[Any]) -> Convert:
    """How values of exactly this class are written. TypeError for a class that has no way."""
    # Members of an Enum may be text or numbers too: they come first.
    if issubclass(kind, Enum):
        return lambda value: value.value
    if issubclass(kind, str):
        return storable
    if issubclass(kind, float):
        return lambda value: value if math.isfinite(value) else str(value)
    if issubclass(kind, bool | int | types.NoneType):
        return lambda value: value
    if issubclass(kind, datetime):
        return datetime.isoformat
    if dataclasses.is_dataclass(kind):
        return _dataclass_writer(kind)
    if issubclass(kind, Mapping):
        return lambda value: {storable(str(key)): encode(part) for key, part in value.items()}
    if issubclass(kind, frozenset):
        return _set_to_list
    if issubclass(kind, tuple):
        return _tuple_to_list
    raise TypeError(f"no way to write a {kind.__name__}")


def _set_to_list(value: frozenset[object]) -> list[Any]:
    return sorted(map(encode, value))


def _tuple_to_list(value: tuple[object, ...]) -> list[Any]:
    return list(map(encode, value))


def _dataclass_writer(kind: type[Any]) -> Convert:
    name = kind.__name__
    fields = tuple(field.name for field in dataclasses.fields(kind))

    def write(value: object) -> dict[str, Any]:
        written: dict[str, Any] = {TAG: name}
        for field in fields:
            written[field] = encode(getattr(value, field))
        return written

    return write


# --- reading --------------------------------------------------------------------------------------------------------


@cache
def _reader(kind: Any) -> Convert:
    """How values of this hint are read. What it returns raises KeyError, TypeError or ValueError on damage."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(typing.get_args(kind))
    if origin is tuple:
        return _tuple_reader(typing.get_args(kind))
    if origin is frozenset:
        part = _reader(typing.get_args(kind)[0])
        return lambda value: frozenset(map(part, value))
    if origin is Mapping:
        part = _reader(typing.get_args(kind)[1])
        return lambda value: {key: part(item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return _dataclass_reader(cast(type[Any], kind))
    if kind is datetime:
        return datetime.fromisoformat
    if kind is float or issubclass(kind, Enum):
        return kind
    return _checked(kind)


def _checked(kind: type) -> Convert:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(f"a {kind.__name__} was expected")
        return value

    return read


def _union_reader(kinds: tuple[Any, ...]) -> Convert:
    possible = [kind for kind in kinds if kind is not types.NoneType]
    optional = len(possible) < len(kinds)
    read = _reader(possible[0]) if len(possible) == 1 else _tagged_reader(possible)

    def read_optional(value: Any) -> Any:
        if value is not None:
            return read(value)
        if not optional:
            raise TypeError("a value is missing")
        return None

    return read_optional


def _tagged_reader(kinds: list[Any]) -> Convert:
    named = {kind.__name__: _reader(kind) for kind in kinds}

    def read(value: Any) -> Any:
        return named[value[TAG]](value)

    return read


def _tuple_reader(kinds: tuple[Any, ...]) -> Convert:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        part = _reader(kinds[0])
        return lambda value: tuple(map(part, value))
    parts = tuple(_reader(kind) for kind in kinds)
    return lambda value: tuple(read(item) for read, item in zip(parts, value, strict=True))


def _dataclass_reader(kind: type[Any]) -> Convert:
    readers = {name: _reader(hint) for name, hint in typing.get_type_hints(kind).items()}
    of_text = getattr(kind, "of_text", None)

    def read(value: Any) -> Any:
        if of_text is not None and isinstance(value, str):
            return of_text(value)  # older records hold a plain text in its place
        return kind(**{name: part(value[name]) for name, part in readers.items() if name in value})

    return read
