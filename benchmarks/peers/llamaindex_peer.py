"""LlamaIndex's hybrid retrieval as its docs show it: SentenceSplitter, vector and BM25 retrievers, reciprocal rank
fusion by QueryFusionRetriever with the question alone (no generated ones)."""
# pyright: basic, reportMissingImports=false
# llama_index's models get their fields at run time. The library is in .venv-peers alone.

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.mock import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.retrievers.bm25 import BM25Retriever

from benchmarks.peers.embedding import BlockingEmbedder
from benchmarks.peers.peer import CANDIDATES, PeerDocument, best_documents

BATCH_TEXTS = 1_024
OVERLAP_TOKENS = 20


class MiniLm(BaseEmbedding):
    """firstline's embedder behind LlamaIndex's interface."""

    _embedder: BlockingEmbedder = PrivateAttr()

    def __init__(self, embedder: BlockingEmbedder) -> None:
        super().__init__(model_name="all-MiniLM-L6-v2", embed_batch_size=BATCH_TEXTS)
        self._embedder = embedder

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embedder.embed_one(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._embedder.embed_one(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embedder.embed_one(text)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embedder.embed(texts).tolist()


class LlamaIndexPeer:
    """`chunk_tokens`: None for SentenceSplitter's own defaults (1024, 200 of them shared with the next chunk)."""

    def __init__(self, embedder: BlockingEmbedder, *, chunk_tokens: int | None = None) -> None:
        self._embedder = embedder
        given = SentenceSplitter(chunk_size=chunk_tokens, chunk_overlap=OVERLAP_TOKENS) if chunk_tokens else None
        self._splitter = given or SentenceSplitter()
        self._retriever: QueryFusionRetriever | None = None

    def index(self, documents: Sequence[PeerDocument]) -> int:
        whole = [
            # Metadata stands in front of every chunk, for embedding and for BM25; the id does not belong there.
            Document(
                id_=one.doc_id,
                text=one.text,
                metadata={"title": one.title, "doc_id": one.doc_id},
                excluded_embed_metadata_keys=["doc_id"],
            )
            for one in documents
        ]
        nodes = self._splitter.get_nodes_from_documents(whole)
        index = VectorStoreIndex(nodes, embed_model=MiniLm(self._embedder))
        self._retriever = QueryFusionRetriever(
            [
                index.as_retriever(similarity_top_k=CANDIDATES),
                BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=CANDIDATES),
            ],
            llm=MockLLM(),  # never called: one query, the question itself
            mode=FUSION_MODES.RECIPROCAL_RANK,
            similarity_top_k=CANDIDATES,
            num_queries=1,
            use_async=False,
        )
        return len(nodes)

    def search(self, question: str, k: int) -> list[str]:
        assert self._retriever is not None
        found = self._retriever.retrieve(question)
        return best_documents((str(one.node.metadata["doc_id"]) for one in found), k)
