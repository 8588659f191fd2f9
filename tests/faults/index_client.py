"""A process of its own that writes chunks to an index and prints each one that was acknowledged."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import numpy as np

from firstline.domain import EVERYONE, Level
from firstline.engines.qdrant_edge import open_qdrant_edge
from firstline.ports import IndexEntry, SparseVector

DIMENSIONS = 8


def chunk(number: int) -> IndexEntry:
    vector = np.random.default_rng(number).normal(size=DIMENSIONS).astype(np.float32)
    return IndexEntry(
        chunk_id=f"00000000-0000-4000-8000-{number:012d}",
        tenant="t",
        kb="k",
        doc_id=f"d{number}",
        acl=frozenset({EVERYONE}),
        level=Level.PUBLIC,
        since=1,
        dense=vector / np.linalg.norm(vector),
        words=SparseVector(indices=(number,), values=(1.0,)),
    )


async def main(folder: Path, first: int, last: int) -> None:
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
        print("worker", await index.ready(), flush=True)
        for number in range(first, last):
            await index.upsert([chunk(number)])
            print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
