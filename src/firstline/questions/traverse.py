"""From what the question names and what was found, to what those documents lead to. The graph is walked, not searched.

    the question NAMES "Night Export"; "Night Export" MENTIONS "Relay Agent": the page of that name is evidence too

A hop goes from a document to another one: by a name in its passage that the other goes by, or by an edge that says so
(a link, SUPERSEDES, DUPLICATE_OF). An error, setting or command that the question names leads to the chunks that tell
its cause and its resolution. Every path has a weight: what it starts from, times what each hop keeps. A document's
weight is that of its best path, not the sum of all: what everybody mentions would win by being mentioned.

Everything is bounded: hops, documents gone on from, ways from each, documents reached, and the time; what was reached
in time is used.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Edge, EntityKind, RankedDocument, Relation
from firstline.entity_names import name_key
from firstline.ports import Graph, Scope
from firstline.questions.message.terms import all_stems, identifiers, terms
from firstline.questions.walk.checked import Checked, Ways
from firstline.questions.walk.names import Named, names_in, written_large
from firstline.questions.walk.reached import PASSAGES, Reached, Reaching

NAMED: Final = 1.0
"""Weight of a document that the question names."""
FOUND: Final = 0.2
"""Weight of the best document found; that of the others falls with their scores, to 0 at the last one gone on from."""
FIRST_HOP: Final = 0.6
LATER_HOP: Final = 0.3
APART: Final = 0.7
"""What a hop keeps when its sentence has no word of the question; all of it when it has every one."""
SHARED: Final = 0.5
"""What a hop keeps beside a hop's own share when both documents mention a name that hardly anybody else does."""
SHARERS_MAX: Final = 3
"""Documents that mention a name, beside the one gone on from, or that tell of one code; with more of them it is a hub
and leads to none that was not found without it."""
MENTIONS_MAX: Final = 16
"""Edges looked at to tell whether a name is a hub: a document may mention it in several chunks."""
SAYING: Final = frozenset({Relation.REFERENCES, Relation.SUPERSEDES, Relation.DUPLICATE_OF})
TELLING: Final = frozenset({Relation.HAS_ROOT_CAUSE, Relation.RESOLVES})
TOLD_OF: Final = (EntityKind.ERROR, EntityKind.SETTING, EntityKind.METHOD, EntityKind.COMMAND, EntityKind.COMPONENT)
SENTENCE_CHARS: Final = 160
"""To each side of a name: where the sentence around it is looked for."""

Passages = Callable[[Sequence[str], Scope], Awaitable[Mapping[str, str]]]
"""Chunk ids to texts, as `retrieve.read_passages` reads them: what the scope hides is not there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WalkLimits:
    hops: int = 2
    found: int = 5
    """Documents found that are gone on from, the best ones."""
    fan_in: int = 10
    """Documents gone on from in one hop, the heaviest ones."""
    fan_out: int = 24
    """Ways followed from one document, and edges looked at for one entity."""
    reached: int = 32
    """Documents kept, the heaviest ones."""
    budget_s: float = 0.25
    steps: int = 100
    """Of which a hop has three. A replay goes as far as the recorded walk went in its time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Walked:
    """Heaviest first: what was reached in whole steps. `whole`: nothing was left for want of time. `begun`: the
    question names something that is known; otherwise only what was found was gone on from. `steps` is how many were
    made: with as many as their limit, another walk over the same comes to the same."""

    reached: tuple[Reached, ...]
    whole: bool
    begun: bool
    steps: int


async def traverse(
    question: str,
    found: Sequence[RankedDocument],
    scope: Scope,
    *,
    graph: Graph,
    passages: Passages,
    limits: WalkLimits,
    ordinary: Collection[str] = frozenset(),
    exclude: Collection[str] = frozenset(),
) -> Walked:
    """`found` is the classic ranking, best first. `ordinary` words in lower case name nothing by themselves; documents
    of `exclude` are as if they did not exist."""
    to = Reaching(found, exclude=exclude, limit=limits.reached)
    walk = _Walk(question, scope, to=to, graph=Checked(graph), passages=passages, limits=limits, ordinary=ordinary)
    try:
        async with asyncio.timeout(limits.budget_s):
            await walk.go(found)
            whole = True
    except TimeoutError:
        whole = False
    return Walked(reached=walk.kept, whole=whole, begun=walk.begun, steps=walk.steps)


class _Walk:
    def __init__(
        self,
        question: str,
        scope: Scope,
        *,
        to: Reaching,
        graph: Ways,
        passages: Passages,
        limits: WalkLimits,
        ordinary: Collection[str],
    ) -> None:
        self._question = question
        self._sought = frozenset(terms(question))
        self._scope = scope
        self._to = to
        self._graph = graph
        self._passages = passages
        self._limits = limits
        self._ordinary = ordinary
        self._left: set[str] = set()
        """Gone on from already."""
        self.begun = False
        self.steps = 0
        self.kept: tuple[Reached, ...] = ()
        """The heaviest ones after the last step that was made whole."""

    def _stepped(self) -> None:
        self.steps += 1
        self.kept = self._to.heaviest()
        if self.steps >= self._limits.steps:
            raise TimeoutError

    async def go(self, found: Sequence[RankedDocument]) -> None:
        await self._begin_named()
        await self._begin_told()
        self.begun = bool(self._to)
        self._begin_found(found[: self._limits.found])
        self._stepped()
        for hop in range(self._limits.hops):
            frontier = [one for one in self._to.heaviest() if one.doc_id not in self._left and one.weight > 0]
            frontier = frontier[: self._limits.fan_in]
            if not frontier:
                return
            self._left.update(one.doc_id for one in frontier)
            await self._hop(frontier, keeps=FIRST_HOP if hop == 0 else LATER_HOP)

    async def _begin_named(self) -> None:
        (names,) = await names_in([self._question], self._scope, graph=self._graph, ordinary=self._ordinary)
        for name in names:
            self._to.call(name, weight=NAMED, path=(f"the question NAMES “{name.written}”",))

    async def _begin_told(self) -> None:
        """Chunks that tell the cause or the cure of what the question names by its code."""
        written = {name_key(one): one for one in identifiers(self._question)}
        ids = [f"{kind}:{key}" for key in written if key for kind in TOLD_OF]
        if not ids:
            return
        told: dict[str, list[Edge]] = {}
        for edge in await self._around(ids, TELLING):
            causes = edge.relation is Relation.HAS_ROOT_CAUSE
            case, whom = (edge.target, edge.source) if causes else (edge.source, edge.target)
            if case.key == edge.chunk_id:
                told.setdefault(whom.entity_id, []).append(edge)
        for edges in told.values():
            everybody = len({edge.doc_id for edge in edges}) > SHARERS_MAX
            for edge in edges:
                if everybody and edge.doc_id not in self._to.found:
                    continue
                words = f"“{edge.source.name}” {edge.relation} “{edge.target.name}”"
                weight = 0.0 if everybody else NAMED * edge.confidence
                self._to.reach(edge.doc_id, weight, (edge.chunk_id,), (words,), tells=True)
                self._left.add(edge.doc_id)  # it is the end of a path: nothing more is asked of it

    def _begin_found(self, found: Sequence[RankedDocument]) -> None:
        if not found:
            return
        best, last = found[0].score, found[-1].score
        for one in found:
            share = (one.score - last) / (best - last) if best > last else 1.0
            if one.doc_id not in self._to:
                self._to.reach(one.doc_id, FOUND * share, (), ())

    async def _hop(self, frontier: Sequence[Reached], *, keeps: float) -> None:
        chunks = {one.doc_id: (*one.chunk_ids, *self._to.found.get(one.doc_id, ()))[:PASSAGES] for one in frontier}
        read = await self._passages([chunk_id for own in chunks.values() for chunk_id in own], self._scope)
        told = [(one, "\n".join(read[own] for own in chunks[one.doc_id] if own in read)) for one in frontier]
        # What cannot be read leads nowhere: its title would stand in the paths of what it leads to.
        frontier, texts = [one for one, text in told if text], [text for _, text in told if text]
        named = await names_in(texts, self._scope, graph=self._graph, ordinary=self._ordinary)
        for one, text, names in zip(frontier, texts, named, strict=True):
            title = text.partition("\n")[0]
            for name in names[: self._limits.fan_out]:
                if any(edge.doc_id == one.doc_id for edge in name.edges):
                    continue
                kept = one.weight * keeps * self._bearing(text, name)
                self._to.call(name, weight=kept, path=(*one.path, f"“{title}” MENTIONS “{name.written}”"))
        self._stepped()
        gone_on = list(zip(frontier, texts, strict=True))
        await self._follow(gone_on, keeps=keeps)
        self._stepped()
        await self._share([(one, text) for one, text in gone_on if one.weight >= NAMED], keeps)
        self._stepped()

    async def _share(self, begun: Sequence[tuple[Reached, str]], keeps: float) -> None:
        """From what the question names to who mentions the same rare name: "King Otto" here, "Otto" there."""
        large: dict[str, dict[str, str]] = {}
        for one, text in begun:
            await asyncio.sleep(0)
            large[one.doc_id] = written_large(text, ordinary=self._ordinary)
        ids = {f"{EntityKind.COMPONENT}:{key}": None for own in large.values() for key in own}
        if not ids:
            return
        mentioned: dict[str, dict[str, Edge]] = {}
        found = await self._graph.around(list(ids), self._scope, relations={Relation.MENTIONS}, limit_each=MENTIONS_MAX)
        told = Counter(edge.target.key for edge in found)
        for edge in found:
            mentioned.setdefault(edge.target.key, {}).setdefault(edge.doc_id, edge)
        for one, text in begun:
            title = text.partition("\n")[0]
            for key, written in large[one.doc_id].items():
                others = {doc_id: edge for doc_id, edge in mentioned.get(key, {}).items() if doc_id != one.doc_id}
                if len(others) > SHARERS_MAX or told[key] == MENTIONS_MAX:
                    continue
                for doc_id, edge in others.items():
                    words = f"“{title}” MENTIONS “{written}” as “{edge.source.name}” does"
                    self._to.reach(doc_id, one.weight * keeps * SHARED, (edge.chunk_id,), (*one.path, words))

    async def _follow(self, gone_on: Sequence[tuple[Reached, str]], *, keeps: float) -> None:
        """What these documents link to, replace or repeat."""
        by_id = {f"{EntityKind.DOCUMENT}:{one.doc_id}": (one, text.partition("\n")[0]) for one, text in gone_on}
        said = [edge for edge in await self._around(list(by_id), SAYING) if edge.source.entity_id in by_id]
        aims = {edge.target.entity_id for edge in said}
        if not aims:
            return
        called: dict[str, list[Edge]] = {}
        for name in await self._graph.named(aims, self._scope, limit_each=self._limits.fan_out):
            called.setdefault(name.target.entity_id, []).append(name)
        for edge in said:
            one, title = by_id[edge.source.entity_id]
            for name in called.get(edge.target.entity_id, ()):
                words = f"“{title}” {edge.relation} “{name.source.name}”"
                weight = one.weight * keeps * edge.confidence * APART
                self._to.reach(name.doc_id, weight, (name.chunk_id,), (*one.path, words))

    async def _around(self, entity_ids: Sequence[str], relations: Collection[Relation]) -> list[Edge]:
        return await self._graph.around(entity_ids, self._scope, relations=relations, limit_each=self._limits.fan_out)

    def _bearing(self, text: str, name: Named) -> float:
        """How much the sentence around a name has to do with the question: APART to 1."""
        before = text[max(0, name.start - SENTENCE_CHARS) : name.start]
        after = text[name.end : name.end + SENTENCE_CHARS]
        sentence = f"{before.rpartition('. ')[2]} {after.partition('. ')[0]}"
        if not self._sought:
            return APART
        shared = len(self._sought & all_stems(sentence)) / len(self._sought)
        return APART + (1 - APART) * shared
