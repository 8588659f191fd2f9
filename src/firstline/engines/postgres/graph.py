"""The graph on the ledger's Postgres. A look-up is one statement, whatever the number of entities asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow, tuple_row

from firstline.domain import Edge, Level, Relation
from firstline.engines.postgres.graph_reading import (
    ACCESS_COLUMN,
    Row,
    at_ends,
    at_targets,
    read_edges,
    surest_first,
)
from firstline.engines.postgres.graph_rows import (
    COLUMNS,
    INSERT,
    RELATIONS,
    Access,
    access_of,
    edge_row,
    hashes,
    mended,
    parted,
    storable_ids,
)
from firstline.engines.postgres.graph_statements import AROUND, EDGES, EDGES_OF_CHUNKS, KNOWN, NAMED
from firstline.engines.postgres.pool import Database
from firstline.engines.postgres.rows import possible_ids, scope_parameters
from firstline.engines.postgres.text import storable
from firstline.errors import InvalidInput, Unavailable
from firstline.ports import Scope

ROWS_AT_ONCE: Final = 5_000
ACCESSES_KEPT: Final = 10_000
ACCESS_TRIES: Final = 3
"""It may be removed between two looks."""

NIL: Final = "0" * 32
_EDGE_ID: Final = re.compile("[0-9a-f]{32}")


class PostgresGraph:
    """See ports.Graph."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # What a number of an access means never changes, and a number is never given again.
        self._accesses: dict[int, tuple[frozenset[str], Level]] = {}

    async def upsert(self, edges: Sequence[Edge]) -> None:
        # In one order for all, so that two who write the same edges do not lock each other out.
        whole = sorted({(edge.edge_id, edge.tenant, edge.kb): edge for edge in map(mended, edges)}.items())
        for at in range(0, len(whole), ROWS_AT_ONCE):
            part = whole[at : at + ROWS_AT_ONCE]
            async with self._database.transaction() as connection:
                numbers = await _accesses(connection, {access_of(edge): edge for _, edge in part})
                rows = [edge_row(edge, edge_id, numbers[access_of(edge)]) for (edge_id, _, _), edge in part]
                columns = [[row[column] for row in rows] for column in range(COLUMNS)]
                await connection.execute(INSERT, columns)

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                "UPDATE firstline.graph_edges SET until = %s WHERE chunk_id = ANY (%s::uuid[]) AND until <> %s",
                [until, possible_ids(chunk_ids), until],
            )

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        async with self._database.connection() as connection:
            await connection.execute(
                """DELETE FROM firstline.graph_edges
                WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s) AND since = %s""",
                [*_place(tenant, kb), [storable(one) for one in doc_ids], since],
            )

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        place = _place(tenant, kb)
        async with self._database.transaction() as connection:
            await connection.execute(
                """DELETE FROM firstline.graph_edges
                WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s) AND since <= %s""",
                [*place, [storable(one) for one in doc_ids], upto],
            )
            await _forget_accesses(connection, place)

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        row = await self._database.row(
            """SELECT count(*) AS held FROM firstline.graph_edges
            WHERE tenant = %s AND kb = %s AND doc_id = ANY (%s) AND since <= %s""",
            [*_place(tenant, kb), [storable(one) for one in doc_ids], upto],
        )
        return row["held"] if row else 0

    async def known(self, entity_ids: Collection[str], scope: Scope) -> frozenset[str]:
        asked = [(one, found) for one in dict.fromkeys(entity_ids) if (found := parted(one)) is not None]
        if not asked or not scope.acl_tags:
            return frozenset()
        rows = await self._rows(
            KNOWN,
            {
                **scope_parameters(scope),
                "hashes": hashes([storable(one) for one, _ in asked], scope),
                "kinds": [kind for _, (kind, _) in asked],
                "keys": [key for _, (_, key) in asked],
            },
        )
        return frozenset(asked[int(row[0]) - 1][0] for row in rows)

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        ids = storable_ids(entity_ids)
        if not ids or not scope.acl_tags or limit_each < 1:
            return []
        parameters = {**scope_parameters(scope), "hashes": hashes(ids, scope), "limit": limit_each}
        rows = surest_first(await self._rows(NAMED, parameters))
        return await self._edges(at_targets(rows, ids), scope)

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        ids = storable_ids(entity_ids)
        if not ids or not scope.acl_tags or not relations or limit_each < 1:
            return []
        parameters = {
            **scope_parameters(scope),
            "hashes": hashes(ids, scope),
            "relations": sorted(RELATIONS[one] for one in set(relations)),
            "limit": limit_each,
        }
        rows = surest_first(await self._rows(AROUND, parameters))
        return await self._edges(at_ends(rows, ids), scope)

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        if after and not _EDGE_ID.fullmatch(after):
            raise InvalidInput(f"{after[:100]!r} is no id of an edge.", remedy="Give one that was answered before.")
        parameters = {**scope_parameters(scope), "after": after or NIL, "limit": limit}
        if chunk_ids is None:
            return await self._edges(await self._rows(EDGES, parameters), scope)
        parameters["chunk_ids"] = possible_ids(chunk_ids)
        return await self._edges(await self._rows(EDGES_OF_CHUNKS, parameters), scope)

    async def count(self, *, tenant: str, kb: str) -> int:
        row = await self._database.row(
            "SELECT count(*) AS held FROM firstline.graph_edges WHERE tenant = %s AND kb = %s", _place(tenant, kb)
        )
        return row["held"] if row else 0

    async def close(self) -> None:
        """The pool is the ledger's."""
        self._accesses.clear()

    async def _rows(self, query: LiteralString, parameters: dict[str, Any]) -> list[Row]:
        async with (
            self._database.connection() as connection,
            connection.cursor(row_factory=tuple_row, binary=True) as cursor,
        ):
            # From the first time on: a connection plans one anew until it was asked five times in its prepared form.
            return await (await cursor.execute(query, parameters, prepare=True)).fetchall()

    async def _edges(self, rows: Sequence[Row], scope: Scope) -> list[Edge]:
        await self._learn({row[ACCESS_COLUMN] for row in rows})
        return read_edges(rows, scope, self._accesses)

    async def _learn(self, accesses: set[int]) -> None:
        unknown = [access for access in accesses if access not in self._accesses]
        if not unknown:
            return
        if len(self._accesses) + len(unknown) > ACCESSES_KEPT:
            self._accesses.clear()
            unknown = list(accesses)
        rows = await self._database.rows(
            "SELECT access, acl, level FROM firstline.graph_access WHERE access = ANY (%s)", [unknown]
        )
        self._accesses |= {row["access"]: (frozenset(row["acl"]), Level(row["level"])) for row in rows}


def _place(tenant: str, kb: str) -> list[str]:
    return [storable(tenant), storable(kb)]


async def _accesses(connection: AsyncConnection[DictRow], wanted: dict[Access, Edge]) -> dict[Access, int]:
    """Their numbers, made where they are not there yet and kept from being removed until the transaction ends."""
    return {access: await _access(connection, access, edge) for access, edge in sorted(wanted.items(), key=_first)}


def _first(pair: tuple[Access, Edge]) -> Access:
    return pair[0]


async def _access(connection: AsyncConnection[DictRow], access: Access, edge: Edge) -> int:
    for _ in range(ACCESS_TRIES):
        cursor = await connection.execute(
            """INSERT INTO firstline.graph_access (tenant, kb, told, level, acl) VALUES (%s, %s, %s, %s, %s)
            ON CONFLICT (tenant, kb, told) DO NOTHING RETURNING access""",
            [*access, int(edge.level), sorted(storable(tag) for tag in edge.acl)],
        )
        row = await cursor.fetchone()
        if row is None:
            cursor = await connection.execute(
                "SELECT access FROM firstline.graph_access WHERE tenant = %s AND kb = %s AND told = %s FOR KEY SHARE",
                access,
            )
            row = await cursor.fetchone()
        if row is not None:
            return row["access"]
    raise Unavailable("What edges of this knowledge base name is being removed.", remedy="Repeat in a moment.")


async def _forget_accesses(connection: AsyncConnection[DictRow], place: list[str]) -> None:
    """A knowledge base without edges names nobody either. Locked first: who writes edges meanwhile has locked, too."""
    await connection.execute(
        "SELECT FROM firstline.graph_access WHERE tenant = %s AND kb = %s ORDER BY access FOR UPDATE", place
    )
    await connection.execute(
        """DELETE FROM firstline.graph_access AS known WHERE tenant = %s AND kb = %s AND NOT EXISTS (
            SELECT FROM firstline.graph_edges e WHERE e.tenant = known.tenant AND e.kb = known.kb)""",
        place,
    )
