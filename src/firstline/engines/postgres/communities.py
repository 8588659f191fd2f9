"""Communities on the ledger's Postgres. What cites a chunk that the asker may not see is left out by the statement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, LiteralString

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from firstline.domain import FOREVER, Community, CommunityBuild, Level
from firstline.engines.memory.communities import forgotten_meanwhile
from firstline.engines.postgres.codec import decode, encode
from firstline.engines.postgres.graph_rows import hash_of
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.rows import scope_parameters
from firstline.engines.postgres.text import storable, storable_id
from firstline.ports import Audience, Gathered, Scope

ROWS_AT_ONCE: Final = 500
RESTS: Final = 10
"""A build is followed by so many times its own time without one."""

DUE: Final[LiteralString] = """SELECT base.tenant, base.kb
FROM firstline.knowledge_bases AS base LEFT JOIN firstline.community_builds AS made USING (tenant, kb)
WHERE base.published > 0
  AND (base.published, base.forgotten) IS DISTINCT FROM (made.snapshot, made.forgotten)
  AND (made.tried_at IS NULL
       OR made.tried_at <= now() - make_interval(secs => greatest(%(rest_s)s, %(rests)s * made.took_s)))
ORDER BY base.tenant, base.kb LIMIT %(limit)s"""

# Inside the scope, in order; then one by one until there are enough: what cites something that is not shown is none.
STANDING: Final[LiteralString] = """SELECT * FROM firstline.communities AS c
    WHERE c.tenant = %(tenant)s AND c.kb = %(kb)s AND c.acl && %(acl_tags)s::text[] AND c.level <= %(level_max)s
      AND c.since <= %(snapshot)s AND c.built <= %(build)s AND (c.until > %(snapshot)s OR c.dropped > %(build)s)"""

SEEN: Final[LiteralString] = """ORDER BY c.documents DESC, c.community_id OFFSET 0
) AS c WHERE cardinality(c.chunk_ids) = (
    SELECT count(*) FROM firstline.chunks_by_id(
        c.chunk_ids, %(tenant)s, %(kb)s, %(acl_tags)s::text[], %(level_max)s, %(snapshot)s))
LIMIT %(limit)s"""

COLUMNS: Final[LiteralString] = (
    "SELECT c.record, c.since, CASE WHEN c.dropped > %(build)s THEN %(forever)s ELSE c.until END AS until"
)
EVERY: Final[LiteralString] = f"{COLUMNS} FROM ({STANDING} {SEEN}"
ABOUT: Final[LiteralString] = f"{COLUMNS} FROM ({STANDING} AND c.entities && %(hashes)s::bigint[] {SEEN}"

INSERT: Final[LiteralString] = """INSERT INTO firstline.communities (tenant, kb, community_id, since, until, built,
    dropped, level, acl, component, documents, entities, chunk_ids, doc_ids, record)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::uuid[], %s, %s)"""


class PostgresCommunities:
    """See ports.CommunityStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, *, rest_s: float, limit: int) -> list[tuple[str, str]]:
        rows = await self._database.rows(DUE, {"rest_s": rest_s, "rests": RESTS, "limit": limit})
        return [(row["tenant"], row["kb"]) for row in rows]

    async def begin(self, *, tenant: str, kb: str) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                """INSERT INTO firstline.community_builds (tenant, kb, tried_at) VALUES (%s, %s, now())
                ON CONFLICT (tenant, kb) DO UPDATE SET tried_at = now()""",
                _place(tenant, kb),
            )

    async def built(self, *, tenant: str, kb: str) -> CommunityBuild:
        row = await self._database.row(
            "SELECT * FROM firstline.community_builds WHERE tenant = %s AND kb = %s", _place(tenant, kb)
        )
        return CommunityBuild() if row is None else _build(row)

    async def audiences(self, snapshot: int, *, tenant: str, kb: str, limit: int) -> list[Audience]:
        rows = await self._database.rows(
            """SELECT acl, level FROM firstline.documents
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= %(snapshot)s AND until > %(snapshot)s
            GROUP BY acl, level ORDER BY count(*) DESC, acl, level LIMIT %(limit)s""",
            {"tenant": storable(tenant), "kb": storable(kb), "snapshot": snapshot, "limit": limit},
        )
        return [(frozenset(row["acl"]), Level(row["level"])) for row in rows]

    async def standing(self, snapshot: int, *, tenant: str, kb: str) -> dict[str, str]:
        rows = await self._database.rows(
            """SELECT community_id, component FROM firstline.communities
            WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= %(snapshot)s AND until > %(snapshot)s""",
            {"tenant": storable(tenant), "kb": storable(kb), "snapshot": snapshot},
        )
        return {row["community_id"].hex: row["component"] for row in rows}

    async def commit(
        self, made: Sequence[Gathered], *, keep: Collection[str], build: CommunityBuild, tenant: str, kb: str
    ) -> CommunityBuild:
        place = {"tenant": storable_id(tenant), "kb": storable_id(kb), "snapshot": build.snapshot}
        async with self._database.transaction() as connection:
            # The lock of every write: what is forgotten, and its purge, is before this or behind it.
            cursor = await connection.execute(
                """SELECT forgotten FROM firstline.knowledge_bases
                WHERE tenant = %(tenant)s AND kb = %(kb)s FOR NO KEY UPDATE""",
                place,
            )
            row = await cursor.fetchone()
            if row is None or row["forgotten"] != build.forgotten:
                raise forgotten_meanwhile()
            cursor = await connection.execute(
                """INSERT INTO firstline.community_builds AS known
                    (tenant, kb, build, snapshot, forgotten, built_at, took_s, cut)
                VALUES (%(tenant)s, %(kb)s, 1, %(snapshot)s, %(forgotten)s, now(), %(took_s)s, %(cut)s)
                ON CONFLICT (tenant, kb) DO UPDATE SET build = known.build + 1, snapshot = excluded.snapshot,
                    forgotten = excluded.forgotten, built_at = now(), took_s = excluded.took_s, cut = excluded.cut
                RETURNING *""",
                {**place, "forgotten": build.forgotten, "took_s": build.took_s, "cut": build.cut},
            )
            (row,) = await cursor.fetchall()
            done = _build(row)
            await connection.execute(
                """UPDATE firstline.communities SET until = %(snapshot)s, dropped = %(build)s
                WHERE tenant = %(tenant)s AND kb = %(kb)s AND since <= %(snapshot)s AND until > %(snapshot)s
                  AND NOT community_id = ANY (%(keep)s::uuid[])""",
                {**place, "build": done.number, "keep": list(keep)},
            )
            async with connection.cursor() as cursor:
                for at in range(0, len(made), ROWS_AT_ONCE):
                    await cursor.executemany(INSERT, [_row(one, done.number) for one in made[at : at + ROWS_AT_ONCE]])
        return done

    async def about(
        self, entity_ids: Collection[str], scope: Scope, *, limit: int, build: int | None = None
    ) -> list[Community]:
        tenant, kb = storable(scope.tenant), storable(scope.kb)
        hashes = sorted({hash_of(storable(one), tenant=tenant, kb=kb) for one in entity_ids})
        return await self._seen(scope, hashes=hashes, limit=limit, build=build) if hashes else []

    async def communities(self, scope: Scope, *, limit: int) -> list[Community]:
        return await self._seen(scope, hashes=None, limit=limit, build=None)

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                """DELETE FROM firstline.communities
                WHERE tenant = %s AND kb = %s AND since <= %s AND doc_ids && %s::text[]""",
                _citing(tenant, kb, doc_ids, upto),
            )

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        row = await self._database.row(
            """SELECT count(*) AS held FROM firstline.communities
            WHERE tenant = %s AND kb = %s AND since <= %s AND doc_ids && %s::text[]""",
            _citing(tenant, kb, doc_ids, upto),
        )
        return row["held"] if row else 0

    async def prune(self, *, tenant: str, kb: str, oldest: int) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                "DELETE FROM firstline.communities WHERE tenant = %s AND kb = %s AND until <= %s",
                [*_place(tenant, kb), oldest],
            )

    async def _seen(self, scope: Scope, *, hashes: list[int] | None, limit: int, build: int | None) -> list[Community]:
        if not scope.acl_tags or limit < 1:
            return []
        rows = await self._database.rows(
            EVERY if hashes is None else ABOUT,
            {
                **scope_parameters(scope),
                "hashes": hashes,
                "limit": limit,
                # Nothing is dropped by a build that is to come.
                "build": FOREVER - 1 if build is None else build,
                "forever": FOREVER,
            },
        )
        return [_community(row) for row in rows]


def _place(tenant: str, kb: str) -> list[str]:
    return [storable(tenant), storable(kb)]


def _citing(tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> list[Any]:
    return [*_place(tenant, kb), upto, [storable(one) for one in doc_ids]]


def _build(row: DictRow) -> CommunityBuild:
    return CommunityBuild(
        number=row["build"],
        snapshot=row["snapshot"],
        forgotten=row["forgotten"],
        built_at=row["built_at"],
        took_s=row["took_s"],
        cut=row["cut"],
    )


def _row(gathered: Gathered, build: int) -> list[Any]:
    one = gathered.community
    tenant, kb = storable_id(one.tenant), storable_id(one.kb)
    return [
        tenant,
        kb,
        one.community_id,
        one.since,
        one.until,
        build,
        FOREVER,
        int(one.level),
        sorted(storable(tag) for tag in one.acl),
        one.component,
        len(one.doc_ids),
        sorted({hash_of(storable(entity), tenant=tenant, kb=kb) for entity in gathered.entity_ids}),
        sorted(one.chunk_ids),
        sorted(storable(doc_id) for doc_id in one.doc_ids),
        Jsonb(encode(one)),
    ]


def _community(row: DictRow) -> Community:
    return decode(Community, {**row["record"], "since": row["since"], "until": row["until"]})
