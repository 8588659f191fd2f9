"""`POST /v1/hooks/{source}`: a source says that something changed. Its signature is its key."""

from __future__ import annotations

import asyncio
import secrets
import time
from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from firstline.api.limits import take_event
from firstline.api.running import Running, running
from firstline.api.shapes import Shape
from firstline.connectors.kind import read_secret
from firstline.connectors.overrides import Access
from firstline.connectors.push import pushed
from firstline.connectors.roots import origin_of_name
from firstline.connectors.signatures import Signed, refused, secret_bytes, verified
from firstline.documents.behind import behind
from firstline.domain import Accepted, Behind, RegisteredSource, act_for
from firstline.errors import Broken, InvalidInput, Unauthenticated

PREFIX: Final = "/v1/hooks/"
PUSH: Final = "push"
NO_SECRET: Final = secrets.token_hex(32)
"""Nobody knows it: what is signed for a hook that is not there never fits."""

router = APIRouter(prefix=PREFIX.rstrip("/"), tags=["hooks"])

Whose = Annotated[str | None, Query(max_length=64, description="The server's own when it is left out.")]


class WaitsFor(Shape):
    snapshot: int = Field(description="The newest snapshot that waits to be published.")
    since: datetime
    why: str
    what_to_do: str


class Taken(Shape):
    status: Literal["accepted", "seen_before"] = Field(description="`seen_before`: nothing was done.")
    accepted: int = Field(0, description="Documents that are on their way.")
    older: int = Field(0, description="Documents of which something newer is known.")
    waits_for: WaitsFor | None = Field(
        None, description="What has to be decided before the documents are answerable. Deletions do not wait."
    )


@router.post("/{source}", status_code=202, response_model_exclude_none=True)
async def take_event_of(
    request: Request, source: Annotated[str, Path(max_length=64)], tenant: Whose = None, kb: Whose = None
) -> Taken:
    """Signed by the source's `hook_secret` (docs/events.md). Documents of a push source are on their way when this
    answers, and what it deleted is in no answer any more; any other source is synced."""
    run = running(request)
    place = (tenant or run.firstline.settings.tenant, kb or run.firstline.settings.kb)
    body = await request.body()
    act_for(place[0])
    known, signed = await _verified(run, request, body, source, *place)
    await take_event("\x1f".join((*place, source)), limiter=run.firstline.limiter, settings=run.firstline.settings)
    if known.kind != PUSH:
        accepted = await run.firstline.announcing.something(known, event_id=signed.event_id)
        return _taken(accepted, await behind(run.firstline.snapshots, known.tenant, known.kb))
    if not signed.whole:
        raise Unauthenticated(
            "What pushes documents signs their id and time, too.", remedy="Use Standard Webhooks (docs/events.md)."
        )
    access = Access(
        kind=known.document_kind,
        acl=known.acl,
        level=known.level,
        origin=origin_of_name(known.name),
        graph=known.config.get("graph") is not False,
    )
    found = await asyncio.to_thread(
        pushed, body, name=known.name, access=access, bytes_max=run.firstline.settings.file_bytes_max
    )
    announced = [(one.item_id, one.item, one.version) for one in found]
    accepted = await run.firstline.announcing.changed(
        announced, tenant=known.tenant, kb=known.kb, source=known.name, event_id=signed.event_id
    )
    news = frozenset(one.item_id for one in found if one.item is not None) & frozenset(accepted.taken)
    return _taken(accepted, await behind(run.firstline.snapshots, known.tenant, known.kb) if news else None)


async def _verified(
    run: Running, request: Request, body: bytes, name: str, tenant: str, kb: str
) -> tuple[RegisteredSource, Signed]:
    known = await run.firstline.sources.source(name, tenant=tenant, kb=kb)
    reference = str(known.config.get("hook_secret") or "") if known is not None else ""
    try:
        secret = await asyncio.to_thread(read_secret, reference) if reference else NO_SECRET
        secret_bytes(secret)
    except InvalidInput as error:
        # Who sends can do nothing about it, and is told no names of this machine.
        raise Broken(str(error), remedy="Put the secret where the source's hook_secret says it is.") from error
    # Compared in any case, so that the time taken does not tell which hooks there are.
    signed = verified(dict(request.headers), body, secret=secret, now=time.time())
    if known is None or not reference:
        raise refused()
    return known, signed


def _taken(accepted: Accepted, waits: Behind | None) -> Taken:
    if accepted.again:
        return Taken(status="seen_before", accepted=0, older=0, waits_for=None)
    return Taken(status="accepted", accepted=len(accepted.taken), older=len(accepted.older), waits_for=_told(waits))


def _told(waits: Behind | None) -> WaitsFor | None:
    if waits is None:
        return None
    return WaitsFor(snapshot=waits.snapshot, since=waits.since, why=waits.why, what_to_do=waits.what_to_do)
