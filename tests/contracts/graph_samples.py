"""Edges for the contract of the graph."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from firstline.domain import FOREVER, Edge, Entity, EntityKind, Level, Relation
from firstline.ports import Scope

KB = "docs"
EVERY = tuple(Relation)


def component(name: str, key: str | None = None) -> Entity:
    return Entity(kind=EntityKind.COMPONENT, key=name if key is None else key, name=name)


def document(doc_id: str) -> Entity:
    return Entity(kind=EntityKind.DOCUMENT, key=doc_id, name=doc_id.title())


def chunk_id(tenant: str, doc_id: str, place: int = 0) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{tenant}/{doc_id}/{place}"))


def edge(
    tenant: str,
    doc_id: str = "page.md",
    source: Entity | None = None,
    target: Entity | None = None,
    *,
    relation: Relation = Relation.MENTIONS,
    place: int = 0,
    **changes: Any,
) -> Edge:
    """What chunk number `place` of a document says; without a source, of the document itself."""
    since = changes.get("since", 1)
    made = Edge(
        tenant=tenant,
        kb=KB,
        source=source or document(doc_id),
        relation=relation,
        target=target or component("gateway"),
        doc_id=doc_id,
        chunk_id=chunk_id(tenant, f"{doc_id}@{since}", place),
        start=3,
        end=17,
        extractor="1",
        confidence=0.9,
        acl=frozenset({"everyone"}),
        level=Level.PUBLIC,
        since=1,
        until=FOREVER,
    )
    return replace(made, **changes)


def scope(tenant: str, **changes: Any) -> Scope:
    made = Scope(tenant=tenant, kb=KB, acl_tags=frozenset({"everyone"}), level_max=Level.CUSTOMER, snapshot=1)
    return replace(made, **changes)
