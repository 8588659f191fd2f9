"""firstline's embedder for everybody: document vectors from disk, question vectors computed or remembered."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Final

import numpy as np

from firstline.ports import Embedder, Vectors

LOOKUP_TEXTS_MAX: Final = 500
COMPUTE_TEXTS_MAX: Final = 1_024
"""Vectors computed between two writes: what an interrupted run loses at most."""
WRITE_S_MAX: Final = 60.0
BLOCKED_S_MAX: Final = 3_600.0


class Phase(StrEnum):
    INDEX = "index"
    """Vectors come from disk; those that are missing are computed and kept there."""
    LIVE = "live"
    """Every vector is computed, as for a user's question, and remembered in this process."""
    REMEMBERED = "remembered"
    """Vectors of the live phase are given again: a search then costs what it costs without the embedder."""


class PeerEmbedder:
    """Implements `ports.Embedder`. Vectors on disk are named by the sha256 of model id and text and are not held in
    memory, so that every peer's memory is its own. `computed`: vectors that the index phase did not find on disk."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._lock = threading.Lock()
        self._remembered: dict[str, Vectors] = {}
        self.phase = Phase.INDEX
        self.computed = 0

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        if self.phase is Phase.INDEX:
            return await self._from_disk(texts)
        if self.phase is Phase.LIVE or any(text not in self._remembered for text in texts):
            vectors = await self._inner.embed(texts)
            self._remembered.update(zip(texts, vectors, strict=True))
            return vectors
        return np.stack([self._remembered[text] for text in texts])

    async def _from_disk(self, texts: Sequence[str]) -> Vectors:
        keys = [self._key(text) for text in texts]
        found = await asyncio.to_thread(self._read, keys)
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        for start in range(0, len(missing), COMPUTE_TEXTS_MAX):
            part = missing[start : start + COMPUTE_TEXTS_MAX]
            vectors = await self._inner.embed([text for _, text in part])
            rows = {key: vector for (key, _), vector in zip(part, vectors, strict=True)}
            await asyncio.to_thread(self._write, rows)
            self.computed += len(rows)
            found |= rows
        return np.stack([found[key] for key in keys])

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.model_id}\x1e{text}".encode("utf-8", "surrogatepass")).digest()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, closing(sqlite3.connect(self._path, timeout=WRITE_S_MAX)) as database:
            database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            for start in range(0, len(keys), LOOKUP_TEXTS_MAX):
                part = keys[start : start + LOOKUP_TEXTS_MAX]
                marks = ",".join("?" * len(part))
                rows = database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)  # noqa: S608 - question marks only
                found |= {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}
        return found

    def _write(self, rows: dict[bytes, Vectors]) -> None:
        with self._lock, closing(sqlite3.connect(self._path, timeout=WRITE_S_MAX)) as database, database:
            database.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                [(key, np.asarray(vector, dtype=np.float32).tobytes()) for key, vector in rows.items()],
            )


class BlockingEmbedder:
    """The same for libraries that call an embedder synchronously, even from inside a running event loop: the work
    goes to a loop in a thread of its own."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="embedder")
        self._thread.start()

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, of length 1."""
        future = asyncio.run_coroutine_threadsafe(self._inner.embed(texts), self._loop)
        return future.result(timeout=BLOCKED_S_MAX)

    def embed_one(self, text: str) -> list[float]:
        row: list[float] = self.embed([text])[0].tolist()
        return row

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
