"""A curated answer becomes a document of its knowledge base, by the same way as every document; what is known of it
besides (owner, expiry, the pages it rests on) lies beside it in the ledger."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from firstline.documents.faq_entries import FaqEntries, cited, owner_named
from firstline.documents.journey import DocumentJourney
from firstline.domain import (
    DocumentKind,
    Failure,
    FaqEntry,
    IngestReport,
    Level,
    Principal,
    SourceItem,
    content_hash_of,
    may_see,
    question_key,
)
from firstline.errors import Conflict, FirstlineError, Forbidden, InvalidInput
from firstline.ports import CareLedger, Redactor

FOLDER: Final = "curated"
"""Ids of answers that were written here begin with it; others come from sources, and are changed there."""
QUESTION_CHARS_MAX: Final = 500
ANSWER_CHARS_MAX: Final = 20_000
CITES_MAX: Final = 20
ANSWERS_MAX: Final = 20_000
TAGS_MAX: Final = 100
TAG_CHARS_MAX: Final = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class FaqWanted:
    """`answer` is Markdown. `cites` are ids of published documents. `expires_at` None: never."""

    question: str
    answer: str
    owner: str
    expires_at: datetime | None
    cites: tuple[str, ...]
    level: Level
    acl: frozenset[str]
    url: str | None = None


class FaqDesk(FaqEntries):
    """Adds and removes curated answers, besides. Nobody writes an answer that they may not see."""

    def __init__(self, *, care: CareLedger, documents: DocumentJourney, redactor: Redactor) -> None:
        super().__init__(care=care)
        self._documents = documents
        self._redactor = redactor

    async def add(
        self, wanted: FaqWanted, *, tenant: str, kb: str, by: str, reader: Principal | None
    ) -> tuple[FaqEntry, IngestReport]:
        """Publish it in the next snapshot. The same question again replaces its answer.

        NotFound when a cited page is not there, Conflict when another document answers this question already or an
        ingest is running, InvalidInput when something of it is unusable: then nothing has changed.
        """
        wanted = _checked(wanted, reader)
        pages = await self.published({*wanted.cites, doc_id_of(wanted.question)}, tenant, kb)
        cites = cited(wanted.cites, pages, reader, level=wanted.level, acl=wanted.acl)
        # Whoever reads the answer may read the pages: its link leads to the first of them that has an address.
        link = next((pages[one.doc_id].url for one in cites if pages[one.doc_id].url), None)
        source = _Curated(replace(wanted, url=wanted.url or link))
        item = source.item
        old = pages.get(item.item_id)
        if old is not None and not may_see(reader, old):
            raise Conflict(
                "Another curated answer is there for this question.", remedy="Whoever may see it can replace it."
            )
        await self._refuse_twin(item, tenant, kb)
        before = await self.entry(item.item_id, tenant, kb)
        entry = FaqEntry(
            tenant=tenant,
            kb=kb,
            doc_id=item.item_id,
            owner=owner_named(wanted.owner),
            expires_at=wanted.expires_at,
            cites=cites,
            changed_by=by,
            changed_at=datetime.now(UTC),
        )
        # First what limits it, then the answer: it is never there without. Nor is the old one used for longer.
        limited = _as_short_as(entry, before) if old is not None else entry
        await self._care.put_faq(limited)
        try:
            report = await self._documents.ingest(source, tenant=tenant, kb=kb)
            _check_taken(report, item.item_id)
        except FirstlineError:
            await self._restore(before, item.item_id, tenant, kb)
            raise
        if limited == entry:
            return entry, report
        shown = (await self.published([item.item_id], tenant, kb)).get(item.item_id)
        if shown is not None and shown.content_hash == item.content_hash:
            await self._care.put_faq(entry)
            return entry, report
        why = report.waits or "It is in a snapshot that is not published."
        told = (
            f"Until then it expires as the one before it; afterwards `firstline faq change {entry.doc_id} --expires`."
        )
        return limited, replace(report, waits=f"{why} {told}")

    async def remove(self, doc_id: str, *, tenant: str, kb: str, by: str, reader: Principal | None) -> IngestReport:
        """Expire it at once, and end its document with the next snapshot; earlier ones hold it, expired. As `expire`;
        InvalidInput when it came from a source, which would bring it back."""
        if not doc_id.startswith(f"{FOLDER}/"):
            raise InvalidInput(
                "This answer came from a source, which would bring it back.",
                remedy="Remove it there, or expire it here: that keeps it out whatever the source says.",
            )
        await self.expire(doc_id, tenant=tenant, kb=kb, by=by, reader=reader)
        return await self._documents.ingest(_Nothing(), tenant=tenant, kb=kb, removed=[doc_id])

    async def _refuse_twin(self, item: SourceItem, tenant: str, kb: str) -> None:
        """Of two answers to one question nobody could say which one is given."""
        redactor = self._redactor.for_document(DocumentKind.FAQ)
        key = question_key(redactor.redact(item.title).text)
        answers = await self._care.published_documents(
            tenant=tenant, kb=kb, limit=ANSWERS_MAX, kinds=frozenset({DocumentKind.FAQ})
        )
        for one in answers:
            if one.metadata.get("question_key") == key and one.doc_id != item.item_id:
                raise Conflict(
                    "Another curated answer is there for this question, from a source.",
                    remedy="Change it there, or remove it there and add this one.",
                )

    async def _restore(self, before: FaqEntry | None, doc_id: str, tenant: str, kb: str) -> None:
        if before is None:
            await self._care.drop_faq(doc_id, tenant=tenant, kb=kb)
        else:
            await self._care.put_faq(before)


def _as_short_as(entry: FaqEntry, before: FaqEntry | None) -> FaqEntry:
    """Until the new answer is published, the old one is used no longer than it was to be."""
    ends = [one.expires_at for one in (entry, before) if one is not None and one.expires_at is not None]
    return replace(entry, expires_at=min(ends, default=None))


def doc_id_of(question: str) -> str:
    """The same for the same question, up to case, punctuation and spacing."""
    return f"{FOLDER}/{hashlib.sha256(question_key(question).encode()).hexdigest()[:16]}"


class _Curated:
    """One curated answer."""

    def __init__(self, wanted: FaqWanted) -> None:
        item = SourceItem(
            item_id=doc_id_of(wanted.question),
            kind=DocumentKind.FAQ,
            media_type="text/markdown",
            raw=wanted.answer.encode("utf-8", "replace"),
            title=wanted.question,
            url=wanted.url,
            metadata={"question_key": question_key(wanted.question)},
            acl=wanted.acl,
            level=wanted.level,
        )
        self.item = replace(item, content_hash=content_hash_of(item))

    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        yield self.item


class _Nothing:
    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        for item in ():
            yield item


def _checked(wanted: FaqWanted, reader: Principal | None) -> FaqWanted:
    question, answer = " ".join(wanted.question.split()), wanted.answer.strip()
    if not question_key(question) or len(question) > QUESTION_CHARS_MAX:
        raise InvalidInput(
            f"A question has 1 to {QUESTION_CHARS_MAX} characters and at least one word.", remedy="Ask it shortly."
        )
    if not answer or len(answer) > ANSWER_CHARS_MAX:
        raise InvalidInput(f"An answer has 1 to {ANSWER_CHARS_MAX:,} characters.", remedy="Write it as Markdown.")
    if len(wanted.cites) > CITES_MAX:
        raise InvalidInput(f"At most {CITES_MAX} pages are cited.", remedy="Cite those that it rests on.")
    tags = wanted.acl
    if not tags or not all(tag.strip() for tag in tags) or len(tags) > TAGS_MAX or max(map(len, tags)) > TAG_CHARS_MAX:
        raise InvalidInput(
            f"An answer needs 1 to {TAGS_MAX} tags of 1 to {TAG_CHARS_MAX} characters.", remedy="Name who may read it."
        )
    if reader is not None and (wanted.level > reader.level or reader.acl_tags.isdisjoint(tags)):
        raise Forbidden("This key may not write what it may not see.", remedy="Choose a lower level, or your own tags.")
    return replace(wanted, question=question, answer=f"{answer}\n")


def _check_taken(report: IngestReport, doc_id: str) -> None:
    refused = next((one for one in (*report.failures, *report.held) if one.item_id == doc_id), None)
    if refused is not None:
        raise InvalidInput(
            f"The answer was not taken: {refused.reason}",
            remedy="Write it otherwise; `firstline quarantine` releases what reads like instructions.",
        )
