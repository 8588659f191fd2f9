"""What is told in a community? Its names, causes, cures and what is affected: spans of documents, told by most first.

Nothing is written that no chunk says, and everything that is counted is cited. Copies of a text count once.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from firstline.documents.communities.denied import tells_no_cause, tells_nothing
from firstline.documents.communities.parts import DOCUMENTS_MIN, NAMED, NODES_MIN, TELLING, Part, document_node
from firstline.domain import NOTHING, Community, Edge, EntityKind, Relation, Telling, Told, ToldKind
from firstline.ports import Gathered

EACH_MAX: Final = 8
"""Statements of a kind."""
NAMES_MAX: Final = 3
TELLINGS_MAX: Final = 12
"""Documents that are cited for one statement, and counted: with so many of them it is told by that many or more."""
NAME_TELLINGS_MAX: Final = 3
OF_MAX: Final = 40
TITLE_CHARS_MAX: Final = 200
_SAYING: Final = frozenset({ToldKind.CAUSE, ToldKind.RESOLUTION})
_SIGNS: Final = re.compile(r"[^\w]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The words of an edge's span, and the content that it stands in: copies of a document have one content."""

    words: str
    content: str


@dataclass(kw_only=True, slots=True)
class _Document:
    """What one document says, in the order of its text."""

    first_chunk: str = ""
    telling: list[Edge] = field(default_factory=list[Edge])
    affects: list[Edge] = field(default_factory=list[Edge])
    mentions: list[Edge] = field(default_factory=list[Edge])
    names: set[str] = field(default_factory=set[str])


def worded(edges: Iterable[Edge]) -> list[Edge]:
    """Those of whose spans a summary may need the words."""
    return [
        edge for edge in edges if edge.relation in TELLING or edge.relation in (Relation.AFFECTS, Relation.MENTIONS)
    ]


def summaries(
    part: Part,
    divided: Iterable[Sequence[str]],
    said: Mapping[str, Said],
    *,
    tenant: str,
    kb: str,
    since: int,
    alike: Mapping[str, str] = NOTHING,
) -> list[Gathered]:
    """The communities of these groups of nodes; none where there is too little to it. `said` by edge id: what its
    audience may not read, or what is gone, is not there. `alike`: statements, by `statement_key`, that another one
    stands for."""
    documents = {document_node(doc_id): (doc_id, own) for doc_id, own in _documents(part.edges).items()}
    made: list[Gathered] = []
    for nodes in divided:
        own = dict(sorted(documents[node] for node in nodes if node in documents))
        if len(own) < DOCUMENTS_MIN or len(nodes) < NODES_MIN:
            continue
        told = _told(own, frozenset(nodes), said, alike)
        tells = {one.doc_id for each in told if each.kind is not ToldKind.NAME for one in each.tellings}
        kinds = {each.kind for each in told}
        if ToldKind.NAME not in kinds or kinds.isdisjoint(_SAYING) or len(tells) < DOCUMENTS_MIN:
            continue
        named = (each.text for each in told if each.kind is ToldKind.NAME)
        digest = hashlib.blake2b("\x1f".join((part.name, *nodes)).encode(), digest_size=16)
        community = Community(
            tenant=tenant,
            kb=kb,
            community_id=digest.hexdigest(),
            component=part.name,
            title=", ".join(named)[:TITLE_CHARS_MAX],
            size=len(nodes),
            told=told,
            acl=part.acl,
            level=part.level,
            since=since,
        )
        things = frozenset(node for node in nodes if node not in documents)
        made.append(Gathered(community=community, entity_ids=things | {one for each in told for one in each.of}))
    return made


def statements(part: Part, said: Mapping[str, Said]) -> dict[ToldKind, list[str]]:
    """The words of a part's causes and cures, each once, those of most documents first."""
    found: dict[ToldKind, Counter[str]] = {ToldKind.CAUSE: Counter(), ToldKind.RESOLUTION: Counter()}
    for edge in part.edges:
        words = said[edge.edge_id].words if edge.relation in TELLING and edge.edge_id in said else ""
        if words and not tells_nothing(words):
            cause = edge.relation is Relation.HAS_ROOT_CAUSE
            found[ToldKind.CAUSE if cause else ToldKind.RESOLUTION][words] += 1
    return {kind: sorted(counts, key=lambda one: (-counts[one], one)) for kind, counts in found.items()}


def statement_key(words: str) -> str:
    """Without case, blanks and signs: statements with one key are one."""
    return _SIGNS.sub(" ", unicodedata.normalize("NFKC", words).casefold()).strip()


def _told(
    documents: Mapping[str, _Document], inside: frozenset[str], said: Mapping[str, Said], alike: Mapping[str, str]
) -> tuple[Told, ...]:
    causes, cures = _Statements(ToldKind.CAUSE, alike), _Statements(ToldKind.RESOLUTION, alike)
    affected, names = _Statements(ToldKind.AFFECTED), _Statements(ToldKind.NAME)
    told_of: set[str] = set()
    for own in documents.values():
        for chunk_id, edges in _by_chunk(own.telling).items():
            of = _told_of(own, chunk_id, edges, inside)
            kind = causes if edges[0].relation is Relation.HAS_ROOT_CAUSE else cures
            kind.add(edges[0], said, of)
        for edge in own.affects:
            affected.add(edge, said, (edge.target.entity_id,))
        for edge in own.mentions:
            if edge.target.entity_id in inside:
                names.add(edge, said, (edge.target.entity_id,))
        told_of |= {end.entity_id for edge in own.telling for end in (edge.source, edge.target)}
    return (
        *names.most(NAMES_MAX, NAME_TELLINGS_MAX, first=told_of),
        *causes.most(EACH_MAX, TELLINGS_MAX),
        *cures.most(EACH_MAX, TELLINGS_MAX),
        *affected.most(EACH_MAX, NAME_TELLINGS_MAX),
    )


def _documents(edges: Iterable[Edge]) -> dict[str, _Document]:
    found: dict[str, _Document] = defaultdict(_Document)
    # In the order of the text: ids tell of the snapshot that wrote a document, and the same text says the same.
    for edge in sorted(edges, key=lambda one: (one.start, one.end, one.source.entity_id, one.target.entity_id)):
        own = found[edge.doc_id]
        if edge.relation in TELLING:
            own.telling.append(edge)
        elif edge.relation is Relation.AFFECTS:
            own.affects.append(edge)
        elif edge.relation is Relation.MENTIONS:
            own.mentions.append(edge)
        elif edge.relation is Relation.NAMES:
            own.first_chunk = edge.chunk_id
            own.names.add(edge.target.entity_id)
    return found


def _by_chunk(edges: Sequence[Edge]) -> dict[str, list[Edge]]:
    """What each cause or cure is told of. The chunk that tells it is its key."""
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        tells = edge.target if edge.relation is Relation.HAS_ROOT_CAUSE else edge.source
        if tells.key == edge.chunk_id:
            found[edge.chunk_id].append(edge)
    return found


def _told_of(own: _Document, chunk_id: str, edges: Sequence[Edge], inside: frozenset[str]) -> tuple[str, ...]:
    """The errors that it is the cause or cure of; what its symptom affects; what it, its symptom and the beginning of
    its document mention; what its document goes by, where others speak of that."""
    ends = [edge.source if edge.relation is Relation.HAS_ROOT_CAUSE else edge.target for edge in edges]
    of = {end.entity_id for end in ends if end.kind in NAMED} | (own.names & inside)
    near = {chunk_id, own.first_chunk} | {end.key for end in ends if end.kind is EntityKind.SYMPTOM}
    for edge in (*own.affects, *own.mentions):
        if edge.chunk_id in near and edge.target.kind in NAMED:
            of.add(edge.target.entity_id)
    return tuple(sorted(of))


class _Statements:
    """What is said in the same words is one."""

    def __init__(self, kind: ToldKind, alike: Mapping[str, str] = NOTHING) -> None:
        self._kind = kind
        self._alike = alike
        self._tellings: dict[str, dict[str, tuple[Telling, str, tuple[str, ...]]]] = defaultdict(dict)

    def add(self, edge: Edge, said: Mapping[str, Said], of: Iterable[str]) -> None:
        found = said.get(edge.edge_id)
        key = statement_key(found.words) if found else ""
        if found is None or not key:
            return
        if (self._kind in _SAYING and tells_nothing(found.words)) or (
            self._kind is ToldKind.CAUSE and tells_no_cause(found.words)
        ):
            return
        key = next(iter(of)) if self._kind in (ToldKind.NAME, ToldKind.AFFECTED) else self._alike.get(key, key)
        telling = Telling(doc_id=edge.doc_id, chunk_id=edge.chunk_id, start=edge.start, end=edge.end)
        # Documents come in order: of copies the first one tells it.
        self._tellings[key].setdefault(found.content, (telling, found.words, tuple(of)))

    def most(self, limit: int, tellings_max: int, *, first: Collection[str] = ()) -> list[Told]:
        """Told by most first; before all others what is named in `first`."""
        order = sorted(self._tellings, key=lambda key: (key not in first, -len(self._tellings[key]), key))
        return [self._told(key, tellings_max) for key in order[:limit]]

    def _told(self, key: str, tellings_max: int) -> Told:
        written = Counter(words for _, words, _ in self._tellings[key].values())
        text = min(written, key=lambda words: (-written[words], words))
        # Those that write it so stand first: the text is theirs.
        order = sorted(self._tellings[key].values(), key=lambda one: (one[1] != text, one[0].doc_id))
        cited = order[:tellings_max]
        # Of what is cited alone: the names of a document that is forgotten go with the communities that cite it.
        of = Counter(name for _, _, names in cited for name in names)
        tellings = tuple(telling for telling, _, _ in cited)
        return Told(
            kind=self._kind,
            text=text,
            tellings=tellings,
            documents=len(tellings),
            of=tuple(sorted(sorted(of, key=lambda one: (-of[one], one))[:OF_MAX])),
        )
