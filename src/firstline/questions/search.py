"""From a plan to read evidence, stage by stage. Each stage has its own time, and a stated way on when it is late.

| stage | late, broken or lying | then |
|---|---|---|
| embed | the question has no vector | words alone are searched; what passes the gates is shown as unsure at most |
| search | the chunk index gives nothing, or no numbers | Unavailable: the turn is handed over |
| rerank | the reranker gives no scores | the fused order stands |
| traverse | the graph is late | what was found stands, with what was reached in whole steps |
| causes | communities are late or broken, or not for this asker | the question goes as any other |
| traverse | the graph is broken, or answers what was not asked or not for this asker | what was found stands |

What was done instead is noted in the turn's trail: `--explain` and the metrics show it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from firstline.domain import Chunk, Evidence, PlannedQuery, RankedDocument, Route, SearchPlan
from firstline.errors import FirstlineError, Unavailable
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    CommunityStore,
    Embedder,
    Graph,
    Hit,
    IndexQuery,
    KnowledgeLedger,
    Reranker,
    Scope,
    Vectors,
    WordEncoder,
)
from firstline.questions.asked import Asked
from firstline.questions.message.pasted import condensed
from firstline.questions.message.usual import asks_usual_causes
from firstline.questions.prefer import copies_of, prefer, superseded_of
from firstline.questions.rerank import passages, rerank
from firstline.questions.retrieve import (
    FusionWeights,
    fuse,
    read_evidence,
    read_passages,
    read_pieces,
    read_texts,
    retrieve,
)
from firstline.questions.route import routed
from firstline.questions.spelling import Spelling, spelling
from firstline.questions.stories import stories_behind
from firstline.questions.titles import asked_for_first, by_titles
from firstline.questions.trail import Trail
from firstline.questions.traverse import WalkLimits, traverse
from firstline.questions.usual_causes import usual_causes, with_causes
from firstline.questions.walk.counted import WalkEnd, tell_walk
from firstline.questions.walk.joined import joined

logger = logging.getLogger(__name__)

WORDS_ALONE: Final = "words alone were searched"
WITHOUT_CONTEXT: Final = "what the message leans on was searched by words alone"
FUSED_ORDER: Final = "the fused order stands"
UNWALKED: Final = "the graph was not walked"
UNLISTED: Final = "usual causes were not looked up"
PARTLY_WALKED: Final = "the graph was walked in part, as far as step "
NOTHING_WALKED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
"""What is done instead, as the record says it: a replay does the same."""

HOLDING_HITS = 12
HOLDING_DOCUMENTS = 5
VERSIONS_MORE = 10
"""Documents looked at beyond those kept: the version asked for may stand behind its sisters and their copies."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stages:
    """The documents after each stage, best first: fused, reranked by the model (if there is one) and by titles, and
    preferred, which is cut to those that are kept; the others hold more."""

    fused: tuple[RankedDocument, ...]
    reranked: tuple[RankedDocument, ...]
    preferred: tuple[RankedDocument, ...]
    joined: tuple[RankedDocument, ...]
    """With what the graph led to; the preferred ones where the question asks for no relation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchLimits:
    """How much is looked at, and how long each stage may take."""

    candidates: int
    documents_ranked: int
    evidence_chunks: int
    weights: FusionWeights
    embed_budget_s: float
    search_budget_s: float
    rerank_budget_s: float
    rerank_passages: int
    rerank_weight: float
    walk: WalkLimits = field(default_factory=WalkLimits)


class Search:
    """The stages between rewrite and gate. Used by the journey of a question alone."""

    def __init__(
        self,
        *,
        knowledge: KnowledgeLedger,
        index: ChunkIndex,
        blobs: BlobStore,
        embedder: Embedder,
        words: WordEncoder,
        reranker: Reranker | None,
        limits: SearchLimits,
        english: Collection[str] = frozenset(),
        graph: Graph | None = None,
        communities: CommunityStore | None = None,
    ) -> None:
        self._graph = graph
        self._communities = communities
        self._knowledge = knowledge
        self._english = english
        self._index = index
        self._blobs = blobs
        self._embedder = embedder
        self._words = words
        self._reranker = reranker
        self._limits = limits

    @property
    def embedder_id(self) -> str:
        return self._embedder.model_id

    @property
    def model_ids(self) -> tuple[str, ...]:
        own = (self._embedder.model_id,)
        return own if self._reranker is None else (*own, self._reranker.model_id)

    async def spelling(self, text: str, scope: Scope) -> Spelling:
        """The message as it is searched: with misspelt words as the knowledge base spells them."""
        return await spelling(text, scope, ledger=self._knowledge, english=self._english)

    async def vectors(self, texts: Sequence[str], trail: Trail, *, instead: str = WORDS_ALONE) -> Vectors | None:
        """Shape (len(texts), dimensions); None when the embedder is late, broken or gives something else."""
        try:
            trail.as_then("embed", instead)
            async with asyncio.timeout(self._limits.embed_budget_s):
                made = await self._embedder.embed(texts)
            if made.shape != (len(texts), self._embedder.dimensions) or not np.isfinite(made).all():
                raise Unavailable("The embedder gave no usable vectors.", remedy="Ask again in a moment.")
            return made
        except Exception as error:  # whatever an embedder breaks, words can be searched
            self._without(trail, "embed", error, instead)
            return None

    async def rank(
        self,
        plan: SearchPlan,
        scope: Scope,
        trail: Trail,
        *,
        limit: int,
        vector: Vectors | None = None,
        exclude: frozenset[str] = frozenset(),
    ) -> tuple[RankedDocument, ...]:
        """The best `limit` documents. `vector` saves an embedding when it is that of the plan's first query."""
        stages = await self.stages(plan, scope, trail, limit=limit, vector=vector, exclude=exclude)
        return stages.joined

    async def stages(
        self,
        plan: SearchPlan,
        scope: Scope,
        trail: Trail,
        *,
        limit: int,
        vector: Vectors | None = None,
        exclude: frozenset[str] = frozenset(),
    ) -> Stages:
        """What `rank` does, with the order after each stage."""
        # Words are searched as they were written: a log's rare words find well, and the rest finds nothing.
        texts = [condensed(query.text) for query in plan.queries]
        if texts[0] != plan.queries[0].text:
            vector = None
        with trail.step("embed"):
            vectors = await self._directions(texts, trail, vector)
        with trail.step("retrieve"):
            fused = await self._retrieved(plan, scope, vectors, limit=limit + VERSIONS_MORE, exclude=exclude)
        reranked = fused
        if self._reranker is not None and fused:
            with trail.step("rerank"):
                reranked = await self._reranked(self._reranker, plan, scope, trail, fused)
        with trail.step("prefer"):
            titled, preferred = await self._preferred(plan, scope, trail, reranked, kept=limit)
        joined = preferred[:limit]
        if self._graph is not None and plan.route is Route.GRAPH:
            with trail.step("traverse"):
                joined = await self._walked(self._graph, plan, scope, trail, preferred, limit=limit, exclude=exclude)
        return Stages(fused=fused, reranked=titled, preferred=preferred[:limit], joined=joined)

    async def neighbour(
        self, ranked: Sequence[RankedDocument], scope: Scope, exclude: frozenset[str] = frozenset()
    ) -> float:
        """How similar the first document's most similar sister is; 0 without a document."""
        near = await self._index.neighbour(ranked[0].doc_id, scope, exclude=exclude) if ranked else 0.0
        if not math.isfinite(near):
            raise Unavailable("The chunk index gave no usable score.", remedy="Ask again in a moment.")
        return near

    async def read(
        self,
        ranked: Sequence[RankedDocument],
        scope: Scope,
        *,
        question: str,
        paths: Mapping[str, tuple[str, ...]] = NOTHING_WALKED,
    ) -> tuple[Evidence, ...]:
        """`paths` say how the graph led to documents, by their ids. Why a piece completes another one stands first."""
        read = await read_evidence(
            ranked,
            scope,
            ledger=self._knowledge,
            blobs=self._blobs,
            limit=self._limits.evidence_chunks,
            question=question,
        )
        return tuple(
            replace(piece, path=(*piece.path, *paths[piece.chunk.doc_id])) if piece.chunk.doc_id in paths else piece
            for piece in read
        )

    async def bring_usual_causes(self, asked: Asked, trail: Trail) -> None:
        """Where the question asks for usual causes: what several documents tell of them stands first among the
        evidence. Where nothing is told, nothing changes."""
        plan, store, scope = trail.plan, self._communities, asked.scope
        if plan is None or store is None or not asks_usual_causes(plan.standalone):
            return
        began = time.perf_counter()
        try:
            trail.as_then("causes", UNLISTED)
            async with asyncio.timeout(self._limits.walk.budget_s):
                looked = await usual_causes(
                    plan.standalone,
                    scope,
                    store=store,
                    knowledge=self._knowledge,
                    ordinary=self._english,
                    exclude=asked.exclude,
                    build=asked.communities,
                )
                wanted = [cause.chunk_id for cause in looked.causes]
                pieces = await read_pieces(wanted, scope, ledger=self._knowledge, blobs=self._blobs)
                ids = list(dict.fromkeys(piece.chunk.doc_id for piece in pieces))
                read = {one.doc_id: one for one in await self._knowledge.documents(ids, scope)}
        except Exception as error:  # whatever breaks, what was found without it stands
            self._without(trail, "causes", error, UNLISTED)
            return
        finally:
            trail.timings_ms["causes"] = (time.perf_counter() - began) * 1000
        trail.plan = replace(plan, communities=looked.build)
        trail.documents = {**trail.documents, **read}
        with_causes(trail, looked, pieces)

    async def holding(self, name: str, scope: Scope) -> tuple[Evidence, ...]:
        """The best pieces that the whole index has for one name (an error code), by words alone."""
        nowhere = np.zeros(self._embedder.dimensions, dtype=np.float32)
        words = self._words.encode_query(name)
        hits = await self._index.search(IndexQuery(scope=scope, dense=nowhere, words=words, limit=HOLDING_HITS))
        ranked = fuse([hit for hit in hits if hit.words > 0], self._limits.weights)[:HOLDING_DOCUMENTS]
        return await read_evidence(
            ranked, scope, ledger=self._knowledge, blobs=self._blobs, limit=HOLDING_HITS, question=name
        )

    @property
    def candidates(self) -> int:
        return self._limits.candidates

    @property
    def documents_ranked(self) -> int:
        return self._limits.documents_ranked

    async def hits(self, plan: SearchPlan, scope: Scope, *, limit: int) -> list[tuple[PlannedQuery, list[Hit]]]:
        """What the index gives for each query, at most `limit` by vector and by words each. For explanations."""
        vectors = await self._directions([condensed(query.text) for query in plan.queries], Trail(), None)
        return [
            (
                query,
                await self._index.search(
                    IndexQuery(scope=scope, dense=dense, words=self._words.encode_query(query.text), limit=limit)
                ),
            )
            for query, dense in zip(plan.queries, vectors, strict=True)
        ]

    async def fused(self, plan: SearchPlan, scope: Scope) -> tuple[RankedDocument, ...]:
        """Every document that has a candidate, in the fused order. For explanations."""
        vectors = await self._directions([condensed(query.text) for query in plan.queries], Trail(), None)
        every = 2 * self._limits.candidates * len(plan.queries)
        return await self._retrieved(plan, scope, vectors, limit=every, exclude=frozenset())

    async def text_of(self, chunks: Sequence[Chunk]) -> str:
        """The chunks' texts, one after the other."""
        return "\n".join(await read_texts(chunks, blobs=self._blobs))

    async def _directions(self, texts: Sequence[str], trail: Trail, vector: Vectors | None) -> list[Vectors]:
        """One vector per query; of zeros, which finds nothing, when there is none."""
        missing = texts if vector is None else texts[1:]
        known = [] if vector is None else [vector]
        if not missing:
            return known
        # Late a moment ago, it would be waited for as long again.
        made = None if "embed" in trail.degraded else await self.vectors(missing, trail, instead=WITHOUT_CONTEXT)
        if made is None:
            return [*known, *(np.zeros(self._embedder.dimensions, dtype=np.float32) for _ in missing)]
        return [*known, *made]

    async def _retrieved(
        self, plan: SearchPlan, scope: Scope, vectors: Sequence[Vectors], *, limit: int, exclude: frozenset[str]
    ) -> tuple[RankedDocument, ...]:
        try:
            async with asyncio.timeout(self._limits.search_budget_s):
                return await retrieve(
                    plan,
                    scope,
                    index=self._index,
                    words=self._words,
                    weights=self._limits.weights,
                    candidates=self._limits.candidates,
                    # A reranker may lift what fusion placed low: it sees more than is kept.
                    documents=limit if self._reranker is None else max(limit, self._limits.rerank_passages),
                    vectors=vectors,
                    exclude=exclude,
                )
        except TimeoutError as error:
            raise Unavailable("The chunk index did not answer in time.", remedy="Ask again in a moment.") from error

    async def _preferred(
        self, plan: SearchPlan, scope: Scope, trail: Trail, found: tuple[RankedDocument, ...], *, kept: int
    ) -> tuple[tuple[RankedDocument, ...], tuple[RankedDocument, ...]]:
        """(in the order of titles too, and then with the version asked for before the page's other versions). The
        documents, their copies and what is out of date are told to the trail."""
        if not found:
            return found, found
        read = await self._knowledge.documents([ranked.doc_id for ranked in found], scope)
        documents = {document.doc_id: document for document in read}
        titles = {document.doc_id: document.title for document in read}
        titled = by_titles(found, titles, question=plan.queries[0].text, weight=self._limits.weights.title)
        version = plan.filters.get("version", "")
        ordered = prefer(titled, documents, question=plan.standalone, kept=kept, version=version)
        ordered = stories_behind(ordered, documents, question=plan.standalone)
        ordered = asked_for_first(ordered, documents, plan)
        trail.documents = documents
        trail.copies = copies_of(ordered, documents)
        trail.outdated = superseded_of(documents)
        return titled, ordered

    async def _walked(
        self,
        graph: Graph,
        plan: SearchPlan,
        scope: Scope,
        trail: Trail,
        found: tuple[RankedDocument, ...],
        *,
        limit: int,
        exclude: frozenset[str],
    ) -> tuple[RankedDocument, ...]:
        """With what the graph leads to, when the question names something that is known. The ledger has the last word
        on who is there: the paths of those documents are told to the trail."""
        why = routed(plan.standalone).why
        try:
            trail.as_then("traverse", UNWALKED)
            walked = await traverse(
                plan.standalone,
                found,
                scope,
                graph=graph,
                passages=self._passages,
                limits=replace(self._limits.walk, steps=_steps_then(trail, self._limits.walk)),
                ordinary=self._english,
                exclude=exclude,
            )
            reached = {one.doc_id: one for one in walked.reached if one.path} if walked.begun else {}
            documents = {one.doc_id: one for one in await self._knowledge.documents(list(reached), scope)}
        except Exception as error:  # whatever a graph breaks, what was found without it stands
            self._without(trail, "traverse", error, UNWALKED)
            tell_walk(why, WalkEnd.LATE if isinstance(error, TimeoutError) else WalkEnd.BROKEN)
            return found[:limit]
        if walked.whole:
            tell_walk(why, WalkEnd.WHOLE if walked.begun else WalkEnd.NOTHING_NAMED)
        else:
            tell_walk(why, WalkEnd.LATE)
            instead = f"{PARTLY_WALKED}{walked.steps}" if walked.steps else UNWALKED
            self._without(trail, "traverse", TimeoutError(), instead)
        trail.documents = {**trail.documents, **documents}
        trail.paths = {doc_id: one.path for doc_id, one in reached.items() if doc_id in documents}
        ranked = joined(
            found,
            {doc_id: reached[doc_id].weight for doc_id in trail.paths},
            {doc_id: reached[doc_id].chunk_ids for doc_id in trail.paths},
            limit=limit,
        )
        # What the graph brings may be a copy of a page that was found, or have been replaced.
        trail.copies = copies_of(ranked, trail.documents)
        trail.outdated = superseded_of(trail.documents)
        return ranked

    async def _passages(self, chunk_ids: Sequence[str], scope: Scope) -> Mapping[str, str]:
        return await read_passages(chunk_ids, scope, ledger=self._knowledge, blobs=self._blobs)

    async def _reranked(
        self,
        reranker: Reranker,
        plan: SearchPlan,
        scope: Scope,
        trail: Trail,
        found: tuple[RankedDocument, ...],
    ) -> tuple[RankedDocument, ...]:
        try:
            trail.as_then("rerank", FUSED_ORDER)
            async with asyncio.timeout(self._limits.rerank_budget_s):
                texts = await read_passages(
                    passages(found, limit=self._limits.rerank_passages),
                    scope,
                    ledger=self._knowledge,
                    blobs=self._blobs,
                )
                scores = await reranker.score(plan.standalone, list(texts.values()))
                judged = dict(zip(texts, scores, strict=True))
            if not all(math.isfinite(score) for score in judged.values()):
                raise Unavailable("The reranker gave no usable scores.", remedy="Ask again in a moment.")
        except Exception as error:  # whatever breaks an optional stage, the answer goes on without it
            self._without(trail, "rerank", error, FUSED_ORDER)
            return found
        return rerank(found, judged, weight=self._limits.rerank_weight)

    def _without(self, trail: Trail, stage: str, error: Exception, instead: str) -> None:
        why = "late" if isinstance(error, TimeoutError) else "broken"
        trail.degraded[stage] = f"{why}: {instead}"
        # A FirstlineError's text names no address; another error's may, and its kind says enough.
        cause = error.message.rstrip(".") if isinstance(error, FirstlineError) else type(error).__name__
        logger.warning("stage %s was %s (%s): %s", stage, why, cause, instead)


def _steps_then(trail: Trail, limits: WalkLimits) -> int:
    """How far the graph was walked in the recorded turn that is replayed."""
    _, partly, steps = trail.then.get("traverse", "").partition(PARTLY_WALKED)
    return int(steps) if partly and steps.isdecimal() else limits.steps
