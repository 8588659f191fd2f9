"""The registry of sources in memory: the reference that says what the others must do. Nothing is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from firstline.domain import RegisteredSource, SyncReport
from firstline.errors import Conflict, NotFound

LISTED = "`firstline source list` shows what is there."


class MemorySourceLedger:
    """See ports.SourceLedger."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._kept: dict[tuple[str, str, str], RegisteredSource] = {}

    async def add_source(self, source: RegisteredSource) -> None:
        key = (source.tenant, source.kb, source.name)
        if key in self._kept:
            raise Conflict(
                f"{source.kb!r} has a source {source.name!r} already.",
                remedy="Use another name, or `firstline source change` it.",
            )
        self._kept[key] = source

    async def alter_source(self, source: RegisteredSource) -> None:
        there = self._there(source.name, source.tenant, source.kb)
        self._keep(
            replace(
                there,
                config=source.config,
                document_kind=source.document_kind,
                acl=source.acl,
                level=source.level,
                schedule=source.schedule,
                due_at=source.due_at,
            )
        )

    async def source(self, name: str, *, tenant: str, kb: str) -> RegisteredSource | None:
        found = self._kept.get((tenant, kb, name))
        return None if found is None else replace(found, cursor=None)

    async def sources(self, *, tenant: str | None, kb: str | None = None) -> list[RegisteredSource]:
        own = [one for one in self._kept.values() if tenant in (None, one.tenant) and kb in (None, one.kb)]
        return [replace(one, cursor=None) for one in sorted(own, key=lambda one: (one.tenant, one.kb, one.name))]

    async def due_sources(self, *, tenant: str | None, limit: int) -> list[RegisteredSource]:
        now = self._now()
        due = [
            (one.due_at, one)
            for one in self._kept.values()
            if tenant in (None, one.tenant) and one.due_at is not None and one.due_at <= now and not self._held(one)
        ]
        due.sort(key=lambda pair: (pair[0], pair[1].tenant, pair[1].kb, pair[1].name))
        before: Counter[str] = Counter()
        ranked: list[tuple[int, RegisteredSource]] = []
        for _, one in due:
            ranked.append((before[one.tenant], one))
            before[one.tenant] += 1
        ranked.sort(key=lambda pair: pair[0])
        return [replace(one, cursor=None) for _, one in ranked[:limit]]

    async def remove_source(self, name: str, *, tenant: str, kb: str) -> None:
        self._there(name, tenant, kb)
        del self._kept[tenant, kb, name]

    async def claim_source(self, name: str, *, tenant: str, kb: str, lease_s: float) -> RegisteredSource:
        there = self._there(name, tenant, kb)
        if self._held(there):
            raise Conflict(
                f"Another process syncs {name!r} since {there.began_at:%H:%M:%S} UTC.",
                remedy="Wait for it to end; if it died, its claim ends within a minute.",
            )
        now = self._now()
        return self._keep(
            replace(there, lease=there.lease + 1, leased_until=now + timedelta(seconds=lease_s), began_at=now)
        )

    async def renew_source(self, source: RegisteredSource, *, lease_s: float) -> None:
        self._keep(replace(self._own(source), leased_until=self._now() + timedelta(seconds=lease_s)))

    async def advance_source(self, source: RegisteredSource, *, cursor: str | None, snapshot: int, shape: str) -> None:
        self._keep(replace(self._own(source), cursor=cursor, cursor_snapshot=snapshot, cursor_shape=shape))

    async def finish_source(
        self, source: RegisteredSource, *, report: SyncReport, documents: int | None, due_at: datetime | None
    ) -> None:
        own = self._own(source)
        self._keep(
            replace(
                own,
                state=report.state,
                documents=own.documents if documents is None else documents,
                finished_at=self._now(),
                due_at=due_at,
                last_failure=report.error,
                last_report=report,
                leased_until=None,
            )
        )

    async def rewind_sources(self, *, tenant: str, kb: str, snapshot: int) -> list[str]:
        ahead = [
            one
            for one in self._kept.values()
            if (one.tenant, one.kb) == (tenant, kb) and one.cursor is not None and one.cursor_snapshot > snapshot
        ]
        for one in ahead:
            self._keep(replace(one, cursor=None, cursor_snapshot=0, cursor_shape=""))
        return sorted(one.name for one in ahead)

    def _held(self, source: RegisteredSource) -> bool:
        return source.leased_until is not None and source.leased_until > self._now()

    def _there(self, name: str, tenant: str, kb: str) -> RegisteredSource:
        found = self._kept.get((tenant, kb, name))
        if found is None:
            raise NotFound(f"{kb!r} has no source {name!r}.", remedy=LISTED)
        return found

    def _own(self, source: RegisteredSource) -> RegisteredSource:
        found = self._kept.get((source.tenant, source.kb, source.name))
        if found is None or found.lease != source.lease or found.leased_until is None:
            raise lost_claim(source.name)
        return found

    def _keep(self, source: RegisteredSource) -> RegisteredSource:
        self._kept[source.tenant, source.kb, source.name] = source
        return source


def lost_claim(name: str) -> Conflict:
    return Conflict(
        f"The claim on the source {name!r} is lost: it was removed, or somebody else syncs it.",
        remedy="Nothing is to be done: what was committed stays, and the other goes on.",
    )
