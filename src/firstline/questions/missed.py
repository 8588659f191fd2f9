"""Why was a page not found? Follows one document through the stages of a recorded turn, and says where it was lost.

The turn's own queries are searched again on its own snapshot, with a much larger limit, so that places behind the
usual limits can be told. What the asker may not see is "no such page", as everywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from firstline.domain import Answered, Document, Evidence, GateReading, PlannedQuery, Principal, SearchPlan, Turn
from firstline.ports import Hit, KnowledgeLedger, Scope
from firstline.questions.gate import GateModel, read, relevance_features
from firstline.questions.lost import differences, lost_at_of, place_of, verdict_of, verdict_of_list
from firstline.questions.message.terms import FUNCTION_WORDS, TOKEN, all_stems, stem
from firstline.questions.prefer import copies_last
from firstline.questions.replies import with_open_replies
from firstline.questions.search import Search
from firstline.questions.trail import Trail
from firstline.questions.usual_causes import as_one, without_causes

SEARCHED_MAX: Final = 1_000
"""Chunks taken by vector and by words each. Places behind that are not told."""
CHUNKS_SHOWN_MAX: Final = 12
CHUNKS_READ_MAX: Final = 200
"""Chunks of the page that are read to see which words it lacks."""
TERMS_SHOWN_MAX: Final = 24
SESSION_TURNS_MAX: Final = 200
"""Turns of the conversation looked at, the newest ones."""
LEANS_ON_MAX: Final = 50
"""Turns before a message that its queries may hold words of: the most that `history_turns` can be."""
NOT_SHOWN: Final = "(more of the conversation: not shown, an earlier answer is no longer available)"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkSeen:
    """A chunk of the page with its best scores over all queries. `read`: it was among the evidence."""

    chunk_id: str
    heading: str
    dense: float
    words: float
    read: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class QuerySeen:
    """The page's best place among all chunks by vector and by words, counted from 1; None: behind SEARCHED_MAX, or no
    word matches. `text` leaves out what a reply added to the query unless every earlier reply may still be read."""

    text: str
    weight: float
    dense_place: int | None
    words_place: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Missed:
    """Where a page stood at each stage of a turn. Places count documents from 1; None: it was not there any more.

    `lost_at` names what dropped it: a limit (candidates, documents_ranked, evidence_chunks), a stage that put others
    before it (rerank, prefer, traverse) or the gate; "" when none did. `lacks` are words of the question that the page
    does not hold. `verdict` says it in plain words, and what was different when the turn ran.
    """

    doc_id: str
    title: str
    verdict: str
    lost_at: str = ""
    queries: tuple[QuerySeen, ...] = ()
    fused_place: int | None = None
    preferred_place: int | None = None
    gate: GateReading | None = None
    lacks: tuple[str, ...] = ()
    chunks: tuple[ChunkSeen, ...] = ()


async def missed(
    turn: Turn,
    doc_id: str,
    principal: Principal,
    *,
    kb: str,
    session: Sequence[Turn],
    knowledge: KnowledgeLedger,
    search: Search,
    gates: Mapping[str, GateModel],
) -> Missed:
    """Follow the document through the turn. The asker's view decides, both then and now. `session` are the newest
    turns of the turn's conversation, oldest first."""
    scope = Scope.of(principal, kb=kb, snapshot=turn.snapshot)
    document = await knowledge.document(doc_id, scope)
    published = await knowledge.published(tenant=principal.tenant, kb=kb)
    # What was deleted or closed since must not come back by asking about an old turn.
    now = Scope.of(principal, kb=kb, snapshot=published.number_for(turn.session_id))
    if document is None or await knowledge.document(doc_id, now) is None:
        return Missed(doc_id=doc_id, title="", verdict="There is no such page for you.")
    if turn.plan is None:
        return Missed(
            doc_id=doc_id,
            title=document.title,
            verdict="Nothing was searched: this message was decided before (see its triage and outcome).",
        )
    found = await _followed(turn, turn.plan, document, scope, now, knowledge=knowledge, search=search, gates=gates)
    if await _may_show_queries(turn, session, principal, now, knowledge=knowledge):
        return found
    return replace(
        found, queries=tuple(replace(query, text=_without_reply(query.text, turn)) for query in found.queries)
    )


async def _may_show_queries(
    turn: Turn, session: Sequence[Turn], principal: Principal, now: Scope, *, knowledge: KnowledgeLedger
) -> bool:
    """Whether every answer that the queries may hold words of can still be read by this principal."""
    earlier = [each for each in session if turn.number - LEANS_ON_MAX <= each.number < turn.number]
    if len(earlier) < min(LEANS_ON_MAX, turn.number - 1):
        return False
    return await with_open_replies(earlier, principal, now, knowledge=knowledge) == earlier


def _without_reply(query: str, turn: Turn) -> str:
    """The query's lines that the asker wrote: `question` and `standalone` are made of these alone."""
    written = f"{turn.question}\n{turn.plan.standalone if turn.plan else ''}"
    lines = query.split("\n")
    own = [line for line in lines if line in written]
    return query if own == lines else "\n".join((*own, NOT_SHOWN))


async def _followed(
    turn: Turn,
    plan: SearchPlan,
    document: Document,
    scope: Scope,
    now: Scope,
    *,
    knowledge: KnowledgeLedger,
    search: Search,
    gates: Mapping[str, GateModel],
) -> Missed:
    doc_id = document.doc_id
    found = await search.hits(plan, scope, limit=SEARCHED_MAX)
    fused = await search.fused(plan, scope)
    trail = Trail()
    kept = search.documents_ranked
    stages = await search.stages(plan, scope, trail, limit=kept)
    trail.ranked = ranked = copies_last(stages.joined, trail.copies)
    evidence = await search.read(ranked, scope, question=plan.standalone, paths=trail.paths)
    listed = await _list_of(turn, plan, scope, trail, evidence, search=search)
    judged, pieces, sisters = as_one(trail)
    neighbour = await search.neighbour(judged, scope, sisters)
    gate = read(gates["relevance"], relevance_features(plan.standalone, judged, pieces, neighbour=neighbour))
    fused_place, preferred_place = place_of(fused, doc_id), place_of(ranked, doc_id)
    was_read = frozenset(piece.chunk.chunk_id for piece in trail.evidence if piece.chunk.doc_id == doc_id)
    lost_at = lost_at_of(doc_id, fused_place, preferred_place, bool(was_read), gate, stages, kept=kept)
    lost_at = "" if doc_id in listed else lost_at
    first = ranked[0].doc_id if ranked and await knowledge.document(ranked[0].doc_id, now) is not None else ""
    verdict = verdict_of(
        lost_at, fused_place, preferred_place, first, trail.evidence, candidates=search.candidates, kept=kept
    )
    if listed:
        verdict = verdict_of_list(doc_id, listed, verdict=verdict if lost_at else "")
    return Missed(
        doc_id=doc_id,
        title=document.title,
        verdict=" ".join((verdict, *differences(turn, gate, trail))),
        lost_at=lost_at,
        queries=tuple(_query_seen(query, hits, doc_id) for query, hits in found),
        fused_place=fused_place,
        preferred_place=preferred_place,
        gate=gate,
        lacks=await _lacking(plan.standalone, document, scope, knowledge=knowledge, search=search),
        chunks=await _chunks_seen(found, doc_id, was_read, scope, knowledge=knowledge),
    )


async def _list_of(
    turn: Turn, plan: SearchPlan, scope: Scope, trail: Trail, evidence: tuple[Evidence, ...], *, search: Search
) -> Mapping[str, bool]:
    """Documents that tell a cause which the turn's answer lists, and whether they are cited. Where it lists none, the
    trail is as if none were told: so the turn went."""
    trail.plan, trail.evidence = plan, evidence
    if not plan.communities or not isinstance(turn.outcome, Answered):
        return {}
    go_back = without_causes(trail)
    await search.bring_usual_causes(trail, scope, build=plan.communities)
    shown = {citation.chunk_id for claim in turn.outcome.claims for citation in claim.citations}
    told = [cause for cause in trail.usual if cause.chunk_id in shown]
    if trail.usual and not shown <= {cause.chunk_id for cause in told}:
        go_back()
        return {}
    cited = {citation.doc_id for claim in turn.outcome.claims for citation in claim.citations}
    return {doc_id: doc_id in cited for cause in told for doc_id in cause.doc_ids}


def _query_seen(query: PlannedQuery, hits: Sequence[Hit], doc_id: str) -> QuerySeen:
    by_dense = sorted(hits, key=lambda hit: (-hit.dense, hit.chunk_id))[:SEARCHED_MAX]
    by_words = sorted((hit for hit in hits if hit.words > 0), key=lambda hit: (-hit.words, hit.chunk_id))
    return QuerySeen(
        text=query.text,
        weight=query.weight,
        dense_place=_first(by_dense, doc_id),
        words_place=_first(by_words[:SEARCHED_MAX], doc_id),
    )


def _first(hits: Sequence[Hit], doc_id: str) -> int | None:
    return next((place for place, hit in enumerate(hits, start=1) if hit.doc_id == doc_id), None)


async def _chunks_seen(
    found: Sequence[tuple[PlannedQuery, Sequence[Hit]]],
    doc_id: str,
    was_read: frozenset[str],
    scope: Scope,
    *,
    knowledge: KnowledgeLedger,
) -> tuple[ChunkSeen, ...]:
    """The page's best chunks; those that no list held have no scores to show."""
    dense: dict[str, float] = {}
    words: dict[str, float] = {}
    for _, hits in found:
        for hit in hits:
            if hit.doc_id == doc_id:
                dense[hit.chunk_id] = max(dense.get(hit.chunk_id, hit.dense), hit.dense)
                words[hit.chunk_id] = max(words.get(hit.chunk_id, hit.words), hit.words)
    best = sorted(dense, key=lambda chunk_id: (-dense[chunk_id], chunk_id))[:CHUNKS_SHOWN_MAX]
    return tuple(
        ChunkSeen(
            chunk_id=chunk.chunk_id,
            heading=" > ".join((chunk.title, *chunk.section_path[-1:])),
            dense=dense[chunk.chunk_id],
            words=words[chunk.chunk_id],
            read=chunk.chunk_id in was_read,
        )
        for chunk in await knowledge.chunks(best, scope)
    )


async def _lacking(
    question: str, document: Document, scope: Scope, *, knowledge: KnowledgeLedger, search: Search
) -> tuple[str, ...]:
    """Words of the question, as asked, that stand nowhere in the page, in no form of theirs."""
    chunks = await knowledge.document_chunks(document.doc_id, scope)
    headings = " ".join(part for chunk in chunks for part in chunk.section_path)
    held = all_stems(f"{document.title} {headings} {await search.text_of(chunks[:CHUNKS_READ_MAX])}")
    asked = (word for word in TOKEN.findall(question) if len(word) > 1 and word.casefold() not in FUNCTION_WORDS)
    lacking = dict.fromkeys(word for word in asked if stem(word.casefold()) not in held)
    return tuple(lacking)[:TERMS_SHOWN_MAX]
