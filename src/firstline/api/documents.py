"""`DELETE /v1/documents/{doc_id}`: a document is in no answer any more when this answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from firstline.api.auth import CallerOf
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import Shape
from firstline.domain import Level
from firstline.errors import Forbidden

router = APIRouter(prefix="/v1/documents", tags=["documents"])


class Deleted(Shape):
    doc_id: str
    kb: str


@router.delete("/{doc_id:path}")
async def delete_document(
    request: Request,
    who: CallerOf,
    doc_id: Annotated[str, Path(max_length=1000)],
    kb: Annotated[
        str | None, Query(max_length=64, description="Knowledge base; the key's own when it is left out.")
    ] = None,
) -> Deleted:
    """Unreachable in every snapshot with the next question; a worker removes its traces. 404 when it is not there. For
    keys of level restricted."""
    if who.principal.level < Level.RESTRICTED:
        raise Forbidden("This key may not delete documents.", remedy="Use a key of level restricted.")
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    place = kb or who.key.kb
    await run.firstline.announcing.deleted(doc_id, tenant=who.principal.tenant, kb=place)
    return Deleted(doc_id=doc_id, kb=place)
