"""Is the graph after any history of changes the one that a build from scratch of the same documents gives?

    python -m benchmarks.graph_incremental [--sequences 200] [--seed 1]

Each sequence is a history of one knowledge base: pages come, change, get other readers, go, come back, are forgotten;
snapshots are gone back from, wait and are given up, old ones are pruned; runs die at a random write. Then the edges
that are visible, and after pruning all that are held, are compared with those of a fresh knowledge base that took the
final pages at once. What differs is counted; chunk ids and snapshot numbers, which name revisions, are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from benchmarks.measured import Measured, Registry, run
from firstline.documents.journey import DocumentJourney, Publish
from firstline.documents.purge import Purger
from firstline.documents.redact import PatternRedactor
from firstline.documents.sweep import prune
from firstline.domain import DocumentKind, Edge, EntityKind, Level, SourceItem
from firstline.engines.forgotten_graph import WithoutForgotten
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.graph import MemoryGraph
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger
from firstline.engines.memory.records import MemoryRecordLedger
from firstline.models.words import EngineerWords
from firstline.ports import Graph, Scope, Vectors

SEQUENCES: Final = 200
STEPS: Final = 14
PAGES: Final = 7
VERSIONS: Final = 4
WHERE: Final[dict[str, Any]] = {"tenant": "acme", "kb": "docs"}
TAGS: Final = ("everyone", "staff")
EDGES_MAX: Final = 100_000
TOLD: Final = frozenset({EntityKind.SYMPTOM, EntityKind.ROOT_CAUSE, EntityKind.RESOLUTION})
"""Entities whose key is the id of a chunk."""

Pages = dict[int, tuple[int, int]]
"""By number of the page: the version of its text, and which tag may read it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """`kind`: one of KINDS; `replace` writes some pages, and all others go."""

    kind: str
    pages: tuple[int, ...] = ()
    version: int = 0
    tag: int = 0
    writes: int = 0
    """A run that dies does so at this write of an engine."""


KINDS: Final = ("write", "write", "write", "remove", "replace", "back", "wait", "discard", "prune", "forget", "die")


class Died(BaseException):
    """Not an Exception: nothing may catch it and go on."""


class Dying:
    """An engine whose run dies at the n-th write, before or after it is done."""

    def __init__(self, engine: Any, clock: Clock, writes: frozenset[str]) -> None:
        self._engine, self._clock, self._writes = engine, clock, writes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in self._writes:
            return found

        async def written(*given: Any, **named: Any) -> Any:
            self._clock.tick()
            result = await found(*given, **named)
            self._clock.tick()
            return result

        return written


@dataclass(kw_only=True)
class Clock:
    left: int = 0

    def tick(self) -> None:
        if self.left:
            self.left -= 1
            if not self.left:
                raise Died


class Zeros:
    """Vectors are not what is measured."""

    model_id = "zeros"
    dimensions = 2

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 2), dtype=np.float32)


class Listed:
    def __init__(self, items: Sequence[SourceItem]) -> None:
        self._items = items

    async def items(self) -> AsyncIterator[SourceItem]:
        for item in self._items:
            yield item


def text_of(number: int, version: int) -> str:
    """A page with links, names, an error with its cause and cure. Versions differ in what they say."""
    other, third = (number + version + 1) % PAGES, (number * 3 + version) % PAGES
    parts = [
        f"# Relay {number}",
        f"The Relay {number} hands over to [Relay {other}](relay-{other}.md) since version {version % 2 + 1}.4.0.",
        f"## Problem\n\nThe log says `RLY-{100 + version}{number}: no route` when `relay.timeout.{third}` is too low.",
    ]
    if version % 2:
        parts.append(f"## Cause\n\nThe Harbor Gateway closes it. See [Relay {third}](relay-{third}.md#problem).")
    if version != 2:
        parts.append(f"## Resolution\n\nRun `relayctl reset --line {other}` and restart the Harbor Gateway.")
    return "\n\n".join(parts) + "\n"


def item_of(number: int, version: int, tag: int) -> SourceItem:
    raw = text_of(number, version).encode()
    return SourceItem(
        item_id=f"wiki/relay-{number}.md",
        kind=DocumentKind.DOCUMENTATION,
        media_type="text/markdown",
        raw=raw,
        acl=frozenset({TAGS[tag]}),
        level=Level.PUBLIC,
        content_hash=hashlib.sha256(raw + TAGS[tag].encode()).hexdigest(),
    )


@dataclass(kw_only=True)
class History:
    """A knowledge base, and what should stand in it: by snapshot, as far as it can still be gone back."""

    graph: Graph = field(default_factory=MemoryGraph)
    knowledge: MemoryKnowledgeLedger = field(default_factory=MemoryKnowledgeLedger)
    index: MemoryIndex = field(default_factory=lambda: MemoryIndex(dimensions=2))
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    clock: Clock = field(default_factory=Clock)
    states: dict[int, Pages] = field(default_factory=lambda: {0: {}})
    published: int = 0
    shown: set[int] = field(default_factory=set[int])
    head: int = 0

    def __post_init__(self) -> None:
        index, graph = frozenset({"upsert", "set_until", "delete"}), frozenset({"upsert", "set_until", "delete"})
        ledger = frozenset({"write", "plan", "end", "unend", "publish", "undo", "open_candidate"})
        self.documents = DocumentJourney(
            ledger=Dying(self.knowledge, self.clock, ledger),
            index=Dying(self.index, self.clock, index),
            graph=Dying(self.graph, self.clock, graph),
            blobs=self.blobs,
            embedder=Zeros(),
            words=EngineerWords(),
            redactor=PatternRedactor(),
            count_tokens=lambda text: max(1, len(text) // 4),
            chunk_tokens=60,
            batch_documents=2,
        )
        self.purger = Purger(
            knowledge=self.knowledge,
            tombstones=self.knowledge,
            records=MemoryRecordLedger(MemoryConversationLedger()),
            snapshots=self.knowledge,
            index=self.index,
            blobs=self.blobs,
            redactor=PatternRedactor(),
            graph=self.graph,
        )

    async def take(self, step: Step) -> None:
        before = self.states[self.head]
        if step.kind in ("write", "remove", "replace", "wait", "die"):
            await self._ingest(step, before)
        elif (
            step.kind == "back" and len([one for one in self.shown if one <= self.published and one in self.states]) > 1
        ):
            snapshot = await self.knowledge.point_back(None, **WHERE)
            self.published = self.head = snapshot.number
            self._give_up_later()
        elif step.kind == "discard" and self.published:
            await self.knowledge.discard(**WHERE)
            self.head = self.published
            self._give_up_later()
        elif step.kind == "prune" and self.published:
            await self.prune(keep=2)
        elif step.kind == "forget":
            await self._forget(step)

    def _give_up_later(self) -> None:
        self.states = {number: state for number, state in self.states.items() if number <= self.head}

    async def _ingest(self, step: Step, before: Pages) -> None:
        wanted = dict(before)
        given = dict.fromkeys(step.pages, (step.version, step.tag))
        removed: list[str] = []
        if step.kind == "remove":
            removed = [f"wiki/relay-{number}.md" for number in step.pages]
            wanted, given = {number: one for number, one in before.items() if number not in given}, {}
        elif step.kind == "replace":
            wanted = given
        else:
            wanted |= given
        self.clock.left = step.writes if step.kind == "die" else 0
        report = None
        try:
            report = await self.documents.ingest(
                Listed([item_of(number, *one) for number, one in given.items()]),
                **WHERE,
                prune=["wiki/"] if step.kind == "replace" and given else (),
                removed=removed,
                publish=Publish.NEVER if step.kind == "wait" else Publish.ALWAYS,
                force=step.kind != "wait",
            )
        except* Died:
            pass
        self.clock.left = 0
        if report is None:
            # Somebody runs it again, with other contents maybe, and it may die once more. In the end the pages are what
            # they were at first, or gone.
            again = replace(step, writes=step.writes // 2, version=step.version ^ 1)
            if step.writes < 2:
                again = replace(step, kind="remove" if step.tag else "write")
            reached = await self.knowledge.published(**WHERE)
            if reached.number > self.published:
                # It died behind its last write.
                self._note(reached.number, wanted, published=True)
            await self._ingest(again if again.writes else replace(again, kind="write"), self.states[self.head])
            return
        if step.kind == "replace" and not given:
            wanted = before
        self._note(report.snapshot, wanted, published=report.published)

    def _note(self, snapshot: int, state: Pages, *, published: bool) -> None:
        self.head = max(self.head, snapshot)
        self.states[self.head] = state
        if published:
            self.published = max(self.published, snapshot)
            self.shown.add(snapshot)

    async def _forget(self, step: Step) -> None:
        known = await self.knowledge.known_documents("", **WHERE)
        ids = [one for one in (f"wiki/relay-{number}.md" for number in step.pages) if one in known]
        if not ids:
            return
        await self.purger.forget(ids, **WHERE, by="operator")
        gone = {int(one.removeprefix("wiki/relay-").removesuffix(".md")) for one in ids}
        self.states = {
            number: {page: one for page, one in state.items() if page not in gone}
            for number, state in self.states.items()
        }

    async def prune(self, *, keep: int) -> None:
        done = await prune(
            **WHERE, keep=keep, snapshots=self.knowledge, index=self.index, blobs=self.blobs, graph=self.graph
        )
        self.states = {number: state for number, state in self.states.items() if number >= done.oldest}

    async def visible(self, snapshot: int) -> Counter[tuple[object, ...]]:
        scope = Scope(tenant="acme", kb="docs", acl_tags=frozenset(TAGS), level_max=Level.RESTRICTED, snapshot=snapshot)
        edges = await WithoutForgotten(self.graph, self.knowledge).edges(scope, limit=EDGES_MAX)
        ids = {edge.chunk_id for edge in edges}
        ids |= {end.key for edge in edges for end in (edge.source, edge.target) if end.kind in TOLD}
        places = {
            chunk.chunk_id: f"{chunk.doc_id} at {chunk.start}" for chunk in await self.knowledge.chunks([*ids], scope)
        }
        return Counter(_said(edge, places) for edge in edges)


def _said(edge: Edge, places: Mapping[str, str]) -> tuple[object, ...]:
    """Ids of chunks name a revision: they are told apart by their place in the text."""
    ends = [(end.kind, places.get(end.key, end.key), end.name) for end in (edge.source, edge.target)]
    rest = (
        edge.doc_id,
        places.get(edge.chunk_id, "of no chunk"),
        edge.start,
        edge.end,
        edge.extractor,
        edge.confidence,
        tuple(sorted(edge.acl)),
        edge.level,
    )
    return (ends[0], edge.relation, ends[1], *rest)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """`edges`: of the final graph built from scratch. `differing`: those that only one of both graphs has, in the
    published snapshot and in every other one that is kept. `left_over`: edges held beside those of the last snapshot,
    when no other is kept."""

    edges: int
    differing: int
    left_over: int


async def compare(steps: Sequence[Step]) -> Compared:
    history = History()
    for step in steps:
        await history.take(step)
    differing = edges = 0
    for number, state in history.states.items():
        scratch = await _from_scratch(state)
        found = await history.visible(number)
        differing += (found - scratch).total() + (scratch - found).total()
        edges = scratch.total() if number == history.published else edges
    # A run that changes nothing undoes what was gone back from; then only what one snapshot needs is kept.
    if history.published:
        await history.knowledge.discard(**WHERE)
        state = history.states[history.published]
        last = Listed([item_of(number, *one) for number, one in state.items()])
        await history.documents.ingest(last, **WHERE, publish=Publish.ALWAYS, force=True)
        await history.prune(keep=1)
    held = await history.graph.count(**WHERE)
    return Compared(edges=edges, differing=differing, left_over=held - edges)


async def _from_scratch(state: Pages) -> Counter[tuple[object, ...]]:
    fresh = History()
    items = [item_of(number, *one) for number, one in sorted(state.items())]
    if not items:
        return Counter()
    report = await fresh.documents.ingest(Listed(items), **WHERE)
    return await fresh.visible(report.snapshot)


def random_steps(draw: random.Random, count: int = STEPS) -> list[Step]:
    return [
        Step(
            kind=draw.choice(KINDS),
            pages=tuple(draw.sample(range(PAGES), draw.randint(1, PAGES - 1))),
            version=draw.randrange(VERSIONS),
            tag=draw.randrange(len(TAGS)),
            writes=draw.randint(1, 25),
        )
        for _ in range(count)
    ]


async def measure_differences(*, sequences: int = SEQUENCES, seed: int = 1) -> list[Compared]:
    draw = random.Random(seed)  # noqa: S311  (histories, not secrets)
    return [await compare(random_steps(draw)) for _ in range(sequences)]


async def incremental_differences() -> Measured:
    found = await measure_differences()
    differing = sum(one.differing + abs(one.left_over) for one in found)
    return Measured(value=float(differing), unit=f"edges that differ from a build from scratch, {len(found)} histories")


def register(registry: Registry) -> None:
    registry["graph.incremental_differences"] = incremental_differences


async def _print(sequences: int, seed: int) -> None:
    found = await measure_differences(sequences=sequences, seed=seed)
    print(
        f"{len(found)} histories of {STEPS} steps, {sum(one.edges for one in found)} edges at their ends:"
        f" {sum(one.differing for one in found)} differ from a build from scratch,"
        f" {sum(abs(one.left_over) for one in found)} are left over after pruning"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph_incremental")
    parser.add_argument("--sequences", type=int, default=SEQUENCES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sys.exit(run("graph_incremental", _print(options.sequences, options.seed)))
