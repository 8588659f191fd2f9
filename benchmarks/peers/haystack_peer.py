"""Haystack's hybrid retrieval as its tutorial builds it, without a ranker: default splitter, in-memory store, BM25 and
embedding retrievers, DocumentJoiner with reciprocal rank fusion."""
# pyright: basic, reportMissingImports=false
# haystack's components get their types at run time. The library is in .venv-peers alone.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

from benchmarks.peers.embedding import BlockingEmbedder
from benchmarks.peers.peer import CANDIDATES, PeerDocument, best_documents, titled


@component
class DocumentEmbedder:
    """Puts the title in front of each split, as haystack's embedders do with `meta_fields_to_embed`."""

    def __init__(self, embedder: BlockingEmbedder) -> None:
        self._embedder = embedder

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        vectors = self._embedder.embed([titled(one.meta["title"], one.content or "") for one in documents])
        pairs = zip(documents, vectors, strict=True)
        return {"documents": [replace(one, embedding=vector.tolist()) for one, vector in pairs]}


@component
class TextEmbedder:
    def __init__(self, embedder: BlockingEmbedder) -> None:
        self._embedder = embedder

    @component.output_types(embedding=list[float])
    def run(self, text: str):
        return {"embedding": self._embedder.embed_one(text)}


class HaystackPeer:
    def __init__(self, embedder: BlockingEmbedder) -> None:
        self._embedder = embedder
        self._store = InMemoryDocumentStore()
        self._pipeline = Pipeline()
        self._pipeline.add_component("text_embedder", TextEmbedder(embedder))
        self._pipeline.add_component("dense", InMemoryEmbeddingRetriever(self._store, top_k=CANDIDATES))
        self._pipeline.add_component("words", InMemoryBM25Retriever(self._store, top_k=CANDIDATES))
        self._pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
        self._pipeline.connect("text_embedder.embedding", "dense.query_embedding")
        self._pipeline.connect("dense", "joiner")
        self._pipeline.connect("words", "joiner")

    def index(self, documents: Sequence[PeerDocument]) -> int:
        indexing = Pipeline()
        indexing.add_component("splitter", DocumentSplitter())
        indexing.add_component("embedder", DocumentEmbedder(self._embedder))
        indexing.add_component("writer", DocumentWriter(self._store))
        indexing.connect("splitter", "embedder")
        indexing.connect("embedder", "writer")
        whole = [
            Document(id=one.doc_id, content=one.whole, meta={"title": one.title, "doc_id": one.doc_id})
            for one in documents
        ]
        indexing.run({"splitter": {"documents": whole}})
        return self._store.count_documents()

    def search(self, question: str, k: int) -> list[str]:
        found = self._pipeline.run({"text_embedder": {"text": question}, "words": {"query": question}})
        return best_documents((str(one.meta["doc_id"]) for one in found["joiner"]["documents"]), k)
