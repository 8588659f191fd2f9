"""How is a vendor's list followed? By when things were updated, or by what is known of each.

Both ways go on after a kill from the last page, find what is gone by a complete listing, and read again what failed.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from firstline.connectors.vendors.paging import broken_off
from firstline.domain import Change, Complete, Failure, Removed, Unchanged
from firstline.errors import FirstlineError, Forbidden, InvalidInput, NotFound, Unavailable

DAY_S: Final = 86_400.0
AGAIN_MAX: Final = 1_000
BROKEN_IN_A_ROW_MAX: Final = 3
READS_PER_CURSOR: Final = 200
PAGES_MAX: Final = 100_000
STALE_PAGES_MAX: Final = 2_000
"""Pages in a row without anything new: a list that goes round in a circle. More than any second's worth of updates."""
CHECKS_MAX: Final = 500
"""Missing things that are asked for one by one; a list that misses more is a matter for the sync's own doubts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A thing in a vendor's list: `key` names it below the source's name, `updated` is when it last changed (seconds),
    `stamp` changes with it, `data` is what the list says of it. `aside`: it is listed, and is no document."""

    key: str
    updated: float = 0.0
    stamp: str = ""
    aside: bool = False
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


Read = Callable[[Entry], Awaitable[Sequence[Change]]]
"""What becomes of an entry. Nothing: it is seen, and no document."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """Everything updated before `since` was read; `swept`: when the whole list was last walked; `again`: keys that
    could not be read."""

    since: float = 0.0
    swept: float = 0.0
    again: frozenset[str] = frozenset()

    def told(self) -> list[object]:
        return [self.since, self.swept, sorted(self.again)]


def mark_of(value: object) -> Mark:
    """From `Mark.told`; a fresh one when it cannot be read."""
    if not isinstance(value, list) or len(cast("list[object]", value)) != 3:
        return Mark()
    since, swept, again = cast("list[object]", value)
    if not isinstance(since, int | float) or not isinstance(swept, int | float) or not isinstance(again, list):
        return Mark()
    keys = frozenset(key for key in cast("list[object]", again) if isinstance(key, str))
    return Mark(since=float(since), swept=float(swept), again=keys)


def place_of(cursor: str | None) -> dict[str, Any]:
    """A cursor that was made with `json.dumps`; empty when it cannot be read."""
    try:
        value: object = json.loads(cursor or "")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def updated_since(
    fetch: Callable[[float, int], Awaitable[tuple[list[Entry], bool]]], since: float
) -> AsyncIterator[list[Entry]]:
    """Pages of entries in the order of their update, from `since` on. `fetch(since, page)` gives one page, and whether
    another may follow: a page that is not full is no sign that it was the last where the other side says otherwise.

    A thing that is updated while we walk moves to the end, and everything behind it one place up: a page's number would
    skip one. So every page is asked for by the last update that was met, and numbers only help where more entries share
    a second than fit on a page.
    """
    met: set[tuple[str, float]] = set()
    walked: set[tuple[str, float]] = set()
    walked_before: set[tuple[str, float]] = set()
    page, stale = 1, 0
    for _ in range(PAGES_MAX):
        # A second earlier: some give what is later, some what is not earlier.
        entries, more = await fetch(max(0.0, since - 1.0), page)
        walked.update((entry.key, entry.updated) for entry in entries)
        fresh = [entry for entry in entries if (entry.key, entry.updated) not in met]
        met.update((entry.key, entry.updated) for entry in fresh)
        stale = 0 if fresh else stale + 1
        if fresh:
            yield fresh
        elif stale >= STALE_PAGES_MAX:
            raise broken_off("The list by update")
        last = max((entry.updated for entry in entries), default=0.0)
        if more and last <= since:
            page += 1
            continue
        if page > 1 and walked != walked_before:
            # Between two numbered pages one may have been skipped: once more, until two walks are alike.
            page, walked_before = 1, walked
            walked = set[tuple[str, float]]()
            continue
        if not more:
            return
        page, since = 1, last
        walked, walked_before = set[tuple[str, float]](), set[tuple[str, float]]()
        met = {each for each in met if each[1] >= since - 2.0}


async def follow_updates(
    pages: Callable[[float], AsyncIterator[list[Entry]]],
    read: Read,
    *,
    name: str,
    prefix: str,
    mark: Mark,
    sweep_s: float,
    removes: bool = True,
) -> AsyncIterator[Change | Mark]:
    """Entries updated since the mark are read. Every `sweep_s` seconds, and when something could not be read, the whole
    list is walked: what is not in it is gone (not with `removes` false: the list says too little for that). A Mark is a
    place from which a later sync may go on; the last one has the new `swept` when the list was walked."""
    began = time.time()
    whole = began - mark.swept >= sweep_s or bool(mark.again) or mark.swept > began
    reading = Reading(read, name=name, again=mark.again)
    since = mark.since
    async for entries in pages(0.0 if whole else mark.since):
        # What the place says was read must have been, whatever the order on a page.
        for entry in sorted(entries, key=lambda each: each.updated):
            if entry.aside:
                since = max(since, entry.updated)
                if mark.since and entry.updated >= mark.since:
                    yield Removed(item_id=f"{name}/{entry.key}")
                continue
            if entry.updated < mark.since and entry.key not in mark.again:
                yield Unchanged(item_id=f"{name}/{entry.key}")
                continue
            async for change in reading.of(entry):
                yield change
            since = max(since, entry.updated)
            if reading.reads % READS_PER_CURSOR == 0:
                # What is before this entry was read: a later sync starts at it once more.
                yield replace(mark, since=since, again=reading.again)
        yield replace(mark, since=since, again=reading.again)
    if whole:
        if removes:
            yield Complete(prefix=prefix)
        # A failure stays listed as long as it is in the list; what is gone cannot be read again.
        yield Mark(since=since, swept=began, again=reading.again & reading.met)
    else:
        yield replace(mark, since=since, again=reading.again)


def left_out(cursor: str | None, name: str, parts: Sequence[str], wanted: Sequence[str]) -> list[Complete]:
    """Parts that the options do not name (any more): when everything is read anew, what stands of them ends."""
    if cursor is not None:
        return []
    return [Complete(prefix=f"{name}/{part}/", certain=True) for part in parts if part not in wanted]


Known = Mapping[str, str]
"""The stamps of what was read, by key."""


async def follow_stamps(
    entries: AsyncIterator[Entry],
    read: Read,
    *,
    name: str,
    prefix: str,
    known: Known,
    still: Callable[[str], Awaitable[bool]] | None = None,
) -> AsyncIterator[Change | Known]:
    """Entries whose stamp is not the known one are read. `entries` is the complete list; what is not in it is gone,
    unless `still` says that it is there: a list in pages can miss one while others are deleted. A Known is a place from
    which a later sync may go on."""
    now_known = dict(known)
    listed: set[str] = set()
    reading = Reading(read, name=name)
    async for entry in entries:
        if entry.aside or entry.key in listed:
            continue
        listed.add(entry.key)
        if entry.stamp and known.get(entry.key) == entry.stamp:
            yield Unchanged(item_id=f"{name}/{entry.key}")
            continue
        now_known.pop(entry.key, None)
        async for change in reading.of(entry):
            yield change
        if entry.key not in reading.again and entry.stamp:
            now_known[entry.key] = entry.stamp
        if reading.reads % READS_PER_CURSOR == 0:
            yield dict(now_known)
    missing = sorted(key for key in known if key not in listed)
    if still is not None and len(missing) <= CHECKS_MAX:
        for key in missing:
            if await still(key):
                listed.add(key)
                yield Unchanged(item_id=f"{name}/{key}")
    yield Complete(prefix=prefix)
    yield {key: stamp for key, stamp in now_known.items() if key in listed}


def known_of(value: object) -> Known:
    if not isinstance(value, dict):
        return {}
    return {key: stamp for key, stamp in cast("dict[str, object]", value).items() if isinstance(stamp, str)}


def stamp_of(*parts: object) -> str:
    """A short name of these values: another one when one of them changes."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:12]


class Reading:
    """Reads entries one by one. What goes wrong with one is its Failure; what goes wrong with several in a row, or with
    the token, ends the sync."""

    def __init__(self, read: Read, *, name: str, again: frozenset[str] = frozenset()) -> None:
        self._read = read
        self._name = name
        self.again = again
        self.met: set[str] = set()
        self.reads = 0
        self._broken = 0

    async def of(self, entry: Entry) -> AsyncIterator[Change]:
        self.met.add(entry.key)
        self.reads += 1
        item_id = f"{self._name}/{entry.key}"
        try:
            changes = await self._read(entry)
        except NotFound:
            # Listed a moment ago, gone by now.
            self.again -= {entry.key}
            yield Removed(item_id=item_id)
            return
        except (InvalidInput, Forbidden, Unavailable) as error:
            self._broken += 1
            if self._broken >= BROKEN_IN_A_ROW_MAX or len(self.again) >= AGAIN_MAX:
                raise
            self.again |= {entry.key}
            yield Failure(item_id=item_id, reason=said(error))
            return
        self._broken = 0
        self.again -= {entry.key}
        if not changes:
            yield Removed(item_id=item_id)
        for change in changes:
            yield change


def said(error: FirstlineError) -> str:
    return f"{error.message} {error.remedy}".strip()
