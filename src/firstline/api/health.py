"""Is it up, does it work, how is it doing; and who am I."""

from __future__ import annotations

import asyncio
import hmac
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
from firstline.api.knowledge_metrics import knowledge_metrics
from firstline.api.model_metrics import model_metrics
from firstline.api.running import running
from firstline.api.shapes import Me, Shape
from firstline.errors import FirstlineError, InvalidInput, Unauthenticated, Unavailable

READY_S_MAX: Final = 2.0
METRICS_KEY_BYTES_MIN: Final = 16

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
    """Counts and latencies for Prometheus; with the bearer token of `metrics_key`, where one is set."""
    run = running(request)
    _may_read(request.headers.get("authorization", ""), run.firstline.settings.metrics_key)
    text = run.metrics.text() + run.turns.text() + await delivery_metrics(run.firstline.deliverer)
    text += await gate_metrics.unfit_text(run.firstline) + await run.gates.text(run.firstline)
    text += await event_metrics(run.firstline.working) + cache_metrics(run.firstline.caches)
    text += await care_metrics(run.firstline.faq_list) + await run.graph.text(run.firstline)
    if run.firstline.models is not None:
        text += model_metrics(run.firstline.models.seen(), by_tenant=run.firstline.settings.metrics_by_tenant)
    text += await knowledge_metrics(run.firstline.knowledge, tenant=run.firstline.settings.tenant)
    return PlainTextResponse(text, media_type=metrics.MEDIA_TYPE)


def check_metrics_key(key: str) -> None:
    """InvalidInput for one that can be guessed."""
    if key and len(key.encode()) < METRICS_KEY_BYTES_MIN:
        raise InvalidInput(
            f"The setting 'metrics_key' is shorter than {METRICS_KEY_BYTES_MIN} bytes.",
            remedy="Set FIRSTLINE_METRICS_KEY to a long random text, or leave it empty.",
        )


def _may_read(authorization: str, key: str) -> None:
    # Compared as bytes: a header may hold any letter.
    if key and not hmac.compare_digest(authorization.encode(), f"Bearer {key}".encode()):
        raise Unauthenticated(
            "Metrics are shown to who sends the key for them.", remedy="Send `Authorization: Bearer` and `metrics_key`."
        )


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
