"""Snapshots of a knowledge base, and documents that are forgotten: for keys of level restricted."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, FastAPI, Path, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import Shape
from firstline.documents.jobs import let_on
from firstline.domain import DocumentChange, Level, Snapshot, SnapshotEntry, Tombstone
from firstline.errors import FirstlineError, Forbidden
from firstline.questions.readable_changes import readable_changes

if TYPE_CHECKING:
    from firstline.documents.purge import Purger

logger = logging.getLogger(__name__)

LISTED_MAX: Final = 500
CHANGES_MAX: Final = 10_000
RESUME_EVERY_S: Final = 60.0

router = APIRouter(prefix="/v1", tags=["snapshots"])

Number = Annotated[int, Path(ge=1)]
Kb = Annotated[str | None, Query(max_length=64, description="Knowledge base; the key's own when it is left out.")]


class SnapshotsShown(Shape):
    """Newest first, 500 at most."""

    snapshots: list[SnapshotEntry]


class Pointed(Shape):
    """What is published now."""

    kb: str
    number: int
    documents: int
    chunks: int
    canary: int = Field(description="The snapshot that a share of the sessions asks; 0: none.")
    canary_share: float


class BackWanted(Shape):
    to: int | None = Field(None, ge=1, description="A snapshot; left out: the one published before.")


class CanaryWanted(Shape):
    share: float = Field(ge=0, le=1, description="Share of the sessions; 0 ends the trial.")


class Discarded(Shape):
    snapshots: list[int]


class DiffShown(Shape):
    """By document id, 10,000 at most."""

    before: int
    after: int
    changes: list[DocumentChange]


class ForgetWanted(Shape):
    documents: list[str] = Field(min_length=1, max_length=1_000, description="Ids. One that is not there: 404.")


class Forgotten(Shape):
    """They are out of sight now; `firstline forget` prints the proof that nothing is left."""

    forgotten: list[Tombstone]


@asynccontextmanager
async def purging(app: FastAPI, purger: Purger) -> AsyncGenerator[None]:
    """While the server runs, what is forgotten is purged: what a request left, and what a run that died has left."""
    wake = asyncio.Event()
    app.state.purge = wake
    wake.set()
    task = asyncio.create_task(_purge(purger, wake), name="purge")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _purge(purger: Purger, wake: asyncio.Event) -> None:
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESUME_EVERY_S):
                await wake.wait()
        wake.clear()
        try:
            for certificate in await purger.resume(tenant=None):
                if not certificate.clean:
                    logger.error("something is left of what was forgotten: %s", certificate.places)
        except FirstlineError as error:
            logger.warning("what is forgotten could not be purged yet: %s", error)
        except Exception as error:
            # What is to be forgotten must not wait until somebody restarts the server.
            logger.exception("purging what is forgotten failed", exc_info=error)


@router.get("/snapshots")
async def list_snapshots(request: Request, who: CallerOf, kb: Kb = None) -> SnapshotsShown:
    """Each with its state: published, canary, waiting, earlier, ahead."""
    run = await admitted(request, who)
    found = await run.firstline.snapshots.snapshots(tenant=who.principal.tenant, kb=kb or who.key.kb, limit=LISTED_MAX)
    return SnapshotsShown(snapshots=found)


@router.get("/snapshots/diff")
async def diff(
    request: Request,
    who: CallerOf,
    before: Annotated[int, Query(ge=0)],
    after: Annotated[int, Query(ge=1)],
    kb: Kb = None,
) -> DiffShown:
    """Documents that were added, changed and removed from one snapshot to the other, of those that this key may see in
    one of them."""
    run = await admitted(request, who)
    place = kb or who.key.kb
    changes = await run.firstline.snapshots.changes(
        before, after, tenant=who.principal.tenant, kb=place, limit=CHANGES_MAX
    )
    shown = await readable_changes(
        changes, before=before, after=after, kb=place, principal=who.principal, knowledge=run.firstline.knowledge
    )
    return DiffShown(before=before, after=after, changes=shown)


@router.post("/snapshots/rollback")
async def roll_back(request: Request, who: CallerOf, wanted: BackWanted, kb: Kb = None) -> Pointed:
    """Publish an earlier snapshot again. 409 when it is not older, 404 when it is not there (any more)."""
    run = await admitted(request, who)
    place = {"tenant": who.principal.tenant, "kb": kb or who.key.kb}
    return _pointed(await run.firstline.snapshots.point_back(wanted.to, **place))


@router.post("/snapshots/discard")
async def discard(request: Request, who: CallerOf, kb: Kb = None) -> Discarded:
    """Give up the snapshots that wait, and an interrupted candidate."""
    run = await admitted(request, who)
    place = {"tenant": who.principal.tenant, "kb": kb or who.key.kb}
    gone = await run.firstline.snapshots.discard(**place)
    await _let_on(run, **place)
    return Discarded(snapshots=gone)


@router.post("/snapshots/{number}/publish")
async def publish(request: Request, number: Number, who: CallerOf, kb: Kb = None) -> Pointed:
    """Publish a snapshot that waits, the canary, or one that was gone back from."""
    run = await admitted(request, who)
    place = {"tenant": who.principal.tenant, "kb": kb or who.key.kb}
    pointed = await run.firstline.snapshots.point_on(number, **place)
    await _let_on(run, **place)
    return _pointed(pointed)


@router.post("/snapshots/{number}/canary")
async def try_out(request: Request, number: Number, who: CallerOf, wanted: CanaryWanted, kb: Kb = None) -> Pointed:
    """Let a share of the sessions ask a snapshot that waits. A session stays with what it was given."""
    run = await admitted(request, who)
    place = {"tenant": who.principal.tenant, "kb": kb or who.key.kb}
    return _pointed(await run.firstline.snapshots.try_out(number, **place, share=wanted.share))


@router.post("/documents/forget")
async def forget(request: Request, who: CallerOf, wanted: ForgetWanted, kb: Kb = None) -> Forgotten:
    """Documents are in no answer from the next question on; their traces are removed within seconds to minutes."""
    run = await admitted(request, who)
    stones = await run.firstline.purger.bury(
        wanted.documents, tenant=who.principal.tenant, kb=kb or who.key.kb, by=who.principal.user
    )
    request.app.state.purge.set()
    return Forgotten(forgotten=stones)


async def admitted(request: Request, who: Caller) -> Running:
    run = running(request)
    if who.principal.level < Level.RESTRICTED:
        raise Forbidden("This key may not see or move snapshots.", remedy="Use a key of level restricted.")
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    return run


async def _let_on(run: Running, *, tenant: str, kb: str) -> None:
    working = run.firstline.working
    await let_on(tenant, kb, changes=working.changes, jobs=working.jobs)


def _pointed(snapshot: Snapshot) -> Pointed:
    return Pointed(
        kb=snapshot.kb,
        number=snapshot.number,
        documents=snapshot.documents,
        chunks=snapshot.chunks,
        canary=snapshot.canary,
        canary_share=snapshot.canary_share,
    )
