"""Three stages at the same time: batch N is committed, N + 1 embedded, N + 2 prepared.

The embedder is the bottleneck, and neither a parser nor a database may keep it waiting. Each stage takes its batches
one after the other and in order, so commits happen strictly one after another. The queues between the stages are
short, which bounds memory whatever the size of the source.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeVar

PREPARED_WAITING_MAX: Final = 2
"""Batches that may wait for the embedder."""

EMBEDDED_WAITING_MAX: Final = 1
"""Batches with vectors that may wait for their commit."""

B = TypeVar("B")
V = TypeVar("V")


async def pipeline(
    batches: AsyncIterator[B],
    *,
    embed: Callable[[B], Awaitable[V]],
    commit: Callable[[B, V], Awaitable[None]],
) -> None:
    """Embed and commit every batch; returns when the last one is committed.

    When `batches` fails, what it yielded before is still committed, and then its error is raised. When `embed` or
    `commit` fails, or the caller is cancelled, every stage ends at once: nothing is committed after that, and what
    was committed stays. The first error is raised as it was.
    """
    prepared: asyncio.Queue[B | None] = asyncio.Queue(PREPARED_WAITING_MAX)
    embedded: asyncio.Queue[tuple[B, V] | None] = asyncio.Queue(EMBEDDED_WAITING_MAX)

    async def prepare_stage() -> Exception | None:
        error: Exception | None = None
        try:
            async for batch in batches:
                await prepared.put(batch)
        except Exception as failed:
            error = failed  # raised once the stages behind have done what they were given
        await prepared.put(None)
        return error

    async def embed_stage() -> None:
        while (batch := await prepared.get()) is not None:
            await embedded.put((batch, await embed(batch)))
        await embedded.put(None)

    async def commit_stage() -> None:
        while (done := await embedded.get()) is not None:
            await commit(*done)

    try:
        async with asyncio.TaskGroup() as stages:
            preparing = stages.create_task(prepare_stage(), name="ingest-prepare")
            stages.create_task(embed_stage(), name="ingest-embed")
            stages.create_task(commit_stage(), name="ingest-commit")
    except ExceptionGroup as failed:
        # A caller asks for the kind of the error; that three stages ran at once is no concern of theirs.
        raise failed.exceptions[0] from failed.exceptions[0].__cause__
    if (error := preparing.result()) is not None:
        raise error
