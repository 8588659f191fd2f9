"""Trials at the engines: one look-up each, as somebody, and what it gave that the oracle says is not theirs.

A look-up is asked for the right scope and everything else of it is hostile: ids of other tenants, of closed, old, moved
and forgotten documents, words that stand in those alone, questions that quote them.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from benchmarks.leaks.library import KBS, TAGS, TOPICS, Asker, Library, Revision
from benchmarks.leaks.shelves import DirectionEmbedder, Shelf
from firstline.domain import (
    EVERY_TENANT,
    Chunk,
    Document,
    Edge,
    Entity,
    EntityKind,
    Level,
    Principal,
    Relation,
    acting_for,
    question_key,
)
from firstline.entity_addresses import address_key
from firstline.entity_names import name_key
from firstline.models.words import EngineerWords
from firstline.ports import IndexQuery, Scope, SparseVector, Vectors

IDS: Final = 8
WORDS: Final = 6


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One look-up. `problems` is empty when nothing was shown that should not have been."""

    route: str
    problems: tuple[str, ...]


@dataclass(kw_only=True)
class Lookups:
    """The random look-ups of one shelf. What they are made of is prepared once."""

    shelf: Shelf
    library: Library
    chance: random.Random
    chunks: list[str] = field(init=False)
    questions: list[tuple[str, Vectors, SparseVector]] = field(default_factory=list[tuple[str, Vectors, SparseVector]])

    def __post_init__(self) -> None:
        self.chunks = sorted(self.shelf.owners)
        self._routes: Sequence[tuple[str, Callable[[Asker, str, int, Scope], Awaitable[list[str]]]]] = (
            ("search", self._search),
            ("search", self._search),
            ("neighbour", self._neighbour),
            ("chunks by id", self._chunks),
            ("chunks around", self._around),
            ("document", self._document),
            ("documents", self._documents),
            ("chunks of a document", self._document_chunks),
            ("FAQ", self._faq),
            ("words", self._words),
            ("blob range", self._blob),
            ("names in the graph", self._named),
            ("edges around", self._edges_around),
            ("entities known", self._known),
        )

    async def prepare(self, questions: int = 200) -> None:
        """Questions quote marks of whoever, rightly or with a slip."""
        embedder, encoder = DirectionEmbedder(), EngineerWords()
        for _ in range(questions):
            one = self.chance.choice(self.library.revisions)
            text = self.chance.choice(
                (f"How do I set up {one.topic}?", f"set up {one.topic} {one.mark}", f"port of {one.mark}", one.title)
            )
            vector = (await embedder.embed([text]))[0]
            self.questions.append((text, vector, encoder.encode_query(text)))

    async def one(self, asker: Asker) -> Trial:
        kb = self.chance.choice(KBS if self.chance.random() < 0.9 else ("no-such-kb",))
        numbers = self.shelf.numbers.get((asker.tenant, kb), [0])
        number = numbers[-1] if self.chance.random() < 0.7 else self.chance.choice(numbers)
        run = self.shelf.run_of(asker.tenant, kb, number) if (asker.tenant, kb) in self.shelf.numbers else 0
        principal = Principal(tenant=asker.tenant, user="u", acl_tags=asker.tags, level=Level(asker.level))
        name, route = self.chance.choice(self._routes)
        # With the second wall and without: behind it a hole in the filters would not show.
        with acting_for(asker.tenant if self.chance.random() < 0.5 else EVERY_TENANT):
            found = await route(asker, kb, run, Scope.of(principal, kb=kb, snapshot=number))
        return Trial(route=name, problems=tuple(f"{self.shelf.name}: {name}: {problem}" for problem in found))

    async def walled_off(self, tenant: str) -> Trial:
        """The filters asked for another tenant's rows on purpose: behind the wall there are none."""
        victim = self.chance.choice([one for one in self.shelf.owners.items() if one[1].tenant != tenant])
        chunk_id, owner = victim
        number = self.shelf.numbers[owner.tenant, owner.kb][owner.since - 1]
        theirs = Scope(
            tenant=owner.tenant, kb=owner.kb, acl_tags=frozenset(TAGS), level_max=Level.RESTRICTED, snapshot=number
        )
        knowledge = self.shelf.knowledge
        with acting_for(tenant):
            found: list[object] = [
                *await knowledge.chunks([chunk_id], theirs),
                *await knowledge.documents([owner.doc_id], theirs),
                *(await knowledge.word_counts([owner.mark], theirs) or ()),
                *await knowledge.knowledge_bases(tenant=owner.tenant),
                *await self.shelf.graph.around(
                    [_entity_id(EntityKind.DOCUMENT, owner.doc_id)], theirs, relations=Relation, limit_each=IDS
                ),
            ]
        return Trial(route="wall", problems=tuple(f"through the wall of {tenant}: {one}" for one in found))

    def _not_theirs(self, one: Revision | None, asker: Asker, kb: str, run: int) -> list[str]:
        if one is None:
            return ["something that nobody wrote"]
        allowed = self.library.may_see(one, asker, kb, run)
        return (
            [] if allowed else [f"{one.tenant}/{one.kb}/{one.doc_id} {one.mark} shown to {asker} in {kb} at run {run}"]
        )

    def _of_chunks(self, chunks: Sequence[Chunk], asker: Asker, kb: str, run: int) -> list[str]:
        found: list[str] = []
        for chunk in chunks:
            owner = self.shelf.owners.get(chunk.chunk_id)
            found += self._not_theirs(owner, asker, kb, run)
            found += self._of_text(f"{chunk.title} {' '.join(chunk.section_path)} {chunk.url}", asker, kb, run)
        return found

    def _of_documents(self, documents: Sequence[Document | None], asker: Asker, kb: str, run: int) -> list[str]:
        texts = [f"{one.title} {one.url}" for one in documents if one is not None]
        return [problem for text in texts for problem in self._of_text(text, asker, kb, run)]

    def _of_text(self, text: str, asker: Asker, kb: str, run: int) -> list[str]:
        return [
            f"{mark} told to {asker} in {kb} at run {run}" for mark in self.library.not_theirs(text, asker, kb, run)
        ]

    async def _search(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        _, dense, words = self.chance.choice(self.questions)
        if self.chance.random() < 0.2:
            dense = np.zeros_like(dense)
        limit = self.chance.choice((3, 50))
        hits = await self.shelf.index.search(IndexQuery(scope=scope, dense=dense, words=words, limit=limit))
        # The index hears of what is forgotten with the purge. Until then the ledger, which is asked for every hit,
        # keeps it out: so both are looked at, each for what it promises.
        owners = [self.shelf.owners[hit.chunk_id] for hit in hits]
        outside = [one for one in owners if not self.library.might_see(one, asker, kb, run)]
        chunks = await self.shelf.knowledge.chunks([hit.chunk_id for hit in hits], scope)
        return [f"{one.doc_id} {one.mark} found by {asker}" for one in outside] + self._of_chunks(
            chunks, asker, kb, run
        )

    async def _named(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """By titles and addresses that stand in one revision alone."""
        ids = [name for one in self.chance.sample(self.library.revisions, IDS) for name in _names_of(one)]
        return self._of_edges(await self.shelf.graph.named(ids, scope, limit_each=IDS), asker, kb, run)

    async def _edges_around(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """Of documents, whose ids every tenant has, and of names."""
        some = self.chance.sample(self.library.revisions, IDS)
        ids = [_entity_id(EntityKind.DOCUMENT, one.doc_id) for one in some] + list(_names_of(some[0]))
        edges = await self.shelf.graph.around(ids, scope, relations=Relation, limit_each=IDS)
        return self._of_edges(edges, asker, kb, run)

    async def _known(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """Only that there is one: it must not be told of a name that is in closed documents alone."""
        some = self.chance.sample(self.library.revisions, IDS)
        owners = {name: one for one in some for name in _names_of(one)}
        known = await self.shelf.graph.known(owners, scope)
        return [f"{name} is known to {asker}" for name in known if not self._of_graph(owners[name], asker, kb, run)]

    def _of_edges(self, edges: Sequence[Edge], asker: Asker, kb: str, run: int) -> list[str]:
        found: list[str] = []
        for edge in edges:
            owner = self.shelf.owners.get(edge.chunk_id)
            if owner is None or not self._of_graph(owner, asker, kb, run):
                found.append(
                    f"an edge of {edge.doc_id} in {edge.tenant}/{edge.kb} shown to {asker} in {kb} at run {run}"
                )
        return found

    def _of_graph(self, one: Revision, asker: Asker, kb: str, run: int) -> bool:
        """The reference hears of what is forgotten with the purge, as the index does; the wired graph at once."""
        see = self.library.might_see if self.shelf.firstline is None else self.library.may_see
        return see(one, asker, kb, run)

    async def _neighbour(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """Only a number: it must not tell that there is another document when none may be seen."""
        one = self.chance.choice(self.library.revisions)
        near = await self.shelf.index.neighbour(one.doc_id, scope)
        held = [other for other in self.library.revisions if self.library.might_see(other, asker, kb, run)]
        own = any(other.doc_id == one.doc_id for other in held)
        others = any(other.doc_id != one.doc_id for other in held)
        return [] if near == 0 or (own and others) else [f"a neighbour of {one.doc_id} at {near:.3f} for {asker}"]

    async def _chunks(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        ids = self.chance.sample(self.chunks, IDS)
        return self._of_chunks(await self.shelf.knowledge.chunks(ids, scope), asker, kb, run)

    async def _around(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """Around a chunk that somebody else was shown."""
        own = [self.chance.choice(self.chunks)]
        owner = self.shelf.owners[own[0]]
        number = self.shelf.numbers[owner.tenant, owner.kb][owner.since - 1]
        theirs = Scope(
            tenant=owner.tenant, kb=owner.kb, acl_tags=frozenset(TAGS), level_max=Level.RESTRICTED, snapshot=number
        )
        found = await self.shelf.knowledge.chunks(own, theirs)
        around = await self.shelf.knowledge.neighbours(found[0], scope, before=3, after=3) if found else []
        return self._of_chunks(around, asker, kb, run)

    async def _document(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        one = self.chance.choice(self.library.revisions)
        return self._of_documents([await self.shelf.knowledge.document(one.doc_id, scope)], asker, kb, run)

    async def _documents(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        ids = [one.doc_id for one in self.chance.sample(self.library.revisions, IDS)]
        return self._of_documents(await self.shelf.knowledge.documents(ids, scope), asker, kb, run)

    async def _document_chunks(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        one = self.chance.choice(self.library.revisions)
        return self._of_chunks(await self.shelf.knowledge.document_chunks(one.doc_id, scope), asker, kb, run)

    async def _faq(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        key = question_key(f"How do I set up {self.chance.choice(TOPICS)}?")
        return self._of_documents([await self.shelf.knowledge.faq(key, scope)], asker, kb, run)

    async def _words(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """Spelling looks words up: one in closed documents alone does not exist. Exact for what is published."""
        numbers = self.shelf.numbers.get((asker.tenant, kb), [0])
        if scope.snapshot != numbers[-1]:
            return []
        wanted = [one.mark for one in self.chance.sample(self.library.revisions, WORDS)]
        counts = await self.shelf.knowledge.word_counts(wanted, scope)
        return self._of_text(" ".join(counts or ()), asker, kb, run)

    async def _blob(self, asker: Asker, kb: str, run: int, scope: Scope) -> list[str]:
        """Text is read by what a look-up gave: the bytes behind it must be of what may be seen."""
        found = await self.shelf.knowledge.chunks(self.chance.sample(self.chunks, IDS), scope)
        texts = [await self.shelf.blobs.get_range(chunk.blob, chunk.start, chunk.end) for chunk in found[:2]]
        return [problem for text in texts for problem in self._of_text(text.decode(), asker, kb, run)]


def _entity_id(kind: EntityKind, key: str) -> str:
    return Entity(kind=kind, key=key, name=key).entity_id


def _names_of(one: Revision) -> tuple[str, str]:
    """Its title and its address: both hold its mark."""
    return (
        _entity_id(EntityKind.COMPONENT, name_key(one.title)),
        _entity_id(EntityKind.ADDRESS, address_key(f"https://docs.example/{one.mark}")),
    )
