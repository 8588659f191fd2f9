"""A document made of a text, and what is extracted from it, for the tests of extraction."""

from __future__ import annotations

from collections.abc import Mapping

from firstline.documents.extract import extract
from firstline.documents.prepare import prepare
from firstline.documents.redact import PatternRedactor
from firstline.documents.run import Prepared
from firstline.domain import EVERYONE, DocumentKind, Edge, EntityKind, Level, Relation, SourceItem

NO_METADATA: Mapping[str, str] = {}


def prepared(
    text: str,
    *,
    title: str = "",
    doc_id: str = "guide/pages/start.md",
    url: str | None = None,
    metadata: Mapping[str, str] = NO_METADATA,
    media_type: str = "text/markdown",
    extract_graph: bool = True,
    kind: DocumentKind = DocumentKind.DOCUMENTATION,
) -> Prepared:
    item = SourceItem(
        item_id=doc_id,
        kind=kind,
        media_type=media_type,
        raw=text.encode(),
        title=title,
        url=url,
        metadata=metadata,
        acl=frozenset({EVERYONE}),
        level=Level.CUSTOMER,
        content_hash="0",
    )
    return prepare(
        item,
        tenant="acme",
        kb="docs",
        candidate=3,
        redactor=PatternRedactor(),
        count_tokens=lambda part: len(part) // 4,
        chunk_tokens=200,
        extract_graph=extract_graph,
    )


def edges_of(text: str, **more: object) -> tuple[Edge, ...]:
    found = prepared(text, **more)  # type: ignore[arg-type]  # the keywords of `prepared`, passed on
    again = extract(found.document, found.chunks, found.blob)
    assert again == found.edges
    return found.edges


def keys(edges: tuple[Edge, ...], relation: Relation, kind: EntityKind | None = None) -> list[str]:
    """Keys of the targets, in order, each once."""
    told = [one.target for one in edges if one.relation is relation and kind in (None, one.target.kind)]
    return list(dict.fromkeys(one.key for one in told))


def named(text: str, kind: EntityKind) -> list[str]:
    """What a text under a heading mentions, as it is written there."""
    edges = edges_of(f"# A page of tests\n\n{text}\n")
    told = [one.target for one in edges if one.relation is Relation.MENTIONS and one.target.kind is kind]
    return list(dict.fromkeys(one.name for one in told))
