"""The chunk index as the rest of firstline sees it: an async client of the folder's worker."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from firstline.engines.qdrant_edge import wire
from firstline.engines.qdrant_edge.address import connect
from firstline.errors import InvalidInput, Unavailable
from firstline.ports import Hit, IndexEntry, IndexQuery, Scope, Vectors

SEARCH_S_MAX: Final = 5.0
WRITE_S_MAX: Final = 60.0
_SAME_EMBEDDER = "Use the embedder that the index was made with, or another data folder."
_DOWN: Final = "The process that serves the chunk index"


@asynccontextmanager
async def open_qdrant_edge(*, folder: Path, dimensions: int) -> AsyncGenerator[QdrantEdgeIndex]:
    """The chunk index in `folder`, shared with every process that opens it. Broken when it cannot be used."""
    index = QdrantEdgeIndex(folder=folder, dimensions=dimensions)
    try:
        await index.ready()
        yield index
    finally:
        await index.close()


class QdrantEdgeIndex:
    """A `ChunkIndex`. Requests share one connection; a worker that died is started again once per request."""

    def __init__(
        self,
        *,
        folder: Path,
        dimensions: int,
        search_s_max: float = SEARCH_S_MAX,
        write_s_max: float = WRITE_S_MAX,
    ) -> None:
        self._folder = folder
        self._dimensions = dimensions
        self._search_s_max = search_s_max
        self._write_s_max = write_s_max
        self._connecting = asyncio.Lock()
        self._connection: _Connection | None = None
        self._closed = False

    async def ready(self) -> int:
        """Connect, starting a worker when needed. Returns the worker's process id."""
        return (await self._connected()).worker_pid

    async def upsert(self, entries: Sequence[IndexEntry]) -> None:
        for entry in entries:
            for vector in (entry.dense, entry.document_vector):
                if vector is not None and vector.shape != (self._dimensions,):
                    raise InvalidInput(
                        f"A vector has shape {vector.shape}, expected ({self._dimensions},).", remedy=_SAME_EMBEDDER
                    )
        for start in range(0, len(entries), wire.ENTRIES_MAX):
            message = wire.entries_to_message(entries[start : start + wire.ENTRIES_MAX])
            await self._ask("upsert", message, timeout_s=self._write_s_max)

    async def set_until(self, chunk_ids: Sequence[str], until: int) -> None:
        for start in range(0, len(chunk_ids), wire.IDS_MAX):
            header = {"chunk_ids": list(chunk_ids[start : start + wire.IDS_MAX]), "until": until}
            await self._ask("set_until", wire.Message(header=header), timeout_s=self._write_s_max)

    async def delete(self, *, tenant: str, kb: str, doc_ids: Sequence[str], since: int) -> None:
        for start in range(0, len(doc_ids), wire.IDS_MAX):
            named = list(doc_ids[start : start + wire.IDS_MAX])
            header = {"tenant": tenant, "kb": kb, "doc_ids": named, "since": since}
            await self._ask("delete", wire.Message(header=header), timeout_s=self._write_s_max)

    async def purge(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> None:
        for start in range(0, len(doc_ids), wire.IDS_MAX):
            named = list(doc_ids[start : start + wire.IDS_MAX])
            header = {"tenant": tenant, "kb": kb, "doc_ids": named, "upto": upto}
            await self._ask("purge", wire.Message(header=header), timeout_s=self._write_s_max)

    async def held(self, *, tenant: str, kb: str, doc_ids: Sequence[str], upto: int) -> int:
        total = 0
        for start in range(0, len(doc_ids), wire.IDS_MAX):
            named = list(doc_ids[start : start + wire.IDS_MAX])
            header = {"tenant": tenant, "kb": kb, "doc_ids": named, "upto": upto}
            answer = await self._ask("held", wire.Message(header=header), timeout_s=self._write_s_max)
            total += int(answer.header["count"])
        return total

    async def search(self, query: IndexQuery) -> list[Hit]:
        if not query.scope.acl_tags:
            return []
        if query.dense.shape != (self._dimensions,):
            raise InvalidInput(
                f"The query has shape {query.dense.shape}, expected ({self._dimensions},).", remedy=_SAME_EMBEDDER
            )
        return wire.hits_of(await self._ask("search", wire.query_to_message(query), timeout_s=self._search_s_max))

    async def neighbour(self, doc_id: str, scope: Scope, *, exclude: Collection[str] = ()) -> float:
        header = {**wire.scope_to_header(scope), "doc_id": doc_id, "exclude": sorted(exclude)}
        answer = await self._ask("neighbour", wire.Message(header=header), timeout_s=self._search_s_max)
        return float(answer.header["cosine"])

    async def vectors(self, chunk_ids: Sequence[str], *, tenant: str, kb: str) -> Mapping[str, Vectors]:
        found: dict[str, Vectors] = {}
        for start in range(0, len(chunk_ids), wire.VECTORS_MAX):
            named = list(chunk_ids[start : start + wire.VECTORS_MAX])
            message = wire.Message(header={"tenant": tenant, "kb": kb, "chunk_ids": named})
            found.update(wire.vectors_of(await self._ask("vectors", message, timeout_s=self._write_s_max)))
        return found

    async def count(self, *, tenant: str, kb: str, since: int | None = None) -> int:
        message = wire.Message(header={"tenant": tenant, "kb": kb, "since": since})
        return int((await self._ask("count", message, timeout_s=self._write_s_max)).header["count"])

    async def size_bytes(self) -> int:
        answer = await self._ask("size_bytes", wire.Message(header={}), timeout_s=self._write_s_max)
        return int(answer.header["size_bytes"])

    async def close(self) -> None:
        """The worker leaves by itself once nobody is connected. Closing twice does nothing."""
        self._closed = True
        if self._connection is not None:
            await self._connection.close()

    async def _ask(self, operation: str, message: wire.Message, *, timeout_s: float) -> wire.Message:
        """Every operation may be repeated: it says what shall be, not what to add."""
        for _ in range(2):
            connection = await self._connected()
            try:
                async with asyncio.timeout(timeout_s):
                    return await connection.ask(operation, message)
            except TimeoutError as error:
                raise Unavailable(
                    f"{_DOWN} did not answer within {timeout_s:g} s.", remedy="Repeat in a moment."
                ) from error
            except ConnectionError:
                # Closed here and now: writing can fail before the listener has heard of the end.
                await connection.close()
        raise Unavailable(f"{_DOWN} died twice on this request.", remedy=f"See {self._folder / 'worker.log'}.")

    async def _connected(self) -> _Connection:
        async with self._connecting:
            if self._closed:
                raise Unavailable("The chunk index is closed.", remedy="Start firstline again.")
            if self._connection is None or self._connection.is_lost:
                self._connection = await self._connect()
            return self._connection

    async def _connect(self) -> _Connection:
        # A worker on its way out may take the connection and drop it: the next one is not far.
        for _ in range(5):
            connection = _Connection(*await connect(self._folder, self._dimensions))
            try:
                async with asyncio.timeout(self._write_s_max):
                    await connection.greet(self._dimensions)
            except ConnectionError:
                await connection.close()
            except TimeoutError as error:
                await connection.close()
                raise Unavailable(f"{_DOWN} accepts but does not answer.", remedy="Repeat in a moment.") from error
            except BaseException:
                await connection.close()
                raise
            else:
                return connection
        raise Unavailable(f"{_DOWN} keeps closing the connection.", remedy=f"See {self._folder / 'worker.log'}.")


class _Connection:
    """One socket; answers find their request by its number."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[wire.Message]] = {}
        self._listener = asyncio.create_task(self._listen(), name="index-client")
        self.worker_pid = 0

    @property
    def is_lost(self) -> bool:
        return self._listener.done()

    async def greet(self, dimensions: int) -> None:
        hello = wire.Message(header={"protocol": wire.PROTOCOL, "dimensions": dimensions})
        self.worker_pid = int((await self.ask("hello", hello)).header["pid"])

    async def ask(self, operation: str, message: wire.Message) -> wire.Message:
        """ConnectionError when the worker is gone; otherwise the answer, or the error that it stands for."""
        if self.is_lost:
            raise ConnectionError
        number = next(self._numbers)
        header: dict[str, Any] = {**message.header, "op": operation, "id": number}
        frame = wire.encode(wire.Message(header=header, arrays=message.arrays))
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            self._writer.write(frame)
            await self._writer.drain()
            answer = await future
        finally:
            self._waiting.pop(number, None)
        error = wire.error_of(answer.header)
        if error is not None:
            raise error
        return answer

    async def close(self) -> None:
        self._listener.cancel()
        await asyncio.wait([self._listener])
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    async def _listen(self) -> None:
        try:
            while True:
                answer = await wire.read(self._reader)
                future = self._waiting.get(answer.header["id"])
                # Nobody waits any more for an answer that came after its timeout.
                if future is not None and not future.done():
                    future.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError, wire.Garbled, KeyError):
            pass
        finally:
            self._writer.close()
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(ConnectionError("the index worker is gone"))
