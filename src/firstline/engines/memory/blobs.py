"""The reference blob store: a dictionary."""

from __future__ import annotations

import hashlib

from firstline.errors import InvalidInput, NotFound


class MemoryBlobs:
    """A `BlobStore`."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    async def put(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        self._blobs.setdefault(name, bytes(data))
        return name

    async def get_range(self, name: str, start: int, end: int) -> bytes:
        if name not in self._blobs:
            raise NotFound(f"There is no blob {name!r}.", remedy="Store it first.")
        data = self._blobs[name]
        if not 0 <= start <= end <= len(data):
            raise InvalidInput(
                f"Bytes {start} to {end} are outside a blob of {len(data)} bytes.", remedy="Ask for a range inside it."
            )
        return data[start:end]

    async def holds(self, name: str) -> bool:
        return name in self._blobs

    async def delete(self, name: str) -> None:
        self._blobs.pop(name, None)

    async def size_bytes(self) -> int:
        return sum(len(data) for data in self._blobs.values())
