"""Serve the scripted firstline: `served.py PORT` prints its address and a customer's token."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fake_firstline import FakeFirstline, open_fake

from firstline.api.serve import serve
from firstline.settings import Settings

opened: list[tuple[FakeFirstline, str]] = []


@asynccontextmanager
async def open_scripted() -> AsyncGenerator[FakeFirstline]:
    firstline = await open_fake(rate_session_per_minute=8)
    opened.append((firstline, await firstline.token()))
    yield firstline
    recorded = sum(len(turns) for turns in firstline.conversations._turns.values())
    print(f"recorded {recorded}", flush=True)


if __name__ == "__main__":
    serve(
        Settings(),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        on_ready=lambda url: print(url, opened[0][1], flush=True),
        open_with=open_scripted,  # type: ignore[arg-type]  # a fake of Firstline
    )
