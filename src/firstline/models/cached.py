"""An embedder that remembers on disk, for evaluation. Same port in and out."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from firstline.ports import Embedder, Vectors

ENTRIES_MAX: Final = 200_000
EMBED_TEXTS_MAX: Final = 1_024
"""Vectors computed between two writes: what an interrupted run loses at most."""
KEY_BYTES: Final = 32
SUM_BYTES: Final = 4


class CachedEmbedder:
    """Keeps vectors by sha256(model id, text) in one append-only file per model and generation.

    A record is key, float32 vector, checksum. A torn or damaged record is ignored, so a crash costs at most what was
    being written. Two generations of half the limit each: when the young one is full, the old one is removed.
    """

    def __init__(self, inner: Embedder, folder: Path, *, entries_max: int = ENTRIES_MAX) -> None:
        self._inner = inner
        self._generation_max = max(1, entries_max // 2)
        self._record_bytes = KEY_BYTES + inner.dimensions * 4 + SUM_BYTES
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(inner.model_id.encode()).hexdigest()[:16]
        self._young = folder / f"{name}.young"
        self._old = folder / f"{name}.old"
        self._lock = threading.Lock()
        self._vectors: dict[bytes, Vectors] = {}
        self._fresh = 0
        for path in (self._old, self._young):
            self._fresh = self._load(path)

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        keys = [self._key(text) for text in texts]
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}.items())
        found = dict(self._known(keys))
        for start in range(0, len(missing), EMBED_TEXTS_MAX):
            part = missing[start : start + EMBED_TEXTS_MAX]
            vectors = await self._inner.embed([text for _, text in part])
            rows = {key: vector for (key, _), vector in zip(part, vectors, strict=True)}
            found |= rows
            await asyncio.to_thread(self._append, rows)
        if not keys:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def _known(self, keys: Sequence[bytes]) -> list[tuple[bytes, Vectors]]:
        with self._lock:
            return [(key, self._vectors[key]) for key in keys if key in self._vectors]

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.model_id}\x1e{text}".encode("utf-8", "surrogatepass")).digest()

    def _load(self, path: Path) -> int:
        """Read a generation; how many records it holds."""
        if not path.is_file():
            return 0
        raw = np.fromfile(path, dtype=np.uint8)
        count = len(raw) // self._record_bytes
        for row in raw[: count * self._record_bytes].reshape(count, self._record_bytes):
            record = row.tobytes()
            if _checksum(record[:-SUM_BYTES]) == record[-SUM_BYTES:]:
                vector = np.frombuffer(record, dtype=np.float32, count=self.dimensions, offset=KEY_BYTES)
                self._vectors[record[:KEY_BYTES]] = vector
        return count

    def _append(self, rows: dict[bytes, Vectors]) -> None:
        bodies = [key + np.asarray(vector, dtype=np.float32).tobytes() for key, vector in rows.items()]
        with self._lock:
            if self._fresh + len(rows) > self._generation_max:
                self._turn_generation()
            with self._young.open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # another process may write the same cache
                # A torn record of a crashed run would shift every later one.
                size = file.seek(0, os.SEEK_END)
                file.truncate(size - size % self._record_bytes)
                file.write(b"".join(body + _checksum(body) for body in bodies))
            self._vectors.update(rows)
            self._fresh += len(rows)

    def _turn_generation(self) -> None:
        if self._young.is_file():
            self._young.replace(self._old)
        self._vectors.clear()
        self._load(self._old)
        self._fresh = 0


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(SUM_BYTES, "big")
