"""Which parts of the graph are looked at, and for whom? Pure functions of the edges.

Only documents that tell a cause or a cure are looked at, and what they speak of. Each audience (an ACL with a level)
has a graph of its own: the edges that everybody of it may see. So neither what is told in a community, nor which things
are in it together, tells anybody of what they may not see. A part that is the same for a wider audience is theirs.

A part's name is a hash of everything that its communities are made of: a part of the same name need not be made anew.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from firstline.domain import Edge, EntityKind, Level, Relation
from firstline.ports import Audience

VERSION: Final = "1"
"""Of these rules and those of the other files here: another one makes everything anew."""
DOCUMENTS_MIN: Final = 2
NODES_MIN: Final = 3
HUB_DOCUMENTS: Final = 500
"""A name that so many telling documents mention holds nothing together by being mentioned."""
TELLING: Final = frozenset({Relation.HAS_ROOT_CAUSE, Relation.RESOLVES})
BETWEEN: Final = frozenset({Relation.SUPERSEDES, Relation.DUPLICATE_OF})
LOOKED_AT: Final = TELLING | BETWEEN | {Relation.MENTIONS, Relation.AFFECTS, Relation.NAMES}
NAMED: Final = frozenset(
    {EntityKind.COMPONENT, EntityKind.ERROR, EntityKind.METHOD, EntityKind.COMMAND, EntityKind.SETTING}
)
"""What a question may be about."""


Identified = tuple[str, Edge]
"""An edge with its id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A connected part of an audience's graph. `edges` by id."""

    name: str
    acl: frozenset[str]
    level: Level
    edges: tuple[Edge, ...]


def is_looked_at(edge: Edge) -> bool:
    """The rest of the graph holds no telling documents together: structure, links, versions."""
    if edge.relation not in LOOKED_AT:
        return False
    if edge.relation is Relation.MENTIONS:
        return edge.target.kind in NAMED
    if edge.relation is Relation.NAMES:
        return edge.source.kind is EntityKind.DOCUMENT and edge.target.kind in NAMED
    return True


def sees(audience: Audience, other: Audience) -> bool:
    """Whether everybody of the audience may see what is for the other one."""
    (acl, level), (open_to, needed) = audience, other
    return bool(acl) and acl <= open_to and level >= needed


def parts_of(edges: Iterable[Edge], audiences: Collection[Audience]) -> list[Part]:
    """In the order of their names. `edges` in any order."""
    by_audience: dict[Audience, list[Identified]] = defaultdict(list)
    for edge in edges:
        # An id is a hash of what the edge says: it is worked out once.
        by_audience[edge.acl, edge.level].append((edge.edge_id, edge))
    wide_first = sorted(audiences, key=lambda one: (one[1], -len(one[0]), sorted(one[0])))
    made: dict[str, list[Audience]] = defaultdict(list)
    found: list[Part] = []
    for audience in wide_first:
        own = sorted(
            (one for other, told in by_audience.items() if sees(audience, other) for one in told), key=itemgetter(0)
        )
        for part in _connected(own):
            content = _hash(edge_id for edge_id, _ in part)
            if any(sees(audience, other) for other in made[content]):
                continue
            made[content].append(audience)
            acl, level = audience
            name = _hash((VERSION, content, str(int(level)), *sorted(acl)))
            found.append(Part(name=name, acl=acl, level=level, edges=tuple(edge for _, edge in part)))
    return sorted(found, key=lambda part: part.name)


def _connected(edges: Sequence[Identified]) -> list[list[Identified]]:
    """The parts that have enough documents which tell something, each in the order given."""
    telling = {edge.doc_id for _, edge in edges if edge.relation in TELLING}
    own = [one for one in edges if one[1].doc_id in telling]
    mentioned: dict[str, set[str]] = defaultdict(set)
    for _, edge in own:
        if edge.relation is Relation.MENTIONS:
            mentioned[edge.target.entity_id].add(edge.doc_id)
    hubs = {entity_id for entity_id, documents in mentioned.items() if len(documents) > HUB_DOCUMENTS}
    roots = _Roots()
    for _, edge in own:
        roots.join(document_node(edge.doc_id), document_node(edge.doc_id))
        for one, other in joins(edge):
            if edge.relation is not Relation.MENTIONS or other not in hubs:
                roots.join(one, other)
    grouped: dict[str, list[Identified]] = defaultdict(list)
    documents: dict[str, set[str]] = defaultdict(set)
    for one in own:
        root = roots.of(document_node(one[1].doc_id))
        grouped[root].append(one)
        documents[root].add(one[1].doc_id)
    return [grouped[root] for root in sorted(grouped) if len(documents[root]) >= DOCUMENTS_MIN]


def document_node(doc_id: str) -> str:
    return f"{EntityKind.DOCUMENT}:{doc_id}"


def joins(edge: Edge) -> Iterable[tuple[str, str]]:
    """Which nodes an edge holds together: documents, and what they speak of. A symptom, a cause and a cure are told by
    one document and stand for it."""
    own = document_node(edge.doc_id)
    for end in (edge.source, edge.target):
        named = end.kind in NAMED
        other = edge.relation in BETWEEN and end.kind is EntityKind.DOCUMENT
        if (named and edge.relation is not Relation.NAMES) or (other and end.entity_id != own):
            yield own, end.entity_id


class _Roots:
    """Union-find. The root of a set is its least name, so that no order of edges changes it."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, node: str) -> str:
        above = self._above
        above.setdefault(node, node)
        root = node
        while above[root] != root:
            root = above[root]
        while above[node] != root:
            above[node], node = root, above[node]
        return root

    def join(self, one: str, other: str) -> None:
        low, high = sorted((self.of(one), self.of(other)))
        self._above[high] = low


def _hash(texts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        digest.update(f"{text}\x1f".encode())
    return digest.hexdigest()
