"""Which vectors does a batch get? Every different text is embedded once, long ones beside long ones. A document of
which only the access has changed keeps those that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import numpy as np

from firstline.documents.run import Batch
from firstline.ports import ChunkIndex, Embedder, Vectors

TEXTS_PER_CALL: Final = 128
"""A call cannot be interrupted: this bounds how long Ctrl-C waits for it, to a few seconds."""

CALLS_MAX: Final = 2
"""Calls at once: while one ends, the next keeps every core busy."""


async def batch_vectors(batch: Batch, *, embedder: Embedder, index: ChunkIndex) -> Vectors:
    """One row per chunk, in the order of the batch. Raises what the embedder or the index raises."""
    texts = [text for prepared in batch for text in prepared.texts]
    earlier = [name for prepared in batch for name in (prepared.earlier or ("",) * len(prepared.texts))]
    asked = [name for name in earlier if name]
    if not asked:
        return await embed(texts, embedder=embedder)
    first = batch[0].document
    known = await index.vectors(asked, tenant=first.tenant, kb=first.kb)
    rows = [known.get(name) for name in earlier]
    missing = [text for text, row in zip(texts, rows, strict=True) if row is None]
    fresh = iter(await embed(missing, embedder=embedder)) if missing else iter(())
    return np.stack([next(fresh) if row is None else row for row in rows])


async def embed(texts: Sequence[str], *, embedder: Embedder) -> Vectors:
    """One row per text, in the order of `texts`. Raises what the embedder raises."""
    distinct = sorted(set(texts), key=lambda text: (-len(text), text))
    calls = [distinct[start : start + TEXTS_PER_CALL] for start in range(0, len(distinct), TEXTS_PER_CALL)]
    if len(calls) == 1:
        found = await embedder.embed(calls[0])
    else:
        found = np.concatenate(await _all(calls, embedder))
    row_of = {text: row for row, text in enumerate(distinct)}
    return found[[row_of[text] for text in texts]]


async def _all(calls: Sequence[Sequence[str]], embedder: Embedder) -> list[Vectors]:
    found: list[Vectors] = [np.empty((0, embedder.dimensions), dtype=np.float32)] * len(calls)
    waiting = iter(range(len(calls)))

    async def work() -> None:
        for place in waiting:
            found[place] = await embedder.embed(calls[place])

    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(CALLS_MAX):
                workers.create_task(work(), name="ingest-embed-call")
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed.exceptions[0].__cause__
    return found
