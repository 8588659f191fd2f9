"""What those who look after the content read, in memory: the reference that says what the others must do."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection
from datetime import datetime

from firstline.domain import (
    NEAREST_KEPT,
    Answered,
    AskedTurn,
    Clarify,
    Document,
    DocumentKind,
    Escalated,
    FaqEntry,
    FeedbackReason,
    Rating,
    Turn,
    Verdict,
    became,
    by_curated,
)
from firstline.engines.memory.feedback import MemoryFeedbackLedger
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger

BLAMES = frozenset({FeedbackReason.WRONG, FeedbackReason.OUTDATED})


class MemoryCareLedger:
    """See ports.CareLedger. On the documents, turns and ratings of the ledgers beside it."""

    def __init__(
        self,
        knowledge: MemoryKnowledgeLedger,
        conversations: MemoryConversationLedger,
        feedback: MemoryFeedbackLedger,
    ) -> None:
        self._knowledge = knowledge
        self._conversations = conversations
        self._feedback = feedback

    async def put_faq(self, entry: FaqEntry) -> None:
        await self._knowledge.put_faq(entry)

    async def swap_faq(self, entry: FaqEntry, *, before: FaqEntry | None) -> bool:
        return await self._knowledge.swap_faq(entry, before=before)

    async def drop_faq(self, doc_id: str, *, tenant: str, kb: str) -> None:
        await self._knowledge.drop_faq(doc_id, tenant=tenant, kb=kb)

    async def faq_entries(self, *, tenant: str, kb: str) -> list[FaqEntry]:
        return await self._knowledge.faq_entries(tenant=tenant, kb=kb)

    async def faq_expired(self, *, tenant: str | None) -> int:
        return await self._knowledge.faq_expired(tenant=tenant)

    async def published_documents(
        self,
        *,
        tenant: str,
        kb: str,
        limit: int,
        kinds: Collection[DocumentKind] = frozenset(DocumentKind),
        doc_ids: Collection[str] | None = None,
    ) -> list[Document]:
        return await self._knowledge.published_documents(
            tenant=tenant, kb=kb, limit=limit, kinds=kinds, doc_ids=doc_ids
        )

    async def published_places(self, *, tenant: str, kb: str, limit: int) -> list[tuple[str, str]]:
        return await self._knowledge.published_places(tenant=tenant, kb=kb, limit=limit)

    async def documents_of(self, chunk_ids: Collection[str], *, tenant: str, kb: str) -> dict[str, str]:
        return await self._knowledge.documents_of(chunk_ids, tenant=tenant, kb=kb)

    async def asked(self, *, tenant: str, kb: str, since: datetime, without_user: str, limit: int) -> list[AskedTurn]:
        found = [asked_turn(turn) for turn in self._turns(tenant, kb, since, without_user)]
        found.sort(key=lambda turn: turn.number, reverse=True)
        found.sort(key=lambda turn: turn.session_id)
        found.sort(key=lambda turn: turn.asked_at, reverse=True)
        return found[:limit]

    async def blamed(self, *, tenant: str, kb: str, since: datetime, without_user: str) -> dict[str, int]:
        judged = await self._feedback.judgements(tenant=tenant, kb=kb, limit=1_000_000)
        wrong = {(one.session_id, one.turn) for one in judged if one.verdict is Verdict.WRONG}
        found: Counter[str] = Counter()
        for turn in self._turns(tenant, kb, since, without_user):
            rated = [one for one in await self._feedback.ratings(turn.session_id) if one.turn == turn.number]
            disliked = any(one.rating is Rating.DOWN and one.reason in BLAMES for one in rated)
            if isinstance(turn.outcome, Answered) and (disliked or (turn.session_id, turn.number) in wrong):
                found.update({cited.doc_id for claim in turn.outcome.claims for cited in claim.citations})
        return dict(found)

    def _turns(self, tenant: str, kb: str, since: datetime, without_user: str) -> list[Turn]:
        return [
            turn
            for session, turn in self._conversations.recorded()
            if (session.tenant, session.kb) == (tenant, kb) and session.user != without_user and turn.asked_at >= since
        ]


def asked_turn(turn: Turn) -> AskedTurn:
    outcome = turn.outcome
    answered = outcome if isinstance(outcome, Answered) else None
    return AskedTurn(
        session_id=turn.session_id,
        number=turn.number,
        asked_at=turn.asked_at,
        question=(turn.plan.standalone if turn.plan else "") or turn.question,
        became=became(
            outcome=type(outcome).__name__,
            completeness=answered.completeness if answered else "",
            reason=outcome.handoff.reason if isinstance(outcome, Escalated) else "",
            asks=outcome.asks if isinstance(outcome, Clarify) else "",
        ),
        nearest=tuple(chunk_id for chunk_id, _ in turn.evidence[:NEAREST_KEPT]),
        answer=hashlib.sha256(repr(answered.claims).encode()).hexdigest() if answered else "",
        curated=by_curated(turn),
    )
