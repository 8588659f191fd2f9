"""LanceDB's hybrid search with its RRF reranker: exact vector search and its own full-text index, both as they come."""
# pyright: basic, reportMissingImports=false
# lancedb's tables are only partly typed. The library is in .venv-peers alone.

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.rerankers import RRFReranker

from benchmarks.peers.embedding import BlockingEmbedder
from benchmarks.peers.peer import CANDIDATES, PeerDocument, best_documents, word_chunks


class LanceDbPeer:
    def __init__(self, embedder: BlockingEmbedder, folder: Path) -> None:
        self._embedder = embedder
        self._database = lancedb.connect(str(folder))
        self._reranker = RRFReranker()
        self._table = None

    def index(self, documents: Sequence[PeerDocument]) -> int:
        pairs = [(document.doc_id, text) for document in documents for text in word_chunks(document)]
        vectors = self._embedder.embed([text for _, text in pairs])
        size = self._embedder.dimensions
        rows = pa.table(
            {
                "doc_id": [doc_id for doc_id, _ in pairs],
                "text": [text for _, text in pairs],
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), size),
            }
        )
        self._table = self._database.create_table("chunks", rows)
        self._table.create_index("text", config=FTS())
        return len(pairs)

    def search(self, question: str, k: int) -> list[str]:
        assert self._table is not None
        found = (
            self._table.search(query_type="hybrid")
            .vector(self._embedder.embed_one(question))
            .text(question)
            .rerank(self._reranker)
            .limit(CANDIDATES)
            .select(["doc_id"])
            .to_arrow()
        )
        return best_documents(found["doc_id"].to_pylist(), k)
