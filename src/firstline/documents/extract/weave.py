"""From mentions to edges: each goes to its chunk, once, and where there are too many the surest stay."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from firstline.documents.extract.code import code_mentions
from firstline.documents.extract.confidence import confidence
from firstline.documents.extract.errors import errors
from firstline.documents.extract.identity import component_key, names, products
from firstline.documents.extract.links import addresses, own_addresses
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.outline import Section, outline
from firstline.documents.extract.page import Bytes, Page, read_page
from firstline.documents.extract.parts import Told, affected, alert, causal, parts
from firstline.documents.extract.proper import proper
from firstline.documents.extract.tickets import replacements, tickets
from firstline.documents.extract.versions import versions
from firstline.domain import Chunk, ChunkKind, Document, Edge, Entity, EntityKind, Relation
from firstline.entity_names import keys_in, name_key

CHUNK_MENTIONS_MAX: Final = 40
CHUNK_LINKS_MAX: Final = 60
DOCUMENT_MENTIONS_MAX: Final = 2_000
DOCUMENT_LINKS_MAX: Final = 1_000
DOCUMENT_REPLACED_MAX: Final = 50
"""What replaces everything replaces nothing."""
NAME_CHARS_MAX: Final = 120
LEAD_CHARS_MAX: Final = 12
_BEGINS_LINE: Final = re.compile(r"(?:^|\n)[ \t]*(?:[-*+•·] ?|\d{1,3}[.)] )?[*_`]{0,3}$")
_VERSION_FOLLOWS: Final = re.compile(r"[*_`]{0,3},?\s{1,3}(?:[vV]ersions? |[rR]eleases? )?[vV]?\d{1,4}(?:\.[\dxX]|\b)")
CODE_CHARS_MAX: Final = 60
"""Of an error that is one name; a message may name other things within it."""


def weave(document: Document, chunks: Sequence[Chunk], text: str, *, extractor: str) -> tuple[Edge, ...]:
    page = read_page(text)
    sections = outline(page, document.title)
    return _Weaver(document, chunks, page, sections, extractor).edges()


class _Covered:
    """Places that name an error: "401 Unauthorized" is no thing called Unauthorized."""

    def __init__(self, found: Iterable[Mention]) -> None:
        self._spans = sorted((one.start, one.end) for one in found if one.end - one.start <= CODE_CHARS_MAX)
        self._starts = [start for start, _ in self._spans]

    def __contains__(self, one: object) -> bool:
        if not isinstance(one, Mention) or one.start == one.end:
            return False
        at = bisect_right(self._starts, one.start) - 1
        return at >= 0 and self._spans[at][1] >= one.end


class _Weaver:
    """One document. Nothing is kept from one to the next."""

    def __init__(
        self, document: Document, chunks: Sequence[Chunk], page: Page, sections: tuple[Section, ...], extractor: str
    ) -> None:
        self._document = document
        self._chunks = chunks
        self._page = page
        self._sections = sections
        self._extractor = extractor
        self._bytes = Bytes(page.text)
        self._starts = [chunk.start for chunk in chunks]
        self._self = Entity(kind=EntityKind.DOCUMENT, key=document.doc_id, name=document.title[:NAME_CHARS_MAX])
        title = alert(document.title, sections)
        self._alert = Entity(kind=EntityKind.ERROR, key=name_key(title), name=title) if name_key(title) else None

    def edges(self) -> tuple[Edge, ...]:
        told = [*self._structure(), *self._named()]
        links = self._placed(addresses(self._page, self._document))
        told += self._each(Relation.REFERENCES, links, CHUNK_LINKS_MAX, DOCUMENT_LINKS_MAX)
        spoken = [one.told for one in versions(self._page.prose, self._page.text)]
        numbers = list(tickets(self._page, self._document))
        mentions = self._placed([*errors(self._page), *code_mentions(self._page), *spoken, *numbers, *self._proper()])
        mentions = self._settled(mentions)
        told += self._each(Relation.MENTIONS, mentions, CHUNK_MENTIONS_MAX, DOCUMENT_MENTIONS_MAX)
        told += self._replaced(numbers)
        told += self._parts(mentions)
        told += self._applies(mentions)
        seen: dict[str, Edge] = {}
        for one in told:
            edge = self._edge(one)
            seen.setdefault(edge.edge_id, edge)
        return tuple(seen.values())

    def _proper(self) -> Iterator[Mention]:
        for one in proper(self._page):
            key = component_key(one.name, self._document)
            yield one if key == one.key else replace(one, key=key)
        for name in products(self._document):
            if found := mention(EntityKind.COMPONENT, name, 0, 0, weight=3):
                yield found

    def _settled(self, mentions: list[tuple[int, Mention]]) -> list[tuple[int, Mention]]:
        """The page's own alert is an error wherever the page writes it; one place is one thing."""
        own = self._alert
        settled: list[tuple[int, Mention]] = []
        for place, one in mentions:
            if own is not None and one.key == own.key and one.kind is EntityKind.COMPONENT:
                one = replace(one, kind=EntityKind.ERROR)
            settled.append((place, one))
        errors_at = {(place, one.key) for place, one in settled if one.kind is EntityKind.ERROR}
        covered = _Covered(one for _, one in settled if one.kind is EntityKind.ERROR)
        return [
            (place, one)
            for place, one in settled
            if one.kind is EntityKind.ERROR or ((place, one.key) not in errors_at and one not in covered)
        ]

    def _structure(self) -> Iterator[Told]:
        last: dict[int, int] = {}
        for place, section in enumerate(self._sections[1:], start=1):
            entity = self._entity(place)
            chunk = self._chunk_at(section.start)
            start, end = section.start, section.heading_end
            yield Told(
                source=entity,
                relation=Relation.PART_OF,
                target=self._entity(section.parent),
                chunk=chunk,
                start=start,
                end=end,
            )
            if section.parent in last:
                yield Told(
                    source=self._entity(last[section.parent]),
                    relation=Relation.NEXT,
                    target=entity,
                    chunk=chunk,
                    start=start,
                    end=end,
                )
            last[section.parent] = place
            if section.slug:
                for address in own_addresses(self._document)[:1]:
                    anchor = f"{address}#{section.slug}"
                    target = Entity(kind=EntityKind.ADDRESS, key=anchor, name=section.title[:NAME_CHARS_MAX])
                    yield Told(source=entity, relation=Relation.NAMES, target=target, chunk=chunk, start=start, end=end)

    def _named(self) -> Iterator[Told]:
        top = self._page.headings[0] if self._page.headings else None
        for one in names(self._document, self._page, self._sections):
            yield Told(
                source=self._self, relation=Relation.NAMES, target=one.entity, chunk=0, start=one.start, end=one.end
            )
        if self._alert is not None and top is not None:
            yield Told(
                source=self._self, relation=Relation.NAMES, target=self._alert, chunk=0, start=top.start, end=top.end
            )

    def _entity(self, place: int) -> Entity:
        section = self._sections[place]
        if not place:
            return self._self
        return Entity(
            kind=EntityKind.SECTION,
            key=f"{self._document.doc_id}#{section.number}",
            name=section.title[:NAME_CHARS_MAX],
        )

    def _each(
        self, relation: Relation, found: list[tuple[int, Mention]], chunk_max: int, document_max: int
    ) -> Iterator[Told]:
        """Once for each chunk; where there are too many, the surest, and of these the first."""
        first: dict[tuple[int, EntityKind, str], Mention] = {}
        for place, one in found:
            first.setdefault((place, one.kind, one.key), one)
        ranked = sorted(first.items(), key=lambda entry: (-entry[1].weight, entry[1].start, entry[0]))
        taken: Counter[int] = Counter()
        kept: list[tuple[int, Mention]] = []
        for (place, _, _), one in ranked:
            if len(kept) >= document_max:
                break
            if taken[place] < chunk_max:
                taken[place] += 1
                kept.append((place, one))
        for place, one in sorted(kept, key=lambda entry: (entry[0], entry[1].start, entry[1].kind, entry[1].key)):
            yield Told(
                source=self._self, relation=relation, target=one.entity, chunk=place, start=one.start, end=one.end
            )

    def _replaced(self, numbers: list[Mention]) -> Iterator[Told]:
        for one in islice(replacements(self._page, self._document, numbers), DOCUMENT_REPLACED_MAX):
            source = one.source.entity if one.source else self._self
            target = one.target.entity if one.target else self._self
            yield Told(
                source=source,
                relation=one.relation,
                target=target,
                chunk=self._chunk_at(one.start),
                start=one.start,
                end=one.end,
            )

    def _parts(self, mentions: list[tuple[int, Mention]]) -> Iterator[Told]:
        spans = self._spans()
        found = parts(self._page, self._sections, self._chunks, spans, self._document.title)
        symptoms = {part.chunk for part in found[ChunkKind.SYMPTOM]}
        title_end = self._sections[0].heading_end
        wrong = [(place, one) for place, one in mentions if one.kind is EntityKind.ERROR]
        problems = [one for _, one in wrong if one.start < title_end] or [
            one for place, one in wrong if place in symptoms
        ]
        yield from causal(found, problems if self._alert is None else (), self._alert)
        about = self._title_keys() | {name_key(name) for name in products(self._document)}
        things = [
            (place, one)
            for place, one in mentions
            if (one.kind is EntityKind.VERSION or (one.kind is EntityKind.COMPONENT and one.key in about))
            and one.start >= title_end
        ]
        yield from affected(found, things)

    def _title_keys(self) -> frozenset[str]:
        """What the title could name, its CamelCase taken apart."""
        title = self._document.title
        apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", title)
        return frozenset(key for text in {title, apart} for key, _, _ in keys_in(text))

    def _applies(self, mentions: list[tuple[int, Mention]]) -> Iterator[Told]:
        """What is said under "Applies to" and the like, in the title, and by the metadata."""
        stands = [(one.heading_end, one.body_end) for one in self._sections[1:] if one.part is ChunkKind.ENVIRONMENT]
        begins = [start for start, _ in stands]
        title_end = self._sections[0].heading_end
        for place, one in mentions:
            if one.kind not in (EntityKind.VERSION, EntityKind.COMPONENT):
                continue
            at = bisect_right(begins, one.start) - 1
            inside = at >= 0 and one.start < stands[at][1] and self._is_stated(one)
            titled = one.kind is EntityKind.VERSION and one.start < title_end
            if (inside and one.weight >= 2) or titled:
                yield Told(
                    source=self._self,
                    relation=Relation.APPLIES_TO,
                    target=one.entity,
                    chunk=place,
                    start=one.start,
                    end=one.end,
                )
        for name in products(self._document):
            if found := mention(EntityKind.COMPONENT, name, 0, 0):
                yield Told(
                    source=self._self, relation=Relation.APPLIES_TO, target=found.entity, chunk=0, start=0, end=0
                )

    def _is_stated(self, one: Mention) -> bool:
        """A version is stated wherever it stands. A thing is when it begins its line, or a version follows it."""
        if one.kind is EntityKind.VERSION:
            return True
        text = self._page.text
        before = text[max(0, one.start - LEAD_CHARS_MAX) : one.start]
        return bool(_BEGINS_LINE.search(before)) or bool(_VERSION_FOLLOWS.match(text, one.end))

    def _spans(self) -> list[tuple[int, int]]:
        """The chunks in characters."""
        places = sorted({place for chunk in self._chunks for place in (chunk.start, chunk.end)})
        data = self._page.text.encode("utf-8")
        if len(data) == len(self._page.text):
            return [(chunk.start, chunk.end) for chunk in self._chunks]
        found: dict[int, int] = {}
        at = count = 0
        for place in places:
            count += len(data[at:place].decode("utf-8"))
            found[place] = count
            at = place
        return [(found[chunk.start], found[chunk.end]) for chunk in self._chunks]

    def _placed(self, found: Iterable[Mention]) -> list[tuple[int, Mention]]:
        return [(self._chunk_at(one.start), one) for one in found if one.key]

    def _chunk_at(self, place: int) -> int:
        return max(0, bisect_right(self._starts, self._bytes.at(place)) - 1)

    def _edge(self, told: Told) -> Edge:
        chunk = self._chunks[told.chunk]
        return Edge(
            tenant=chunk.tenant,
            kb=chunk.kb,
            source=told.source,
            relation=told.relation,
            target=told.target,
            doc_id=chunk.doc_id,
            chunk_id=chunk.chunk_id,
            start=self._bytes.at(told.start),
            end=self._bytes.at(told.end),
            extractor=self._extractor,
            confidence=confidence(told.relation, told.target.kind),
            acl=chunk.acl,
            level=chunk.level,
            since=chunk.since,
            until=chunk.until,
        )
