"""Who stands in the table, by name, and how each is opened. A peer's library is imported when that peer is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.peers.embedding import BlockingEmbedder
from benchmarks.peers.peer import Peer
from benchmarks.peers.wording import Wording

OPEN_PEER = Callable[[BlockingEmbedder, Path], Peer]
"""Given the embedder and a folder that may hold the index of one knowledge base."""

OURS: Final = "firstline"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entrant:
    """`packages`: whose versions the report states. `open_peer` is None for firstline, which is not one index."""

    label: str
    packages: tuple[str, ...]
    open_peer: OPEN_PEER | None
    wordings: tuple[Wording, ...] = (Wording.LAST, Wording.ALL)


def _bm25s_documents(embedder: BlockingEmbedder, folder: Path) -> Peer:
    del embedder, folder
    from benchmarks.peers.bm25s_peer import Bm25sPeer

    return Bm25sPeer(chunked=False)


def _bm25s_chunks(embedder: BlockingEmbedder, folder: Path) -> Peer:
    del embedder, folder
    from benchmarks.peers.bm25s_peer import Bm25sPeer

    return Bm25sPeer(chunked=True)


def _lancedb(embedder: BlockingEmbedder, folder: Path) -> Peer:
    from benchmarks.peers.lancedb_peer import LanceDbPeer

    return LanceDbPeer(embedder, folder)


def _haystack(embedder: BlockingEmbedder, folder: Path) -> Peer:
    del folder
    from benchmarks.peers.haystack_peer import HaystackPeer

    return HaystackPeer(embedder)


def _llamaindex(embedder: BlockingEmbedder, folder: Path) -> Peer:
    del folder
    from benchmarks.peers.llamaindex_peer import LlamaIndexPeer

    return LlamaIndexPeer(embedder)


def _llamaindex_256(embedder: BlockingEmbedder, folder: Path) -> Peer:
    del folder
    from benchmarks.peers.llamaindex_peer import LlamaIndexPeer

    return LlamaIndexPeer(embedder, chunk_tokens=256)


_LLAMAINDEX: Final = ("llama-index-core", "llama-index-retrievers-bm25", "bm25s")

ENTRANTS: Final[Mapping[str, Entrant]] = {
    OURS: Entrant(label="firstline", packages=("firstline",), open_peer=None, wordings=(Wording.LAST, Wording.OWN)),
    "bm25s-documents": Entrant(
        label="bm25s, whole documents", packages=("bm25s", "pystemmer"), open_peer=_bm25s_documents
    ),
    "bm25s-chunks": Entrant(
        label="bm25s, chunks of 200 words", packages=("bm25s", "pystemmer"), open_peer=_bm25s_chunks
    ),
    "lancedb": Entrant(label="LanceDB hybrid, RRF", packages=("lancedb",), open_peer=_lancedb),
    "haystack": Entrant(label="Haystack hybrid, RRF", packages=("haystack-ai",), open_peer=_haystack),
    "llamaindex": Entrant(label="LlamaIndex hybrid, RRF", packages=_LLAMAINDEX, open_peer=_llamaindex),
    "llamaindex-256": Entrant(
        label="LlamaIndex hybrid, RRF, 256-token chunks", packages=_LLAMAINDEX, open_peer=_llamaindex_256
    ),
}
