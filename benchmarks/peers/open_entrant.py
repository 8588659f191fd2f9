"""An entrant, indexed and ready to rank cases."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from benchmarks.peers.corpus import KnowledgeBase, knowledge_of, visible
from benchmarks.peers.embedding import BlockingEmbedder, PeerEmbedder
from benchmarks.peers.entrants import OPEN_PEER, Entrant
from benchmarks.peers.folder import FOLDER, SCRATCH
from benchmarks.peers.wording import Wording, worded
from benchmarks.workbench import DATA_KB, ingest_demo
from firstline.evals.cases import Case
from firstline.evals.datasets import DataSource, present
from firstline.evals.run import Runner
from firstline.evals.scorers import RANK_MAX
from firstline.settings import load_settings
from firstline.wiring import open_firstline

SPARE: Final = 2
"""Peers are asked for so many times the documents that count, because some may be hidden from the asker."""


class RankCase(Protocol):
    async def __call__(self, case: Case, wording: Wording) -> Sequence[str]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Ready:
    rank: RankCase
    chunks: int
    index_s: float


@asynccontextmanager
async def open_entrant(
    entrant: Entrant, *, embedder: PeerEmbedder, data: Path | None, knowledge: Mapping[str, KnowledgeBase]
) -> AsyncGenerator[Ready]:
    """Builds every knowledge base anew in a folder that is removed afterwards."""
    folder = _scratch_folder()
    try:
        if entrant.open_peer is None:
            async with _open_ours(folder, embedder, data) as ready:
                yield ready
        else:
            blocking = BlockingEmbedder(embedder)
            yield _open_peer(entrant.open_peer, folder, blocking, knowledge)
            blocking.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _scratch_folder() -> Path:
    FOLDER.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=FOLDER))
    folder.chmod(0o711)  # the embedded database may run as another user
    return folder


def _open_peer(
    open_peer: OPEN_PEER,
    folder: Path,
    blocking: BlockingEmbedder,
    knowledge: Mapping[str, KnowledgeBase],
) -> Ready:
    started = time.perf_counter()
    peers = {name: open_peer(blocking, folder / name) for name in knowledge}
    chunks = sum(peers[name].index(own.documents) for name, own in knowledge.items())
    index_s = time.perf_counter() - started

    async def rank(case: Case, wording: Wording) -> Sequence[str]:
        name = knowledge_of(case)
        found = peers[name].search(worded(case, wording), RANK_MAX * SPARE)
        return visible(found, case, knowledge[name])[:RANK_MAX]

    return Ready(rank=rank, chunks=chunks, index_s=index_s)


@asynccontextmanager
async def _open_ours(folder: Path, embedder: PeerEmbedder, data: Path | None) -> AsyncGenerator[Ready]:
    settings = load_settings(flags={"data_folder": folder / "data"})
    async with open_firstline(settings, embedder=embedder) as opened:
        started = time.perf_counter()
        reports = await ingest_demo(opened)
        if data is not None:
            source = DataSource(data, present(data))
            reports.append(await opened.documents.ingest(source, tenant=settings.tenant, kb=DATA_KB))
        index_s = time.perf_counter() - started

        async def rank(case: Case, wording: Wording) -> Sequence[str]:
            runner = Runner(
                rank_question=opened.questions.rank,
                ask_question=opened.questions.ask,
                create_session=opened.conversations.create_session,
                tenant=settings.tenant,
                kb=knowledge_of(case),
                history_turns=settings.history_turns,
            )
            asked = replace(case, turns=(case.question,)) if wording is Wording.LAST else case
            return await runner.rank(asked, frozenset())

        yield Ready(rank=rank, chunks=sum(report.chunks for report in reports), index_s=index_s)
