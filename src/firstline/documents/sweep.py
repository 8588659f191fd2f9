"""Delete what nothing names any more: contents without a document, and revisions that no kept snapshot holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.documents.followers import Followers
from firstline.ports import BlobStore, ChunkIndex, CommunityStore, Graph, SnapshotLedger

QuestionsEnd = Callable[[], Awaitable[None]]

REVISIONS_AT_ONCE: Final = 500
BLOBS_AT_ONCE: Final = 1_000
ROUNDS_MAX: Final = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruned:
    """`oldest`: the oldest snapshot that can still be gone back to."""

    oldest: int
    revisions: int
    chunks: int
    blobs: int


async def prune(
    *,
    tenant: str,
    kb: str,
    keep: int,
    snapshots: SnapshotLedger,
    index: ChunkIndex,
    blobs: BlobStore,
    questions_end: QuestionsEnd | None = None,
    graph: Graph | None = None,
    communities: CommunityStore | None = None,
) -> Pruned:
    """Keep the `keep` newest published snapshots. May be interrupted and run again: the numbers go first, so nobody can
    return to a snapshot of which something is missing. A question that holds an older one keeps what it
    began with: `questions_end` returns once those under way have ended; None: there are none."""
    oldest = await snapshots.retire(tenant=tenant, kb=kb, keep=keep)
    followers = Followers(index=index, graph=graph)
    revisions = chunks = 0
    for number_of_round in range(ROUNDS_MAX):
        gone = await snapshots.retired(tenant=tenant, kb=kb, limit=REVISIONS_AT_ONCE)
        if not gone:
            break
        if questions_end is not None and not number_of_round:
            await questions_end()
        by_number: dict[int, list[str]] = defaultdict(list)
        for one in gone:
            by_number[one.since].append(one.doc_id)
        for number, doc_ids in sorted(by_number.items()):
            await followers.delete(tenant=tenant, kb=kb, doc_ids=doc_ids, since=number)
        await snapshots.remove(gone, tenant=tenant, kb=kb)
        revisions += len(gone)
        chunks += sum(len(one.chunk_ids) for one in gone)
    if communities is not None:
        await communities.prune(tenant=tenant, kb=kb, oldest=oldest)
    return Pruned(
        oldest=oldest, revisions=revisions, chunks=chunks, blobs=await sweep(snapshots=snapshots, blobs=blobs)
    )


async def sweep(*, snapshots: SnapshotLedger, blobs: BlobStore) -> int:
    """Delete contents whose last document was removed. Returns how many."""
    deleted = 0
    for _ in range(ROUNDS_MAX):
        doomed = await snapshots.doomed(limit=BLOBS_AT_ONCE)
        if not doomed:
            break
        deleted += await delete_unused(doomed, snapshots=snapshots, blobs=blobs)
    return deleted


async def delete_unused(names: Sequence[str], *, snapshots: SnapshotLedger, blobs: BlobStore) -> int:
    """Those that no document uses; others may have the same content. Returns how many were deleted."""
    deleted = 0
    for name in names:
        async with snapshots.unused(name) as unused:
            if unused:
                await blobs.delete(name)
                deleted += 1
            # Before the block ends: a content that is doomed from then on waits for the next sweep.
            await snapshots.spared(name)
    return deleted
