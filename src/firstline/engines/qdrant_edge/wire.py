"""What client and worker say to each other: length-prefixed frames of a JSON header and raw arrays.

    frame  = size of the rest (u32) | size of the header (u32) | header (JSON, UTF-8) | arrays, one after another

All numbers are little-endian. Nothing in a frame is executed or unpickled, and both sides check every size.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from firstline.domain import Level
from firstline.errors import (
    Broken,
    Conflict,
    DataTooNew,
    FirstlineError,
    InvalidInput,
    Unavailable,
)
from firstline.ports import Hit, IndexEntry, IndexQuery, Scope, SparseVector, Vectors

PROTOCOL: Final = 3
FRAME_BYTES_MAX: Final = 64 * 1024 * 1024
ENTRIES_MAX: Final = 128
"""Entries of one upsert: about 20 ms of work, so that a search never waits longer than that behind one."""
IDS_MAX: Final = 5_000
VECTORS_MAX: Final = 256
"""Vectors asked for at once: a few ms of work."""

Array = npt.NDArray[np.float32 | np.uint32]
_TYPES: Final[Mapping[str, type[np.float32 | np.uint32]]] = {"<f4": np.float32, "<u4": np.uint32}
_SIZES: Final = struct.Struct("<II")
_ERRORS: Final[Mapping[str, type[FirstlineError]]] = {
    kind.code: kind for kind in (InvalidInput, Conflict, Unavailable, Broken, DataTooNew)
}


class Garbled(Exception):
    """The other side does not speak this protocol. The connection is closed; nothing else can be trusted on it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    header: Mapping[str, Any]
    arrays: Sequence[Array] = field(default_factory=tuple[Array, ...])


def encode(message: Message) -> bytes:
    """InvalidInput when the frame would be larger than FRAME_BYTES_MAX."""
    shapes = [[array.dtype.str, list(array.shape)] for array in message.arrays]
    header = json.dumps({**message.header, "arrays": shapes}, separators=(",", ":")).encode()
    bodies = [np.ascontiguousarray(array).tobytes() for array in message.arrays]
    size = 4 + len(header) + sum(len(body) for body in bodies)
    if size > FRAME_BYTES_MAX:
        raise InvalidInput(f"A message of {size} bytes to the chunk index is too large.", remedy="Send less at once.")
    return b"".join((_SIZES.pack(size, len(header)), header, *bodies))


async def read(reader: asyncio.StreamReader) -> Message:
    """The next frame. IncompleteReadError at the end of the stream, Garbled when it is not a frame."""
    size, header_size = _SIZES.unpack(await reader.readexactly(_SIZES.size))
    if size > FRAME_BYTES_MAX or header_size + 4 > size:
        raise Garbled(f"a frame of {size} bytes with a header of {header_size}")
    return decode(await reader.readexactly(size - 4), header_size)


def decode(frame: bytes, header_size: int) -> Message:
    try:
        header = json.loads(frame[:header_size])
        arrays: list[Array] = []
        at = header_size
        for kind, shape in header.pop("arrays"):
            dtype = np.dtype(_TYPES[kind])
            lengths = tuple(int(length) for length in shape)
            if len(lengths) > 2 or any(length < 0 for length in lengths):
                raise ValueError(f"shape {lengths}")
            count = int(np.prod(lengths, dtype=np.int64))
            arrays.append(np.frombuffer(frame, dtype=dtype, count=count, offset=at).reshape(lengths))
            at += count * dtype.itemsize
        if at != len(frame):
            raise ValueError(f"{len(frame) - at} bytes left over")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Garbled(f"a frame that does not decode: {error}") from error
    return Message(header=header, arrays=arrays)


# --- entries, queries, hits and errors ------------------------------------------------------------------------------


def entries_to_message(entries: Sequence[IndexEntry]) -> Message:
    columns = [[e.chunk_id, e.tenant, e.kb, e.doc_id, sorted(e.acl), int(e.level), e.since, e.until] for e in entries]
    carriers = [row for row, entry in enumerate(entries) if entry.document_vector is not None]
    documents = [entry.document_vector for entry in entries if entry.document_vector is not None]
    dense = np.array([entry.dense for entry in entries], dtype="<f4")
    return Message(
        header={"columns": columns},
        arrays=(
            dense,
            np.array([len(entry.words.indices) for entry in entries], dtype="<u4"),
            np.array([index for entry in entries for index in entry.words.indices], dtype="<u4"),
            np.array([value for entry in entries for value in entry.words.values], dtype="<f4"),
            np.array(carriers, dtype="<u4"),
            np.array(documents, dtype="<f4").reshape(len(documents), dense.shape[1]),
        ),
    )


def entries_of(message: Message) -> list[IndexEntry]:
    dense, lengths, indices, values, carriers, documents = message.arrays
    ends: list[int] = np.cumsum(lengths).tolist()
    all_indices: list[int] = indices.tolist()
    all_values: list[float] = values.tolist()
    document_of: dict[int, int] = {int(row): at for at, row in enumerate(carriers.tolist())}
    entries: list[IndexEntry] = []
    start = 0
    for row, (column, end) in enumerate(zip(message.header["columns"], ends, strict=True)):
        chunk_id, tenant, kb, doc_id, acl, level, since, until = column
        entries.append(
            IndexEntry(
                chunk_id=chunk_id,
                tenant=tenant,
                kb=kb,
                doc_id=doc_id,
                acl=frozenset(acl),
                level=Level(level),
                since=since,
                until=until,
                dense=np.asarray(dense[row], dtype=np.float32),
                words=SparseVector(indices=tuple(all_indices[start:end]), values=tuple(all_values[start:end])),
                document_vector=(
                    np.asarray(documents[document_of[row]], dtype=np.float32) if row in document_of else None
                ),
            )
        )
        start = end
    return entries


def scope_to_header(scope: Scope) -> dict[str, Any]:
    return {
        "tenant": scope.tenant,
        "kb": scope.kb,
        "acl_tags": sorted(scope.acl_tags),
        "level_max": int(scope.level_max),
        "snapshot": scope.snapshot,
    }


def scope_of(header: Mapping[str, Any]) -> Scope:
    return Scope(
        tenant=header["tenant"],
        kb=header["kb"],
        acl_tags=frozenset(header["acl_tags"]),
        level_max=Level(header["level_max"]),
        snapshot=header["snapshot"],
    )


def query_to_message(query: IndexQuery) -> Message:
    return Message(
        header={**scope_to_header(query.scope), "limit": query.limit},
        arrays=(
            np.asarray(query.dense, dtype="<f4"),
            np.array(query.words.indices, dtype="<u4"),
            np.array(query.words.values, dtype="<f4"),
        ),
    )


def query_of(message: Message) -> IndexQuery:
    dense, indices, values = message.arrays
    header = message.header
    return IndexQuery(
        scope=scope_of(header),
        dense=np.asarray(dense, dtype=np.float32),
        words=SparseVector(indices=tuple(indices.tolist()), values=tuple(values.tolist())),
        limit=header["limit"],
    )


def hits_to_message(hits: Sequence[Hit]) -> Message:
    scores = np.array([(hit.dense, hit.words, hit.document) for hit in hits], dtype="<f4").reshape(len(hits), 3)
    return Message(header={"hits": [[hit.chunk_id, hit.doc_id] for hit in hits]}, arrays=(scores,))


def hits_of(message: Message) -> list[Hit]:
    rows: list[list[float]] = message.arrays[0].tolist()
    return [
        Hit(chunk_id=chunk_id, doc_id=doc_id, dense=dense, words=words, document=document)
        for (chunk_id, doc_id), (dense, words, document) in zip(message.header["hits"], rows, strict=True)
    ]


def vectors_to_message(vectors: Mapping[str, Vectors], *, dimensions: int) -> Message:
    rows = np.array(list(vectors.values()), dtype="<f4").reshape(len(vectors), dimensions)
    return Message(header={"chunk_ids": list(vectors)}, arrays=(rows,))


def vectors_of(message: Message) -> dict[str, Vectors]:
    rows = np.asarray(message.arrays[0], dtype=np.float32)
    return dict(zip(message.header["chunk_ids"], rows, strict=True))


def error_to_header(error: FirstlineError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}


def error_of(header: Mapping[str, Any]) -> FirstlineError | None:
    told = header.get("error")
    if told is None:
        return None
    return _ERRORS.get(told["code"], Unavailable)(told["message"], remedy=told["remedy"])
