"""Rows to edges, many at once: a walk of two hops reads some seven hundred, and building them took longer than finding
them. The columns of a row are those of `READ`, and stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, LiteralString

from firstline.domain import Edge, Entity, EntityKind, Level, Relation
from firstline.engines.postgres.graph_rows import KINDS, RELATIONS
from firstline.ports import Scope

# What rows are ordered by stands first, so that they are compared as they are. Ids as text: a UUID costs a microsecond
# to make and another one to write. Most edges are said of the document that says them: its id is not sent twice.
READ: Final[LiteralString] = """-e.confidence, e.edge_id::text, e.access, e.source_kind, e.source_key, e.source_name,
    e.relation, e.target_kind, e.target_key, e.target_name, nullif(e.doc_id, e.source_key), e.chunk_id::text,
    e.span_start, e.span_end, e.extractor, e.since, e.until"""
ID_COLUMN: Final = 1
ACCESS_COLUMN: Final = 2
SOURCE_KIND: Final = 3
SOURCE_KEY: Final = 4
TARGET_KIND: Final = 7
TARGET_KEY: Final = 8

Row = tuple[Any, ...]
Seen = Mapping[int, tuple[frozenset[str], Level]]
"""ACL and level by the number that stands in rows."""

RELATION_OF: Final[Mapping[int, Relation]] = {number: relation for relation, number in RELATIONS.items()}
KIND_OF: Final[Mapping[int, EntityKind]] = {number: kind for kind, number in KINDS.items()}
BEGINNING: Final[Mapping[int, str]] = {number: f"{kind}:" for kind, number in KINDS.items()}
"""Of the id of an entity, by the number of its kind."""


def _setters(noun: type) -> dict[str, Callable[[Any, Any], None]]:
    return {field.name: getattr(noun, field.name).__set__ for field in fields(noun)}


_EDGE: Final = _setters(Edge)
_ENTITY: Final = _setters(Entity)


def surest_first(rows: Iterable[Row]) -> list[Row]:
    """Each edge once, surest first, ties by id. It may be found from both of its ends."""
    return sorted({row[ID_COLUMN]: row for row in rows}.values())


def at_ends(rows: Iterable[Row], asked: Collection[str]) -> list[Row]:
    """Those with an end that was asked for: two ids may have one hash."""
    ids = frozenset(asked)
    return [
        row
        for row in rows
        if BEGINNING[row[SOURCE_KIND]] + row[SOURCE_KEY] in ids or BEGINNING[row[TARGET_KIND]] + row[TARGET_KEY] in ids
    ]


def at_targets(rows: Iterable[Row], asked: Collection[str]) -> list[Row]:
    ids = frozenset(asked)
    return [row for row in rows if BEGINNING[row[TARGET_KIND]] + row[TARGET_KEY] in ids]


def read_edges(rows: Sequence[Row], scope: Scope, seen: Seen) -> list[Edge]:
    """In the order of the rows. What `seen` does not know was purged between two looks, and is not shown.

    Fields are set by their slots: a frozen dataclass's own constructor takes more than twice as long, and has nothing
    to check here. An end that several edges share is one value.
    """
    new = object.__new__
    set_tenant, set_kb, set_acl, set_level = (_EDGE[name] for name in ("tenant", "kb", "acl", "level"))
    set_source, set_relation, set_target = (_EDGE[name] for name in ("source", "relation", "target"))
    set_doc_id, set_chunk_id, set_start, set_end = (_EDGE[name] for name in ("doc_id", "chunk_id", "start", "end"))
    set_extractor, set_confidence = _EDGE["extractor"], _EDGE["confidence"]
    set_since, set_until = _EDGE["since"], _EDGE["until"]
    tenant, kb = scope.tenant, scope.kb
    ends: dict[tuple[int, str, str], Entity] = {}
    found: list[Edge] = []
    for row in rows:
        (
            surely,
            _,
            access,
            source_kind,
            source_key,
            source_name,
            relation,
            target_kind,
            target_key,
            target_name,
            doc_id,
            chunk_id,
            start,
            end,
            extractor,
            since,
            until,
        ) = row
        if (readers := seen.get(access)) is None:
            continue
        edge = new(Edge)
        set_tenant(edge, tenant)
        set_kb(edge, kb)
        set_source(edge, _end(source_kind, source_key, source_name, ends))
        set_relation(edge, RELATION_OF[relation])
        set_target(edge, _end(target_kind, target_key, target_name, ends))
        set_doc_id(edge, source_key if doc_id is None else doc_id)
        set_chunk_id(edge, chunk_id)
        set_start(edge, start)
        set_end(edge, end)
        set_extractor(edge, extractor)
        set_confidence(edge, -surely)
        set_acl(edge, readers[0])
        set_level(edge, readers[1])
        set_since(edge, since)
        set_until(edge, until)
        found.append(edge)
    return found


def _end(kind: int, key: str, name: str, ends: dict[tuple[int, str, str], Entity]) -> Entity:
    told = (kind, key, name)
    if (known := ends.get(told)) is not None:
        return known
    entity = object.__new__(Entity)
    _ENTITY["kind"](entity, KIND_OF[kind])
    _ENTITY["key"](entity, key)
    _ENTITY["name"](entity, name)
    ends[told] = entity
    return entity
