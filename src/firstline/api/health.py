"""Is it up, does it work, how is it doing; and who am I."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from pydantic import Field

from firstline.api import gate_metrics, metrics
from firstline.api.auth import CallerOf
from firstline.api.cache_metrics import cache_metrics
from firstline.api.care_metrics import care_metrics
from firstline.api.deliveries import delivery_metrics
from firstline.api.event_metrics import event_metrics
from firstline.api.model_metrics import model_metrics
from firstline.api.running import running
from firstline.api.shapes import Me, Shape
from firstline.errors import FirstlineError, Unavailable

READY_S_MAX: Final = 2.0

router = APIRouter(tags=["operation"])


class Health(Shape):
    status: str


class Ready(Health):
    """`status` is `ready`, or `degraded`: some knowledge base hands every question over."""

    problems: list[str] = Field(description="Why it is degraded. Anybody may read it: no names, no settings.")


@router.get("/healthz")
async def healthz() -> Health:
    """The process answers."""
    return Health(status="live")


@router.get("/readyz")
async def readyz(request: Request) -> Ready:
    """Ledger and index answer, too; 503 says which does not. A server whose calibrated gates no longer fit is ready all
    the same: turned away, nobody would be handed over."""
    firstline = running(request).firstline
    tenant, kb = firstline.settings.tenant, firstline.settings.kb
    for name, check in (
        ("ledger", firstline.knowledge.published(tenant=tenant, kb=kb)),
        ("chunk index", firstline.index.count(tenant=tenant, kb=kb)),
    ):
        try:
            await asyncio.wait_for(check, READY_S_MAX)
        except (TimeoutError, FirstlineError) as error:
            raise Unavailable(f"The {name} does not answer.", remedy="`firstline doctor` looks into it.") from error
    return _ready(await gate_metrics.unfit(running(request).firstline))


def _ready(unfit: int) -> Ready:
    if not unfit:
        return Ready(status="ready", problems=[])
    several = "s" if unfit > 1 else ""
    problem = f"The gates of {unfit} knowledge base{several} were calibrated for other settings"
    return Ready(
        status="degraded",
        problems=[f"{problem}: every question there is handed over. `firstline status` names what changed."],
    )


@router.get("/metrics", response_class=PlainTextResponse)
async def read_metrics(request: Request) -> PlainTextResponse:
    """Counts and latencies for Prometheus."""
    run = running(request)
    text = run.metrics.text() + await delivery_metrics(run.firstline.deliverer)
    text += await gate_metrics.unfit_text(run.firstline) + await run.gates.text(run.firstline)
    text += await event_metrics(run.firstline.working) + cache_metrics(run.firstline.caches)
    text += await care_metrics(run.firstline.faq_list) + await run.graph.text(run.firstline)
    if run.firstline.models is not None:
        text += model_metrics(run.firstline.models.seen())
    return PlainTextResponse(text, media_type=metrics.MEDIA_TYPE)


@router.get("/v1/me")
async def me(request: Request, who: CallerOf) -> Me:
    """What this key stands for."""
    return Me(
        key_id=who.key.key_id,
        key_name=who.key.name,
        tenant=who.principal.tenant,
        kb=who.key.kb,
        user=who.principal.user,
        level=who.principal.level.label,
        acl_tags=sorted(who.principal.acl_tags),
        topics=running(request).firstline.settings.topics_of(who.key.kb),
    )
