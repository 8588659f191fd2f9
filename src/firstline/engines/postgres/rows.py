"""Documents and chunks to rows and back. The order of columns stands here and nowhere else."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final, LiteralString

from psycopg.types.json import Jsonb

from firstline.domain import Chunk, ChunkKind, Document, DocumentKind, Level
from firstline.engines.postgres.text import storable, storable_id
from firstline.ports import Scope, StoredDocument

COPY_DOCUMENTS: Final[LiteralString] = """COPY firstline.documents (
    tenant, kb, doc_id, since, until, kind, title, url, blob, size_bytes, content_hash, acl, level, metadata, chunks
) FROM STDIN"""

COPY_CHUNKS: Final[LiteralString] = """COPY firstline.chunks (
    chunk_id, tenant, kb, doc_id, since, until, ordinal, blob, span_start, span_end, lead_start, lead_end,
    kind, title, section_path, url, acl, level, metadata
) FROM STDIN"""


def document_row(stored: StoredDocument) -> tuple[Any, ...]:
    document = stored.document
    return (
        storable_id(document.tenant),
        storable_id(document.kb),
        storable_id(document.doc_id),
        document.since,
        document.until,
        document.kind.value,
        storable(document.title),
        _optional(document.url),
        document.blob,
        document.size_bytes,
        document.content_hash,
        _tags(document.acl),
        int(document.level),
        _metadata(document.metadata),
        len(stored.chunks),
    )


def chunk_row(chunk: Chunk) -> tuple[Any, ...]:
    lead_start, lead_end = chunk.lead if chunk.lead is not None else (None, None)
    return (
        chunk.chunk_id,
        storable_id(chunk.tenant),
        storable_id(chunk.kb),
        storable_id(chunk.doc_id),
        chunk.since,
        chunk.until,
        chunk.ordinal,
        chunk.blob,
        chunk.start,
        chunk.end,
        lead_start,
        lead_end,
        chunk.kind.value,
        storable(chunk.title),
        [storable(part) for part in chunk.section_path],
        _optional(chunk.url),
        _tags(chunk.acl),
        int(chunk.level),
        _metadata(chunk.metadata),
    )


def read_document(row: Mapping[str, Any]) -> Document:
    return Document(
        tenant=row["tenant"],
        kb=row["kb"],
        doc_id=row["doc_id"],
        kind=DocumentKind(row["kind"]),
        title=row["title"],
        url=row["url"],
        blob=row["blob"],
        size_bytes=row["size_bytes"],
        content_hash=row["content_hash"],
        acl=frozenset(row["acl"]),
        level=Level(row["level"]),
        since=row["since"],
        until=row["until"],
        metadata=row["metadata"],
    )


def read_chunk(row: Mapping[str, Any]) -> Chunk:
    return Chunk(
        chunk_id=str(row["chunk_id"]),
        tenant=row["tenant"],
        kb=row["kb"],
        doc_id=row["doc_id"],
        blob=row["blob"],
        ordinal=row["ordinal"],
        start=row["span_start"],
        end=row["span_end"],
        kind=ChunkKind(row["kind"]),
        title=row["title"],
        section_path=tuple(row["section_path"]),
        url=row["url"],
        acl=frozenset(row["acl"]),
        level=Level(row["level"]),
        since=row["since"],
        until=row["until"],
        lead=(row["lead_start"], row["lead_end"]) if row["lead_start"] is not None else None,
        metadata=row["metadata"],
    )


def scope_parameters(scope: Scope) -> dict[str, Any]:
    """For the functions chunks_in_scope and documents_in_scope."""
    return {
        "tenant": storable(scope.tenant),
        "kb": storable(scope.kb),
        "acl_tags": _tags(scope.acl_tags),
        "level_max": int(scope.level_max),
        "snapshot": scope.snapshot,
    }


def possible_ids(chunk_ids: Iterable[str]) -> list[str]:
    """Those that can be a chunk's id at all: the database would refuse the whole lookup for one that cannot."""
    return [chunk_id for chunk_id in chunk_ids if _is_canonical(chunk_id)]


def _is_canonical(chunk_id: str) -> bool:
    try:
        return str(uuid.UUID(chunk_id)) == chunk_id
    except ValueError:
        return False


def _optional(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _tags(tags: Iterable[str]) -> list[str]:
    return sorted(storable(tag) for tag in tags)


def _metadata(metadata: Mapping[str, str]) -> Jsonb:
    return Jsonb({storable(key): storable(value) for key, value in metadata.items()})
