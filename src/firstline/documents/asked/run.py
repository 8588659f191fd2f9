"""Ask a model about the chunks of a knowledge base: counted first, capped, resumable, each answer held to its text.

A chunk is marked as asked after its edges are written: killed in between, it is asked once more, and writes the same
edges again. They go with their document, as the rules' edges do: a change or forgetting takes them along, and a new
revision is asked anew.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from firstline.documents.asked.kept import FINE, AskedChunks, key_of
from firstline.documents.asked.said import SCHEMA, edges_of, part_of, prompt, read
from firstline.documents.giving_way import RETAKE_PAUSE_S, RETAKE_S_MAX
from firstline.domain import FOREVER, GRAPH, GRAPH_OFF, Chunk, Document, Edge, Finish, ModelRequest, ModelRole
from firstline.errors import Broken, Conflict, FirstlineError, NotFound, OverBudget
from firstline.ports import BlobStore, Graph, KnowledgeLedger, LanguageModel, RevisionLedger, Scope

REVISIONS_AT_ONCE: Final = 100
EDGES_MAX: Final = 10_000
ANSWER_TOKENS_MAX: Final = 900
ASK_S_MAX: Final = 60.0
CHUNK_BYTES_MIN: Final = 80
"""A shorter chunk names nothing that rules miss."""
BYTES_PER_TOKEN: Final = 4
FAILED_IN_A_ROW_MAX: Final = 5
"""Then the models are down, and the run ends with what it has."""
NAMED_MAX: Final = 20
KEEPING_ENDS: Final = frozenset({Finish.WHOLE, Finish.CUT, Finish.HALF_JSON, Finish.INVALID_JSON})
"""Ends with text of which whole items may be left."""


@dataclass(kw_only=True)
class GraphAsked:
    """`chunks`: those that may be asked; `before` were asked by earlier runs. `quarantined`: answers that could not be
    read, by chunk (the first NAMED_MAX). `stopped`: why the run ended before its end."""

    chunks: int = 0
    before: int = 0
    asked: int = 0
    kept: int = 0
    fell: Counter[str] = field(default_factory=Counter[str])
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    quarantined: int = 0
    quarantined_ids: list[str] = field(default_factory=list[str])
    stopped: str = ""

    @property
    def left(self) -> int:
        return self.chunks - self.before - self.asked


class GraphAsk:
    def __init__(
        self,
        model: LanguageModel,
        *,
        ledger: KnowledgeLedger,
        revisions: RevisionLedger,
        blobs: BlobStore,
        graph: Graph,
        done: AskedChunks,
    ) -> None:
        """`graph` is the one that documents are written to."""
        self._model = model
        self._ledger = ledger
        self._revisions = revisions
        self._blobs = blobs
        self._graph = graph
        self._done = done
        self._model_id = model.model_id(ModelRole.SMALL)
        self._failed = 0

    async def estimate(self, *, tenant: str, kb: str, retry: bool = False) -> tuple[int, int, int]:
        """Chunks to ask, and tokens in and out at most, about. Nobody is asked."""
        chunks = tokens = 0
        frame = len(prompt().text) // BYTES_PER_TOKEN
        async for _, own in self._documents(tenant, kb):
            waiting = [chunk for chunk in own if not self._was_asked(chunk, retry)]
            chunks += len(waiting)
            tokens += sum((chunk.end - chunk.start) // BYTES_PER_TOKEN + frame for chunk in waiting)
        return chunks, tokens, chunks * ANSWER_TOKENS_MAX

    async def run(
        self,
        *,
        tenant: str,
        kb: str,
        calls_max: int,
        retry: bool = False,
        on_progress: Callable[[GraphAsked], None] | None = None,
    ) -> GraphAsked:
        """At most `calls_max` calls. `retry`: also those that could not be read before."""
        told = GraphAsked()
        async for document, own in self._documents(tenant, kb):
            text: bytes | None = None
            for chunk in own:
                told.chunks += 1
                if self._was_asked(chunk, retry):
                    told.before += 1
                    continue
                if told.stopped or told.asked >= calls_max:
                    told.stopped = told.stopped or "the cap"
                    continue
                text = text if text is not None else await self._text(document)
                await self._ask(document, chunk, text[chunk.start : chunk.end].decode("utf-8", "replace"), told)
                if on_progress is not None:
                    on_progress(told)
        return told

    async def _documents(self, tenant: str, kb: str) -> AsyncGenerator[tuple[Document, list[Chunk]]]:
        """Those in force that somebody may see, with the chunks worth asking about."""
        if kb not in await self._ledger.knowledge_bases(tenant=tenant):
            raise NotFound(f"There is no knowledge base {kb!r}.", remedy="`firstline status` lists them.")
        after: tuple[str, int] | None = None
        while True:
            page = await self._revisions.revisions(tenant=tenant, kb=kb, after=after, limit=REVISIONS_AT_ONCE)
            for stored in page:
                document = stored.document
                if document.until == FOREVER and document.acl and document.metadata.get(GRAPH) != GRAPH_OFF:
                    yield document, [one for one in stored.chunks if one.end - one.start >= CHUNK_BYTES_MIN]
            if len(page) < REVISIONS_AT_ONCE:
                return
            after = page[-1].document.doc_id, page[-1].document.since

    def _key(self, chunk: Chunk) -> str:
        return key_of(chunk.chunk_id, prompt().prompt_id, self._model_id)

    def _was_asked(self, chunk: Chunk, retry: bool) -> bool:
        ended = self._done.ended(self._key(chunk))
        return ended is not None and (ended == FINE or not retry)

    async def _text(self, document: Document) -> bytes:
        try:
            return await self._blobs.get_range(document.blob, 0, document.size_bytes)
        except (NotFound, Broken):
            return b""

    async def _ask(self, document: Document, chunk: Chunk, text: str, told: GraphAsked) -> None:
        if not text:
            told.fell["the text is not there"] += 1
            return
        request = ModelRequest(
            role=ModelRole.SMALL,
            system=(prompt().text,),
            parts=(part_of(text),),
            schema=SCHEMA,
            max_tokens=ANSWER_TOKENS_MAX,
            deadline_at_s=asyncio.get_running_loop().time() + ASK_S_MAX,
            tenant=document.tenant,
        )
        told.asked += 1
        try:
            done = await self._model.complete(request)
        except OverBudget:
            told.asked -= 1
            told.stopped = "the budget"
            return
        except FirstlineError as error:
            self._failed += 1
            told.fell[f"not answered: {error.code}"] += 1
            if self._failed >= FAILED_IN_A_ROW_MAX:
                told.stopped = f"{FAILED_IN_A_ROW_MAX} calls in a row failed"
            return
        self._failed = 0
        told.tokens_in += done.tokens_in
        told.tokens_out += done.tokens_out
        told.cost += done.cost
        items = read(done.text) if done.finish in KEEPING_ENDS else None
        if items is None:
            self._quarantine(chunk, done.finish, told)
            return
        said = edges_of(items, text, chunk, document, extractor=f"{prompt().prompt_id} {done.model_id}")
        told.fell += said.fell
        written = await self._write(document, chunk, said.edges, told)
        if written is not None:
            told.kept += written
            self._done.keep(self._key(chunk), chunk.chunk_id, FINE)

    def _quarantine(self, chunk: Chunk, finish: Finish, told: GraphAsked) -> None:
        told.quarantined += 1
        if len(told.quarantined_ids) < NAMED_MAX:
            told.quarantined_ids.append(chunk.chunk_id)
        self._done.keep(self._key(chunk), chunk.chunk_id, finish.value)

    async def _write(self, document: Document, chunk: Chunk, edges: tuple[Edge, ...], told: GraphAsked) -> int | None:
        """How many were written, while nobody's run changes the knowledge base; None: the revision went meanwhile. What
        the rules say already stays as they say it."""
        async with self._held(document):
            if not await self._is_current(document):
                return None
            scope = Scope(
                tenant=document.tenant,
                kb=document.kb,
                acl_tags=document.acl,
                level_max=document.level,
                snapshot=document.since,
            )
            there = await self._graph.edges(scope, after="", limit=EDGES_MAX, chunk_ids=[chunk.chunk_id])
            by_rules = {one.edge_id for one in there if not one.of_model}
            fresh = [one for one in edges if one.edge_id not in by_rules]
            told.fell["the rules know it"] += len(edges) - len(fresh)
            await self._graph.upsert(fresh)
        return len(fresh)

    @asynccontextmanager
    async def _held(self, document: Document) -> AsyncGenerator[None]:
        began = asyncio.get_running_loop().time()
        async with AsyncExitStack() as stack:
            while True:
                try:
                    await stack.enter_async_context(self._ledger.ingest_lock(tenant=document.tenant, kb=document.kb))
                    break
                except Conflict:
                    if asyncio.get_running_loop().time() - began > RETAKE_S_MAX:
                        raise
                await asyncio.sleep(RETAKE_PAUSE_S)
            yield

    async def _is_current(self, document: Document) -> bool:
        before = document.doc_id, document.since - 1
        found = await self._revisions.revisions(tenant=document.tenant, kb=document.kb, after=before, limit=1)
        now = found[0].document if found else None
        return now is not None and (now.doc_id, now.since, now.until) == (document.doc_id, document.since, FOREVER)
