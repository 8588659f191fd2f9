"""One entrant, in a process of its own: indexed, asked everything twice (with and without embedding), saved."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.evaluate import sample
from benchmarks.peers.corpus import read_cases, read_knowledge
from benchmarks.peers.costs import Costs, save_costs
from benchmarks.peers.embedding import PeerEmbedder, Phase
from benchmarks.peers.entrants import ENTRANTS, Entrant
from benchmarks.peers.folder import VECTORS, costs_path, results_path
from benchmarks.peers.memory import memory_mb
from benchmarks.peers.open_entrant import Ready, open_entrant
from benchmarks.peers.wording import Wording, differing, merged
from benchmarks.workbench import commit, show_progress
from firstline.evals.cases import Case
from firstline.evals.evaluate import Ranked, rank_cases
from firstline.evals.results import Results, save
from firstline.models.embedder import open_embedder
from firstline.settings import load_settings

WARM_UP_CASES: Final = 5
TIMED_CASES: Final = 200
"""Latencies are of the same sample for everybody, always the same one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    live: list[Ranked]
    search: list[Ranked]


async def measure(name: str, *, data: Path | None, split: str) -> bool:
    """Writes results and costs of every wording. False, and nothing is written, when vectors had to be computed for
    the index: its time and memory would be the embedder's. The peak of memory is added by the process that watches."""
    entrant = ENTRANTS[name]
    plain = load_settings()
    inner = open_embedder(
        name=plain.embedder, model=plain.embedder_model, api_key=plain.embedder_api_key, threads=plain.embed_threads
    )
    embedder = PeerEmbedder(inner, VECTORS)
    cases = read_cases(data, split=split)
    knowledge = await read_knowledge(data)
    async with open_entrant(entrant, embedder=embedder, data=data, knowledge=knowledge) as ready:
        if embedder.computed:
            return False
        embedder.phase = Phase.LIVE
        for wording in entrant.wordings:
            await rank_cases(cases[:WARM_UP_CASES], _rank(ready, wording))
        found = await ask_everything(entrant, ready, embedder, cases)
        timed = {one.key for one in found[entrant.wordings[0]].search}
        used_mb = memory_mb(os.getpid())
        for wording, asked in found.items():
            save(
                Results(name=f"{entrant.label}, {wording}", about=_about(entrant, split), ranked=tuple(asked.live)),
                results_path(name, wording),
            )
            costs = Costs(
                chunks=ready.chunks,
                index_s=ready.index_s,
                live_ms=tuple(one.duration_ms for one in asked.live if one.key in timed),
                search_ms=tuple(one.duration_ms for one in asked.search),
                memory_mb=used_mb,
                memory_peak_mb=used_mb,
            )
            save_costs(costs, costs_path(name, wording))
    return True


async def ask_everything(
    entrant: Entrant, ready: Ready, embedder: PeerEmbedder, cases: Sequence[Case]
) -> dict[Wording, Asked]:
    """The first wording is asked with every case, the others only where they differ; a sample is asked once more with
    its vectors remembered."""
    timed = {case.key for case in sample(list(cases), TIMED_CASES)}
    found: dict[Wording, Asked] = {}
    for wording in entrant.wordings:
        own = differing(cases) if found else list(cases)
        asked: dict[Phase, list[Ranked]] = {}
        for phase in (Phase.LIVE, Phase.REMEMBERED):
            embedder.phase = phase
            label = f"{entrant.label}, {wording}, {phase}"
            again = own if phase is Phase.LIVE else [case for case in own if case.key in timed]
            asked[phase] = await rank_cases(again, _rank(ready, wording), on_done=show_progress(label))
        first = found.get(entrant.wordings[0])
        live, search = asked[Phase.LIVE], asked[Phase.REMEMBERED]
        if first is not None:
            live, search = merged(first.live, live), merged(first.search, search)
        found[wording] = Asked(live=live, search=search)
    return found


def _rank(ready: Ready, wording: Wording):
    async def rank(case: Case, exclude: frozenset[str]) -> Sequence[str]:
        del exclude  # only `removed` questions leave documents out
        return await ready.rank(case, wording)

    return rank


def _about(entrant: Entrant, split: str) -> dict[str, str]:
    versions = {package: importlib.metadata.version(package) for package in entrant.packages}
    return {"split": split, "commit": commit(), **versions}
