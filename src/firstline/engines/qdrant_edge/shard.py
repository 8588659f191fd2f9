"""One Qdrant Edge shard: the chunk index of a data folder, synchronous, for the process that owns the folder.

Layout of the folder: `index.json` says what the shard holds and is written last; `shard/` is Qdrant's own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import qdrant_edge as qd

from firstline.engines.qdrant_edge.layout import shard_config, shard_indexes
from firstline.engines.qdrant_edge.search import EXACT_MAX, Search, any_of, equals
from firstline.errors import Broken, DataTooNew, FirstlineError, InvalidInput, Unavailable
from firstline.ports import Hit, IndexEntry, IndexQuery, SparseVector, Vectors

FORMAT: Final = 1
FLUSH_AFTER_POINTS: Final = 20_000
"""Bounds the log that the next start has to replay after a crash."""
FREE_BYTES_MIN: Final = 256 * 1024 * 1024
"""The shard grows by mapped files: running out of disk inside one kills the process, so it stops before."""

_REBUILD: Final = "Move the folder {folder} away and ingest again; the documents themselves are not touched."
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NAMESPACE: Final = uuid.UUID("3f0bb6b5-9e0c-5d8e-9c1c-6b1f6f1e7a10")


class Shard:
    def __init__(self, folder: Path, shard: qd.EdgeShard, *, exact_max: int) -> None:
        self._folder = folder
        self._shard = shard
        self._exact_max = exact_max
        self._unflushed = 0

    @classmethod
    def open(cls, folder: Path, *, dimensions: int, exact_max: int = EXACT_MAX) -> Shard:
        """Open or create. Broken when the folder is damaged or was written with other dimensions."""
        with _engine(f"open the chunk index in {folder}", remedy=_REBUILD.format(folder=folder), broken=True):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            note = folder / "index.json"
            if not note.exists():
                _create(folder, note, dimensions)
            _check(folder, note, dimensions)
            # The configuration is given again: what a newer version tunes reaches existing shards.
            shard = qd.EdgeShard.load(str(folder / "shard"), shard_config(dimensions))
        return cls(folder, shard, exact_max=exact_max)

    def upsert(self, entries: Sequence[IndexEntry]) -> None:
        """Written to the log and synced to disk when it returns."""
        if not entries:
            return
        self._require_room()
        with _engine("write to the chunk index"):
            self._update(qd.UpdateOperation.upsert_points([_point(entry) for entry in entries]))
        self._unflushed += len(entries)
        if self._unflushed >= FLUSH_AFTER_POINTS:
            self.flush()

    def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        if not chunk_ids:
            return
        self._require_room()
        with _engine("write to the chunk index"):
            # By filter: naming an unknown id outright is an error.
            chosen = qd.Filter(must=[qd.HasIdCondition({_point_id(chunk_id) for chunk_id in chunk_ids})])
            self._update(qd.UpdateOperation.set_payload_by_filter(chosen, {"until": until}))
        self._unflushed += len(chunk_ids)

    def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        if not doc_ids:
            return
        with _engine("delete from the chunk index"):
            chosen = qd.Filter(
                must=[
                    equals("tenant", tenant),
                    equals("kb", kb),
                    any_of("doc_id", doc_ids),
                    equals("since", since),
                ]
            )
            self._update(qd.UpdateOperation.delete_points_by_filter(chosen))
        self._unflushed += 1

    def search(self, query: IndexQuery) -> list[Hit]:
        if not query.scope.acl_tags or query.limit < 1:
            return []
        with _engine("search the chunk index"):
            return Search(self._shard, query, exact_max=self._exact_max).run()

    def count(self, *, tenant: str, kb: str) -> int:
        with _engine("count in the chunk index"):
            chosen = qd.Filter(must=[equals("tenant", tenant), equals("kb", kb)])
            return self._shard.count(qd.CountRequest(exact=True, filter=chosen))

    def size_bytes(self) -> int:
        """What the folder takes on disk. Its files are sparse, so their lengths would overstate it."""
        total = 0
        for root, _, names in os.walk(self._folder):
            for name in names:
                try:
                    total += (Path(root) / name).lstat().st_blocks * 512
                except FileNotFoundError:
                    continue  # a segment that was merged away meanwhile
        return total

    def flush(self) -> None:
        if self._unflushed:
            with _engine("flush the chunk index"):
                self._shard.flush()
            self._unflushed = 0

    def optimize(self) -> bool:
        """Build graphs and drop deleted points where worth it. Blocks for seconds to minutes past EXACT_MAX chunks."""
        self.flush()
        with _engine("optimise the chunk index"):
            return self._shard.optimize()

    def close(self) -> None:
        with _engine("close the chunk index"):
            self._shard.flush()
            self._shard.close()

    def _update(self, operation: qd.UpdateOperation) -> None:
        self._shard.update(operation)
        # The log is a mapped file that the kernel writes back when it likes: without this a power cut would lose
        # what was acknowledged, and the ledger would name chunks that the index has never heard of.
        for name in (self._folder / "shard" / "wal").iterdir():
            if name.name.startswith(("open-", "closed-")):
                _sync(name)

    def _require_room(self) -> None:
        free = shutil.disk_usage(self._folder).free
        if free < FREE_BYTES_MIN:
            raise Unavailable(
                f"The disk is full: {free // 2**20} MB are free where the chunk index lies ({self._folder}).",
                remedy=f"Free at least {FREE_BYTES_MIN // 2**20} MB, then repeat.",
            )


def _point(entry: IndexEntry) -> qd.Point:
    vectors: dict[str, Any] = {"chunk": _components(entry.dense), "words": _sparse(entry.words)}
    if entry.document_vector is not None:
        vectors["document"] = _components(entry.document_vector)
    point_id = _point_id(entry.chunk_id)
    payload: dict[str, Any] = {
        "tenant": entry.tenant,
        "kb": entry.kb,
        "doc_id": entry.doc_id,
        "acl": sorted(entry.acl),
        "level": int(entry.level),
        "since": entry.since,
        "until": entry.until,
    }
    if point_id != entry.chunk_id:
        payload["chunk_id"] = entry.chunk_id
    return qd.Point(id=point_id, vector=vectors, payload=payload)


def _components(vector: Vectors) -> list[float]:
    return vector.astype(np.float32, copy=False).tolist()


def _sparse(words: SparseVector) -> qd.SparseVector:
    return qd.SparseVector(indices=list(words.indices), values=list(words.values))


def _point_id(chunk_id: str) -> str:
    """Qdrant wants UUIDs, which chunk ids are. Anything else gets one made from it."""
    return chunk_id if _UUID.fullmatch(chunk_id) else str(uuid.uuid5(_NAMESPACE, chunk_id))


def _create(folder: Path, note: Path, dimensions: int) -> None:
    # Without the note nothing in there was ever acknowledged: it is what a first start that died has left.
    shutil.rmtree(folder / "shard", ignore_errors=True)
    shard = qd.EdgeShard.create(str(folder / "shard"), shard_config(dimensions))
    for operation in shard_indexes():
        shard.update(operation)
    shard.flush()
    shard.close()
    draft = folder / "index.json.new"
    draft.write_text(json.dumps({"format": FORMAT, "dimensions": dimensions}) + "\n", encoding="utf-8")
    _sync(draft)
    draft.replace(note)
    _sync(folder)


def _check(folder: Path, note: Path, dimensions: int) -> None:
    try:
        held = json.loads(note.read_text(encoding="utf-8"))
        held_format, held_dimensions = int(held["format"]), int(held["dimensions"])
    except (ValueError, KeyError, TypeError) as error:
        raise Broken(f"{note} is damaged: {error}.", remedy=_REBUILD.format(folder=folder)) from error
    if held_format > FORMAT:
        raise DataTooNew(f"{folder} was written by a newer firstline.", remedy="Upgrade firstline.")
    if held_dimensions != dimensions:
        raise Broken(
            f"The chunk index in {folder} holds vectors of {held_dimensions} dimensions; the embedder makes "
            f"{dimensions}.",
            remedy="Configure the embedder it was made with, or use another data folder and ingest again.",
        )


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _engine(attempt: str, *, remedy: str = "Repeat later.", broken: bool = False) -> Generator[None]:
    """Translate what the engine raises: plain `Exception`, and Rust panics, which are not even that."""
    try:
        yield
    except (FirstlineError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        first_line = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        if isinstance(error, PermissionError):
            raise Broken(f"Not allowed to {attempt}: {first_line}.", remedy="Give firstline's user access.") from error
        if "dimension" in first_line and not broken:
            raise InvalidInput(f"Could not {attempt}: {first_line}.") from error
        if broken and "No space left" not in first_line:
            raise Broken(f"Could not {attempt}: {first_line}.", remedy=remedy) from error
        raise Unavailable(f"Could not {attempt}: {first_line}.", remedy=remedy) from error
