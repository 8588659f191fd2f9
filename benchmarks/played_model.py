"""A language model that is played by a local server with OpenAI's chat completions, as slow as a real one.

It reads the passages and the question out of the prompt and repeats the sentences that share most words with it, claim
by claim, at so many tokens a second; every fourth claim is a lie (another number, a "not"). Asked
to judge, it gives marks by the words that answer, passages and question share. What it says differs with what it is
asked, and is the same each time. Run as `python -m benchmarks.played_model`; it prints its address.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

TOKENS_PER_S: Final = 20.0
CHARS_PER_TOKEN: Final = 4
CLAIMS_MAX: Final = 6
LIE_EVERY: Final = 4
BODY_BYTES_MAX: Final = 4 * 1024 * 1024
FENCED: Final = re.compile(r'<data-(\w+) label="([^"]*)">\n(.*?)\n</data-\1>', re.DOTALL)
SENTENCE: Final = re.compile(r"[A-Z`][^.!?\n]{20,300}[.!?](?=\s|$)")
WORD: Final = re.compile(r"\w{3,}")


def answer_to(prompt: str, *, lies: bool = True) -> str:
    """The JSON that the prompt asks for: claims, marks, or which of two answers is better."""
    fenced = [(label, text) for _, label, text in FENCED.findall(prompt)]
    if (judged := _judged(dict(fenced))) is not None:
        return json.dumps(judged)
    question = next((text for label, text in fenced if label == "question"), "")
    passages = [text for label, text in fenced if label.startswith("passage ")]
    claims = [{"text": text, "kind": "sentence", "cites": [index]} for index, text in _apt(question, passages)]
    if lies:
        claims = [_lie(claim) if at % LIE_EVERY == LIE_EVERY - 1 else claim for at, claim in enumerate(claims)]
    if not claims:
        claims = [{"text": "The passages do not answer this.", "kind": "refusal", "cites": []}]
    return json.dumps({"claims": claims}, ensure_ascii=False)


def _judged(fenced: dict[str, str]) -> dict[str, Any] | None:
    """Marks, or a preference; None when no judge is asked."""
    question = fenced.get("question", "")
    if "first answer" in fenced:
        first, second = (_shared(question, fenced[f"{name} answer"]) for name in ("first", "second"))
        return {"better": "neither" if first == second else "first" if first > second else "second"}
    if "cited passages" not in fenced:
        return None
    answer = fenced.get("answer", "")
    faithful, relevant = _shared(answer, fenced["cited passages"]), _shared(question, answer)
    return {"faithfulness": 1 + round(4 * faithful), "relevancy": 1 + round(4 * relevant)}


def _shared(text: str, other: str) -> float:
    """Share of the words of one that stand in the other."""
    words = {word.casefold() for word in WORD.findall(text)}
    return len(words & {word.casefold() for word in WORD.findall(other)}) / len(words) if words else 0.0


def _apt(question: str, passages: list[str]) -> list[tuple[int, str]]:
    """The sentences that share most words with the question, in the order of the page: (index from 1, sentence)."""
    asked = {word.casefold() for word in WORD.findall(question)}
    found: list[tuple[int, int, int, str]] = []
    for index, passage in enumerate(passages, start=1):
        for match in SENTENCE.finditer(passage):
            shared = len(asked & {word.casefold() for word in WORD.findall(match[0])})
            found.append((shared, index, match.start(), match[0]))
    best = sorted(found, key=lambda one: (-one[0], one[1], one[2]))[:CLAIMS_MAX]
    return [(index, text) for _, index, _, text in sorted(best, key=lambda one: (-one[0], one[1], one[2]))]


def _lie(claim: dict[str, Any]) -> dict[str, Any]:
    text = str(claim["text"])
    if re.search(r"\d", text):
        return {**claim, "text": re.sub(r"\d+", lambda number: str(int(number[0]) + 7), text, count=1)}
    return {**claim, "text": f"It is not true that {text[0].lower()}{text[1:]}"}


def tokens(text: str) -> Iterator[str]:
    for at in range(0, len(text), CHARS_PER_TOKEN):
        yield text[at : at + CHARS_PER_TOKEN]


def _event(value: dict[str, Any]) -> bytes:
    chunk = {"id": "c", "object": "chat.completion.chunk", "model": "played", "created": 0, **value}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _length(head: str) -> int:
    line = next(line for line in head.split("\r\n") if line.lower().startswith("content-length"))
    return min(int(line.split(":")[1]), BODY_BYTES_MAX)


class PlayedModel:
    """The server. `asked` counts what it was asked."""

    def __init__(self, *, tokens_per_s: float = TOKENS_PER_S, lies: bool = True) -> None:
        self.asked = 0
        self._pause_s = 1 / tokens_per_s if tokens_per_s else 0.0
        self._lies = lies

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Requests of one connection, one after the other."""
        with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                body = json.loads(await reader.readexactly(_length(head)))
                self.asked += 1
                await self._say(writer, body)
        writer.close()

    async def _say(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> None:
        prompt = "\n".join(str(message.get("content")) for message in body["messages"])
        text = answer_to(prompt, lies=self._lies)
        usage = {"prompt_tokens": len(prompt) // CHARS_PER_TOKEN, "completion_tokens": len(text) // CHARS_PER_TOKEN}
        usage["total_tokens"] = sum(usage.values())
        if not body.get("stream"):
            await asyncio.sleep(self._pause_s * usage["completion_tokens"])
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "played", "choices": [choice]}
            sent = json.dumps({**whole, "usage": usage}).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
            writer.write(head.encode() + sent)
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for token in tokens(text):
            await asyncio.sleep(self._pause_s)
            await _chunk(writer, _event({"choices": [{"index": 0, "delta": {"content": token}}]}))
        last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        await _chunk(writer, _event(last))
        await _chunk(writer, _event({"choices": [], "usage": usage}))
        await _chunk(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def serve(port: int, *, tokens_per_s: float, lies: bool) -> None:
    model = PlayedModel(tokens_per_s=tokens_per_s, lies=lies)
    async with await asyncio.start_server(model.handle, "127.0.0.1", port, limit=BODY_BYTES_MAX) as server:
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=0, help="0: any free one")
    options.add_argument("--tokens-per-s", type=float, default=TOKENS_PER_S, help="0: as fast as it can")
    options.add_argument("--honest", action="store_true", help="tell no lies")
    chosen = options.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(chosen.port, tokens_per_s=chosen.tokens_per_s, lies=not chosen.honest))
