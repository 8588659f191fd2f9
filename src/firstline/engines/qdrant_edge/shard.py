"""One Qdrant Edge shard: the chunk index of a data folder, synchronous, for the process that owns the folder.

Layout of the folder: `index.json` names the shard that counts and is written last; `shard/`, or `shard-N/` after its
graphs were built, is Qdrant's own.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import qdrant_edge as qd

from firstline.engines.qdrant_edge.layout import shard_config, shard_indexes
from firstline.engines.qdrant_edge.note import REBUILD, Note, read_note, remove_strays, sync, write_note
from firstline.engines.qdrant_edge.search import EXACT_MAX, Search, any_of, equals, neighbour
from firstline.errors import Broken, FirstlineError, InvalidInput, Unavailable
from firstline.ports import Hit, IndexEntry, IndexQuery, Scope, SparseVector, Vectors

FLUSH_AFTER_POINTS: Final = 20_000
"""Bounds the log that the next start has to replay after a crash."""
FREE_BYTES_MIN: Final = 256 * 1024 * 1024
"""The shard grows by mapped files: running out of disk inside one kills the process, so it stops before."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NAMESPACE: Final = uuid.UUID("3f0bb6b5-9e0c-5d8e-9c1c-6b1f6f1e7a10")


class Shard:
    def __init__(self, path: Path, shard: qd.EdgeShard, *, note: Note, exact_max: int) -> None:
        self._path = path
        self._shard = shard
        self._unflushed = 0
        self.note = note
        self.exact_max = exact_max

    @classmethod
    def open(cls, folder: Path, *, dimensions: int, exact_max: int = EXACT_MAX) -> Shard:
        """Open or create the shard that the folder's note names, and remove others: the caller owns the folder.
        Broken when the folder is damaged or was written with other dimensions."""
        with _engine(f"open the chunk index in {folder}", remedy=REBUILD.format(folder=folder), broken=True):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not (folder / "index.json").exists():
                _create(folder, dimensions)
            note = read_note(folder, dimensions=dimensions)
            remove_strays(folder, keep=note.shard)
            return cls(folder / note.shard, _load(folder / note.shard, dimensions), note=note, exact_max=exact_max)

    @classmethod
    def open_copy(cls, path: Path, *, dimensions: int, exact_max: int = EXACT_MAX) -> Shard:
        """Open a copy of a shard that no note names yet."""
        with _engine(f"open the copy {path}", remedy="It is made again when more is written."):
            note = Note(dimensions=dimensions, shard=path.name)
            return cls(path, _load(path, dimensions), note=note, exact_max=exact_max)

    def make_current(self, *, built: int) -> None:
        """Let the folder's note name this shard, with everything in it on disk. `built`: points when it was copied."""
        self.flush()
        self.note = replace(self.note, built=built)
        write_note(self._path.parent, self.note)

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

    def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        if not doc_ids:
            return
        with _engine("delete from the chunk index"):
            chosen = _of_documents(tenant, kb, doc_ids, upto)
            self._update(qd.UpdateOperation.delete_points_by_filter(chosen))
        self._unflushed += 1

    def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        with _engine("count in the chunk index"):
            chosen = _of_documents(tenant, kb, doc_ids, upto)
            return self._shard.count(qd.CountRequest(exact=True, filter=chosen)) if doc_ids else 0

    def search(self, query: IndexQuery) -> list[Hit]:
        if not query.scope.acl_tags or query.limit < 1:
            return []
        with _engine("search the chunk index"):
            return Search(self._shard, query, exact_max=self.exact_max).run()

    def neighbour(self, doc_id: str, scope: Scope, exclude: Collection[str]) -> float:
        if not scope.acl_tags:
            return 0.0
        with _engine("search the chunk index"):
            return neighbour(self._shard, doc_id, scope, exclude, exact_max=self.exact_max)

    def vectors(self, chunk_ids: Sequence[str], *, tenant: str, kb: str) -> dict[str, Vectors]:
        if not chunk_ids:
            return {}
        names = {_point_id(chunk_id): chunk_id for chunk_id in chunk_ids}
        chosen = qd.Filter(must=[equals("tenant", tenant), equals("kb", kb), qd.HasIdCondition(set(names))])
        with _engine("read from the chunk index"):
            points, _ = self._shard.scroll(
                qd.ScrollRequest(limit=len(names), filter=chosen, with_payload=False, with_vector=["chunk"])
            )
        return {
            names[str(point.id)]: np.asarray(cast("dict[str, list[float]]", point.vector)["chunk"], dtype=np.float32)
            for point in points
        }

    def count(self, *, tenant: str, kb: str, since: int | None = None) -> int:
        with _engine("count in the chunk index"):
            at = [] if since is None else [equals("since", since)]
            chosen = qd.Filter(must=[equals("tenant", tenant), equals("kb", kb), *at])
            return self._shard.count(qd.CountRequest(exact=True, filter=chosen))

    def size_bytes(self) -> int:
        """What the shard takes on disk. Its files are sparse, so their lengths would overstate it."""
        total = 0
        for root, _, names in os.walk(self._path):
            for name in names:
                try:
                    total += (Path(root) / name).lstat().st_blocks * 512
                except FileNotFoundError:
                    continue  # a segment that was merged away meanwhile
        return total

    def points(self) -> int:
        """Chunks of every knowledge base, ended ones included."""
        with _engine("count in the chunk index"):
            return self._shard.info().points_count

    def fresh_points(self) -> int:
        """Points beyond those that were there when graphs were last built."""
        return max(0, self.points() - self.note.built)

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
        for name in (self._path / "wal").iterdir():
            if name.name.startswith(("open-", "closed-")):
                sync(name)

    def _require_room(self) -> None:
        free = shutil.disk_usage(self._path).free
        if free < FREE_BYTES_MIN:
            raise Unavailable(
                f"The disk is full: {free // 2**20} MB are free where the chunk index lies ({self._path.parent}).",
                remedy=f"Free at least {FREE_BYTES_MIN // 2**20} MB, then repeat.",
            )


def _of_documents(tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> qd.Filter:
    return qd.Filter(
        must=[
            equals("tenant", tenant),
            equals("kb", kb),
            any_of("doc_id", doc_ids),
            qd.FieldCondition("since", range=qd.RangeFloat(lte=upto)),
        ]
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


def _load(path: Path, dimensions: int) -> qd.EdgeShard:
    # The configuration is given again: what a newer version tunes reaches existing shards.
    return qd.EdgeShard.load(str(path), shard_config(dimensions))


def _create(folder: Path, dimensions: int) -> None:
    # Without the note nothing in there was ever acknowledged: it is what a first start that died has left.
    remove_strays(folder, keep=None)
    note = Note(dimensions=dimensions)
    shard = qd.EdgeShard.create(str(folder / note.shard), shard_config(dimensions))
    for operation in shard_indexes():
        shard.update(operation)
    shard.flush()
    shard.close()
    write_note(folder, note)


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
            raise InvalidInput(
                f"Could not {attempt}: {first_line}.", remedy="Use the embedder that the index was made with."
            ) from error
        if broken and "No space left" not in first_line:
            raise Broken(f"Could not {attempt}: {first_line}.", remedy=remedy) from error
        raise Unavailable(f"Could not {attempt}: {first_line}.", remedy=remedy) from error
