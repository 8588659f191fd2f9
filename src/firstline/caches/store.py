"""Values that were worked out lately: bounded in bytes, for a limited time, and worked out once however many ask.

Who asks first works a value out, and the others wait for it. When that asker gives up,
the next one takes over; when it fails, or what came of it is not for others, each of them works by itself at once. An
error is never kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Final, Generic, TypeVar

from firstline.caches.sizes import size_of

V = TypeVar("V")

AGE_S_MAX: Final = 3_600.0
"""Whatever the keys say, nothing is older than this when it is given out."""


@dataclass(frozen=True, slots=True)
class Key:
    """`digest` names everything the value depends on; `owner` is whose it is (tenant, knowledge base): to drop it."""

    digest: bytes
    owner: tuple[str, str] = ("", "")


def key_of(*parts: object, owner: tuple[str, str] = ("", "")) -> Key:
    """Of texts, numbers and lists of them. Parts are told apart, so that no text can look like the next part, and no
    text stands in the key itself."""
    written = json.dumps([*owner, *parts], ensure_ascii=True, separators=(",", ":"))
    return Key(hashlib.sha256(written.encode()).digest(), owner)


class How(Enum):
    """Where a value came from: worked out now, or kept (by somebody who asked at the same time, too)."""

    MADE = "made"
    KEPT = "kept"


@dataclass(kw_only=True, slots=True)
class Counts:
    """Since the start of the process. Every look-up is one of `hits`, `misses` and `passed`. Of the hits, `joined`
    waited for somebody who was working it out; of the misses, `stale` found a value that may not be given out any more,
    and `alike` were answered by what another question came to. `evicted` went to make room, `dropped` because of
    something that was forgotten."""

    hits: int = 0
    joined: int = 0
    misses: int = 0
    stale: int = 0
    alike: int = 0
    passed: int = 0
    evicted: int = 0
    dropped: int = 0

    @property
    def hit_ratio(self) -> float:
        """0 while nothing was looked up."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else 0.0


@dataclass(frozen=True, slots=True)
class _Entry(Generic[V]):
    value: V
    bytes: int
    at: float


class _Left(Enum):
    """How an asker who was working it out left those who wait."""

    ALONE = "alone"
    GAVE_UP = "gave up"


@dataclass(frozen=True, slots=True)
class _Shared(Generic[V]):
    value: V


_Flight = asyncio.Future[_Shared[V] | _Left]


class Kept(Generic[V]):
    """One cache. `bytes_max` 0 turns it off. Used from one event loop. Values are frozen: everybody gets the same."""

    def __init__(
        self,
        name: str,
        *,
        bytes_max: int,
        age_s_max: float = AGE_S_MAX,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.bytes_max = bytes_max
        self.counts = Counts()
        self.bytes = 0
        self._age_s_max = age_s_max
        self._clock = clock
        self._entries: OrderedDict[Key, _Entry[V]] = OrderedDict()
        self._flights: dict[Key, _Flight[V]] = {}
        self._drops = 0

    @property
    def drops(self) -> int:
        """How often something was dropped: what was worked out while this changed is not `put`."""
        return self._drops

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Key) -> bool:
        """Without counting, and without making it the latest."""
        return key in self._entries

    async def get(
        self,
        key: Key,
        make: Callable[[], Awaitable[V]],
        *,
        keeps: Callable[[V], bool] = lambda _: True,
        still: Callable[[V], Awaitable[bool]] | None = None,
    ) -> tuple[V, How]:
        """The value and where it came from. `make` raises what it likes: nothing is kept then.

        `keeps` says whether a value may be kept and given to others. `still` says whether a kept value may be given to
        this asker now; what may not is removed, and made anew.
        """
        if not self.bytes_max:
            return await make(), How.MADE
        while True:
            found = self._found(key)
            if found is not None:
                if still is None or await still(found.value):
                    self.counts.hits += 1
                    return found.value, How.KEPT
                self.counts.stale += 1
                self._remove_if(key, found)
            flight = self._flights.get(key)
            if flight is None:
                self.counts.misses += 1
                return await self._lead(key, make, keeps), How.MADE
            # Shielded: who gives up waiting must not end it for the others.
            left = await asyncio.shield(flight)
            if isinstance(left, _Shared):
                if still is None or await still(left.value):
                    self.counts.hits += 1
                    self.counts.joined += 1
                    return left.value, How.KEPT
                self.counts.stale += 1
            if left is not _Left.GAVE_UP:
                self.counts.misses += 1
                return await make(), How.MADE

    def peek(self, key: Key) -> V | None:
        """A kept value that is not too old; counted by whoever uses it."""
        found = self._found(key) if self.bytes_max else None
        return None if found is None else found.value

    def put(self, key: Key, value: V) -> None:
        """What was worked out elsewhere, in place of what was kept. Too large a value is not kept."""
        if not self.bytes_max:
            return
        if (before := self._entries.pop(key, None)) is not None:
            self.bytes -= before.bytes
        size = size_of(value)
        if size > self.bytes_max:
            return
        self._entries[key] = _Entry(value, size, self._clock())
        self.bytes += size
        while self.bytes > self.bytes_max:
            _, oldest = self._entries.popitem(last=False)
            self.bytes -= oldest.bytes
            self.counts.evicted += 1

    def newest(self, limit: int) -> list[V]:
        """The values that were used last, newest first, of the latest `limit`. As of now: whoever waits between one and
        the next is not disturbed by what others keep meanwhile."""
        now = self._clock()
        latest = islice(reversed(self._entries.values()), limit)
        return [entry.value for entry in latest if self._is_fresh(entry, now)]

    def drop(self, *, tenant: str, kb: str | None = None) -> int:
        """Remove what was kept for a knowledge base, or for a whole tenant; what is being worked out is not kept
        either. Returns how many entries went."""
        self._drops += 1
        gone = [key for key in self._entries if key.owner[0] == tenant and kb in (None, key.owner[1])]
        for key in gone:
            self.bytes -= self._entries.pop(key).bytes
        self.counts.dropped += len(gone)
        return len(gone)

    def sweep(self) -> None:
        """Remove what is too old to be given out, whoever asks next."""
        now = self._clock()
        for key, entry in [(key, entry) for key, entry in self._entries.items() if not self._is_fresh(entry, now)]:
            self._remove_if(key, entry)

    def of_tenant(self, tenant: str) -> list[V]:
        """Every value of a tenant, those included that are too old to be given out: they are held all the same."""
        return [entry.value for key, entry in self._entries.items() if key.owner[0] == tenant]

    async def _lead(self, key: Key, make: Callable[[], Awaitable[V]], keeps: Callable[[V], bool]) -> V:
        flight: _Flight[V] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        drops = self._drops
        left: _Shared[V] | _Left = _Left.GAVE_UP
        try:
            value = await make()
            left = _Left.ALONE
            # Made of what was forgotten meanwhile, it must not stay.
            if keeps(value) and drops == self._drops:
                self.put(key, value)
                left = _Shared(value)
            return value
        except Exception:
            left = _Left.ALONE
            raise
        finally:
            # Nothing is awaited from here: whoever comes now finds the value, or leads.
            del self._flights[key]
            flight.set_result(left)

    def _found(self, key: Key) -> _Entry[V] | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if not self._is_fresh(entry, self._clock()):
            self._remove_if(key, entry)
            return None
        self._entries.move_to_end(key)
        return entry

    def _is_fresh(self, entry: _Entry[V], now: float) -> bool:
        # A clock that jumped back tells no age at all.
        return 0 <= now - entry.at <= self._age_s_max

    def _remove_if(self, key: Key, entry: _Entry[V]) -> None:
        if self._entries.get(key) is entry:
            del self._entries[key]
            self.bytes -= entry.bytes
