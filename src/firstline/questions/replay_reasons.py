"""Why may a recorded turn not come to the same any more? Because something that it rested on was pruned, undone or
forgotten; said beside what differs, for no difference of words tells it.
"""

from __future__ import annotations

from typing import Final

from firstline.domain import FORGOTTEN, Principal, Session, Turn
from firstline.errors import NotFound
from firstline.ports import KnowledgeLedger, Scope, SnapshotLedger

SNAPSHOTS_READ: Final = 100_000


async def reasons(
    turn: Turn, session: Session, principal: Principal, *, knowledge: KnowledgeLedger, snapshots: SnapshotLedger
) -> tuple[str, ...]:
    """In words, for operators; empty when everything is there."""
    found: list[str] = []
    if FORGOTTEN in turn.question:
        found.append("Words of the question were forgotten (`forget --subject`): it is another one now.")
    if turn.snapshot == 0:
        return tuple(found)
    found += await _of_snapshot(turn, session, snapshots)
    if FORGOTTEN in repr(turn.outcome) or FORGOTTEN in repr((turn.plan, turn.draft)):
        found.append("Documents or persons in its record were forgotten since, and blanked there.")
    scope = Scope.of(principal, kb=session.kb, snapshot=turn.snapshot)
    ids = list(dict.fromkeys(chunk_id for chunk_id, _ in turn.evidence))
    there = {chunk.chunk_id for chunk in await knowledge.chunks(ids, scope)}
    if gone := [one for one in ids if one not in there]:
        found.append(
            f"{len(gone)} of the {len(ids)} pieces of its evidence are not there any more: their documents were "
            "pruned, undone, deleted or forgotten, or are closed to this asker by now."
        )
    return tuple(found)


async def _of_snapshot(turn: Turn, session: Session, snapshots: SnapshotLedger) -> list[str]:
    try:
        listed = await snapshots.snapshots(tenant=session.tenant, kb=session.kb, limit=SNAPSHOTS_READ)
    except NotFound:
        return [f"The knowledge base {session.kb!r} is not there any more."]
    numbers = [one.number for one in listed]
    if turn.snapshot in numbers:
        return []
    oldest = min(numbers, default=0)
    why = (
        f"it was pruned, and {oldest} is the oldest that is kept"
        if turn.snapshot < oldest
        else "it was gone back from, and undone by the next ingest"
    )
    return [f"Snapshot {turn.snapshot} is not there any more: {why}. What only it held is gone."]
