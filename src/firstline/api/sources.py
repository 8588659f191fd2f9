"""Sources of a knowledge base: registered, looked at, synced and removed by keys of level restricted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Path, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import Shape
from firstline.connectors.kinds import checked_config, checked_name
from firstline.documents.redact import PatternRedactor
from firstline.domain import EVERYONE, DocumentKind, Level, RegisteredSource, SourceState, SyncReport, next_due
from firstline.errors import Conflict, FirstlineError, Forbidden, InvalidInput, NotFound

logger = logging.getLogger(__name__)

SYNCS_AT_ONCE: Final = 4
"""Of one tenant alone; with others their share of it, and one at least: nobody waits for another's slow vendor."""
SYNCS_IN_ALL: Final = 32
TAGS_MAX: Final = 100
_SECRET_TYPES: Final = frozenset({"SECRET", "PRIVATE_KEY"})

router = APIRouter(prefix="/v1/sources", tags=["sources"])

Name = Annotated[str, Path(max_length=64)]
Kb = Annotated[str | None, Query(max_length=64, description="Knowledge base; the key's own when it is left out.")]


class SourceWanted(Shape):
    name: str = Field(max_length=64)
    kind: str = Field(max_length=40, description="website, git, table, openapi, ... (docs/sources.md).")
    config: dict[str, Any] = Field(description="Options of its kind. Secrets are named: env:SOURCE_TENANT_NAME.")
    kb: str | None = Field(None, max_length=64)
    schedule: str = Field("", max_length=100, description='"6h", "1d" or a cron line in UTC; empty: by hand.')
    document_kind: DocumentKind = DocumentKind.DOCUMENTATION
    level: str = Field("public", max_length=20)
    acl: tuple[str, ...] = Field((EVERYONE,), max_length=TAGS_MAX)


class SourceShown(Shape):
    """A source with what its last sync came to. Secrets are named, never shown."""

    name: str
    kb: str
    kind: str
    config: Mapping[str, Any]
    schedule: str
    document_kind: DocumentKind
    level: str
    acl: list[str]
    state: SourceState
    syncing: bool
    documents: int
    began_at: datetime | None
    finished_at: datetime | None
    due_at: datetime | None
    last_report: SyncReport | None


class SourcesShown(Shape):
    sources: list[SourceShown]


class SourceGone(Shape):
    name: str
    documents_ended: int


@asynccontextmanager
async def syncing(app: FastAPI) -> AsyncGenerator[None]:
    """Syncs that the API started end with the server; the next ones go on from where they were."""
    tasks: dict[asyncio.Task[None], str] = {}
    app.state.syncing = tasks
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@router.get("")
async def list_sources(request: Request, who: CallerOf, kb: Kb = None) -> SourcesShown:
    """By knowledge base and name; of every knowledge base when none is named."""
    run = await _admitted(request, who)
    found = await run.firstline.sources.sources(tenant=who.principal.tenant, kb=kb)
    return SourcesShown(sources=[_shown(one) for one in found])


@router.post("", status_code=201)
async def add_source(request: Request, wanted: SourceWanted, who: CallerOf) -> SourceShown:
    """Register a source. What reads this machine or its network is registered on the machine, not here."""
    run = await _admitted(request, who)
    source = new_source(
        tenant=who.principal.tenant,
        kb=wanted.kb or who.key.kb,
        name=wanted.name,
        kind=wanted.kind,
        config=checked_config(wanted.kind, wanted.config, over_api_of=who.principal.tenant),
        schedule=wanted.schedule,
        document_kind=wanted.document_kind,
        level=_level(wanted.level),
        acl=frozenset(wanted.acl),
    )
    await run.firstline.sources.add_source(source)
    return _shown(source)


@router.get("/{name}")
async def show_source(request: Request, name: Name, who: CallerOf, kb: Kb = None) -> SourceShown:
    """One source, with what its last sync came to."""
    run = await _admitted(request, who)
    return _shown(await _source(run, who, name, kb))


@router.post("/{name}/sync", status_code=202)
async def sync_source(
    request: Request,
    name: Name,
    who: CallerOf,
    kb: Kb = None,
    full: Annotated[bool, Query(description="Read everything anew.")] = False,
    force: Annotated[bool, Query(description="Believe a list that misses much of what stands.")] = False,
) -> SourceShown:
    """Start a sync, and answer at once; GET shows what came of it. 409 while it is synced already."""
    run = await _admitted(request, who)
    source = await _source(run, who, name, kb)
    if _is_syncing(source):
        raise Conflict(f"{name!r} is synced already.", remedy="Wait for it: GET shows when it has ended.")
    tasks: dict[asyncio.Task[None], str] = request.app.state.syncing
    if full_up := refused_now(source.tenant, list(tasks.values())):
        raise Conflict(full_up, remedy="Wait for one of them to end.")

    async def work() -> None:
        try:
            await run.firstline.sync.sync(name, tenant=source.tenant, kb=source.kb, full=full, force=force)
        except FirstlineError as error:
            logger.warning("the sync of source %s did not begin: %s", name, error)

    task = asyncio.create_task(work())
    tasks[task] = source.tenant
    task.add_done_callback(lambda done: tasks.pop(done, None))
    return _shown(source)


@router.delete("/{name}")
async def remove_source(
    request: Request,
    name: Name,
    who: CallerOf,
    kb: Kb = None,
    documents: Annotated[bool, Query(description="End the documents that came from it, too.")] = False,
) -> SourceGone:
    """Take it out of the registry. 409 while it is synced."""
    run = await _admitted(request, who)
    ended = await run.firstline.sync.remove(name, tenant=who.principal.tenant, kb=kb or who.key.kb, documents=documents)
    return SourceGone(name=name, documents_ended=ended)


def refused_now(tenant: str, syncing: Sequence[str]) -> str:
    """Why a tenant may not start another sync beside those of these tenants; empty when it may."""
    own = sum(each == tenant for each in syncing)
    share = max(1, SYNCS_AT_ONCE // len({*syncing, tenant}))
    if own >= share:
        return f"{own} of your sources are synced already."
    return f"{len(syncing)} sources are synced already." if len(syncing) >= SYNCS_IN_ALL else ""


def new_source(
    *,
    tenant: str,
    kb: str,
    name: str,
    kind: str,
    config: Mapping[str, object],
    schedule: str,
    document_kind: DocumentKind,
    level: Level,
    acl: frozenset[str],
) -> RegisteredSource:
    """Checked, and due at once when it has a schedule. InvalidInput says what is wrong. `config` is checked already."""
    refuse_secrets(config)
    now = datetime.now(UTC)
    return RegisteredSource(
        tenant=tenant,
        kb=kb,
        name=checked_name(name),
        kind=kind,
        config=config,
        document_kind=document_kind,
        acl=acl,
        level=level,
        schedule=schedule,
        added_at=now,
        due_at=now if next_due(schedule, now) is not None else None,
    )


def refuse_secrets(config: Mapping[str, object]) -> None:
    """InvalidInput when an option holds what looks like a secret: the registry is no place for it."""
    redactor = PatternRedactor()
    for name, value in config.items():
        if isinstance(value, str) and {one.type for one in redactor.redact(value).redactions} & _SECRET_TYPES:
            raise InvalidInput(
                f"The option {name!r} holds what looks like a secret.",
                remedy="Put it into a variable or file, and name that: env:NAME or file:PATH.",
            )


async def _admitted(request: Request, who: Caller) -> Running:
    if who.principal.level < Level.RESTRICTED:
        raise Forbidden("This key may not manage sources.", remedy="Use a key of level restricted.")
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    return run


async def _source(run: Running, who: Caller, name: str, kb: str | None) -> RegisteredSource:
    kb = kb or who.key.kb
    found = await run.firstline.sources.source(name, tenant=who.principal.tenant, kb=kb)
    if found is None:
        raise NotFound(f"{kb!r} has no source {name!r}.", remedy="GET /v1/sources lists them.")
    return found


def _level(name: str) -> Level:
    try:
        return Level.parse(name)
    except KeyError:
        names = ", ".join(level.label for level in Level)
        raise InvalidInput("There is no such level.", remedy=f"Use one of: {names}.") from None


def _is_syncing(source: RegisteredSource) -> bool:
    return source.leased_until is not None and source.leased_until > datetime.now(UTC)


def _shown(source: RegisteredSource) -> SourceShown:
    return SourceShown(
        name=source.name,
        kb=source.kb,
        kind=source.kind,
        config=dict(source.config),
        schedule=source.schedule,
        document_kind=source.document_kind,
        level=source.level.label,
        acl=sorted(source.acl),
        state=source.state,
        syncing=_is_syncing(source),
        documents=source.documents,
        began_at=source.began_at,
        finished_at=source.finished_at,
        due_at=source.due_at,
        last_report=source.last_report,
    )
