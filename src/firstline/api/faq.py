"""Curated answers: added, looked after, expired and removed by keys of level internal, each within what it may see."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from firstline.api.auth import Caller, CallerOf, require_internal
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.shapes import Shape, Text
from firstline.documents.publish_faq import ANSWER_CHARS_MAX, CITES_MAX, QUESTION_CHARS_MAX, TAGS_MAX, FaqWanted
from firstline.domain import FaqProblem, FaqShown, FaqState, Level
from firstline.errors import InvalidInput
from firstline.questions.care import until_of

DOC_ID_CHARS_MAX: Final = 1_000

PREFIX: Final = "/v1/faq"
BODY_BYTES_MAX: Final = 4 * ANSWER_CHARS_MAX + 32_768
"""The longest answer, with the names of its pages and tags."""

router = APIRouter(prefix=PREFIX, tags=["care"])

DocId = Annotated[str, Path(max_length=DOC_ID_CHARS_MAX)]
Cites = Annotated[tuple[Annotated[str, Field(max_length=DOC_ID_CHARS_MAX)], ...], Field(max_length=CITES_MAX)]
Expires = Annotated[str, Field(max_length=40, description='"90d", "2027-01-31" or "never".')]


class AnswerWanted(Shape):
    question: Text = Field(max_length=QUESTION_CHARS_MAX)
    answer: Text = Field(max_length=ANSWER_CHARS_MAX, description="Markdown.")
    owner: Text = Field("", max_length=200)
    expires: Expires = "never"
    cites: Cites = Field((), description="Ids of the pages that it rests on.")
    level: str | None = Field(None, max_length=20, description="Left out: as the pages cited, else public.")
    acl: tuple[str, ...] | None = Field(None, max_length=TAGS_MAX, description="Left out: as the pages cited.")
    url: str | None = Field(
        None, max_length=2_000, description="Where its source link leads; left out: to the first page cited."
    )


class AnswerChanged(Shape):
    """What is left out stays."""

    owner: Text | None = Field(None, max_length=200)
    expires: Expires | None = None
    cites: Cites | None = None
    vouch: bool = Field(False, description="The answer holds for the cited pages as they are now.")


class AnswerShown(Shape):
    doc_id: str
    question: str
    state: FaqState
    owner: str
    expires_at: datetime | None
    cites: list[str]
    problems: list[FaqProblem]
    level: str | None
    acl: list[str]
    changed_by: str
    changed_at: datetime | None
    answer: str = Field(description="Empty in a list.")


class AnswersShown(Shape):
    """Those that need somebody first."""

    answers: list[AnswerShown]


class AnswerTaken(Shape):
    doc_id: str
    snapshot: int
    published: bool
    waits: str = Field(description="Why the snapshot is not published yet; empty when it is.")


@router.get("")
async def list_answers(
    request: Request, who: CallerOf, owner: Annotated[str | None, Query(max_length=200)] = None
) -> AnswersShown:
    """Of the key's knowledge base, as far as the key may see them: expired ones and those with problems first."""
    run = await _admitted(request, who)
    found = await run.firstline.faq_list.shown(
        tenant=who.principal.tenant, kb=who.key.kb, reader=who.principal, owner=owner
    )
    return AnswersShown(answers=[_shown(one) for one in found])


@router.post("", status_code=201)
async def add_answer(request: Request, wanted: AnswerWanted, who: CallerOf) -> AnswerTaken:
    """Publish an answer in the next snapshot, or replace the one to this question. 409 while an ingest is running."""
    run = await _admitted(request, who)
    faq, reader, kb = run.firstline.faq, who.principal, who.key.kb
    level, acl = await faq.as_narrow_as(wanted.cites, tenant=reader.tenant, kb=kb, reader=reader)
    entry, report = await faq.add(
        FaqWanted(
            question=wanted.question,
            answer=wanted.answer,
            owner=wanted.owner,
            expires_at=until_of(wanted.expires, now=datetime.now(UTC)),
            cites=wanted.cites,
            level=level if wanted.level is None else _level(wanted.level),
            acl=acl if wanted.acl is None else frozenset(wanted.acl),
            url=wanted.url,
        ),
        tenant=reader.tenant,
        kb=kb,
        by=reader.user,
        reader=reader,
    )
    return AnswerTaken(doc_id=entry.doc_id, snapshot=report.snapshot, published=report.published, waits=report.waits)


@router.get("/{doc_id:path}")
async def show_answer(request: Request, doc_id: DocId, who: CallerOf) -> AnswerShown:
    """One of them, with its answer."""
    return await _one(await _admitted(request, who), who, doc_id)


@router.patch("/{doc_id:path}")
async def change_answer(request: Request, doc_id: DocId, changed: AnswerChanged, who: CallerOf) -> AnswerShown:
    """Change owner, expiry or the pages it rests on; in force with the next question. `"expires": "now"` expires it."""
    run = await _admitted(request, who)
    until = None if changed.expires is None else until_of(changed.expires, now=datetime.now(UTC))
    await run.firstline.faq.change(
        doc_id,
        tenant=who.principal.tenant,
        kb=who.key.kb,
        by=who.principal.user,
        reader=who.principal,
        owner=changed.owner,
        cites=changed.cites,
        expires_at=until,
        never_expires=changed.expires is not None and until is None,
        vouched=changed.vouch,
    )
    return await _one(run, who, doc_id)


@router.delete("/{doc_id:path}")
async def remove_answer(request: Request, doc_id: DocId, who: CallerOf) -> AnswerTaken:
    """Used no more from the next question on; its document ends with the next snapshot."""
    run = await _admitted(request, who)
    report = await run.firstline.faq.remove(
        doc_id, tenant=who.principal.tenant, kb=who.key.kb, by=who.principal.user, reader=who.principal
    )
    return AnswerTaken(doc_id=doc_id, snapshot=report.snapshot, published=report.published, waits=report.waits)


async def _admitted(request: Request, who: Caller) -> Running:
    require_internal(who, "curated answers")
    run = running(request)
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    return run


async def _one(run: Running, who: Caller, doc_id: str) -> AnswerShown:
    return _shown(
        await run.firstline.faq_list.one(doc_id, tenant=who.principal.tenant, kb=who.key.kb, reader=who.principal)
    )


def _level(name: str) -> Level:
    try:
        return Level.parse(name)
    except KeyError:
        names = ", ".join(level.label for level in Level)
        raise InvalidInput("There is no such level.", remedy=f"Use one of: {names}.") from None


def _shown(one: FaqShown) -> AnswerShown:
    return AnswerShown(
        doc_id=one.doc_id,
        question=one.question,
        state=one.state,
        owner=one.owner,
        expires_at=one.expires_at,
        cites=list(one.cites),
        problems=list(one.problems),
        level=one.level.label if one.level is not None else None,
        acl=list(one.acl),
        changed_by=one.changed_by,
        changed_at=one.changed_at,
        answer=one.answer,
    )
