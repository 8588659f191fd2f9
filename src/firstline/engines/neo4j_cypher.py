"""The statements of the Neo4j engine. Cypher that Neo4j 5 and others that speak it over Bolt run alike.

An entity is a node; an edge is a relationship of its relation's type, with everything that its chunk says on it. Values
are parameters. A type cannot be one, so it is written out, from the enumeration and never from a text.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, LiteralString, cast

from firstline.domain import Relation

LABEL: Final[LiteralString] = "FirstlineEntity"

READABLE: Final[LiteralString] = (
    "r.since <= $snapshot AND r.until > $snapshot AND r.level <= $level AND any(tag IN r.acl WHERE tag IN $tags)"
)
READ: Final[LiteralString] = (
    "properties(r) AS said, type(r) AS relation, s.kind AS source_kind, s.key AS source_key,"
    " t.kind AS target_kind, t.key AS target_key"
)
BEST: Final[LiteralString] = "ORDER BY r.confidence DESC, r.edge_id LIMIT $limit"

NODES: Final[LiteralString] = (
    f"UNWIND $nodes AS node MERGE (n:{LABEL} {{uid: node.uid}})"
    " SET n.tenant = node.tenant, n.kb = node.kb, n.kind = node.kind, n.key = node.key"
)
LONELY: Final[LiteralString] = f"UNWIND $uids AS uid MATCH (n:{LABEL} {{uid: uid}}) WHERE NOT (n)--() DELETE n"
KNOWN: Final[LiteralString] = (
    f"UNWIND $uids AS uid MATCH (n:{LABEL} {{uid: uid}})-[r]-(:{LABEL}) WHERE {READABLE} RETURN DISTINCT uid"
)


def schema() -> list[LiteralString]:
    """May be run again."""
    made: list[LiteralString] = [
        f"CREATE CONSTRAINT firstline_entity IF NOT EXISTS FOR (n:{LABEL}) REQUIRE n.uid IS UNIQUE"
    ]
    for relation in Relation:
        name = _type(relation)
        for key in ("uid", "edge_id", "chunk_id", "doc_id"):
            made.append(f"CREATE INDEX firstline_{name}_{key} IF NOT EXISTS FOR ()-[r:{name}]-() ON (r.{key})")
    return made


def unwrite(relation: Relation) -> LiteralString:
    """Found by its index: a MERGE would go through all relationships of a hub, for each one that it writes."""
    return f"MATCH ()-[r:{_type(relation)}]->() WHERE r.uid IN $uids DELETE r"


def write(relation: Relation) -> LiteralString:
    """Both nodes are there, and the relationships are not."""
    return (
        f"UNWIND $rows AS row MATCH (s:{LABEL} {{uid: row.source}}) MATCH (t:{LABEL} {{uid: row.target}})"
        f" CREATE (s)-[r:{_type(relation)}]->(t) SET r += row.said"
    )


def set_until(relation: Relation) -> LiteralString:
    return f"MATCH ()-[r:{_type(relation)}]->() WHERE r.chunk_id IN $chunk_ids SET r.until = $until"


def remove(relation: Relation, *, exactly: bool) -> LiteralString:
    """What documents say since a snapshot, `exactly`, or up to it; returns both ends of each."""
    return (
        f"{_of_documents(relation, exactly=exactly)} WITH r, startNode(r).uid AS source, endNode(r).uid AS target"
        " DELETE r RETURN source, target"
    )


def held(relation: Relation) -> LiteralString:
    return f"{_of_documents(relation, exactly=False)} RETURN count(r) AS held"


def named() -> LiteralString:
    return (
        f"UNWIND $uids AS uid CALL {{ WITH uid MATCH (s:{LABEL})-[r:{_type(Relation.NAMES)}]->(t:{LABEL} {{uid: uid}})"
        f" WHERE {READABLE} RETURN s, r, t {BEST} }} RETURN {READ}"
    )


def around(relations: Collection[Relation]) -> LiteralString:
    types = _types(relations)
    return (
        f"UNWIND $uids AS uid CALL {{"
        f" WITH uid MATCH (s:{LABEL} {{uid: uid}})-[r:{types}]->(t:{LABEL}) WHERE {READABLE} RETURN s, r, t {BEST}"
        f" UNION ALL"
        f" WITH uid MATCH (s:{LABEL})-[r:{types}]->(t:{LABEL} {{uid: uid}}) WHERE {READABLE} RETURN s, r, t {BEST}"
        f" }} RETURN {READ}"
    )


def page(relation: Relation, *, of_chunks: bool) -> LiteralString:
    chunks: LiteralString = " AND r.chunk_id IN $chunk_ids" if of_chunks else ""
    return (
        f"MATCH (s:{LABEL})-[r:{_type(relation)}]->(t:{LABEL}) WHERE r.edge_id > $after{chunks}"
        f" AND r.tenant = $tenant AND r.kb = $kb AND {READABLE} RETURN {READ} ORDER BY r.edge_id LIMIT $limit"
    )


def count(relation: Relation) -> LiteralString:
    return f"MATCH ()-[r:{_type(relation)}]->() WHERE r.tenant = $tenant AND r.kb = $kb RETURN count(r) AS held"


def _of_documents(relation: Relation, *, exactly: bool) -> LiteralString:
    compared: LiteralString = "=" if exactly else "<="
    return (
        f"MATCH ()-[r:{_type(relation)}]->() WHERE r.doc_id IN $doc_ids"
        f" AND r.tenant = $tenant AND r.kb = $kb AND r.since {compared} $since"
    )


def _types(relations: Collection[Relation]) -> LiteralString:
    return "|".join(_type(relation) for relation in Relation if relation in relations)


def _type(relation: Relation) -> LiteralString:
    return cast("LiteralString", relation.value)
