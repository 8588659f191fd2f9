"""Announced changes in memory: the reference that says what the others must do. Nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from firstline.domain import Accepted, ChangeState, Lag, RawChange, WaitingChange
from firstline.engines.memory.sources import MemorySourceLedger

LATELY: Final = timedelta(hours=1)

_Key = tuple[str, str, str]


@dataclass(kw_only=True, slots=True)
class _Times:
    waiting_since: datetime
    due_at: datetime
    settled_at: datetime | None = None
    answerable: bool = False


class MemoryChangeLedger:
    """See ports.ChangeLedger."""

    def __init__(
        self, *, sources: MemorySourceLedger | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._sources = sources
        self._now = now
        self._seq = count(1)
        self._events: dict[tuple[str, str, str, str], datetime] = {}
        self._rounds: dict[str, datetime] = {}
        self._kept: dict[_Key, WaitingChange] = {}
        self._times: dict[_Key, _Times] = {}

    async def accept(
        self, changes: Sequence[RawChange], *, tenant: str, kb: str, source: str, event_id: str, wake: bool = False
    ) -> Accepted:
        event = (tenant, kb, source, event_id)
        if event_id and event in self._events:
            return Accepted(again=True)
        self._events[event] = self._now()
        taken = [change.item_id for change in changes if self._take(change, tenant, kb, source)]
        if wake and self._sources is not None:
            known = await self._sources.source(source, tenant=tenant, kb=kb)
            if known is not None:
                await self._sources.alter_source(replace(known, due_at=self._now()))
        older = tuple(change.item_id for change in changes if change.item_id not in taken)
        return Accepted(taken=tuple(taken), older=older)

    def _take(self, change: RawChange, tenant: str, kb: str, source: str) -> bool:
        key, now = (tenant, kb, change.item_id), self._now()
        known = self._kept.get(key)
        version = change.version
        if known is not None and known.change.version is not None:
            if version is not None and version < known.change.version:
                return False
            version = known.change.version if version is None else version
        waits = known is not None and known.state is ChangeState.WAITING
        since = self._times[key].waiting_since if waits else now
        self._times[key] = _Times(waiting_since=since, due_at=now)
        self._kept[key] = WaitingChange(
            tenant=tenant,
            kb=kb,
            source=source,
            change=replace(change, version=version),
            seq=next(self._seq),
            accepted_at=now,
        )
        return True

    async def newest(self, doc_id: str, *, tenant: str, kb: str) -> WaitingChange | None:
        return self._kept.get((tenant, kb, doc_id))

    def _due(self) -> list[tuple[_Key, WaitingChange]]:
        now = self._now()
        found = [
            (key, one)
            for key, one in self._kept.items()
            if one.state is ChangeState.WAITING and self._times[key].due_at <= now
        ]
        return sorted(found, key=lambda pair: pair[1].seq)

    async def due(self, *, tenant: str, kb: str, limit: int) -> list[WaitingChange]:
        return [one for key, one in self._due() if key[:2] == (tenant, kb)][:limit]

    async def waiting(self, *, tenant: str, kb: str) -> bool:
        return bool(await self.due(tenant=tenant, kb=kb, limit=1))

    async def places(self, *, limit: int) -> list[tuple[str, str]]:
        return list(dict.fromkeys(key[:2] for key, _ in self._due()))[:limit]

    async def settle(self, changes: Sequence[WaitingChange], *, answerable: bool, problem: str = "") -> None:
        for one in changes:
            key = (one.tenant, one.kb, one.change.item_id)
            known = self._kept.get(key)
            if known is not None and known.seq == one.seq:
                change = replace(known.change, document=None)
                self._kept[key] = replace(known, change=change, state=ChangeState.DONE, problem=problem)
                self._times[key].settled_at = self._now()
                self._times[key].answerable = answerable

    async def postpone(self, change: WaitingChange, *, problem: str, again_in_s: float | None) -> None:
        key = (change.tenant, change.kb, change.change.item_id)
        known = self._kept.get(key)
        if known is None or known.seq != change.seq or known.state is not ChangeState.WAITING:
            return
        state = ChangeState.DEAD if again_in_s is None else ChangeState.WAITING
        self._kept[key] = replace(known, state=state, attempts=known.attempts + 1, problem=problem)
        self._times[key].due_at = self._now() + timedelta(seconds=again_in_s or 0.0)

    async def hold_back(self, *, tenant: str, kb: str, problem: str, again_in_s: float) -> int:
        found = [pair for pair in self._due() if pair[0][:2] == (tenant, kb) and pair[1].change.document is not None]
        for key, one in found:
            self._kept[key] = replace(one, problem=problem)
            self._times[key].due_at = self._now() + timedelta(seconds=again_in_s)
        return len(found)

    async def let_on(self, *, tenant: str, kb: str) -> int:
        now, held = self._now(), 0
        for key, one in self._kept.items():
            waits = one.state is ChangeState.WAITING and self._times[key].due_at > now
            if (
                key[:2] == (tenant, kb)
                and waits
                and one.change.document is not None
                and not one.attempts
                and one.problem
            ):
                self._kept[key] = replace(one, problem="")
                self._times[key].due_at = now
                held += 1
        return held

    async def dead(self, *, tenant: str, limit: int) -> list[WaitingChange]:
        found = [one for one in self._kept.values() if one.tenant == tenant and one.state is ChangeState.DEAD]
        return sorted(found, key=lambda one: -one.seq)[:limit]

    async def retry(self, *, tenant: str, doc_ids: Collection[str] | None) -> list[tuple[str, str]]:
        retried: list[tuple[str, str]] = []
        for key, one in self._kept.items():
            if one.tenant != tenant or one.state is not ChangeState.DEAD:
                continue
            if doc_ids is None or one.change.item_id in doc_ids:
                self._kept[key] = replace(one, state=ChangeState.WAITING, attempts=0)
                self._times[key].due_at = self._times[key].waiting_since = self._now()
                retried.append(key[1:])
        return sorted(retried)

    async def forget_source(self, source: str, *, tenant: str, kb: str) -> int:
        found = [
            one
            for key, one in self._kept.items()
            if key[:2] == (tenant, kb) and one.source == source and one.state is not ChangeState.DONE
        ]
        await self.settle(found, answerable=False, problem="Its source was removed.")
        return len(found)

    async def lag(self, *, tenant: str | None) -> list[Lag]:
        places = sorted({key[:2] for key in self._kept if tenant is None or key[0] == tenant})
        return [self._lag(*place) for place in places]

    def _lag(self, tenant: str, kb: str) -> Lag:
        own = {key: one for key, one in self._kept.items() if key[:2] == (tenant, kb)}
        waiting = [key for key, one in own.items() if one.state is ChangeState.WAITING]
        took = sorted(
            max(0.0, (settled - one.accepted_at).total_seconds())
            for key, one in own.items()
            if (settled := self._times[key].settled_at) is not None
            and self._times[key].answerable
            and settled > self._now() - LATELY
        )
        return Lag(
            tenant=tenant,
            kb=kb,
            waiting=len(waiting),
            dead=sum(one.state is ChangeState.DEAD for one in own.values()),
            oldest_at=min((self._times[key].waiting_since for key in waiting), default=None),
            settled=len(took),
            p50_s=_share(took, 0.5),
            p95_s=_share(took, 0.95),
        )

    async def claim_round(self, name: str, *, every_s: float) -> bool:
        last, now = self._rounds.get(name), self._now()
        if last is not None and now - timedelta(seconds=every_s) < last <= now:
            return False
        self._rounds[name] = now
        return True

    async def forget_events(self, *, older_s: float) -> int:
        before = self._now() - timedelta(seconds=older_s)
        gone = [event for event, at in self._events.items() if at < before]
        for event in gone:
            del self._events[event]
        return len(gone)


def _share(values: list[float], share: float) -> float:
    """Between the two values next to it, as percentile_cont does."""
    if not values:
        return 0.0
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)
