"""Servers on loopback that play what webhooks, Slack and mail servers are documented to reply."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

HANG = "hang"
CLOSE = "close"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A reply as it is sent. `how`: HANG says nothing, CLOSE breaks the connection in the middle of the head."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b"ok"
    how: str = ""


@dataclass(frozen=True, kw_only=True)
class Got:
    line: str
    headers: dict[str, str]
    body: bytes


@dataclass(kw_only=True)
class HttpReceiver:
    """Replies with `answers` in turn, and with the last one from then on."""

    answers: Sequence[Answer]
    port: int = 0
    got: list[Got] = field(default_factory=list[Got])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks/SECRET-IN-PATH"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            answer = self.answers[min(len(self.got), len(self.answers) - 1)]
            self.got.append(Got(line=head[0], headers=headers, body=body))
            if answer.how == HANG:
                await asyncio.sleep(30)
            elif answer.how == CLOSE:
                writer.write(b"HTTP/1.1 20")
            else:
                lines = [f"HTTP/1.1 {answer.status} X", f"Content-Length: {len(answer.body)}", "Connection: close"]
                lines += [f"{name}: {value}" for name, value in answer.headers]
                writer.write("\r\n".join([*lines, "", ""]).encode() + answer.body)
            await writer.drain()
        writer.close()


@dataclass(kw_only=True)
class MailReceiver:
    """A mail server. `refuse` maps the start of a command line to the reply that it gets instead; `drop` names the
    command after which the connection breaks; after "." the message counts as taken even so."""

    refuse: dict[str, str] = field(default_factory=dict[str, str])
    drop: str = ""
    hang: str = ""
    tls: ssl.SSLContext | None = None
    login: bool = False
    port: int = 0
    lines: list[str] = field(default_factory=list[str])
    messages: list[bytes] = field(default_factory=list[bytes])
    secured: bool = False

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            await self._converse(reader, writer)
        writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._say(writer, "220 mail.test ready")
        while line := (await reader.readline()).decode().strip():
            self.lines.append(line)
            word = line.split()[0].upper()
            if self.hang == word:
                await asyncio.sleep(30)
            if self.drop == word:
                return
            refusal = next((reply for start, reply in self.refuse.items() if line.upper().startswith(start)), None)
            if refusal is not None:
                await self._say(writer, refusal)
                continue
            match word:
                case "EHLO":
                    offers = ["mail.test", "AUTH PLAIN LOGIN"] if self.login else ["mail.test"]
                    offers += ["STARTTLS"] if self.tls and not self.secured else []
                    offers.append("8BITMIME")
                    last = len(offers) - 1
                    for place, offer in enumerate(offers):
                        await self._say(writer, f"250{' ' if place == last else '-'}{offer}")
                case "STARTTLS" if self.tls:
                    await self._say(writer, "220 go on")
                    await writer.start_tls(self.tls)
                    self.secured = True
                case "AUTH":
                    await self._say(writer, "235 welcome")
                case "DATA":
                    await self._say(writer, "354 go on")
                    self.messages.append((await reader.readuntil(b"\r\n.\r\n")).removesuffix(b".\r\n"))
                    if self.drop == ".":
                        return
                    await self._say(writer, self.refuse.get(".", "250 taken"))
                case "QUIT":
                    await self._say(writer, "221 bye")
                    return
                case _:
                    await self._say(writer, "250 fine")

    async def _say(self, writer: asyncio.StreamWriter, reply: str) -> None:
        writer.write(f"{reply}\r\n".encode())
        await writer.drain()


@asynccontextmanager
async def listening(
    receiver: HttpReceiver | MailReceiver, *, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[None]:
    """`tls`: from the first byte. The handlers under way are cut off at the end."""
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await receiver.handle(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            tasks.discard(task)

    server = await asyncio.start_server(handle, "127.0.0.1", receiver.port, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def unused_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
