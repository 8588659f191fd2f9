"""First names, last names, streets and towns of many countries, from Faker's word lists (needs the `train` extra)."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import faker.providers.address
import faker.providers.person

FIRST: Final = ("first_names", "first_names_male", "first_names_female", "first_names_nonbinary", "first_names_unisex")
LAST: Final = ("last_names", "last_names_male", "last_names_female", "last_names_nonbinary")
STREETS: Final = ("street_names", "streets", "frequent_street_names", "road_names", "street_names_by_city")
TOWNS: Final = ("cities", "city_names", "real_city_names", "municipalities", "towns")
_NAME: Final = re.compile(r"[^\W\d_][\w'’ .-]*")


@dataclass(frozen=True, kw_only=True)
class Lists:
    """Sorted and without doubles. `first` and `last` by locale, the others of all of them."""

    first: dict[str, list[str]]
    last: dict[str, list[str]]
    streets: list[str]
    towns: list[str]


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, held in value.items():
            if isinstance(held, int | float):
                yield from _flat(key)
            else:
                yield from _flat(held)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _flat(one)


def _held(provider: type, names: tuple[str, ...]) -> list[str]:
    found = {one.strip() for name in names for one in _flat(getattr(provider, name, ()))}
    return sorted(one for one in found if 2 <= len(one) <= 40 and "{" not in one and _NAME.fullmatch(one))


def _providers(package: Any) -> Iterator[tuple[str, type]]:
    for found in pkgutil.iter_modules(package.__path__):
        yield found.name, importlib.import_module(f"{package.__name__}.{found.name}").Provider


@cache
def lists() -> Lists:
    first: dict[str, list[str]] = {}
    last: dict[str, list[str]] = {}
    for locale, provider in _providers(faker.providers.person):
        first[locale] = _held(provider, FIRST)
        last[locale] = _held(provider, LAST)
        for name in ("first_romanized_names", "romanized_first_names", "first_names_romanized"):
            first[locale] += _held(provider, (name,))
        last[locale] += _held(provider, ("last_romanized_names", "last_names_romanized"))
    streets: set[str] = set()
    towns: set[str] = set()
    for _, provider in _providers(faker.providers.address):
        streets.update(_held(provider, STREETS))
        towns.update(_held(provider, TOWNS))
    return Lists(
        first={locale: names for locale, names in first.items() if names},
        last={locale: names for locale, names in last.items() if names},
        streets=sorted(streets),
        towns=sorted(towns),
    )
