"""What was written while a copy of the shard is rebuilt, to be done to the copy as well.

The journal need not survive a crash: until the swap, the shard that it was taken beside is the one that counts.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, Final

from firstline.engines.qdrant_edge import wire
from firstline.engines.qdrant_edge.shard import Shard
from firstline.errors import Unavailable

WRITES: Final = frozenset({"upsert", "set_until", "delete", "purge"})
JOURNAL_BYTES_MAX: Final = 2 * 1024**3
_SIZES: Final = struct.Struct("<II")


def apply(shard: Shard, request: wire.Message) -> None:
    """Do one of WRITES. Each says what shall be, so doing it twice changes nothing."""
    header: Mapping[str, Any] = request.header
    match header["op"]:
        case "upsert":
            shard.upsert(wire.entries_of(request))
        case "set_until":
            shard.set_until(header["chunk_ids"], header["until"])
        case "delete":
            shard.delete(tenant=header["tenant"], kb=header["kb"], doc_ids=header["doc_ids"], since=header["since"])
        case "purge":
            shard.purge(tenant=header["tenant"], kb=header["kb"], doc_ids=header["doc_ids"], upto=header["upto"])
        case operation:
            raise ValueError(f"{operation!r} is no write")


class Journal:
    """Written by the worker; one reader may follow behind."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb", buffering=0)
        self._bytes = 0

    def add(self, request: wire.Message) -> None:
        """Unavailable when the disk or the limit is reached: the rebuild is then given up."""
        frame = wire.encode(request)
        self._bytes += len(frame)
        if self._bytes > JOURNAL_BYTES_MAX:
            raise Unavailable(
                "More was written during a rebuild of the chunk index than its journal holds.", remedy="None is needed."
            )
        try:
            written = self._file.write(frame)
        except OSError as error:
            raise Unavailable(
                f"The journal of a rebuild cannot be written: {error.strerror}.", remedy="Free disk space."
            ) from error
        # On a disk that is nearly full only the beginning may have found room, and that is no error to the kernel.
        if written != len(frame):
            raise Unavailable("The journal of a rebuild was not written whole.", remedy="Free disk space.")

    def close(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)


def replay(path: Path, shard: Shard, *, offset: int) -> int:
    """Do everything from `offset` on. Returns the offset behind the last whole entry."""
    for request, behind in _entries(path, offset):
        apply(shard, request)
        offset = behind
    return offset


def _entries(path: Path, offset: int) -> Generator[tuple[wire.Message, int]]:
    """An entry that is being written is left for the next time."""
    with path.open("rb") as file:
        file.seek(offset)
        while len(sizes := file.read(_SIZES.size)) == _SIZES.size:
            size, header_size = _SIZES.unpack(sizes)
            frame = file.read(size - 4)
            if len(frame) < size - 4:
                return
            yield wire.decode(frame, header_size), file.tell()
