"""Say what names mean, take it back, and see what is worth a look. Every look-up is within a scope.

Whoever says a rule says it of what they may see. Somebody with a reader's view is told of the rules alone whose
entities that reader sees; operators, who have none, of all.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from firstline.domain import Entity, EntityKind, GraphRule, Relation, RuleKind
from firstline.domain.graph_rules import NAME_CHARS_MAX, NOTE_CHARS_MAX, classes
from firstline.errors import Conflict, FirstlineError, InvalidInput, NotFound
from firstline.ports import BlobStore, Graph, GraphRules, KnowledgeLedger, Redactor, Scope
from firstline.questions.aliases.allowed import Naming, refuse
from firstline.questions.aliases.noticed import EDGES_READ_MAX, LOOKED_AT, Looked, Noticed, Sort, looked
from firstline.questions.neighbourhood import entities_named, words_of

TRIES: Final = 5
AT_ONCE_MAX: Final = 1_000
"""Rules said together."""
LISTED_MAX: Final = 1_000
CANDIDATES_SHOWN: Final = 10
NAMES_OF_A_DOCUMENT: Final = 200
NAMING: Final = LOOKED_AT | {EntityKind.VERSION}
"""Kinds that are meant when a name goes for a document or an address, too."""
NOTHING_SAID: Final = "`firstline graph review --rules` lists them."


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A rule as somebody says it: names or ids. `line` of the file that it stands in; 0: of none."""

    kind: RuleKind
    first: str
    second: str = ""
    note: str = ""
    line: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    """What was noticed, with a sentence and the document it stands in."""

    noticed: Noticed
    words: str
    doc_id: str
    title: str
    chunk_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggested:
    looked: Looked
    shown: tuple[Suggestion, ...]


class AliasDesk:
    def __init__(
        self,
        *,
        graph: Graph,
        rules: GraphRules,
        knowledge: KnowledgeLedger,
        blobs: BlobStore,
        redactor: Redactor,
        ordinary: Collection[str] = frozenset(),
    ) -> None:
        """`graph` as it is stored: what a rule hides is still there to be spoken of. `ordinary`: words in lower case
        that name nothing by themselves."""
        self._graph = graph
        self._rules = rules
        self._knowledge = knowledge
        self._blobs = blobs
        self._redactor = redactor
        self._ordinary = ordinary
        self._looking = asyncio.Lock()
        """One reads the graph through at a time: what it holds of it is large."""

    # --- what is worth a look ---------------------------------------------------------------------------------------

    async def suggested(
        self, scope: Scope, *, limit: int, sorts: Collection[Sort] = tuple(Sort), edges_max: int = EDGES_READ_MAX
    ) -> Suggested:
        """At most `limit`, each with an example that the ledger shows to the scope."""
        read = await self._rules.graph_rules(tenant=scope.tenant, kb=scope.kb)
        async with self._looking:
            found = await looked(
                self._graph, scope, rules=read.rules, ordinary=self._ordinary, sorts=sorts, edges_max=edges_max
            )
        shown: list[Suggestion] = []
        for at in range(0, len(found.noticed), limit):
            shown += await self._with_examples(found.noticed[at : at + limit], scope)
            if len(shown) >= limit:
                break
        return Suggested(looked=found, shown=tuple(shown[:limit]))

    async def _with_examples(self, noticed: Sequence[Noticed], scope: Scope) -> list[Suggestion]:
        edges = [edge for one in noticed for edge in one.examples]
        ids, docs = (list(dict.fromkeys(ids)) for ids in ([e.chunk_id for e in edges], [e.doc_id for e in edges]))
        chunks = {chunk.chunk_id: chunk for chunk in await self._knowledge.chunks(ids, scope)}
        documents = {one.doc_id: one for one in await self._knowledge.documents(docs, scope)}
        found: list[Suggestion] = []
        for one in noticed:
            there = [edge for edge in one.examples if edge.chunk_id in chunks and edge.doc_id in documents]
            for edge in there:
                if words := await words_of(edge, chunks[edge.chunk_id], self._blobs):
                    title = documents[edge.doc_id].title
                    one = replace(one, doc_ids=tuple(doc for doc in one.doc_ids if doc in documents))
                    found.append(
                        Suggestion(noticed=one, words=words, doc_id=edge.doc_id, title=title, chunk_id=edge.chunk_id)
                    )
                    break
        return found

    # --- rules ------------------------------------------------------------------------------------------------------

    async def said(self, *, tenant: str, kb: str, limit: int, reader: Scope | None) -> list[GraphRule]:
        """Newest first, undone ones included."""
        rules = await self._rules.graph_rules_said(tenant=tenant, kb=kb, limit=limit)
        return rules if reader is None else await self._seen(rules, reader)

    async def one_with(self, entity_id: str, scope: Scope) -> list[Entity]:
        """The others that it is one with by rules, as far as the scope sees them and it."""
        read = await self._rules.graph_rules(tenant=scope.tenant, kb=scope.kb)
        together = classes(read.rules).get(entity_id, frozenset())
        seen = await self._graph.known(together, scope) if together else frozenset[str]()
        if entity_id not in seen:
            return []
        found = [await self._called(other, scope) for other in sorted(seen - {entity_id})]
        return [one for each in found for one in each]

    async def say(self, wanted: Sequence[Wanted], scope: Scope, *, by: str) -> list[GraphRule]:
        """All or none. One that is in force already is given back as it is. InvalidInput, NotFound or Conflict say
        which one cannot be said, and why."""
        if not wanted or len(wanted) > AT_ONCE_MAX:
            raise InvalidInput(f"Say 1 to {AT_ONCE_MAX} rules at once.", remedy="Part the list.")
        now = datetime.now(UTC)
        meant = [await self._meant(one, scope, by=by, at=now) for one in wanted]
        for _ in range(TRIES):
            read = await self._rules.graph_rules(tenant=scope.tenant, kb=scope.kb)
            naming = await self._naming([*read.rules, *meant], scope)
            force = {rule.says: rule for rule in read.rules}
            new: list[GraphRule] = []
            for rule, one in zip(meant, wanted, strict=True):
                if rule.says not in force:
                    with _on_line(one.line):
                        refuse(rule, [*read.rules, *new], naming)
                    new.append(rule)
                    force[rule.says] = rule
            kept = await self._rules.say_graph_rules(new, seen=read.mark)
            if kept is not None:
                force |= {rule.says: rule for rule in kept}
                return [force[rule.says] for rule in meant]
        raise Conflict("Others are saying rules at the same time.", remedy="Say it again in a moment.")

    async def undo(self, number: int, *, tenant: str, kb: str, by: str, reader: Scope | None) -> GraphRule:
        """The rule as it stands then. Undone before, it stays as it was."""
        if reader is not None:
            rules = (await self._rules.graph_rules(tenant=tenant, kb=kb)).rules
            said = await self._rules.graph_rules_said(tenant=tenant, kb=kb, limit=LISTED_MAX)
            if not await self._seen([rule for rule in (*rules, *said) if rule.number == number], reader):
                raise _no_rule(number)
        found = await self._rules.undo_graph_rule(number, tenant=tenant, kb=kb, by=by, at=datetime.now(UTC))
        if found is None:
            raise _no_rule(number)
        return found

    # --- names ------------------------------------------------------------------------------------------------------

    async def _meant(self, one: Wanted, scope: Scope, *, by: str, at: datetime) -> GraphRule:
        with _on_line(one.line):
            note = self._redactor.redact(one.note.strip()).text
            if len(note) > NOTE_CHARS_MAX:
                raise InvalidInput(f"A note has at most {NOTE_CHARS_MAX} characters.", remedy="Make it shorter.")
            first, second = await self._ends(one, scope)
            return GraphRule(
                tenant=scope.tenant,
                kb=scope.kb,
                kind=one.kind,
                first=first,
                second=second,
                by=by,
                at=at,
                note=note,
            )

    async def _ends(self, one: Wanted, scope: Scope) -> tuple[str, str]:
        if one.kind is RuleKind.NOT_A_NAME:
            if one.second:
                raise InvalidInput("What is no name is said of one name.", remedy="Leave the second one out.")
            found = await self._found(one.first, scope)
            return _only(_names(found) or found, one.first).entity_id, ""
        if not one.second:
            raise InvalidInput(f"A rule of kind {one.kind} is said of two.", remedy="Name both.")
        firsts, seconds = await self._found(one.first, scope), await self._found(one.second, scope)
        first, second = _two(one, firsts, seconds)
        return first.entity_id, second.entity_id

    async def _found(self, name: str, scope: Scope) -> list[Entity]:
        if not name.strip() or len(name) > NAME_CHARS_MAX:
            raise InvalidInput(f"A name has 1 to {NAME_CHARS_MAX} characters.", remedy="Name it as documents do.")
        found = await self._called(name, scope)
        if not found:
            raise NotFound(
                f"Nothing is said of {name[:100]!r}, or not at this level.",
                remedy="Name it as documents do, or by its id; `firstline graph review` shows both.",
            )
        return found

    async def _called(self, name: str, scope: Scope) -> list[Entity]:
        """Those that go by a name, or the one of this id."""
        found = await entities_named(name, scope, graph=self._graph, knowledge=self._knowledge)
        return [one for one in found if one.entity_id == name] or found

    async def _naming(self, rules: Sequence[GraphRule], scope: Scope) -> Naming:
        """What documents go by that names are kept apart from, and which entities the scope sees."""
        documents = {rule.second for rule in rules if rule.kind is RuleKind.APART and not rule.of_two}
        ends = {end for rule in rules for end in (rule.first, rule.second) if end}
        names: defaultdict[str, set[str]] = defaultdict(set)
        if documents:
            for edge in await self._graph.around(
                sorted(documents), scope, relations={Relation.NAMES}, limit_each=NAMES_OF_A_DOCUMENT
            ):
                names[edge.source.entity_id].add(edge.target.entity_id)
        seen = await self._graph.known(ends, scope) if ends else frozenset[str]()
        return Naming(names={one: frozenset(own) for one, own in names.items()}, seen=seen)

    async def _seen(self, rules: Sequence[GraphRule], reader: Scope) -> list[GraphRule]:
        ends = {end for rule in rules for end in (rule.first, rule.second) if end}
        known = await self._graph.known(ends, reader) if ends else frozenset[str]()
        return [rule for rule in rules if rule.first in known and (not rule.second or rule.second in known)]


@contextmanager
def _on_line(line: int) -> Generator[None]:
    """Errors inside say on which line of a file they are; of the same class, so that callers tell them apart."""
    try:
        yield
    except FirstlineError as error:
        if line:
            error.message = f"Line {line}: {error.message}"
        raise


def _two(one: Wanted, firsts: Sequence[Entity], seconds: Sequence[Entity]) -> tuple[Entity, Entity]:
    """Which two are meant: a file's place and its title are often the same word, and a title is more of a name."""
    documents = [each for each in seconds if each.kind is EntityKind.DOCUMENT]
    ways = [_alike(_names(firsts), _names(seconds)), _alike(firsts, seconds)]
    if one.kind is RuleKind.APART:
        others = [each for each in firsts if each.kind is EntityKind.DOCUMENT]
        turned = [(name, document) for document in others for name in _names(seconds)]
        ways = [[(name, document) for name in _names(firsts) for document in documents], *ways, turned]
    for pairs in ways:
        if len(pairs) == 1:
            return pairs[0]
        if pairs:
            break
    first, second = _only(firsts, one.first), _only(seconds, one.second)
    if one.kind is RuleKind.APART:
        raise InvalidInput(
            f"{first.entity_id[:100]!r} and {second.entity_id[:100]!r} are no name and document, and not of one kind.",
            remedy="Keep a name apart from a document, or two of one kind from each other.",
        )
    raise InvalidInput(
        f"{first.entity_id[:100]!r} and {second.entity_id[:100]!r} are of two kinds: they cannot be one.",
        remedy="Name two of one kind; ids are like component:gateway.",
    )


def _names(found: Sequence[Entity]) -> list[Entity]:
    return [one for one in found if one.kind in NAMING]


def _alike(firsts: Sequence[Entity], seconds: Sequence[Entity]) -> list[tuple[Entity, Entity]]:
    return [(one, other) for one in firsts for other in seconds if one.kind is other.kind]


def _only(found: Sequence[Entity], name: str) -> Entity:
    if len(found) == 1:
        return found[0]
    listed = ", ".join(one.entity_id[:100] for one in found[:CANDIDATES_SHOWN])
    raise InvalidInput(f"{name[:100]!r} goes for several: {listed}.", remedy="Name the one you mean by its id.")


def _no_rule(number: int) -> NotFound:
    return NotFound(f"There is no rule {number}.", remedy=NOTHING_SAID)
