"""What every peer is asked to do, and what they share because their libraries leave it open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

CANDIDATES: Final = 100
"""Chunks that each leg of a peer's search may bring. Their own defaults (2 to 10) could not fill ten documents."""
CHUNK_WORDS: Final = 200
"""For libraries without a splitter of their own: the default of Haystack's, so that one set of vectors serves all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PeerDocument:
    """A document as firstline's parser reads it: normalised Markdown, without its front matter."""

    doc_id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        return f"{self.title}\n\n{self.text}"


class Peer(Protocol):
    """A library's index of one knowledge base."""

    def index(self, documents: Sequence[PeerDocument]) -> int:
        """Called once. How many chunks were indexed."""
        ...

    def search(self, question: str, k: int) -> list[str]:
        """At most `k` document ids, best first, none twice."""
        ...


def best_documents(chunk_owners: Iterable[str], k: int) -> list[str]:
    """A ranking of chunks as a ranking of documents: each stands where its best chunk stands."""
    return list(dict.fromkeys(chunk_owners))[:k]


def word_chunks(document: PeerDocument, *, words: int = CHUNK_WORDS) -> list[str]:
    """What Haystack's default splitter makes of the document (runs of so many words, a word ends at a blank), each with
    the title in front."""
    parts = document.whole.split(" ")
    runs = (" ".join(parts[start : start + words]) for start in range(0, len(parts), words))
    return [titled(document.title, run) for run in runs if run.strip()]


def titled(title: str, text: str) -> str:
    return f"{title}\n{text.strip()}"
