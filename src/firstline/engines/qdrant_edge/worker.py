"""The process that owns the shard of one data folder and serves it on a Unix socket.

Run as `python -m firstline.engines.qdrant_edge.worker FOLDER DIMENSIONS`, which clients do by themselves. Exactly one
worker owns a folder: it holds `index.lock` for as long as it lives. It leaves shortly after its last client, so
that nothing stays behind when every client was killed; a rebuild under way or due (see `rebuild`) is finished first.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from firstline.engines.qdrant_edge import wire
from firstline.engines.qdrant_edge.address import bind
from firstline.engines.qdrant_edge.journal import WRITES, apply
from firstline.engines.qdrant_edge.rebuild import REBUILD_QUIET_S, Rebuild
from firstline.engines.qdrant_edge.search import EXACT_MAX
from firstline.engines.qdrant_edge.shard import Shard
from firstline.errors import Conflict, FirstlineError, InvalidInput

LINGER_S: Final = 2.0
"""How long a worker stays without clients: longer than a command that follows another, shorter than patience."""
FIRST_CLIENT_S: Final = 20.0
LOCK_WAIT_S: Final = 30.0
HELLO_S: Final = 10.0
FLUSH_QUIET_S: Final = 1.0
CLIENTS_MAX: Final = 256
HELD_MAX: Final = 256
"""Writes that wait for a copy beside the rest of their connection; past that their connection waits with them."""
EXIT_LOCKED: Final = 75

logger = logging.getLogger("firstline.index_worker")


class Worker:
    """Serves one shard, or one reason why there is none. Requests run one after another: the shard is synchronous."""

    def __init__(
        self,
        shard: Shard | FirstlineError,
        *,
        folder: Path,
        dimensions: int,
        rebuild_quiet_s: float = REBUILD_QUIET_S,
    ) -> None:
        self._shard = shard
        self._dimensions = dimensions
        self._rebuild_quiet_s = rebuild_quiet_s
        self._rebuild = Rebuild(folder, dimensions=dimensions, swap=self._serve_from)
        self._due_since: float | None = time.monotonic()
        self._held: set[asyncio.Task[None]] = set()
        self._clients = 0
        self._idle_since = time.monotonic()
        self._served = False
        self._written_at: float | None = None
        self._stop = asyncio.Event()

    def stop(self) -> None:
        self._stop.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._clients >= CLIENTS_MAX:
            writer.close()
            return
        self._clients += 1
        self._served = True
        try:
            if await self._greet(reader, writer):
                while True:
                    await self._take(await wire.read(reader), writer)
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            pass  # the client is gone
        except wire.Garbled as error:
            logger.warning("closed a connection that sent %s", error)
        finally:
            self._clients -= 1
            self._idle_since = time.monotonic()
            writer.close()

    async def until_idle(self) -> None:
        """Returns when it is time to leave. Meanwhile flushes what was written, once writing pauses."""
        while not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), 0.25)
            now = time.monotonic()
            self._consider_flush(now)
            patience = LINGER_S if self._served else FIRST_CLIENT_S
            leaving = self._clients == 0 and now - self._idle_since > patience
            self._consider_rebuild(now, leaving=leaving)
            if leaving and not self._rebuild.is_running:
                return

    async def close(self) -> None:
        """Give up a rebuild that is under way, and close the shard."""
        await self._rebuild.stop()
        if isinstance(self._shard, Shard):
            self._shard.close()

    def _serve_from(self, shard: Shard) -> None:
        self._shard = shard

    def _consider_flush(self, now: float) -> None:
        quiet = self._written_at is not None and now - self._written_at > FLUSH_QUIET_S
        # While the builder copies, the files stay as they are.
        if quiet and self._rebuild.writable.is_set():
            self._flush()

    def _consider_rebuild(self, now: float, *, leaving: bool) -> None:
        if self._due_since is None or not (leaving or now - self._due_since > self._rebuild_quiet_s):
            return
        self._due_since = None
        if isinstance(self._shard, Shard):
            self._rebuild.consider(self._shard)

    def _flush(self) -> None:
        self._written_at = None
        if isinstance(self._shard, Shard):
            try:
                self._shard.flush()
            except FirstlineError:
                # What was acknowledged is in the log already; the next write tells the client what is wrong.
                logger.exception("could not flush")

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        async with asyncio.timeout(HELLO_S):
            hello = await wire.read(reader)
        refusal = self._refusal(hello.header)
        answer = {"pid": os.getpid()} if refusal is None else wire.error_to_header(refusal)
        await _send(writer, hello.header, wire.Message(header=answer))
        return refusal is None

    def _refusal(self, hello: Mapping[str, Any]) -> FirstlineError | None:
        if hello.get("op") != "hello" or hello.get("protocol") != wire.PROTOCOL:
            return Conflict(
                "The chunk index is served by another version of firstline.",
                remedy="Stop the other version; its index worker leaves two seconds later.",
            )
        if isinstance(self._shard, FirstlineError):
            return self._shard
        if hello.get("dimensions") != self._dimensions:
            return Conflict(
                f"The chunk index is in use with {self._dimensions} dimensions, not {hello.get('dimensions')}.",
                remedy="Use the same embedder in every process, or another data folder.",
            )
        return None

    async def _take(self, request: wire.Message, writer: asyncio.StreamWriter) -> None:
        """Answer now, or in a task what must wait: the connection's searches do not wait behind it."""
        if request.header.get("op") not in WRITES or self._rebuild.writable.is_set():
            await self._answer(request, writer)
        elif len(self._held) >= HELD_MAX:
            await self._answer_later(request, writer)
        else:
            task = asyncio.create_task(self._answer_later(request, writer))
            self._held.add(task)
            task.add_done_callback(self._held.discard)

    async def _answer_later(self, request: wire.Message, writer: asyncio.StreamWriter) -> None:
        try:
            while not self._rebuild.writable.is_set():
                await self._rebuild.writable.wait()
            await self._answer(request, writer)
        except ConnectionError:
            pass  # the client is gone
        except wire.Garbled as error:
            logger.warning("closed a connection that sent %s", error)
            writer.close()

    async def _answer(self, request: wire.Message, writer: asyncio.StreamWriter) -> None:
        try:
            answer = self._handle(request)
        except FirstlineError as error:
            answer = wire.Message(header=wire.error_to_header(error))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise wire.Garbled(f"a request that makes no sense: {error!r}") from error
        await _send(writer, request.header, answer)
        # Reading what is buffered already does not give way: without this a busy writer would shut the others out.
        await asyncio.sleep(0)

    def _handle(self, request: wire.Message) -> wire.Message:
        shard = self._shard
        if isinstance(shard, FirstlineError):
            raise shard
        header = request.header
        match header["op"]:
            case "search":
                return wire.hits_to_message(shard.search(wire.query_of(request)))
            case "vectors":
                named = shard.vectors(header["chunk_ids"], tenant=header["tenant"], kb=header["kb"])
                return wire.vectors_to_message(named, dimensions=self._dimensions)
            case "neighbour":
                cosine = shard.neighbour(header["doc_id"], wire.scope_of(header), header["exclude"])
                return wire.Message(header={"cosine": cosine})
            case operation if operation in WRITES:
                apply(shard, request)
                self._rebuild.wrote(request)
                self._written_at = self._due_since = time.monotonic()
            case "count":
                since = header.get("since")
                return wire.Message(
                    header={"count": shard.count(tenant=header["tenant"], kb=header["kb"], since=since)}
                )
            case "held":
                where = {name: header[name] for name in ("tenant", "kb", "doc_ids", "upto")}
                return wire.Message(header={"count": shard.held(**where)})
            case "size_bytes":
                return wire.Message(header={"size_bytes": shard.size_bytes()})
            case operation:
                raise InvalidInput(
                    f"The chunk index knows no operation {operation!r}.",
                    remedy="Stop every firstline process and start again: two versions are at work.",
                )
        return wire.Message(header={})


async def _send(writer: asyncio.StreamWriter, request: Mapping[str, Any], answer: wire.Message) -> None:
    header = {**answer.header, "id": request.get("id")}
    writer.write(wire.encode(wire.Message(header=header, arrays=answer.arrays)))
    await writer.drain()


async def run(
    folder: Path, *, dimensions: int, exact_max: int = EXACT_MAX, rebuild_quiet_s: float = REBUILD_QUIET_S
) -> None:
    """Own the folder's shard and serve it until nobody is left. The caller holds the lock.

    `rebuild_quiet_s`: a rebuild that is due begins once nothing was written for so long.
    """
    try:
        shard: Shard | FirstlineError = Shard.open(folder, dimensions=dimensions, exact_max=exact_max)
    except FirstlineError as error:
        logger.error("%s", error)
        shard = error  # told to every client that asks, which knows better than a log who should hear it
    worker = Worker(shard, folder=folder, dimensions=dimensions, rebuild_quiet_s=rebuild_quiet_s)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, worker.stop)
    path, listening = bind(folder)
    server = await asyncio.start_unix_server(worker.serve, sock=listening)
    try:
        await worker.until_idle()
    finally:
        # First out of sight, then closed: who comes now starts another worker, which waits for the lock.
        path.unlink(missing_ok=True)
        server.close()
        await worker.close()


def lock(folder: Path, *, wait_s_max: float) -> int | None:
    """The lock's file descriptor, to be kept open; None when another worker kept it for all of that time."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / "index.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + wait_s_max
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                return None
            time.sleep(0.02)
        else:
            return descriptor


def main(arguments: list[str]) -> int:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    folder, dimensions = Path(arguments[0]), int(arguments[1])
    held = lock(folder, wait_s_max=LOCK_WAIT_S)
    if held is None:
        logger.error("another worker owns %s", folder)
        return EXIT_LOCKED
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asyncio.run(run(folder, dimensions=dimensions))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
