"""A reviewed draft becomes a ticket of its knowledge base, by the same way as every document."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

from firstline.documents.journey import DocumentJourney
from firstline.documents.ticket_text import ticket_text
from firstline.domain import (
    EVERYONE,
    DocumentKind,
    DraftState,
    DraftTicket,
    Failure,
    IngestReport,
    Level,
    SourceItem,
)
from firstline.errors import InvalidInput, NotFound
from firstline.handoff_rules import DRAFTS_LISTED, draft_settled_already
from firstline.ports import HandoffLedger, KnowledgeLedger

FOLDER = "handoffs"
"""Document ids of published drafts begin with it."""
TAGS_MAX = 100
TAG_CHARS_MAX = 200


class DraftSource:
    """One ticket. What stood in the conversation was redacted there, and is redacted once more on this way."""

    def __init__(self, draft: DraftTicket, *, level: Level, acl: frozenset[str]) -> None:
        self._draft = draft
        self._level = level
        self._acl = acl

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        draft = self._draft
        text = ticket_text(draft.symptom, draft.resolution)
        shaping = f"{draft.title}\x1f{text}\x1f{sorted(self._acl)}\x1f{int(self._level)}"
        yield SourceItem(
            item_id=doc_id_of(draft),
            kind=DocumentKind.TICKET,
            media_type="text/markdown",
            raw=text.encode(),
            title=draft.title,
            acl=self._acl,
            level=self._level,
            content_hash=hashlib.sha256(shaping.encode()).hexdigest(),
        )


def doc_id_of(draft: DraftTicket) -> str:
    return f"{FOLDER}/{draft.draft_id}"


async def publish_ticket(
    draft_id: str,
    *,
    tenant: str,
    level: Level,
    acl: frozenset[str],
    kb: str | None,
    documents: DocumentJourney,
    handoffs: HandoffLedger,
    knowledge: KnowledgeLedger,
) -> tuple[DraftTicket, IngestReport]:
    """Publish a draft in the next snapshot of `kb`; None: of the one its conversation was about. May be repeated after
    a crash.

    NotFound when there is no such draft, Conflict when it was settled before or another ingest is running,
    when there is no such knowledge base (publishing makes none), InvalidInput when the tags are unusable or the ticket
    could not be read: then it stays a draft.
    """
    draft = await handoffs.draft(draft_id, tenant=tenant)
    if draft is None:
        raise NotFound("There is no such draft.", remedy=DRAFTS_LISTED)
    if draft.state is not DraftState.DRAFT:
        raise draft_settled_already(draft)
    _check_tags(acl)
    to = kb or draft.kb
    if to not in await knowledge.knowledge_bases(tenant=tenant):
        raise NotFound(
            f"There is no knowledge base {to!r}.", remedy="`firstline status` lists them; `firstline ingest` makes one."
        )
    report = await documents.ingest(DraftSource(draft, level=level, acl=acl), tenant=tenant, kb=to)
    refused = next((one for one in (*report.failures, *report.held) if one.item_id == doc_id_of(draft)), None)
    if refused is not None:
        raise InvalidInput(
            f"The draft was not taken: {refused.reason}",
            remedy="Discard it and write the page; `firstline quarantine` releases what reads like instructions.",
        )
    settled = await handoffs.settle_draft(
        draft_id, tenant=tenant, state=DraftState.PUBLISHED, doc_id=doc_id_of(draft), snapshot=report.snapshot
    )
    return settled, report


def _check_tags(acl: frozenset[str]) -> None:
    """Without a tag nobody could read the ticket, and it cannot be published a second time."""
    if not acl or not all(tag.strip() for tag in acl):
        raise InvalidInput(
            "A ticket needs tags, and none may be empty.", remedy=f"Name who may read it, or {EVERYONE!r}."
        )
    if len(acl) > TAGS_MAX or max(map(len, acl)) > TAG_CHARS_MAX:
        raise InvalidInput(
            f"At most {TAGS_MAX} tags of {TAG_CHARS_MAX} characters are taken.",
            remedy="Name groups instead of persons.",
        )
