"""What do changes wait for before they are answerable? A snapshot that waits to be published is in front of them.

The next snapshot holds all that the one before it holds, so a change that came after a snapshot which waits cannot be
published without it. It is kept where it was announced until that is decided: then it is taken in either case, on top
of what was published, or of what was there before.
"""

from __future__ import annotations

from typing import Final

from firstline.domain import Behind, SnapshotState
from firstline.errors import NotFound
from firstline.ports import SnapshotLedger

SNAPSHOTS_READ: Final = 1_000


async def behind(snapshots: SnapshotLedger, tenant: str, kb: str) -> Behind | None:
    """The oldest snapshot that waits; None: nothing is in the way."""
    try:
        listed = await snapshots.snapshots(tenant=tenant, kb=kb, limit=SNAPSHOTS_READ)
    except NotFound:
        return None
    waiting = [one for one in listed if one.state in (SnapshotState.WAITING, SnapshotState.CANARY)]
    if not waiting:
        return None
    first = min(waiting, key=lambda one: one.number)
    newest = max(one.number for one in waiting)
    return Behind(snapshot=newest, since=first.sealed_at, why=first.waits or "it was not published yet")
