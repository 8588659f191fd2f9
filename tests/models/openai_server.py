"""A server on loopback that plays an endpoint with OpenAI's chat completions, and misbehaves as it is told.

Written on plain sockets: it must be able to hang, to reset a connection and to say what no framework would let it say.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET
from typing import Any, Final

HANG_S: Final = 60.0


@dataclass
class Server:
    """`play` names what is done by model name; `bodies` is what was asked."""

    port: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    closed_by_caller: int = 0
    open: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-l")
            )
            body = json.loads(await reader.readexactly(length))
            self.bodies.append(body)
            self.headers.append(head)
            gone = asyncio.create_task(reader.read(1))
            playing = asyncio.create_task(PLAYS[str(body["model"])](writer))
            await asyncio.wait([gone, playing], return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                self.closed_by_caller += 1
            for task in (gone, playing):
                task.cancel()
            await asyncio.gather(gone, playing, return_exceptions=True)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open -= 1
            writer.close()
            with suppress(ConnectionError, OSError):
                await writer.wait_closed()


@asynccontextmanager
async def serving() -> AsyncGenerator[Server]:
    server = Server()
    async with await asyncio.start_server(server.handle, "127.0.0.1", 0) as listening:
        server.port = listening.sockets[0].getsockname()[1]
        yield server


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    told = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(told).encode() + b"\n\n"


def _usage(tokens_in: int, tokens_out: int) -> bytes:
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    told = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage}
    return b"data: " + json.dumps(told).encode() + b"\n\ndata: [DONE]\n\n"


async def _head(writer: asyncio.StreamWriter, status: str = "200 OK", **more: str) -> None:
    kind = more.pop("kind", "text/event-stream")
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    await writer.drain()


async def _say(
    writer: asyncio.StreamWriter, texts: Sequence[str], finish: str | None = "stop", pause_s: float = 0
) -> None:
    await _head(writer)
    writer.write(_chunk({"role": "assistant", "content": ""}))
    for text in texts:
        writer.write(_chunk({"content": text}))
        await writer.drain()
        await asyncio.sleep(pause_s)
    if finish:
        writer.write(_chunk({}, finish) + _usage(21, len(texts)))
    await writer.drain()


async def _error(writer: asyncio.StreamWriter, status: str, code: str | None, message: str, **more: str) -> None:
    await _head(writer, status, kind="application/json", **more)
    writer.write(json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}}).encode())
    await writer.drain()


async def _hangs(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(HANG_S)


async def _hangs_between(writer: asyncio.StreamWriter) -> None:
    await _say(writer, ["one ", "two "], finish=None)
    await asyncio.sleep(HANG_S)


async def _head_and_hangs(writer: asyncio.StreamWriter) -> None:
    await _say(writer, [], finish=None)
    await asyncio.sleep(HANG_S)


async def _resets(writer: asyncio.StreamWriter) -> None:
    await _say(writer, ["one ", "two "], finish=None, pause_s=0.02)
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _resets_at_once(writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _closes(writer: asyncio.StreamWriter) -> None:
    await _say(writer, ["one ", "two "], finish=None)


async def _garbage(writer: asyncio.StreamWriter) -> None:
    await _head(writer)
    writer.write(b"data: {not json at all\n\n\x00\xff\xfe\n\ndata: 7\n\n")
    await writer.drain()


async def _page(writer: asyncio.StreamWriter) -> None:
    await _head(writer, kind="text/html")
    writer.write(b"<html><body>Please log in to the guest network.</body></html>")
    await writer.drain()


async def _not_http(writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
    await writer.drain()


async def _garbage_between(writer: asyncio.StreamWriter) -> None:
    await _say(writer, ["one "], finish=None)
    writer.write(b"data: {not json\n\n")
    await writer.drain()


async def _error_between(writer: asyncio.StreamWriter) -> None:
    await _say(writer, ["one "], finish=None)
    writer.write(b'data: {"error": {"message": "the engine fell over", "code": 500, "type": "server_error"}}\n\n')
    await writer.drain()


async def _tool(writer: asyncio.StreamWriter) -> None:
    await _head(writer)
    call = {"index": 0, "id": "t1", "type": "function", "function": {"name": "delete_everything", "arguments": "{}"}}
    writer.write(_chunk({"role": "assistant", "tool_calls": [call]}) + _chunk({}, "tool_calls") + _usage(21, 4))
    await writer.drain()


async def _refuses(writer: asyncio.StreamWriter) -> None:
    await _head(writer)
    writer.write(
        _chunk({"role": "assistant", "refusal": "I cannot help with that."}) + _chunk({}, "stop") + _usage(21, 4)
    )
    await writer.drain()


async def _repeats(writer: asyncio.StreamWriter) -> None:
    await _head(writer)
    while True:
        writer.write(_chunk({"content": "Please restart the node and try again. "}))
        await writer.drain()
        await asyncio.sleep(0)


async def _babbles(writer: asyncio.StreamWriter) -> None:
    """Takes no notice of max_tokens, and says something new each time."""
    await _head(writer)
    number = 0
    while True:
        number += 1
        writer.write(_chunk({"content": f"Step {number} of {number * 7}: look at node {number * number}. "}))
        await writer.drain()
        await asyncio.sleep(0)


async def _claude(writer: asyncio.StreamWriter, texts: Sequence[str], stop: str | None) -> None:
    """The events of Anthropic's messages."""
    usage = {"input_tokens": 21, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    message |= {"stop_reason": None, "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}} for text in texts),
    ]
    if stop is not None:
        events += [
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": len(texts)},
            },
            {"type": "message_stop"},
        ]
    await _head(writer)
    for event in events:
        writer.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
    await writer.drain()


async def _responses(writer: asyncio.StreamWriter, texts: Sequence[str], status: str | None) -> None:
    """The events of OpenAI's own responses, which its models are called by when no other address is given."""

    def response(state: str) -> dict[str, Any]:
        usage = {"input_tokens": 21, "output_tokens": len(texts), "total_tokens": 21 + len(texts)}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        made = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": state, "output": []}
        made |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "usage": usage, "error": None}
        return made | {"incomplete_details": {"reason": "max_output_tokens"} if state == "incomplete" else None}

    part = {"type": "output_text", "text": "", "annotations": []}
    item = {"id": "i", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    at = {"item_id": "i", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response("in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **at, "part": part},
        *({"type": "response.output_text.delta", **at, "delta": text, "logprobs": []} for text in texts),
    ]
    if status is not None:
        events.append({"type": f"response.{status}", "response": response(status)})
    await _head(writer)
    for number, event in enumerate(events):
        event["sequence_number"] = number
        writer.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
    await writer.drain()


async def _claude_error(writer: asyncio.StreamWriter, status: str, kind: str, **more: str) -> None:
    await _head(writer, status, kind="application/json", **more)
    writer.write(json.dumps({"type": "error", "error": {"type": kind, "message": KEY}}).encode())
    await writer.drain()


LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
KEY = "Incorrect API key provided: sk-secret-7. You can find your key at https://example.com."
BUSY = "Rate limit reached."

PLAYS: Final[dict[str, Any]] = {
    "fine": lambda w: _say(w, ["Restart ", "the ", "node."]),
    "slow": lambda w: _say(w, ["Restart ", "the ", "node."], pause_s=0.15),
    "hangs": _hangs,
    "hangs-between": _hangs_between,
    "head-and-hangs": _head_and_hangs,
    "resets": _resets,
    "resets-at-once": _resets_at_once,
    "closes": _closes,
    "garbage": _garbage,
    "page": _page,
    "not-http": _not_http,
    "garbage-between": _garbage_between,
    "error-between": _error_between,
    "500": lambda w: _error(w, "500 Internal Server Error", None, "boom"),
    "503": lambda w: _error(w, "503 Service Unavailable", None, "overloaded"),
    "429": lambda w: _error(w, "429 Too Many Requests", "rate_limit_exceeded", BUSY, retry_after="7"),
    "429-bare": lambda w: _error(w, "429 Too Many Requests", None, BUSY),
    "429-spent": lambda w: _error(w, "429 Too Many Requests", "insufficient_quota", "You exceeded your quota."),
    "401": lambda w: _error(w, "401 Unauthorized", "invalid_api_key", KEY),
    "404": lambda w: _error(w, "404 Not Found", "model_not_found", "The model does not exist."),
    "400": lambda w: _error(w, "400 Bad Request", "unsupported_value", "temperature is not supported."),
    "400-long": lambda w: _error(w, "400 Bad Request", "context_length_exceeded", LONG),
    "400-long-in-words": lambda w: _error(w, "400 Bad Request", None, "the request exceeds the available context size"),
    "400-filter": lambda w: _error(w, "400 Bad Request", "content_policy_violation", "Your prompt was flagged."),
    "refuses": _refuses,
    "filter": lambda w: _say(w, ["I "], finish="content_filter"),
    "tool": _tool,
    "repeats": _repeats,
    "babbles": _babbles,
    "cut": lambda w: _say(w, ["one ", "two"], finish="length"),
    "empty": lambda w: _say(w, []),
    "claude": lambda w: _claude(w, ["Restart ", "the ", "node."], "end_turn"),
    "claude-refuses": lambda w: _claude(w, [], "refusal"),
    "claude-cut": lambda w: _claude(w, ["one ", "two"], "max_tokens"),
    "claude-closes": lambda w: _claude(w, ["one "], None),
    "claude-401": lambda w: _claude_error(w, "401 Unauthorized", "authentication_error"),
    "claude-404": lambda w: _claude_error(w, "404 Not Found", "not_found_error"),
    "claude-429": lambda w: _claude_error(w, "429 Too Many Requests", "rate_limit_error", retry_after="7"),
    "claude-529": lambda w: _claude_error(w, "529 Overloaded", "overloaded_error"),
    "gpt": lambda w: _responses(w, ["Restart ", "the ", "node."], "completed"),
    "gpt-cut": lambda w: _responses(w, ["one ", "two"], "incomplete"),
    "gpt-closes": lambda w: _responses(w, ["one "], None),
    "json": lambda w: _say(w, ['{"claims": [', '"a", "b"', "]}"]),
    "json-fenced": lambda w: _say(w, ['```json\n{"claims": ["a"]}\n```']),
    "json-half": lambda w: _say(w, ['{"claims": ["a", "b']),
    "json-cut": lambda w: _say(w, ['{"claims": ["a"'], finish="length"),
    "json-none": lambda w: _say(w, ["The claims are a and b."]),
    "json-other": lambda w: _say(w, ['{"claims": [1, 2]}']),
}
