"""bm25s as its README shows it: English stop words and stemmer, its default BM25 variant."""
# pyright: basic, reportMissingImports=false
# bm25s ships no type information. The library is in .venv-peers alone.

from __future__ import annotations

from collections.abc import Sequence

import bm25s
import Stemmer

from benchmarks.peers.peer import CANDIDATES, PeerDocument, best_documents, word_chunks


class Bm25sPeer:
    """Over whole documents, or over runs of words."""

    def __init__(self, *, chunked: bool) -> None:
        self._chunked = chunked
        self._stemmer = Stemmer.Stemmer("english")
        self._owners: list[str] = []
        self._retriever = bm25s.BM25()

    def index(self, documents: Sequence[PeerDocument]) -> int:
        texts: list[str] = []
        for document in documents:
            parts = word_chunks(document) if self._chunked else [document.whole]
            texts += parts
            self._owners += [document.doc_id] * len(parts)
        self._retriever.index(self._tokens(texts), show_progress=False)
        return len(texts)

    def search(self, question: str, k: int) -> list[str]:
        limit = min(CANDIDATES, len(self._owners))
        found, scores = self._retriever.retrieve(self._tokens([question]), k=limit, show_progress=False)
        # A chunk without any word of the question fills the list up with score 0: it was not found.
        hits = [int(at) for at, score in zip(found[0], scores[0], strict=True) if score > 0]
        return best_documents((self._owners[at] for at in hits), k)

    def _tokens(self, texts: list[str]):
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)
