"""Edges to rows, and ids to what rows hold. The order of columns that are written, and which number means which kind or
relation, stand here and nowhere else; `graph_reading` is the way back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

from firstline.domain import Edge, Entity, EntityKind, Relation
from firstline.engines.postgres.text import UNSTORABLE, storable, storable_id
from firstline.ports import Scope

RELATIONS: Final[Mapping[Relation, int]] = {
    Relation.NAMES: 1,
    Relation.PART_OF: 2,
    Relation.NEXT: 3,
    Relation.REFERENCES: 4,
    Relation.MENTIONS: 5,
    Relation.RESOLVES: 6,
    Relation.HAS_ROOT_CAUSE: 7,
    Relation.AFFECTS: 8,
    Relation.APPLIES_TO: 9,
    Relation.SUPERSEDES: 10,
    Relation.DUPLICATE_OF: 11,
}
"""What rows hold already: numbers are added and never changed. The index of names is of 1."""

KINDS: Final[Mapping[EntityKind, int]] = {
    EntityKind.DOCUMENT: 1,
    EntityKind.SECTION: 2,
    EntityKind.ADDRESS: 3,
    EntityKind.COMPONENT: 4,
    EntityKind.ERROR: 5,
    EntityKind.VERSION: 6,
    EntityKind.METHOD: 7,
    EntityKind.COMMAND: 8,
    EntityKind.SETTING: 9,
    EntityKind.SYMPTOM: 10,
    EntityKind.ROOT_CAUSE: 11,
    EntityKind.RESOLUTION: 12,
}
KIND_NAMED: Final = {kind.value: number for kind, number in KINDS.items()}

INSERT: Final[LiteralString] = """INSERT INTO firstline.graph_edges (source_hash, target_hash, edge_id, chunk_id,
        confidence, access, since, until, span_start, span_end, relation, source_kind, target_kind,
        tenant, kb, doc_id, source_key, source_name, target_key, target_name, extractor)
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::uuid[], %s::uuid[],
        %s::double precision[], %s::integer[], %s::integer[], %s::integer[], %s::integer[], %s::integer[],
        %s::smallint[], %s::smallint[], %s::smallint[],
        %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
    ON CONFLICT (tenant, kb, edge_id) DO UPDATE SET
        confidence = excluded.confidence, access = excluded.access, since = excluded.since, until = excluded.until,
        span_start = excluded.span_start, span_end = excluded.span_end, doc_id = excluded.doc_id,
        source_name = excluded.source_name, target_name = excluded.target_name, extractor = excluded.extractor"""

COLUMNS: Final = 21

Access = tuple[str, str, str]
"""Tenant, knowledge base, and what names an ACL with a level."""


def hash_of(entity_id: str, *, tenant: str, kb: str) -> int:
    """64 bits, signed, as `bigint` holds them. Tenants share no entity, so they share no hash."""
    told = "\x1f".join((tenant, kb, entity_id)).encode()
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big", signed=True)


def access_of(edge: Edge) -> Access:
    told = "\x1f".join((str(int(edge.level)), *sorted(storable(tag) for tag in edge.acl)))
    return edge.tenant, edge.kb, hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def mended(edge: Edge) -> Edge:
    """The edge as it can be stored: its id is that of what will be read."""
    for own in (edge.tenant, edge.kb, edge.doc_id):
        storable_id(own)
    words = (edge.source.key, edge.source.name, edge.target.key, edge.target.name, edge.extractor)
    if not any(map(UNSTORABLE.search, words)):
        return edge
    return replace(edge, source=_mended(edge.source), target=_mended(edge.target), extractor=storable(edge.extractor))


def _mended(entity: Entity) -> Entity:
    return Entity(kind=entity.kind, key=storable(entity.key), name=storable(entity.name))


def edge_row(edge: Edge, edge_id: str, access: int) -> tuple[Any, ...]:
    return (
        hash_of(edge.source.entity_id, tenant=edge.tenant, kb=edge.kb),
        hash_of(edge.target.entity_id, tenant=edge.tenant, kb=edge.kb),
        edge_id,
        edge.chunk_id,
        edge.confidence,
        access,
        edge.since,
        edge.until,
        edge.start,
        edge.end,
        RELATIONS[edge.relation],
        KINDS[edge.source.kind],
        KINDS[edge.target.kind],
        edge.tenant,
        edge.kb,
        edge.doc_id,
        edge.source.key,
        edge.source.name,
        edge.target.key,
        edge.target.name,
        edge.extractor,
    )


_ENTITY_ID: Final = re.compile(r"(\w+):(.*)", re.DOTALL)


def parted(entity_id: str) -> tuple[int, str] | None:
    """Number of its kind, and key; None for what is no id of an entity."""
    found = _ENTITY_ID.fullmatch(entity_id)
    kind = KIND_NAMED.get(found[1]) if found else None
    return (kind, storable(found[2])) if found and kind is not None else None


def storable_ids(entity_ids: Collection[str]) -> list[str]:
    """The distinct ones, in their order; nearly always nothing has to be mended."""
    ids = list(dict.fromkeys(entity_ids))
    return [*dict.fromkeys(map(storable, ids))] if UNSTORABLE.search("".join(ids)) else ids


def hashes(entity_ids: Sequence[str], scope: Scope) -> str:
    """Of ids as they can be stored, in their order, as the text of an array: thousands of numbers that are sent one by
    one take longer than the look-up."""
    begun = hashlib.blake2b(f"{storable(scope.tenant)}\x1f{storable(scope.kb)}\x1f".encode(), digest_size=8)
    found: list[str] = []
    for one in entity_ids:
        own = begun.copy()
        own.update(one.encode())
        found.append(str(int.from_bytes(own.digest(), "big", signed=True)))
    return f"{{{','.join(found)}}}"
