"""Put the HTTP surface together."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI

from firstline import __version__
from firstline.api import (
    chunks,
    documents,
    drafts,
    faq,
    feedback,
    gaps,
    graph,
    graph_communities,
    graph_rules,
    graph_stats,
    handoffs,
    health,
    hooks,
    review,
    sessions,
    snapshots,
    sources,
    widgets,
)
from firstline.api.arrivals import Arrivals
from firstline.api.cross_origin import CrossOrigin
from firstline.api.guard import Guard
from firstline.api.limits import BodyLimit
from firstline.api.metrics import Metrics
from firstline.api.oidc import oidc_tokens
from firstline.api.page import page_router
from firstline.api.problems import add_problem_handlers
from firstline.api.running import HEARTBEAT_S, Running
from firstline.settings import Settings
from firstline.wiring import widget_secret, wording_of

if TYPE_CHECKING:
    from firstline.wiring import Firstline

DRAIN_MARGIN_S: Final = 1.0
BYTES_PER_CHARACTER_MAX: Final = 4

OpenFirstline = Callable[[], AbstractAsyncContextManager["Firstline"]]


def create_app(
    firstline: Firstline | OpenFirstline, *, settings: Settings, heartbeat_s: float = HEARTBEAT_S
) -> FastAPI:
    """The app over an opened firstline, or over one that it opens when it starts and closes when it ends."""
    metrics, arrivals = Metrics(), Arrivals()
    wording = wording_of(settings)
    health.check_metrics_key(settings.metrics_key)
    if settings.widget_secret:
        widget_secret(settings)  # refused now, and not with the first token

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            opened = await stack.enter_async_context(firstline()) if callable(firstline) else firstline
            run = Running(
                firstline=opened,
                wording=wording,
                metrics=metrics,
                arrivals=arrivals,
                heartbeat_s=heartbeat_s,
                oidc=oidc_tokens(settings),
                widget_secret=partial(widget_secret, settings),
            )
            app.state.running = run
            await stack.enter_async_context(opened.deliverer.running())
            await stack.enter_async_context(snapshots.purging(app, opened.purger))
            await stack.enter_async_context(sources.syncing(app))
            if settings.worker:
                await stack.enter_async_context(opened.working.running())
            yield
            await run.drain(timeout_s=settings.turn_deadline_s + DRAIN_MARGIN_S)

    app = FastAPI(
        title="firstline",
        version=__version__,
        description="First-line support that answers only what it can prove, and hands over the rest.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    add_problem_handlers(app)
    for module in (
        sessions,
        chunks,
        documents,
        drafts,
        faq,
        feedback,
        gaps,
        graph,
        graph_communities,
        graph_rules,
        graph_stats,
        handoffs,
        health,
        hooks,
        review,
        snapshots,
        sources,
        widgets,
    ):
        app.include_router(module.router)
    app.include_router(page_router(wording))
    # The last one added is the outermost.
    app.add_middleware(CrossOrigin)
    app.add_middleware(
        BodyLimit,
        bytes_max=settings.question_chars_max * BYTES_PER_CHARACTER_MAX,
        larger={
            hooks.PREFIX: settings.hook_bytes_max,
            faq.PREFIX: faq.BODY_BYTES_MAX,
            graph_rules.PREFIX: graph_rules.BODY_BYTES_MAX,
        },
    )
    app.add_middleware(Guard, metrics=metrics, arrivals=arrivals)
    return app
