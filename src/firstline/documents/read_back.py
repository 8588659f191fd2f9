"""Did the other engines take what was written? An acknowledgement is believed once it was read back."""

from __future__ import annotations

from typing import Final

from firstline.documents.publish_policy import Written
from firstline.documents.run import Run
from firstline.ports import BlobStore, ChunkIndex

BLOBS_LOOKED_UP: Final = 200
"""Of a large run this many, evenly spread: a store that drops writes drops more than one."""


async def read_back(run: Run, *, index: ChunkIndex, blobs: BlobStore) -> Written:
    contents = run.contents
    step = max(1, len(contents) // BLOBS_LOOKED_UP)
    looked_up = contents[::step][:BLOBS_LOOKED_UP]
    missing = [name for name in looked_up if not await blobs.holds(name)]
    indexed = await index.count(tenant=run.tenant, kb=run.kb, since=run.candidate)
    return Written(chunks_indexed=indexed, blobs_missing=len(missing))
