"""The graph in Neo4j, or in another database that speaks Bolt and Cypher, through Neo4j's own driver.

The driver is an extra (`pip install firstline[neo4j]`) and imported when this engine is opened. Forgotten documents
stand in the ledger, which this engine does not see: `engines.forgotten_graph` goes around it.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Final, LiteralString, cast

from firstline.domain import Edge, Entity, EntityKind, Level, Relation
from firstline.engines import neo4j_cypher as cypher
from firstline.errors import Broken, FirstlineError, InvalidInput, Unavailable
from firstline.ports import Scope

if TYPE_CHECKING:
    from neo4j import AsyncManagedTransaction

CONNECTIONS_MAX: Final = 20
CONNECT_S_MAX: Final = 5.0
ACQUIRE_S_MAX: Final = 10.0
READ_S_MAX: Final = 15.0
RETRY_S_MAX: Final = 5.0
WRITE_S_MAX: Final = 120.0
ROWS_AT_ONCE: Final = 2_000
TRIES: Final = 6
"""Two who write the same entity at the same moment: one of them is told to do it again."""
PAUSE_S: Final = 0.05
REMEDY: Final = "Check that it runs and that FIRSTLINE_GRAPH_URL is right, then repeat."

Parameters = dict[str, Any]
Step = tuple[LiteralString, Parameters]


@asynccontextmanager
async def open_neo4j(*, url: str, user: str, password: str, database: str) -> AsyncGenerator[Neo4jGraph]:
    """Connected, with its indexes made. InvalidInput when the driver is not installed or the address is none,
    Unavailable when nobody answers there, Broken when the password is refused."""
    try:
        from neo4j import AsyncGraphDatabase
    except ImportError as error:
        raise InvalidInput(
            "The graph is to be kept in Neo4j, and its driver is not installed.",
            remedy="Install it with `pip install 'firstline[neo4j]'`, or set graph = \"ledger\".",
        ) from error
    with _translated():
        # Its options are not annotated.
        driver: Any = cast("Any", AsyncGraphDatabase).driver(
            url,
            auth=(user, password) if user else None,
            max_connection_pool_size=CONNECTIONS_MAX,
            connection_timeout=CONNECT_S_MAX,
            connection_acquisition_timeout=ACQUIRE_S_MAX,
            max_transaction_retry_time=RETRY_S_MAX,
            user_agent="firstline",
        )
    graph = Neo4jGraph(driver, database=database)
    try:
        await graph.prepare()
        yield graph
    finally:
        await graph.close()


class Neo4jGraph:
    """See ports.Graph."""

    def __init__(self, driver: Any, *, database: str) -> None:
        self._driver = driver
        self._database = database

    async def prepare(self) -> None:
        with _translated():
            # Nobody there, or the wrong password: told at once, and not after the patience that a write has.
            await self._driver.verify_connectivity()
        await self._write([(statement, {}) for statement in cypher.schema()])

    async def upsert(self, edges: Sequence[Edge]) -> None:
        whole = sorted({(edge.edge_id, edge.tenant, edge.kb): edge for edge in edges}.items())
        for at in range(0, len(whole), ROWS_AT_ONCE):
            part = whole[at : at + ROWS_AT_ONCE]
            nodes = {uid: node for _, edge in part for uid, node in _nodes(edge)}
            rows: dict[Relation, list[Parameters]] = defaultdict(list)
            for (edge_id, _, _), edge in part:
                rows[edge.relation].append(_row(edge, edge_id))
            await self._write(
                [
                    # Written whether they are there or not, in one order for all: who writes an edge holds both of its
                    # ends, so that no other writes the same edge between our look and our writing.
                    (cypher.NODES, {"nodes": [nodes[uid] for uid in sorted(nodes)]}),
                    *(
                        (statement, {"rows": own, "uids": [row["said"]["uid"] for row in own]})
                        for relation, own in sorted(rows.items())
                        for statement in (cypher.unwrite(relation), cypher.write(relation))
                    ),
                ]
            )

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        if chunk_ids:
            told = {"chunk_ids": list(chunk_ids), "until": until}
            await self._write([(cypher.set_until(relation), told) for relation in Relation])

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        await self._remove(_documents(tenant, kb, doc_ids, since), exactly=True)

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        await self._remove(_documents(tenant, kb, doc_ids, upto), exactly=False)

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        told = _documents(tenant, kb, doc_ids, upto)
        return sum(row["held"] for row in await self._read([(cypher.held(relation), told) for relation in Relation]))

    async def known(self, entity_ids: Collection[str], scope: Scope) -> frozenset[str]:
        uids = {_uid(one, scope.tenant, scope.kb): one for one in entity_ids}
        if not uids or not scope.acl_tags:
            return frozenset()
        rows = await self._read([(cypher.KNOWN, {**_scope(scope), "uids": list(uids)})])
        return frozenset(uids[row["uid"]] for row in rows)

    async def named(self, entity_ids: Collection[str], scope: Scope, *, limit_each: int) -> list[Edge]:
        return await self._best(cypher.named(), entity_ids, scope, limit_each)

    async def around(
        self, entity_ids: Sequence[str], scope: Scope, *, relations: Collection[Relation], limit_each: int
    ) -> list[Edge]:
        return await self._best(cypher.around(relations), entity_ids, scope, limit_each) if relations else []

    async def edges(
        self, scope: Scope, *, after: str = "", limit: int, chunk_ids: Collection[str] | None = None
    ) -> list[Edge]:
        if not scope.acl_tags:
            return []
        told = {
            **_scope(scope),
            "tenant": scope.tenant,
            "kb": scope.kb,
            "after": after,
            "limit": limit,
            "chunk_ids": list(chunk_ids or ()),
        }
        of_chunks = chunk_ids is not None
        rows = await self._read([(cypher.page(relation, of_chunks=of_chunks), told) for relation in Relation])
        rows.sort(key=lambda row: row["said"]["edge_id"])
        return [_edge(row) for row in rows[:limit]]

    async def count(self, *, tenant: str, kb: str) -> int:
        told = {"tenant": tenant, "kb": kb}
        return sum(row["held"] for row in await self._read([(cypher.count(relation), told) for relation in Relation]))

    async def close(self) -> None:
        with _translated():
            await self._driver.close()

    async def _best(
        self, query: LiteralString, entity_ids: Collection[str], scope: Scope, limit_each: int
    ) -> list[Edge]:
        if not entity_ids or not scope.acl_tags or limit_each < 1:
            return []
        uids = sorted({_uid(one, scope.tenant, scope.kb) for one in entity_ids})
        rows = await self._read([(query, {**_scope(scope), "uids": uids, "limit": limit_each})])
        found = {row["said"]["edge_id"]: row for row in rows}
        ordered = sorted(found.values(), key=lambda row: (-row["said"]["confidence"], row["said"]["edge_id"]))
        return [_edge(row) for row in ordered]

    async def _remove(self, told: Parameters, *, exactly: bool) -> None:
        if not told["doc_ids"]:
            return
        ends = await self._write([(cypher.remove(relation, exactly=exactly), told) for relation in Relation])
        uids = sorted({uid for row in ends for uid in (row["source"], row["target"])})
        for at in range(0, len(uids), ROWS_AT_ONCE):
            # An entity that nobody tells of any more is not there, and its key may be what is to be forgotten.
            await self._write([(cypher.LONELY, {"uids": uids[at : at + ROWS_AT_ONCE]})])

    async def _read(self, steps: Sequence[Step]) -> list[dict[str, Any]]:
        with _translated():
            async with asyncio.timeout(READ_S_MAX), self._driver.session(database=self._database or None) as session:
                return await session.execute_read(_run, steps)

    async def _write(self, steps: Sequence[Step]) -> list[dict[str, Any]]:
        """All or nothing. Done again when somebody else's write came between."""
        for _ in range(TRIES - 1):
            try:
                return await self._write_once(steps)
            except _Again:
                await asyncio.sleep(PAUSE_S * (1 + random.random()))  # noqa: S311  (two who met must not meet again)
        return await self._write_once(steps)

    async def _write_once(self, steps: Sequence[Step]) -> list[dict[str, Any]]:
        with _translated():
            async with asyncio.timeout(WRITE_S_MAX), self._driver.session(database=self._database or None) as session:
                return await session.execute_write(_run, steps)


class _Again(Unavailable):
    """Two writes met. Told to others as what it is: repeat in a moment."""


async def _run(transaction: AsyncManagedTransaction, steps: Sequence[Step]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for statement, parameters in steps:
        result = await transaction.run(statement, parameters)
        found += [record.data() for record in await result.fetch(_ALL)]
    return found


_ALL: Final = 2**31 - 1


@contextmanager
def _translated() -> Generator[None]:
    """Never quotes values: the driver's messages hold parts of statements alone, and none is passed on for data."""
    from neo4j import exceptions

    try:
        yield
    except FirstlineError:
        raise
    except (exceptions.AuthError, exceptions.Forbidden) as error:
        raise Broken(
            "The graph's database refuses this user.",
            remedy="Correct FIRSTLINE_GRAPH_USER and FIRSTLINE_GRAPH_PASSWORD.",
        ) from error
    except (exceptions.TransientError, exceptions.ConstraintError) as error:
        raise _Again("The graph's database asks to repeat.", remedy="Repeat in a moment.") from error
    except (exceptions.ConfigurationError, ValueError) as error:
        raise InvalidInput(
            "FIRSTLINE_GRAPH_URL is not the address of a database that speaks Bolt.",
            remedy="Write it like neo4j://host:7687 or bolt://host:7687.",
        ) from error
    except exceptions.Neo4jError as error:
        again = "ConcurrentModification" in str(error) or "DuplicatedKey" in str(error)
        if again:
            raise _Again("The graph's database asks to repeat.", remedy="Repeat in a moment.") from error
        raise Broken(
            f"The graph's database refused a statement ({error.code}).", remedy="`firstline doctor` looks closer."
        ) from error
    except (exceptions.DriverError, TimeoutError, OSError) as error:
        raise Unavailable("The graph's database does not answer.", remedy=REMEDY) from error


def _uid(entity_id: str, tenant: str, kb: str) -> str:
    """Names of any length and of any signs, as an index can hold them. Tenants share no entity."""
    told = "\x1f".join((tenant, kb, entity_id)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=16).hexdigest()


def _nodes(edge: Edge) -> list[tuple[str, Parameters]]:
    found: list[tuple[str, Parameters]] = []
    for entity in (edge.source, edge.target):
        uid = _uid(entity.entity_id, edge.tenant, edge.kb)
        node = {"uid": uid, "tenant": edge.tenant, "kb": edge.kb, "kind": entity.kind.value, "key": entity.key}
        found.append((uid, node))
    return found


def _row(edge: Edge, edge_id: str) -> Parameters:
    return {
        "source": _uid(edge.source.entity_id, edge.tenant, edge.kb),
        "target": _uid(edge.target.entity_id, edge.tenant, edge.kb),
        "said": {
            "uid": _uid(edge_id, edge.tenant, edge.kb),
            "edge_id": edge_id,
            "tenant": edge.tenant,
            "kb": edge.kb,
            # Names are what this text writes: on a node they would be everybody's.
            "source_name": edge.source.name,
            "target_name": edge.target.name,
            "doc_id": edge.doc_id,
            "chunk_id": edge.chunk_id,
            "span_start": edge.start,
            "span_end": edge.end,
            "extractor": edge.extractor,
            "confidence": edge.confidence,
            "acl": sorted(edge.acl),
            "level": int(edge.level),
            "since": edge.since,
            "until": edge.until,
        },
    }


def _edge(row: Mapping[str, Any]) -> Edge:
    said: Mapping[str, Any] = row["said"]
    return Edge(
        tenant=said["tenant"],
        kb=said["kb"],
        source=Entity(kind=EntityKind(row["source_kind"]), key=row["source_key"], name=said["source_name"]),
        relation=Relation(row["relation"]),
        target=Entity(kind=EntityKind(row["target_kind"]), key=row["target_key"], name=said["target_name"]),
        doc_id=said["doc_id"],
        chunk_id=said["chunk_id"],
        start=said["span_start"],
        end=said["span_end"],
        extractor=said["extractor"],
        confidence=said["confidence"],
        acl=frozenset(said["acl"]),
        level=Level(said["level"]),
        since=said["since"],
        until=said["until"],
    )


def _documents(tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> Parameters:
    return {"tenant": tenant, "kb": kb, "doc_ids": list(doc_ids), "since": since}


def _scope(scope: Scope) -> Parameters:
    return {"snapshot": scope.snapshot, "level": int(scope.level_max), "tags": sorted(scope.acl_tags)}
