"""The care desk: what is asked without an answer, what could be answered once for all, and which pages need somebody.

A `reader` of None is the operator. Everybody else sees what is about documents that they may see, and no other is
named. Questions are shown to everybody at this desk: who sits here is the surface's matter (operators, level internal).
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from firstline.domain import (
    UNANSWERED,
    Answered,
    AskedAs,
    AskedTurn,
    Document,
    DocumentKind,
    DuplicateReport,
    FaqSuggestion,
    GapReport,
    Principal,
    StaleFinding,
    StalePage,
    StaleReport,
    may_see,
    question_key,
)
from firstline.ports import BlobStore, CareLedger, Embedder, FeedbackLedger, Redactor
from firstline.questions.care.cluster import cluster
from firstline.questions.care.duplicates import duplicates, runs_of
from firstline.questions.care.gaps import gap
from firstline.questions.care.links import Pages
from firstline.questions.care.reading import read_texts
from firstline.questions.care.stale import by_date, by_links, by_version, contradicted, replaced
from firstline.questions.care.suggest import suggestion
from firstline.questions.care.wordings import WORDINGS_MAX, Asked, wordings

TURNS_MAX: Final = 50_000
DOCUMENTS_MAX: Final = 20_000
PLACES_MAX: Final = 500_000
GAPS_MAX: Final = 100
SUGGESTIONS_MAX: Final = 20
ALIKE_MIN: Final = 0.72
"""Cosine from which two questions are taken to ask the same."""
REPEATED_MIN: Final = 3
"""Turns, from as many as two sessions, that make a repeated question."""
SESSIONS_MIN: Final = 2
ANSWERS_TRIED: Final = 3
DRAFTS_TRIED_MAX: Final = 200
"""Clusters that are looked at for drafts: each costs a few reads."""
OLD_AFTER: Final = timedelta(days=730)


class CareDesk:
    """Reads, and changes nothing."""

    def __init__(
        self,
        *,
        care: CareLedger,
        feedback: FeedbackLedger,
        blobs: BlobStore,
        embedder: Embedder,
        redactor: Redactor,
        without_user: str,
        wordings_max: int = WORDINGS_MAX,
    ) -> None:
        """Turns of `without_user` are nobody's questions."""
        self._care = care
        self._feedback = feedback
        self._blobs = blobs
        self._embedder = embedder
        self._redactor = redactor
        self._without_user = without_user
        self._wordings_max = wordings_max

    async def gaps(
        self,
        *,
        tenant: str,
        kb: str,
        since: datetime,
        reader: Principal | None,
        limit: int = GAPS_MAX,
        now: datetime | None = None,
    ) -> GapReport:
        """What was asked since then and got no sure answer, most turns first."""
        now = now or datetime.now(UTC)
        turns, cut = await self._turns(tenant, kb, since)
        unanswered = [turn for turn in turns if turn.became in UNANSWERED]
        groups, left_out = await self._clusters(unanswered)
        groups = groups[:limit]
        nearest = {chunk_id for group in groups for one in group for turn in one.turns for chunk_id in turn.nearest}
        document_of = await self._care.documents_of(nearest, tenant=tenant, kb=kb)
        documents = await self._named(frozenset(document_of.values()), tenant, kb, reader)
        return GapReport(
            kb=kb,
            since=since,
            turns=len(turns),
            unanswered=len(unanswered),
            left_out=left_out,
            cut=cut,
            gaps=tuple(
                gap(group, document_of=document_of, documents=documents, since=since, now=now) for group in groups
            ),
        )

    async def suggestions(
        self, *, tenant: str, kb: str, since: datetime, reader: Principal | None, limit: int = SUGGESTIONS_MAX
    ) -> list[FaqSuggestion]:
        """Drafts of curated answers, from questions that come again and again and were answered, most turns first."""
        turns, _ = await self._turns(tenant, kb, since)
        answered = [turn for turn in turns if turn.became is AskedAs.ANSWERED and not turn.curated]
        groups, _ = await self._clusters(answered)
        known = await self._curated_keys(tenant, kb)
        found: list[FaqSuggestion] = []
        open_ = (one for one in groups if _is_repeated(one) and known.isdisjoint(asked.key for asked in one))
        for group in islice(open_, DRAFTS_TRIED_MAX):
            if len(found) >= limit:
                break
            draft = await self._suggestion(group, tenant, kb, reader)
            found += [draft] if draft is not None else []
        return found

    async def stale(
        self,
        *,
        tenant: str,
        kb: str,
        since: datetime,
        reader: Principal | None,
        old_after: timedelta = OLD_AFTER,
        now: datetime | None = None,
    ) -> StaleReport:
        """Pages that somebody should look at, those with most findings first. `since`: how far back readers and
        reviewers count."""
        now = now or datetime.now(UTC)
        documents, cut = await self._documents(tenant, kb, reader)
        blamed = await self._care.blamed(tenant=tenant, kb=kb, since=since, without_user=self._without_user)
        places = await self._care.published_places(tenant=tenant, kb=kb, limit=PLACES_MAX)
        # Where not every page is known, none can be called missing.
        pages = Pages(places) if len(places) < PLACES_MAX else Pages(())
        texts = await read_texts(documents.values(), self._blobs)
        findings: defaultdict[str, list[StaleFinding]] = defaultdict(list)
        for doc_id, finding in (
            *by_date(documents.values(), before=now - old_after),
            *await asyncio.to_thread(lambda: list(by_version(documents.values()))),
            *replaced(documents),
            *contradicted({doc_id: turns for doc_id, turns in blamed.items() if doc_id in documents}),
            *await asyncio.to_thread(lambda: list(by_links(documents.values(), texts.by_blob, pages))),
        ):
            findings[doc_id].append(finding)
        found = [
            StalePage(doc_id=doc_id, title=documents[doc_id].title, findings=tuple(own))
            for doc_id, own in findings.items()
        ]
        found.sort(key=lambda page: (-len({finding.reason for finding in page.findings}), page.doc_id))
        return StaleReport(kb=kb, documents=len(documents), cut=cut or texts.cut, pages=tuple(found))

    async def duplicates(self, *, tenant: str, kb: str, reader: Principal | None) -> DuplicateReport:
        """Documents that say the same, to the letter or nearly."""
        documents, cut = await self._documents(tenant, kb, reader)
        texts = await read_texts(documents.values(), self._blobs)

        def grouped():
            runs = {blob: runs_of(text) for blob, text in texts.by_blob.items()}
            return duplicates(list(documents.values()), runs)

        groups = await asyncio.to_thread(grouped)
        return DuplicateReport(kb=kb, documents=len(documents), cut=cut or texts.cut, groups=tuple(groups))

    async def _turns(self, tenant: str, kb: str, since: datetime) -> tuple[list[AskedTurn], bool]:
        turns = await self._care.asked(
            tenant=tenant, kb=kb, since=since, without_user=self._without_user, limit=TURNS_MAX
        )
        return turns, len(turns) == TURNS_MAX

    async def _documents(self, tenant: str, kb: str, reader: Principal | None) -> tuple[dict[str, Document], bool]:
        found = await self._care.published_documents(tenant=tenant, kb=kb, limit=DOCUMENTS_MAX)
        return {one.doc_id: one for one in found if may_see(reader, one)}, len(found) == DOCUMENTS_MAX

    async def _named(
        self, doc_ids: Collection[str], tenant: str, kb: str, reader: Principal | None
    ) -> dict[str, Document]:
        found = await self._care.published_documents(tenant=tenant, kb=kb, limit=len(doc_ids) + 1, doc_ids=doc_ids)
        return {one.doc_id: one for one in found if may_see(reader, one)}

    async def _clusters(self, turns: Sequence[AskedTurn]) -> tuple[list[list[Asked]], int]:
        """Wordings by cluster, leader first, clusters with most turns first; and how many turns were left out."""
        asked, left_out = await asyncio.to_thread(wordings, turns, redactor=self._redactor, limit=self._wordings_max)
        if not asked:
            return [], left_out
        vectors = await self._embedder.embed([one.text for one in asked])
        told = [one.wording for one in asked]
        groups = await asyncio.to_thread(cluster, told, vectors, alike_min=ALIKE_MIN)
        return [[asked[at] for at in group] for group in groups], left_out

    async def _curated_keys(self, tenant: str, kb: str) -> frozenset[str]:
        found = await self._care.published_documents(
            tenant=tenant, kb=kb, limit=DOCUMENTS_MAX, kinds=frozenset({DocumentKind.FAQ})
        )
        return frozenset(
            key for one in found for key in (one.metadata.get("question_key", ""), question_key(one.title))
        )

    async def _suggestion(
        self, group: Sequence[Asked], tenant: str, kb: str, reader: Principal | None
    ) -> FaqSuggestion | None:
        """From the answer shown most often of those that still stand."""
        turns = [turn for one in group for turn in one.turns]
        latest = {turn.answer: turn for turn in sorted(turns, key=lambda turn: turn.asked_at)}
        counts = Counter(turn.answer for turn in turns)
        for answer, shown in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:ANSWERS_TRIED]:
            turn = latest[answer]
            recorded = await self._feedback.turn(turn.session_id, turn.number, tenant=tenant)
            outcome = recorded.turn.outcome if recorded is not None else None
            if isinstance(outcome, Answered):
                cited = {one.doc_id for claim in outcome.claims for one in claim.citations}
                documents = await self._named(cited, tenant, kb, reader)
                draft = suggestion(group, outcome, shown=shown, documents=documents)
                if draft is not None:
                    return draft
        return None


def _is_repeated(group: Sequence[Asked]) -> bool:
    turns = [turn for one in group for turn in one.turns]
    return len(turns) >= REPEATED_MIN and len({turn.session_id for turn in turns}) >= SESSIONS_MIN
