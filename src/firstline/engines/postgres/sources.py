"""The registry of sources on Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, LiteralString

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import DocumentKind, Level, RegisteredSource, SourceState, SyncReport
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.text import storable, storable_id
from firstline.errors import Broken, Conflict, NotFound

LISTED: Final = "`firstline source list` shows what is there."
# A cursor can be large: only who goes on from it reads it.
_COLUMNS: Final[LiteralString] = """tenant, kb, name, kind, config, document_kind, acl, level, schedule, added_at,
    cursor_snapshot, cursor_shape, state, documents, began_at, finished_at, due_at, last_failure, last_report, lease,
    leased_until"""


class PostgresSourceLedger:
    """See ports.SourceLedger. Time is the database's, so that processes on several machines agree."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_source(self, source: RegisteredSource) -> None:
        added = await self._database.row(
            """INSERT INTO firstline.sources (tenant, kb, name, kind, config, document_kind, acl, level, schedule,
                added_at, due_at)
            VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING name""",
            [
                storable_id(source.tenant),
                storable_id(source.kb),
                storable_id(source.name),
                source.kind,
                *_shape(source),
                source.added_at,
                source.due_at,
            ],
        )
        if added is None:
            raise Conflict(
                f"{source.kb!r} has a source {source.name!r} already.",
                remedy="Use another name, or `firstline source change` it.",
            )

    async def alter_source(self, source: RegisteredSource) -> None:
        altered = await self._database.row(
            """UPDATE firstline.sources SET config = %s, document_kind = %s, acl = %s, level = %s, schedule = %s,
                due_at = %s
            WHERE tenant = %s AND kb = %s AND name = %s RETURNING name""",
            [*_shape(source), source.due_at, *_place(source.tenant, source.kb, source.name)],
        )
        if altered is None:
            raise _missing(source.name, source.kb)

    async def source(self, name: str, *, tenant: str, kb: str) -> RegisteredSource | None:
        row = await self._database.row(
            f"SELECT {_COLUMNS} FROM firstline.sources WHERE tenant = %s AND kb = %s AND name = %s",  # noqa: S608 (ours)
            _place(tenant, kb, name),
        )
        return _read(row) if row else None

    async def sources(self, *, tenant: str | None, kb: str | None = None) -> list[RegisteredSource]:
        whose = None if tenant is None else storable(tenant)
        wanted = None if kb is None else storable(kb)
        rows = await self._database.rows(
            f"""SELECT {_COLUMNS} FROM firstline.sources
            WHERE (%s::text IS NULL OR tenant = %s) AND (%s::text IS NULL OR kb = %s)
            ORDER BY tenant COLLATE "C", kb COLLATE "C", name COLLATE "C" """,  # noqa: S608 (ours)
            [whose, whose, wanted, wanted],
        )
        return [_read(row) for row in rows]

    async def due_sources(self, *, tenant: str | None, limit: int) -> list[RegisteredSource]:
        wanted = None if tenant is None else storable(tenant)
        rows = await self._database.rows(
            f"""SELECT {_COLUMNS} FROM firstline.sources
            WHERE due_at <= now() AND (leased_until IS NULL OR leased_until <= now())
              AND (%s::text IS NULL OR tenant = %s)
            ORDER BY row_number() OVER (PARTITION BY tenant ORDER BY due_at, kb COLLATE "C", name COLLATE "C"),
              due_at, tenant COLLATE "C", kb COLLATE "C", name COLLATE "C" LIMIT %s""",  # noqa: S608 (ours)
            [wanted, wanted, limit],
        )
        return [_read(row) for row in rows]

    async def remove_source(self, name: str, *, tenant: str, kb: str) -> None:
        removed = await self._database.row(
            "DELETE FROM firstline.sources WHERE tenant = %s AND kb = %s AND name = %s RETURNING name",
            _place(tenant, kb, name),
        )
        if removed is None:
            raise _missing(name, kb)

    async def claim_source(self, name: str, *, tenant: str, kb: str, lease_s: float) -> RegisteredSource:
        place = _place(tenant, kb, name)
        row = await self._database.row(
            """UPDATE firstline.sources
            SET lease = lease + 1, leased_until = now() + make_interval(secs => %s), began_at = now()
            WHERE tenant = %s AND kb = %s AND name = %s AND (leased_until IS NULL OR leased_until <= now())
            RETURNING *""",
            [lease_s, *place],
        )
        if row is not None:
            return _read(row)
        there = await self.source(name, tenant=tenant, kb=kb)
        if there is None:
            raise _missing(name, kb)
        since = f" since {there.began_at:%H:%M:%S} UTC" if there.began_at else ""
        raise Conflict(
            f"Another process syncs {name!r}{since}.",
            remedy="Wait for it to end; if it died, its claim ends within a minute.",
        )

    async def renew_source(self, source: RegisteredSource, *, lease_s: float) -> None:
        await self._own(
            source,
            """UPDATE firstline.sources SET leased_until = now() + make_interval(secs => %s)
            WHERE tenant = %s AND kb = %s AND name = %s AND lease = %s AND leased_until IS NOT NULL RETURNING name""",
            [lease_s],
        )

    async def advance_source(self, source: RegisteredSource, *, cursor: str | None, snapshot: int, shape: str) -> None:
        await self._own(
            source,
            """UPDATE firstline.sources SET cursor = %s, cursor_snapshot = %s, cursor_shape = %s
            WHERE tenant = %s AND kb = %s AND name = %s AND lease = %s AND leased_until IS NOT NULL RETURNING name""",
            [None if cursor is None else storable(cursor), snapshot, shape],
        )

    async def finish_source(
        self, source: RegisteredSource, *, report: SyncReport, documents: int | None, due_at: datetime | None
    ) -> None:
        await self._own(
            source,
            """UPDATE firstline.sources SET state = %s, documents = coalesce(%s, documents), finished_at = now(),
                due_at = %s, last_failure = %s, last_report = %s, leased_until = NULL
            WHERE tenant = %s AND kb = %s AND name = %s AND lease = %s AND leased_until IS NOT NULL RETURNING name""",
            [report.state.value, documents, due_at, storable(report.error), Jsonb(encode(report))],
        )

    async def rewind_sources(self, *, tenant: str, kb: str, snapshot: int) -> list[str]:
        rows = await self._database.rows(
            """UPDATE firstline.sources SET cursor = NULL, cursor_snapshot = 0, cursor_shape = ''
            WHERE tenant = %s AND kb = %s AND cursor IS NOT NULL AND cursor_snapshot > %s RETURNING name""",
            [storable(tenant), storable(kb), snapshot],
        )
        return sorted(row["name"] for row in rows)

    async def _own(self, source: RegisteredSource, query: LiteralString, values: Sequence[Any]) -> None:
        place = _place(source.tenant, source.kb, source.name)
        if await self._database.row(query, [*values, *place, source.lease]) is None:
            raise Conflict(
                f"The claim on the source {source.name!r} is lost: it was removed, or somebody else syncs it.",
                remedy="Nothing is to be done: what was committed stays, and the other goes on.",
            )


def _place(tenant: str, kb: str, name: str) -> list[str]:
    return [storable(tenant), storable(kb), storable(name)]


def _shape(source: RegisteredSource) -> list[Any]:
    return [
        Jsonb(dict(source.config)),
        source.document_kind.value,
        sorted(storable_id(tag) for tag in source.acl),
        int(source.level),
        storable(source.schedule),
    ]


def _missing(name: str, kb: str) -> NotFound:
    return NotFound(f"{kb!r} has no source {name!r}.", remedy=LISTED)


def _read(row: DictRow) -> RegisteredSource:
    return RegisteredSource(
        tenant=row["tenant"],
        kb=row["kb"],
        name=row["name"],
        kind=row["kind"],
        config=row["config"],
        document_kind=DocumentKind(row["document_kind"]),
        acl=frozenset(row["acl"]),
        level=Level(row["level"]),
        schedule=row["schedule"],
        added_at=row["added_at"],
        cursor=row.get("cursor"),
        cursor_snapshot=row["cursor_snapshot"],
        cursor_shape=row["cursor_shape"],
        state=SourceState(row["state"]),
        documents=row["documents"],
        began_at=row["began_at"],
        finished_at=row["finished_at"],
        due_at=row["due_at"],
        last_failure=row["last_failure"],
        last_report=_report(row),
        lease=row["lease"],
        leased_until=row["leased_until"],
    )


def _report(row: DictRow) -> SyncReport | None:
    if row["last_report"] is None:
        return None
    try:
        return decode(SyncReport, row["last_report"])
    except Broken:
        # A report that cannot be read must not keep its source from being synced.
        return None
