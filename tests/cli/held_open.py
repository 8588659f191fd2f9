"""One open data folder for many commands: each is told as a user tells it, and finds Postgres, models and index open.

What a command does with its folder is the same; only opening and closing, a second or more for each, is done once.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstline import wiring
from firstline.cli.main import group
from firstline.settings import load_settings


@dataclass(frozen=True, kw_only=True)
class HeldOpen:
    folder: Path
    firstline: wiring.Firstline
    loop: asyncio.AbstractEventLoop
    """Turns in a thread of its own: connections belong to the loop that opened them."""

    def told(self, *arguments: str, env: dict[str, str] | None = None) -> Result:
        with pytest.MonkeyPatch.context() as instead:
            instead.setattr(asyncio, "run", self._run)
            instead.setattr(wiring, "open_firstline", self._opened)
            instead.setattr(wiring, "open_ledgers", self._ledgers)
            return told(self.folder, *arguments, env=env)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    @asynccontextmanager
    async def _opened(self, settings: Any) -> AsyncGenerator[wiring.Firstline]:
        off = {"graph": None, "aliases": None} if settings.graph == "off" else {}
        yield replace(self.firstline, settings=settings, **off)

    @asynccontextmanager
    async def _ledgers(self, settings: Any) -> AsyncGenerator[Any]:
        del settings
        yield self.firstline.ledgers


def told(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> Result:
    """A command that opens the folder for itself."""
    return CliRunner().invoke(group, ["--data", str(folder), *arguments], env=env)


@contextmanager
def held_open(folder: Path, **flags: Any) -> Generator[HeldOpen]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    opening = wiring.open_firstline(load_settings(flags={"data_folder": folder, **flags}))

    def turn(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    try:
        firstline = turn(opening.__aenter__())
        try:
            yield HeldOpen(folder=folder, firstline=firstline, loop=loop)
        finally:
            turn(opening.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
