"""What names of the graph mean: what is worth a look, what people said, and taking it back. For keys of level internal,
each within what it may see."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf, require_internal
from firstline.api.graph import EntityShown, entity_shown
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import Shape, Text
from firstline.domain import GraphRule, RuleKind
from firstline.domain.graph_rules import NAME_CHARS_MAX, NOTE_CHARS_MAX
from firstline.errors import NotFound
from firstline.ports import Scope
from firstline.questions.aliases.desk import LISTED_MAX, AliasDesk, Suggestion, Wanted
from firstline.questions.aliases.noticed import Sort

PREFIX: Final = "/v1/graph/rules"
BODY_BYTES_MAX: Final = 12 * NAME_CHARS_MAX + 4 * NOTE_CHARS_MAX + 4_096
EDGES_READ_MAX: Final = 100_000
SUGGESTED_MAX: Final = 200
NUMBER_MAX: Final = 2_147_483_647

router = APIRouter(prefix="/v1/graph", tags=["graph"])


class RuleWanted(Shape):
    """Names or ids, as GET /v1/graph/entities finds them."""

    kind: RuleKind
    first: Text = Field(min_length=1, max_length=NAME_CHARS_MAX)
    second: Text = Field("", max_length=NAME_CHARS_MAX, description="Another one; with `apart`, or a document.")
    note: Text = Field("", max_length=NOTE_CHARS_MAX, description="Why.")


class RuleShown(Shape):
    id: int
    kind: RuleKind
    first: str
    second: str
    note: str
    by: str
    at: datetime
    undone_at: datetime | None
    undone_by: str


class RulesShown(Shape):
    """Newest first."""

    rules: list[RuleShown]


class SuggestionShown(Shape):
    """A name that is worth a look, or two, with a sentence that uses it."""

    sort: Sort
    first: EntityShown
    second: EntityShown | None
    why: str
    documents: int
    doc_ids: list[str]
    words: str
    doc_id: str
    title: str
    chunk_id: str


class ReviewShown(Shape):
    """`cut`: the graph has more edges than were looked through. `by_sort` counts what was noticed."""

    snapshot: int
    edges: int
    cut: bool
    by_sort: dict[str, int]
    suggestions: list[SuggestionShown]


@router.get("/review")
async def review_graph(
    request: Request,
    who: CallerOf,
    limit: Annotated[int, Query(ge=1, le=SUGGESTED_MAX)] = 20,
    sort: Annotated[Sort | None, Query()] = None,
) -> ReviewShown:
    """Names that are worth a look, worst of each sort first."""
    desk, scope = await _admitted(request, who)
    sorts = tuple(Sort) if sort is None else (sort,)
    found = await desk.suggested(scope, limit=limit, sorts=sorts, edges_max=EDGES_READ_MAX)
    return ReviewShown(
        snapshot=scope.snapshot,
        edges=found.looked.edges,
        cut=found.looked.cut,
        by_sort={one.value: count for one, count in found.looked.by_sort.items()},
        suggestions=[_suggestion(one) for one in found.shown],
    )


@router.get("/rules")
async def list_rules(
    request: Request, who: CallerOf, limit: Annotated[int, Query(ge=1, le=LISTED_MAX)] = 100
) -> RulesShown:
    """What was said, undone rules included; of entities that this key may see."""
    desk, scope = await _admitted(request, who)
    rules = await desk.said(tenant=scope.tenant, kb=scope.kb, limit=limit, reader=scope)
    return RulesShown(rules=[_rule(one) for one in rules])


@router.post("/rules", status_code=201)
async def say_rule(request: Request, wanted: RuleWanted, who: CallerOf) -> RuleShown:
    """In force with the next question. One that is in force already is given back. 409 when another rule forbids it."""
    desk, scope = await _admitted(request, who)
    one = Wanted(kind=wanted.kind, first=wanted.first, second=wanted.second, note=wanted.note)
    (kept,) = await desk.say([one], scope, by=who.principal.user)
    return _rule(kept)


@router.post("/rules/{rule_id}/undo")
async def undo_rule(request: Request, rule_id: Annotated[int, Path(ge=1, le=NUMBER_MAX)], who: CallerOf) -> RuleShown:
    """Taken back, as if it had never been said. A rule that is undone already stays so."""
    desk, scope = await _admitted(request, who)
    return _rule(await desk.undo(rule_id, tenant=scope.tenant, kb=scope.kb, by=who.principal.user, reader=scope))


async def _admitted(request: Request, who: Caller) -> tuple[AliasDesk, Scope]:
    require_internal(who, "rules about names")
    firstline = running(request).firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    if firstline.aliases is None:
        raise NotFound("There is no graph here: it is off.", remedy="Set `graph` to ledger, and ingest again.")
    published = await firstline.knowledge.published(tenant=who.principal.tenant, kb=who.key.kb)
    scope = Scope.of(who.principal, kb=who.key.kb, snapshot=published.number, forgotten=published.forgotten)
    return firstline.aliases, scope


def _rule(rule: GraphRule) -> RuleShown:
    return RuleShown(
        id=rule.number,
        kind=rule.kind,
        first=rule.first,
        second=rule.second,
        note=rule.note,
        by=rule.by,
        at=rule.at,
        undone_at=rule.undone_at,
        undone_by=rule.undone_by,
    )


def _suggestion(one: Suggestion) -> SuggestionShown:
    noticed = one.noticed
    return SuggestionShown(
        sort=noticed.sort,
        first=entity_shown(noticed.first),
        second=entity_shown(noticed.second) if noticed.second else None,
        why=noticed.why,
        documents=noticed.documents,
        doc_ids=list(noticed.doc_ids),
        words=one.words,
        doc_id=one.doc_id,
        title=one.title,
        chunk_id=one.chunk_id,
    )
