"""How is a source listened to? In a task of its own, so that what was heard can be committed while it makes us wait."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from firstline.domain import Change
from firstline.errors import Unavailable

WAITING_MAX: Final = 16
"""Changes that were heard and wait to be taken."""


@asynccontextmanager
async def listening(
    changes: AsyncIterator[Change], *, quiet_s: float, stall_s: float
) -> AsyncGenerator[AsyncIterator[Change | None]]:
    """The changes in their order, and None whenever nothing came for `quiet_s`. Unavailable when nothing came for
    `stall_s`; what the source raises is raised after what it yielded before. The source is closed with the block."""
    queue: asyncio.Queue[Change | BaseException | None] = asyncio.Queue(WAITING_MAX)

    async def listen() -> None:
        end: BaseException | None = None
        try:
            async for change in changes:
                await queue.put(change)
        except Exception as error:
            end = error
        await queue.put(end)

    async def heard() -> AsyncIterator[Change | None]:
        last = time.monotonic()
        while True:
            try:
                change = await asyncio.wait_for(queue.get(), quiet_s)
            except TimeoutError:
                if time.monotonic() - last > stall_s:
                    raise Unavailable(
                        f"The source said nothing for {stall_s:,.0f} s, and was given up.",
                        remedy="The next sync goes on from where it was; check the other side when it stays so.",
                    ) from None
                yield None
                continue
            if change is None:
                return
            if isinstance(change, BaseException):
                raise change
            yield change
            # How long it takes to commit is not the source's silence.
            last = time.monotonic()

    task = asyncio.create_task(listen())
    try:
        yield heard()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if isinstance(changes, AsyncGenerator):
            await changes.aclose()
