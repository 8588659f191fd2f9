"""Many chats from one cheap process: HTTP and server-sent events by hand, so that the load does not measure itself.

Run by `benchmarks.chats` as `python -m benchmarks.chat_load`. The plan comes as the first line of stdin, as JSON; once
every chat is open this says so in a line of its own, waits for a line, and then plays. The times go to stdout, as JSON.
Every message comes over a connection of its own, as from a browser whose last one has timed out.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any, Final

ANSWER_S_MAX: Final = 60.0
FAILED: Final = b'"provider_failure"'
"""A turn that came too late is handed over, politely; to the measurement it is an error like any other."""
READ_BYTES: Final = 65_536
REPLY_BYTES_MAX: Final = 4 * 1024 * 1024
ACK: Final = b"event: ack\n"
END: Final = (b"event: final\n", b"event: error\n")
LEAD_S: Final = 0.5
"""Before the first message: what begins must not be late."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """What became of one message. Milliseconds from before the connection is opened; `late_ms` is how far behind its
    plan the message left."""

    chat: int
    error: str
    ack_ms: float
    answer_ms: float
    late_ms: float


class Client:
    def __init__(self, *, host: str, port: int, token: str) -> None:
        self._host = host
        self._port = port
        self._token = token

    async def open_chat(self, user: str) -> str:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(self._request("/v1/sessions", {}, user=user, accept="application/json"))
            reply = await reader.read(-1)
            return str(json.loads(reply.partition(b"\r\n\r\n")[2])["session_id"])
        finally:
            writer.close()

    async def send(self, session_id: str, text: str, *, user: str) -> tuple[float, float]:
        """(acknowledgement, answer) in milliseconds. Raises OSError or ValueError when there was no answer."""
        body = self._request(
            f"/v1/sessions/{session_id}/messages", {"text": text}, user=user, accept="text/event-stream"
        )
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(body)
            return await _listen(reader, began)
        finally:
            writer.close()

    def _request(self, path: str, value: dict[str, str], *, user: str, accept: str) -> bytes:
        body = json.dumps(value).encode()
        return (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nAuthorization: Bearer {self._token}\r\n"
            f"X-Firstline-User: {user}\r\nAccept: {accept}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode() + body


async def _listen(reader: asyncio.StreamReader, began: float) -> tuple[float, float]:
    """The events' names alone are looked for: parsing them would cost as much as the server spends on them."""
    seen = b""
    ack_ms = answer_ms = 0.0
    while len(seen) < REPLY_BYTES_MAX:
        part = await reader.read(READ_BYTES)
        now_ms = (time.perf_counter() - began) * 1000
        if not part and answer_ms:
            if FAILED in seen:
                raise ValueError("handed over: provider_failure")
            return ack_ms, answer_ms
        if not part:
            raise ValueError(seen[:12].decode("ascii", "replace") or "nothing was answered")
        seen += part
        if not ack_ms and ACK in seen:
            ack_ms = now_ms
        if not answer_ms and END[0] in seen:
            answer_ms = now_ms
        if END[1] in seen:
            raise ValueError("an error event")
    raise ValueError("an endless answer")


async def play(client: Client, sessions: list[str], plan: list[list[Any]]) -> list[Sent]:
    """`plan` holds [seconds from the start, number of the chat, message] by time; chats overlap as they come."""
    began = time.perf_counter() + LEAD_S

    async def one(at_s: float, chat: int, text: str) -> Sent:
        await asyncio.sleep(max(0.0, began + at_s - time.perf_counter()))
        late_ms = (time.perf_counter() - began - at_s) * 1000
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                ack_ms, answer_ms = await client.send(sessions[chat], text, user=f"chat{chat}")
        except (OSError, ValueError, TimeoutError) as error:
            return Sent(chat=chat, error=str(error) or type(error).__name__, ack_ms=0, answer_ms=0, late_ms=late_ms)
        return Sent(chat=chat, error="", ack_ms=ack_ms, answer_ms=answer_ms, late_ms=late_ms)

    return list(await asyncio.gather(*(one(float(at_s), int(chat), str(text)) for at_s, chat, text in plan)))


async def run(order: dict[str, Any]) -> dict[str, Any]:
    client = Client(host=order["host"], port=order["port"], token=order["token"])
    sessions = [await client.open_chat(f"chat{chat}") for chat in range(order["chats"])]
    print("open", flush=True)
    sys.stdin.readline()  # nothing else goes on meanwhile
    spent = time.process_time()
    sent = await play(client, sessions, order["plan"])
    return {"sent": [asdict(one) for one in sent], "load_cpu_s": time.process_time() - spent}


if __name__ == "__main__":
    json.dump(asyncio.run(run(json.loads(sys.stdin.readline()))), sys.stdout)
