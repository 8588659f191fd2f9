"""What several documents tell of the same things, to look at."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request

from firstline.api.auth import CallerOf
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import Shape
from firstline.domain import Community, Telling, Told, ToldKind
from firstline.errors import NotFound
from firstline.ports import Scope
from firstline.questions.gathered import GatheredShown, gathered
from firstline.questions.wording.links import allowed_url

NAME_CHARS_MAX: Final = 500
LIMIT_MAX: Final = 100

router = APIRouter(prefix="/v1/graph", tags=["graph"])


class TellingShown(Shape):
    """Bytes of the document's text; GET /v1/chunks/{chunk_id} shows what stands around."""

    doc_id: str
    title: str
    url: str | None
    chunk_id: str
    start: int
    end: int


class ToldShown(Shape):
    """`words` stand in the first telling, and the others say the same. `documents`: how many texts tell it."""

    words: str
    documents: int
    tellings: list[TellingShown]


class CommunityShown(Shape):
    id: str
    title: str
    names: list[ToldShown]
    causes: list[ToldShown]
    resolutions: list[ToldShown]
    affects: list[ToldShown]


class CommunitiesShown(Shape):
    """`build` numbers what was made last, of `built_of`, a snapshot."""

    snapshot: int
    build: int
    built_of: int
    communities: list[CommunityShown]


@router.get("/communities")
async def find_communities(
    request: Request,
    who: CallerOf,
    name: Annotated[str, Query(max_length=NAME_CHARS_MAX, description="Of what goes by this name or id.")] = "",
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 20,
) -> CommunitiesShown:
    """What several documents that this key may read tell of the same things, those of most documents first."""
    firstline = running(request).firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    if firstline.communities is None:
        raise NotFound(
            "No communities are made here: they are off, or the graph is.",
            remedy="Set `graph_communities` to true and `graph` to ledger.",
        )
    tenant, kb, store = who.principal.tenant, who.key.kb, firstline.communities.store
    published = await firstline.knowledge.published(tenant=tenant, kb=kb)
    scope = Scope.of(who.principal, kb=kb, snapshot=published.number)
    made = await store.built(tenant=tenant, kb=kb)
    shown = await gathered(scope, store=store, knowledge=firstline.knowledge, name=name, limit=limit)
    hosts = firstline.settings.link_hosts
    return CommunitiesShown(
        snapshot=scope.snapshot,
        build=made.number,
        built_of=made.snapshot,
        communities=[_community(one, shown, hosts) for one in shown.communities],
    )


def _community(one: Community, shown: GatheredShown, hosts: tuple[str, ...]) -> CommunityShown:
    def of(kind: ToldKind) -> list[ToldShown]:
        return [_told(told, shown, hosts) for told in one.of_kind(kind)]

    return CommunityShown(
        id=one.community_id,
        title=one.title,
        names=of(ToldKind.NAME),
        causes=of(ToldKind.CAUSE),
        resolutions=of(ToldKind.RESOLUTION),
        affects=of(ToldKind.AFFECTED),
    )


def _told(told: Told, shown: GatheredShown, hosts: tuple[str, ...]) -> ToldShown:
    return ToldShown(
        words=told.text, documents=told.documents, tellings=[_telling(one, shown, hosts) for one in told.tellings]
    )


def _telling(one: Telling, shown: GatheredShown, hosts: tuple[str, ...]) -> TellingShown:
    document = shown.documents[one.doc_id]
    return TellingShown(
        doc_id=one.doc_id,
        title=document.title,
        url=allowed_url(document.url, hosts),
        chunk_id=one.chunk_id,
        start=one.start,
        end=one.end,
    )
