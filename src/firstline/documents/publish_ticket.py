"""A reviewed draft becomes a ticket of its knowledge base, by the same way as every document."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

from firstline.documents.journey import DocumentJourney
from firstline.domain import DocumentKind, DraftState, DraftTicket, Failure, IngestReport, Level, SourceItem
from firstline.errors import InvalidInput, NotFound
from firstline.handoff_rules import DRAFTS_LISTED, draft_settled_already
from firstline.ports import HandoffLedger

FOLDER = "handoffs"
"""Document ids of published drafts begin with it."""


class DraftSource:
    """One ticket. What stood in the conversation was redacted there, and is redacted once more on this way."""

    def __init__(self, draft: DraftTicket, *, level: Level, acl: frozenset[str]) -> None:
        self._draft = draft
        self._level = level
        self._acl = acl

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        draft = self._draft
        text = f"## Symptom\n\n{draft.symptom}\n\n## Resolution\n\n{draft.resolution}\n"
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
) -> tuple[DraftTicket, IngestReport]:
    """Publish a draft in the next snapshot of `kb`; None: of the one its conversation was about. May be repeated after
    a crash.

    NotFound when there is no such draft, Conflict when it was settled before or another ingest is running,
    InvalidInput when the ticket could not be read: then it stays a draft.
    """
    draft = await handoffs.draft(draft_id, tenant=tenant)
    if draft is None:
        raise NotFound("There is no such draft.", remedy=DRAFTS_LISTED)
    if draft.state is not DraftState.DRAFT:
        raise draft_settled_already(draft)
    report = await documents.ingest(DraftSource(draft, level=level, acl=acl), tenant=tenant, kb=kb or draft.kb)
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
