"""From a change to an answer that knows of it, over real HTTP, idle and while a bulk ingest runs; and from a deletion.

    python -m benchmarks.fresh [--changes 40] [--bulk-documents 800]

A data folder with the demo and a hundred further pages is served by `firstline serve` as it is shipped. Signed events
are posted to a push source, each with a sentence that holds a word of its own, and the question for it is asked until
the answer quotes it: the time runs from before the post to the end of that answer, so that the question's own time is
part of it. Every third change is followed by the deletion of an earlier page: from before the request until a question
does not quote it any more. Then the same while `firstline ingest` takes in a folder of so many made-up pages.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from benchmarks.measured import Measured, Registry, run
from benchmarks.workbench import DEMO

CHANGES: Final = 40
BULK_DOCUMENTS: Final = 800
PAGES: Final = 100
SECRET: Final = "a secret for a benchmark alone"  # noqa: S105
ASKED_S_MAX: Final = 60.0
READY_S_MAX: Final = 60.0
SYLLABLES: Final = "ba ke lo mi nu ra se ti vo za du fe gi ho ja".split()


@dataclass(kw_only=True)
class Fresh:
    """Times in ms. `bulk_s`: how long the bulk ingest took, with the changes between; `question_ms`: what a
    question takes by itself, idle."""

    webhook_ms: list[float] = field(default_factory=list[float])
    delete_ms: list[float] = field(default_factory=list[float])
    delete_answered_ms: list[float] = field(default_factory=list[float])
    bulk_webhook_ms: list[float] = field(default_factory=list[float])
    bulk_delete_ms: list[float] = field(default_factory=list[float])
    bulk_s: float = 0.0
    question_ms: list[float] = field(default_factory=list[float])


def p95(values: list[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)] if values else float("nan")


async def measure_fresh(*, changes: int = CHANGES, bulk_documents: int = BULK_DOCUMENTS) -> Fresh:
    scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="firstline-fresh-"))
    try:
        # The embedded Postgres may run as a user of its own, who must be able to enter.
        await asyncio.to_thread(scratch.chmod, 0o711)
        environ = {**os.environ, "SOURCE_PUSH": SECRET, "FIRSTLINE_KB": "docs"}
        await asyncio.to_thread(_prepare, scratch, environ)
        token = await asyncio.to_thread(_key, scratch, environ)
        found = Fresh()
        async with _served(scratch, environ) as url, httpx.AsyncClient(base_url=url, timeout=ASKED_S_MAX) as client:
            client.headers["Authorization"] = f"Bearer {token}"
            caller = Caller(client)
            await caller.change()  # the first one pays for what is loaded late
            for place in range(changes):
                found.webhook_ms.append(await caller.change())
                found.question_ms.append(await caller.ask_again())
                if place % 3 == 2:
                    request_ms, gone_ms = await caller.delete(by_hook=bool(place % 2))
                    found.delete_ms.append(gone_ms)
                    found.delete_answered_ms.append(request_ms)
            show(found)
            await _during_bulk(scratch, environ, bulk_documents, caller, found)
        return found
    finally:
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)


async def _during_bulk(scratch: Path, environ: dict[str, str], documents: int, caller: Caller, found: Fresh) -> None:
    folder = scratch / "bulk"
    await asyncio.to_thread(_write_pages, folder, documents, seed=2)
    began = time.monotonic()
    command = [*_firstline(scratch), "ingest", str(folder)]
    bulk = await asyncio.create_subprocess_exec(
        *command, env=environ, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    ending = asyncio.create_task(bulk.communicate())
    await asyncio.sleep(3.0)
    while not ending.done():
        took_ms = await caller.change()
        _, gone_ms = await caller.delete(by_hook=True)
        # A change that the end of the ingest overtook was not measured during it.
        if not ending.done():
            found.bulk_webhook_ms.append(took_ms)
            found.bulk_delete_ms.append(gone_ms)
        await asyncio.sleep(0.5)
    _, said = await ending
    if bulk.returncode:
        raise RuntimeError(f"the bulk ingest failed: {said.decode()[-500:]}")
    found.bulk_s = time.monotonic() - began


class Caller:
    """Somebody who writes pages, deletes them and asks about them."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._random = random.Random(5)  # noqa: S311 (not a secret)
        self._session = ""
        self._written: list[tuple[str, str]] = []
        self._count = 0

    async def change(self) -> float:
        """Milliseconds from before the event to the end of the answer that quotes it."""
        self._count += 1
        word = "".join(self._random.choice(SYLLABLES) for _ in range(4))
        page = f"page{self._count}"
        text = f"# The {word} valve\n\nTo open the {word} valve, turn the {word} wheel by {self._count} notches.\n"
        began = time.monotonic()
        await self._post({"documents": [{"id": page, "title": f"The {word} valve", "markdown": text}]})
        while not await self._quoted(word):
            if time.monotonic() - began > ASKED_S_MAX:
                raise RuntimeError(f"the change to {page} was not answerable after {ASKED_S_MAX} s")
        self._written.append((page, word))
        return (time.monotonic() - began) * 1000

    async def ask_again(self) -> float:
        """Milliseconds of a question alone."""
        began = time.monotonic()
        await self._quoted(self._written[-1][1])
        return (time.monotonic() - began) * 1000

    async def delete(self, *, by_hook: bool) -> tuple[float, float]:
        """Milliseconds until the request was answered, and until the document was unreachable: the first question
        that was begun after the request must not quote it."""
        page, word = self._written.pop(0)
        began = time.monotonic()
        if by_hook:
            await self._post({"documents": [{"id": page, "deleted": True}]})
        else:
            (await self._client.delete(f"/v1/documents/push/{page}")).raise_for_status()
        answered_ms = gone_ms = (time.monotonic() - began) * 1000
        while await self._quoted(word):
            gone_ms = (time.monotonic() - began) * 1000
        return answered_ms, gone_ms

    async def _quoted(self, word: str) -> bool:
        made = await self._client.post("/v1/sessions", json={})
        made.raise_for_status()
        asked = await self._client.post(
            f"/v1/sessions/{made.json()['session_id']}/messages", json={"text": f"How do I open the {word} valve?"}
        )
        if asked.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise RuntimeError("the benchmark asks more often than it may")
        asked.raise_for_status()
        return f"{word} wheel" in asked.text

    async def _post(self, event: dict[str, Any]) -> None:
        body = json.dumps(event).encode()
        event_id, stamp = os.urandom(8).hex(), str(int(time.time()))
        signed = hmac.new(SECRET.encode(), b".".join((event_id.encode(), stamp.encode(), body)), hashlib.sha256)
        headers = {
            "webhook-id": event_id,
            "webhook-timestamp": stamp,
            "webhook-signature": "v1," + base64.b64encode(signed.digest()).decode(),
        }
        (await self._client.post("/v1/hooks/push", content=body, headers=headers)).raise_for_status()


def _firstline(scratch: Path) -> list[str]:
    return [str(Path(sys.executable).with_name("firstline")), "--data", str(scratch / "data")]


def _prepare(scratch: Path, environ: dict[str, str]) -> None:
    _write_pages(scratch / "pages", PAGES, seed=1)
    for arguments in (
        ["ingest", str(DEMO / "docs"), str(scratch / "pages")],
        ["source", "add", "push", "push", "--set", "hook_secret=env:SOURCE_PUSH"],
    ):
        subprocess.run([*_firstline(scratch), *arguments], env=environ, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (ours)


def _key(scratch: Path, environ: dict[str, str]) -> str:
    command = [*_firstline(scratch), "key", "create", "--name", "bench", "--level", "restricted"]
    printed = subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout  # noqa: S603 (ours)
    return next(part for part in printed.split() if part.startswith("fl_"))


@asynccontextmanager
async def _served(scratch: Path, environ: dict[str, str]) -> AsyncGenerator[str]:
    limits = {f"FIRSTLINE_RATE_{who}_PER_MINUTE": "100000" for who in ("KEY", "USER", "SESSION")}
    server = await asyncio.create_subprocess_exec(
        *_firstline(scratch), "serve", "--port", "0", env={**environ, **limits}, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        line = await asyncio.wait_for(server.stdout.readline(), READY_S_MAX)
        yield line.decode().split()[-1]
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.terminate()
        await server.wait()


def _write_pages(folder: Path, count: int, *, seed: int) -> None:
    """Made-up pages of some 150 words each."""
    chance = random.Random(seed)  # noqa: S311 (not a secret)
    words = ["".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 3))) for _ in range(2_000)]
    folder.mkdir(parents=True)
    for number in range(count):
        parts = [f"# Page {number} about {chance.choice(words)}\n"]
        for _ in range(2):
            sentences = (" ".join(chance.choices(words, k=12)).capitalize() + "." for _ in range(6))
            parts.append(f"## {chance.choice(words).capitalize()} {chance.choice(words)}\n\n{' '.join(sentences)}\n")
        (folder / f"{number}.md").write_text("\n".join(parts), encoding="utf-8")


_measured: list[Fresh] = []


async def fresh() -> Fresh:
    if not _measured:
        _measured.append(await measure_fresh())
        show(_measured[0])
    return _measured[0]


async def webhook_p95() -> Measured:
    return Measured(value=p95((await fresh()).webhook_ms), unit="ms")


async def bulk_webhook_p95() -> Measured:
    return Measured(value=p95((await fresh()).bulk_webhook_ms), unit="ms")


async def delete_p95() -> Measured:
    found = await fresh()
    return Measured(value=p95(found.delete_ms + found.bulk_delete_ms), unit="ms")


def register(figures: Registry) -> None:
    figures["fresh.webhook_p95_ms"] = webhook_p95
    figures["fresh.webhook_bulk_p95_ms"] = bulk_webhook_p95
    figures["fresh.delete_p95_ms"] = delete_p95


def show(found: Fresh) -> None:
    for name, values in (
        ("webhook to answer, idle", found.webhook_ms),
        ("of which the last question", found.question_ms),
        ("webhook to answer, during a bulk ingest", found.bulk_webhook_ms),
        ("deletion to unreachable, idle", found.delete_ms),
        ("deletion to unreachable, during a bulk ingest", found.bulk_delete_ms),
    ):
        middle = sorted(values)[len(values) // 2] if values else float("nan")
        print(
            f"{name}: n {len(values)}, p50 {middle:.0f} ms, p95 {p95(values):.0f} ms, max {max(values, default=0):.0f}"
        )
    print(f"the bulk ingest took {found.bulk_s:.0f} s", flush=True)


async def _main(changes: int, bulk_documents: int) -> None:
    show(await measure_fresh(changes=changes, bulk_documents=bulk_documents))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=CHANGES)
    parser.add_argument("--bulk-documents", type=int, default=BULK_DOCUMENTS)
    given = parser.parse_args()
    sys.exit(run("fresh", _main(given.changes, given.bulk_documents)))
