"""What is extracted for the graph: how right it is, and how fast.

    python -m benchmarks.graph_extract

`graph_judged.jsonl` holds judgements of edges that were drawn at random and read with their sentences, one line each:
corpus, document, relation, the target's kind, a digest of the edge's ends, and whether it is right. It copies no text.
Judged in rounds: after each the rules were mended, and the next one was drawn anew from what they gave then. The
figure extracts anew and is the share that is right of the last whole round's edges that still come. Of kinds that were
mended since and judged anew, in a round of their own, the share of that round counts. When fewer than nine in ten of
what is counted still come, it was judged on something else, and there is no figure until another round is.

An edge to a ROOT_CAUSE counts as right when the chunk tells the cause or how it is found (a runbook's Diagnosis).
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.measured import Measured, NotMeasurable, Registry, run
from benchmarks.workbench import real_data
from firstline.documents.extract import extract
from firstline.documents.prepare import prepare
from firstline.documents.run import Prepared
from firstline.domain import Edge, EntityKind, Failure
from firstline.errors import NotAccepted
from firstline.evals.datasets import DOCUMENTATION, DataSet, DataSource
from firstline.settings import load_settings
from firstline.wiring import count_tokens, redactor_of

JUDGED: Final = Path(__file__).parent / "graph_judged.jsonl"
CORPORA: Final = ("openshift_runbooks", "techqa", "kubernetes")
WHOLE: Final = 5
"""The last round over all kinds; round 6 is of MENTIONS of settings and components alone."""
STILL_MIN: Final = 0.9
CHUNKED: Final = (EntityKind.SYMPTOM, EntityKind.ROOT_CAUSE, EntityKind.RESOLUTION)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    round: int
    corpus: str
    doc: str
    relation: str
    kind: str
    edge: str
    right: bool


@dataclass(kw_only=True)
class Tally:
    judged: int = 0
    right: int = 0
    found: int = 0
    found_right: int = 0

    def count(self, *, right: bool, found: bool) -> None:
        self.judged += 1
        self.right += right
        self.found += found
        self.found_right += found and right


def judgements() -> list[Judgement]:
    return [Judgement(**json.loads(line)) for line in JUDGED.read_text(encoding="utf-8").splitlines() if line]


def digest(edge: Edge, ordinals: dict[str, int]) -> str:
    """Of its two ends; a chunk goes by its place in the document, because its id changes with every ingest."""
    source, target = (
        f"{one.kind}:#{ordinals[one.key]}" if one.kind in CHUNKED else one.entity_id
        for one in (edge.source, edge.target)
    )
    kind, _, key = target.partition(":")
    return hashlib.blake2b(f"{source}\x1f{kind}\x1f{key}".encode(), digest_size=8).hexdigest()


async def prepared_documents(names: Sequence[str], *, only: frozenset[str] | None = None) -> list[Prepared]:
    """As they are ingested, without edges yet."""
    settings = load_settings()
    redactor = redactor_of(settings)
    found: list[Prepared] = []
    for one in _sets(names):
        async for item in DataSource(real_data(), (one,)).items():
            if isinstance(item, Failure) or (only is not None and item.item_id not in only):
                continue
            try:
                found.append(
                    prepare(
                        item,
                        tenant="t",
                        kb="k",
                        candidate=1,
                        redactor=redactor,
                        count_tokens=count_tokens,
                        chunk_tokens=settings.chunk_tokens,
                        extract_graph=False,
                    )
                )
            except NotAccepted:
                continue
    return found


def _sets(names: Sequence[str]) -> list[DataSet]:
    found = [one for one in DOCUMENTATION if one.name in names and (real_data() / one.folder).is_dir()]
    if len(found) < len(names):
        raise NotMeasurable(f"the data lacks one of {', '.join(names)}")
    return found


def still_extracted(documents: Iterable[Prepared]) -> set[tuple[str, str, str]]:
    """Document, relation and digest of every edge."""
    found: set[tuple[str, str, str]] = set()
    for one in documents:
        ordinals = {part.chunk_id: part.ordinal for part in one.chunks}
        for edge in extract(one.document, one.chunks, one.blob):
            found.add((edge.doc_id, edge.relation.value, digest(edge, ordinals)))
    return found


Kind = tuple[str, str]
"""Relation, and the target's kind."""


async def tallies() -> dict[tuple[int, Kind], Tally]:
    """By round, relation and kind."""
    told = judgements()
    documents = await prepared_documents(CORPORA, only=frozenset(one.doc for one in told))
    extracted = still_extracted(documents)
    counted: dict[tuple[int, Kind], Tally] = defaultdict(Tally)
    for one in told:
        found = (one.doc, one.relation, one.edge) in extracted
        counted[one.round, (one.relation, one.kind)].count(right=one.right, found=found)
    return counted


def together(tallied: Iterable[Tally]) -> Tally:
    total = Tally()
    for one in tallied:
        total.judged += one.judged
        total.right += one.right
        total.found += one.found
        total.found_right += one.found_right
    return total


def precision(counted: Mapping[tuple[int, Kind], Tally]) -> tuple[float, Tally]:
    """The share that is right, each kind as often as the last whole round met it; and what was counted for it."""
    whole = {kind: tally for (number, kind), tally in counted.items() if number == WHOLE}
    newest = {kind: max(number for number, other in counted if other == kind) for kind in whole}
    counts = {kind: counted[max(newest[kind], WHOLE), kind] for kind in whole}
    weights = {kind: tally.judged for kind, tally in whole.items() if counts[kind].found}
    share = sum(weight * counts[kind].found_right / counts[kind].found for kind, weight in weights.items())
    return share / sum(weights.values()), together(counts.values())


def chunks_per_s(documents: Sequence[Prepared]) -> float:
    """Of one core, by the processor's clock."""
    chunks, began = 0, time.process_time()
    for one in documents:
        extract(one.document, one.chunks, one.blob)
        chunks += len(one.chunks)
    return chunks / (time.process_time() - began)


async def _precision() -> Measured:
    share, last = precision(await tallies())
    if last.found < STILL_MIN * last.judged:
        raise NotMeasurable(f"Only {last.found} of the {last.judged} edges judged last still come: judge anew.")
    return Measured(value=share, unit=f"ratio of {last.found} judged edges")


async def _speed() -> Measured:
    return Measured(value=chunks_per_s(await prepared_documents(CORPORA)), unit="chunks/s")


def register(found: Registry) -> None:
    found["graph.edge_precision"] = _precision
    found["graph.extract_chunks_per_s"] = _speed


async def report() -> None:
    counted = await tallies()
    print("| edge | judged | right | still extracted | right of these |\n|---|---|---|---|---|")
    for relation, kind in sorted({kind for _, kind in counted}):
        one = together(tally for (_, other), tally in counted.items() if other == (relation, kind))
        print(f"| {relation} {kind} {_row(one)}")
    for number in sorted({number for number, _ in counted}):
        print(f"| round {number} {_row(together(one for (place, _), one in counted.items() if place == number))}")
    for name in CORPORA:
        documents = await prepared_documents((name,))
        chunks = sum(len(one.chunks) for one in documents)
        edges = sum(len(extract(one.document, one.chunks, one.blob)) for one in documents)
        print(f"{name}: {chunks} chunks, {edges / chunks:.1f} edges per chunk, {chunks_per_s(documents):.0f} chunks/s")


def _row(one: Tally) -> str:
    kept = f"{one.found_right / one.found:.3f}" if one.found else "-"
    return f"| {one.judged} | {one.right / one.judged:.3f} | {one.found / one.judged:.2f} | {kept} |"


def main() -> int:
    return run("benchmarks.graph_extract", report())


if __name__ == "__main__":
    sys.exit(main())
