"""A real HTTP server on loopback that plays what it is told, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

REQUEST_BYTES_MAX = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Asked:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def json(self):
        return json.loads(self.body)


@dataclass(kw_only=True)
class Says:
    """A response. `pieces`: sent one by one with `pause_s` between them, in place of a body with a length."""

    status: int = 200
    body: bytes | str = b""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes] | None = None
    pause_s: float = 0.0
    hang_up: bool = False


def page(body: str, *, status: int = 200, **headers: str) -> Says:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Says(status=status, body=body, headers={"Content-Type": "text/html; charset=utf-8", **named})


def said_json(value: object, *, status: int = 200, **headers: str) -> Says:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Says(status=status, body=json.dumps(value), headers={"Content-Type": "application/json", **named})


Answer = Says | Callable[[Asked], Says | Awaitable[Says]]


class Site:
    """`routes` by path; a list is played one after the other, its last entry from then on. Others: `otherwise`."""

    def __init__(self) -> None:
        self.routes: dict[str, Answer | list[Answer]] = {}
        self.asked: list[Asked] = []
        self.port = 0
        self.otherwise: Answer = Says(status=404, body="not found")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [each.path for each in self.asked]

    async def answer(self, asked: Asked) -> Says:
        self.asked.append(asked)
        entry = self.routes.get(asked.path, self.otherwise)
        if isinstance(entry, list):
            entry = entry.pop(0) if len(entry) > 1 else entry[0]
        if isinstance(entry, Says):
            return entry
        said = entry(asked)
        return said if isinstance(said, Says) else await said


@asynccontextmanager
async def serving() -> AsyncGenerator[Site]:
    site = Site()
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            while (asked := await _request(reader)) is not None:
                said = await site.answer(asked)
                if said.hang_up:
                    break
                await _respond(writer, said)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    length = int(headers.get("content-length", "0"))
    body = await reader.readexactly(min(length, REQUEST_BYTES_MAX)) if length else b""
    parts = urlsplit(target)
    return Asked(method=method, path=parts.path, query=dict(parse_qsl(parts.query)), headers=headers, body=body)


async def _respond(writer: asyncio.StreamWriter, said: Says) -> None:
    body = said.body.encode() if isinstance(said.body, str) else said.body
    headers = dict(said.headers)
    if said.pieces is None:
        headers.setdefault("Content-Length", str(len(body)))
    else:
        headers["Transfer-Encoding"] = "chunked"
    head = f"HTTP/1.1 {said.status} Said\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(head.encode("latin-1") + b"\r\n")
    if said.pieces is None:
        writer.write(b"" if said.status == 304 else body)
    else:
        for piece in said.pieces:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
            await asyncio.sleep(said.pause_s)
        writer.write(b"0\r\n\r\n")
    await writer.drain()
