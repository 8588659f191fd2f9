"""200 chats at once through the API's streams, with a model of 20 tokens a second: does every chat get its answer?

A real server on the demo's documents, `answers_by = "model"`, and the played model (benchmarks/played_model.py, every
fourth claim a lie) in processes of their own. In each of eight rounds every chat sends one message within a second, no
two alike; caches of answers and of models' texts are off, so that each answer is written anew.

    errors      messages without a `final` event, or handed over because something was late or broken
    starved     messages whose `final` event came later than the turn's deadline and two seconds
    silence     the longest that any stream was silent before its `final`
    growth      proportional memory of the server and its index worker, after the last round less after the fifth

python -m benchmarks.model_chats
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from benchmarks.chats import RATES, Plan, burst_plan
from benchmarks.measured import Measured, NotMeasurable, Registry, run
from benchmarks.processes import descendants, proportional_mb, serve
from benchmarks.start_up import demo_folder
from benchmarks.turn_latency import nearest_rank
from benchmarks.workbench import CACHE, DEMO, DEMO_KB, ROOT
from firstline.cli.key_command import create_key
from firstline.domain import EVERYONE, Level
from firstline.evals.cases import load_cases
from firstline.settings import load_settings

CHATS: Final = 200
ROUNDS: Final = 8
FULL_AFTER: Final = 5
"""Rounds until what is kept within limits is full: sessions' turns, prepared shapes, pools of threads and memory."""
WITHIN_S: Final = 1.0
DEADLINE_S: Final = 30.0
LATE_S: Final = 2.0
READ_BYTES: Final = 65_536
SETTINGS: Final = """
answers_by = "model"
turn_deadline_s = {deadline}
cache_answer_mb = 0
cache_model_mb = 0
kb = "{kb}"

[models.large]
chain = [{{ model = "openai:played", base_url = "{url}", key_env = "PLAYED_KEY" }}]
calls_at_once = 200
timeout_s = 25
call_s = 25
"""


@dataclass(kw_only=True)
class Told:
    """One message: seconds from before its connection was opened. `silent_s`: the longest between two pieces."""

    error: str = ""
    first_text_s: float = 0.0
    answered_s: float = 0.0
    silent_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ModelChats:
    told: tuple[Told, ...]
    memory_mb: tuple[float, ...]
    written: float
    """Share of the answers that are in the model's words."""

    @property
    def errors(self) -> int:
        return sum(bool(one.error) for one in self.told)

    @property
    def starved(self) -> int:
        return sum(one.answered_s > DEADLINE_S + LATE_S for one in self.told)

    @property
    def silence_s(self) -> float:
        return max(one.silent_s for one in self.told)

    @property
    def growth_mb(self) -> float:
        return self.memory_mb[-1] - self.memory_mb[min(FULL_AFTER, len(self.memory_mb)) - 1]


@dataclass(frozen=True, kw_only=True)
class Chats:
    host: str
    port: int
    token: str
    sessions: list[str] = field(default_factory=list[str])

    async def open(self, count: int) -> None:
        for chat in range(count - len(self.sessions)):
            reader, writer = await asyncio.open_connection(self.host, self.port)
            writer.write(self._request("/v1/sessions", {}, chat=chat, accept="application/json"))
            reply = await reader.read(-1)
            writer.close()
            self.sessions.append(str(json.loads(reply.partition(b"\r\n\r\n")[2])["session_id"]))

    async def play(self, plan: Plan) -> list[Told]:
        began = time.perf_counter() + 0.2

        async def one(at_s: float, chat: int, text: str) -> Told:
            await asyncio.sleep(max(0.0, began + at_s - time.perf_counter()))
            told = Told()
            try:
                async with asyncio.timeout(DEADLINE_S * 2):
                    await self._send(chat, text, told)
            except (OSError, ValueError, TimeoutError) as error:
                told.error = str(error) or type(error).__name__
            return told

        return list(await asyncio.gather(*(one(*planned) for planned in plan)))

    async def _send(self, chat: int, text: str, told: Told) -> None:
        path = f"/v1/sessions/{self.sessions[chat]}/messages"
        began = heard = time.perf_counter()
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(self._request(path, {"text": text}, chat=chat, accept="text/event-stream"))
            seen = b""
            while part := await reader.read(READ_BYTES):
                now = time.perf_counter()
                seen += part
                told.silent_s, heard = max(told.silent_s, now - heard), now
                if not told.first_text_s and b"event: delta\n" in seen:
                    told.first_text_s = now - began
                if b"event: final\n" in seen:
                    told.answered_s = told.answered_s or now - began
            if not told.answered_s or b"event: error\n" in seen:
                raise ValueError(seen[:40].decode("ascii", "replace") or "nothing was answered")
            if b'"provider_failure"' in seen:
                raise ValueError("handed over: provider_failure")
        finally:
            writer.close()

    def _request(self, path: str, value: dict[str, str], *, chat: int, accept: str) -> bytes:
        body = json.dumps(value).encode()
        return (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
            f"X-Firstline-User: chat{chat}\r\nAccept: {accept}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode() + body


@contextmanager
def played(*, tokens_per_s: float, honest: bool = False) -> Generator[str]:
    """The address of a played model."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.played_model",
        "--tokens-per-s",
        str(tokens_per_s),
        *(["--honest"] if honest else []),
    ]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            if process.stdout is None or not (url := process.stdout.readline().strip()):
                raise NotMeasurable("the played model did not start")
            yield url
        finally:
            process.terminate()


def measure(folder: Path, *, chats: int = CHATS, rounds: int = ROUNDS, tokens_per_s: float = 20.0) -> ModelChats:
    """`folder`: a data folder with the demo's documents."""
    settings = load_settings(flags={"data_folder": folder, "kb": DEMO_KB})
    token = asyncio.run(create_key(settings, name="chats", level=Level.CUSTOMER, acl=frozenset({EVERYONE}), days=1))
    questions = [case.question for case in load_cases(DEMO / "golden.jsonl")]
    with played(tokens_per_s=tokens_per_s) as url:
        config = folder / "model_chats.toml"
        config.write_text(SETTINGS.format(deadline=DEADLINE_S, kb=DEMO_KB, url=url), encoding="utf-8")
        environ = {**RATES, "FIRSTLINE_CONFIG": str(config), "PLAYED_KEY": "sk-played"}
        with serve(folder, environ=environ) as served:
            address = urlsplit(served.url)
            them = Chats(host=str(address.hostname), port=int(address.port or 0), token=token)
            told: list[Told] = []
            memory: list[float] = []
            for number in range(rounds):
                plan = burst_plan(questions, chats=chats, within_s=WITHIN_S, seed=40 + number)
                told += asyncio.run(_round(them, chats, plan))
                memory.append(proportional_mb(descendants(served.pid)))
            return ModelChats(told=tuple(told), memory_mb=tuple(memory), written=_written(served.url))


async def _round(them: Chats, chats: int, plan: Plan) -> list[Told]:
    await them.open(chats)
    return await them.play(plan)


def _written(url: str) -> float:
    """From the server's own metrics: answers that were begun to be shown while a model wrote, of all answers."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as reply:  # noqa: S310 - a loopback address made above
        text = reply.read().decode()
    answered = sum(map(float, re.findall(r'firstline_turns_total\{outcome="answered"[^}]*\} (\S+)', text)))
    without = sum(map(float, re.findall(r'firstline_degraded_total\{stage="compose"[^}]*\} (\S+)', text)))
    return (answered - without) / answered if answered else 0.0


_measured: list[ModelChats] = []


async def measured() -> ModelChats:
    if not _measured:
        folder = await asyncio.to_thread(demo_folder, CACHE)
        _measured.append(await asyncio.to_thread(measure, folder))
    return _measured[0]


async def chat_errors() -> Measured:
    return Measured(value=(await measured()).errors, unit=f"of {CHATS * ROUNDS}")


async def starved_chats() -> Measured:
    return Measured(value=(await measured()).starved, unit=f"of {CHATS * ROUNDS}")


async def longest_silence() -> Measured:
    return Measured(value=(await measured()).silence_s, unit="s")


async def memory_growth() -> Measured:
    return Measured(value=(await measured()).growth_mb, unit="MB")


def register(registry: Registry) -> None:
    registry.update(
        {
            "gateway.chat_errors": chat_errors,
            "gateway.starved_chats": starved_chats,
            "gateway.longest_silence_s": longest_silence,
            "gateway.memory_growth_mb": memory_growth,
        }
    )


async def report() -> None:
    found = await measured()
    firsts = [one.first_text_s for one in found.told if one.first_text_s]
    ends = [one.answered_s for one in found.told if one.answered_s]
    print(f"{len(found.told)} messages, {found.errors} errors, {found.starved} starved")
    for error in sorted({one.error for one in found.told if one.error}):
        print(f"  {error}")
    for name, values in (("first text", firsts), ("answered", ends)):
        shown = ", ".join(f"p{share:.0%} {nearest_rank(values, share):.2f} s".replace("%", "") for share in (0.5, 0.95))
        print(f"{name}: {shown}, last {max(values):.2f} s")
    print(f"longest silence {found.silence_s:.2f} s; answers in the model's words {found.written:.0%}")
    print(f"memory after each round: {', '.join(f'{value:.0f}' for value in found.memory_mb)} MB")


if __name__ == "__main__":
    sys.exit(run("model_chats", report()))
