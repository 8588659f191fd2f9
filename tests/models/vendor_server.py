"""A server on loopback that plays the HTTP APIs of Google, Mistral, Azure and Bedrock, as far as a chat needs them.

`play` says what it does: "fine", "cut", "refuses", "401", "404", "429", "long", "resets".
"""

from __future__ import annotations

import asyncio
import json
import struct
import zlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET
from typing import Any, Final
from urllib.parse import urlsplit

TEXTS: Final = ("Restart ", "the ", "node.")
LONG: Final = "the prompt exceeds the context window of this model"
STATUSES: Final = {
    "401": "401 Unauthorized",
    "404": "404 Not Found",
    "429": "429 Too Many Requests",
    "long": "400 Bad Request",
}


@dataclass
class Vendor:
    play: str = "fine"
    port: int = 0
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                pairs = (line.split(": ", 1) for line in head[1:] if ": " in line)
                headers = {name.lower(): value for name, value in pairs}
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                path = head[0].split()[1]
                self.paths.append(path)
                self.headers.append(headers)
                self.bodies.append(body)
                await self._answer(path, writer)
        finally:
            writer.close()
            with suppress(ConnectionError, OSError):
                await writer.wait_closed()

    async def _answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        kind = _kind(path)
        if self.play in STATUSES:
            said = json.dumps(_problem(kind, self.play)).encode()
            pause = "Retry-After: 7\r\n" if self.play == "429" else ""
            error = f"x-amzn-ErrorType: {_problem('bedrock', self.play)['__type']}\r\n" if kind == "bedrock" else ""
            writer.write(
                f"HTTP/1.1 {STATUSES[self.play]}\r\nContent-Type: application/json\r\n{pause}{error}"
                f"Content-Length: {len(said)}\r\nConnection: close\r\n\r\n".encode()
                + said
            )
            await writer.drain()
            return
        media = "application/vnd.amazon.eventstream" if kind == "bedrock" else "text/event-stream"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nConnection: close\r\n\r\n".encode())
        for piece in _pieces(kind, self.play):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)
        if self.play == "resets":
            sock = writer.get_extra_info("socket")
            sock.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


def _kind(path: str) -> str:
    route = urlsplit(path).path
    if "generateContent" in route or "streamGenerateContent" in route:
        return "google"
    if "/openai/" in route:
        return "azure"
    return "bedrock" if route.endswith(("/converse", "/converse-stream")) else "mistral"


def _problem(kind: str, play: str) -> dict[str, Any]:
    message = {"401": "no such key", "404": "no such model", "429": "too many requests", "long": LONG}[play]
    status = {"401": 401, "404": 404, "429": 429, "long": 400}[play]
    if kind == "google":
        names = {"401": "UNAUTHENTICATED", "404": "NOT_FOUND", "429": "RESOURCE_EXHAUSTED", "long": "INVALID_ARGUMENT"}
        return {"error": {"code": status, "message": message, "status": names[play]}}
    if kind == "bedrock":
        names = {
            "401": "UnrecognizedClientException",
            "404": "ResourceNotFoundException",
            "429": "ThrottlingException",
            "long": "ValidationException",
        }
        return {"__type": names[play], "message": message}
    if kind == "azure":
        codes = {"401": "401", "404": "DeploymentNotFound", "429": "429", "long": "context_length_exceeded"}
        return {"error": {"code": codes[play], "message": message}}
    return {"object": "error", "message": message, "type": "invalid_request_error", "code": str(status)}


def _pieces(kind: str, play: str) -> list[bytes]:
    texts = TEXTS[:1] if play == "resets" else () if play == "refuses" else TEXTS
    if kind == "google":
        chunks = [_candidate([{"text": text}]) for text in texts]
        reason = {"cut": "MAX_TOKENS", "refuses": "SAFETY"}.get(play, "STOP")
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 3, "totalTokenCount": 14}
        end = {**_candidate([], finishReason=reason), "usageMetadata": usage}
        return [_event(one) for one in (chunks if play == "resets" else [*chunks, end])]
    if kind == "bedrock":
        frames = [_frame("messageStart", {"role": "assistant"})]
        frames += [_frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}}) for text in texts]
        if play == "resets":
            return frames
        reason = {"cut": "max_tokens", "refuses": "guardrail_intervened"}.get(play, "end_turn")
        usage = {"inputTokens": 11, "outputTokens": 3, "totalTokens": 14}
        frames += [_frame("contentBlockStop", {"contentBlockIndex": 0}), _frame("messageStop", {"stopReason": reason})]
        return [*frames, _frame("metadata", {"usage": usage, "metrics": {"latencyMs": 5}})]
    base = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    chunks = [{**base, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]} for text in texts]
    if play == "resets":
        return [_event(one) for one in chunks]
    reason = {"cut": "length", "refuses": "content_filter"}.get(play, "stop")
    usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    end = {**base, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": reason}], "usage": usage}
    return [*(_event(one) for one in (*chunks, end)), b"data: [DONE]\n\n"]


def _candidate(parts: list[dict[str, str]], **more: str) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}]}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\r\n\r\n"


def _frame(name: str, value: dict[str, Any]) -> bytes:
    """A message of Amazon's event stream encoding: prelude with its checksum, headers, payload, checksum."""
    payload = json.dumps(value).encode()
    headers = b"".join(
        bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
        for key, text in ((":message-type", "event"), (":event-type", name), (":content-type", "application/json"))
    )
    prelude = struct.pack(">II", 12 + len(headers) + len(payload) + 4, len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


@asynccontextmanager
async def playing(play: str) -> AsyncGenerator[Vendor]:
    vendor = Vendor(play=play)
    running: set[asyncio.Task[None]] = set()

    def begun(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(vendor.handle(reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    async with await asyncio.start_server(begun, "127.0.0.1", 0) as listening:
        vendor.port = listening.sockets[0].getsockname()[1]
        yield vendor
    if running:
        await asyncio.wait(running, timeout=5)
