"""Problem, cause, resolution: which of a document's chunks tells which, and of what?

By the headings that such texts have (technotes, tickets, runbooks, FAQs, threads with an accepted answer). The problem
is named by the errors in the title, else by those its symptom tells; a runbook's title is the alert itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from firstline.documents.extract.mention import NAME_CHARS_MAX, Mention
from firstline.documents.extract.outline import Section
from firstline.documents.extract.page import Page
from firstline.domain import Chunk, ChunkKind, Entity, EntityKind, Relation

SYMPTOMS_MAX: Final = 3
CAUSES_MAX: Final = 4
RESOLUTIONS_MAX: Final = 6
ERRORS_MAX: Final = 4
AFFECTED_MAX: Final = 6
_ALERT: Final = re.compile(r"[A-Z][A-Za-z0-9]{3,80}")
_NOTHING_TOLD: Final = re.compile(
    r"(?:none|n/?a|unknown|not applicable|tbd|to be (?:determined|defined|done)|no (?:known )?(?:cause|resolution"
    r"|workaround)s?(?: known)?|see (?:above|below))?\W*",
    re.IGNORECASE,
)
_FURNITURE: Final = re.compile(
    r"\[[^\[\]\n]{1,200}\]: ?(?:https?:|\S{1,100}/)|[\s#*]{0,6}(?:additional keywords|keywords|related (?:information"
    r"|documents|links)|see also|references|copyright|cross.reference)\b",
    re.IGNORECASE,
)
"""What stands below the last part without a heading of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """An edge before it has its chunk's scope. `chunk` is its place in the document's chunks."""

    source: Entity
    relation: Relation
    target: Entity
    chunk: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A chunk of a part, as a node."""

    chunk: int
    entity: Entity
    start: int
    end: int


def parts(
    page: Page, sections: Sequence[Section], chunks: Sequence[Chunk], spans: Sequence[tuple[int, int]], title: str
) -> dict[ChunkKind, list[Part]]:
    """The chunks of each part, in reading order. `spans` are the chunks' characters."""
    found: dict[ChunkKind, list[Part]] = {ChunkKind.SYMPTOM: [], ChunkKind.CAUSE: [], ChunkKind.RESOLUTION: []}
    taken: set[tuple[ChunkKind, int]] = set()
    for section in sections[1:]:
        if section.part not in found or _is_empty(page, section):
            continue
        for place in _chunks_of(section, spans):
            if spans[place][0] > section.heading_end and _FURNITURE.match(page.text, spans[place][0]):
                continue
            if (section.part, place) not in taken:
                taken.add((section.part, place))
                found[section.part].append(_part(section, place, chunks, spans, page))
    return found


def alert(title: str, sections: Sequence[Section]) -> str:
    """The title of a runbook: one word, over a page that says what it means and what to do."""
    names = {section.part for section in sections[1:]}
    told = ChunkKind.SYMPTOM in names and (ChunkKind.RESOLUTION in names or ChunkKind.CAUSE in names)
    return title if told and _ALERT.fullmatch(title.strip()) and sum(sign.isupper() for sign in title) >= 2 else ""


def causal(found: dict[ChunkKind, list[Part]], problems: Sequence[Mention], own: Entity | None) -> Iterator[Told]:
    """`own`: the alert that the page is about. `problems` are the errors of its title and symptom."""
    symptoms = found[ChunkKind.SYMPTOM][:SYMPTOMS_MAX]
    named = [*([own] if own else []), *(one.entity for one in problems)]
    errors = list({one.entity_id: one for one in reversed(named)}.values())[::-1][:ERRORS_MAX]
    for cause in found[ChunkKind.CAUSE][:CAUSES_MAX]:
        for problem in (*errors, *(one.entity for one in symptoms[:1])):
            yield _told(problem, Relation.HAS_ROOT_CAUSE, cause.entity, cause)
    for resolution in found[ChunkKind.RESOLUTION][:RESOLUTIONS_MAX]:
        for problem in (*errors, *(one.entity for one in symptoms[:1])):
            yield _told(resolution.entity, Relation.RESOLVES, problem, resolution)


def affected(found: dict[ChunkKind, list[Part]], things: Sequence[tuple[int, Mention]]) -> Iterator[Told]:
    """A symptom AFFECTS the products and versions that it speaks of. `things` come with their chunk."""
    for symptom in found[ChunkKind.SYMPTOM][:SYMPTOMS_MAX]:
        own = (one for place, one in things if place == symptom.chunk)
        for one in islice(own, AFFECTED_MAX):
            yield Told(
                source=symptom.entity,
                relation=Relation.AFFECTS,
                target=one.entity,
                chunk=symptom.chunk,
                start=one.start,
                end=one.end,
            )


def _told(source: Entity, relation: Relation, target: Entity, part: Part) -> Told:
    return Told(source=source, relation=relation, target=target, chunk=part.chunk, start=part.start, end=part.end)


def _is_empty(page: Page, section: Section) -> bool:
    """Nothing is told under the heading, or that there is nothing to tell."""
    body = page.text[section.heading_end : section.body_end].strip(" \n*_-.:")
    return section.end == section.body_end and bool(_NOTHING_TOLD.fullmatch(body[:60])) and len(body) < 60


def _chunks_of(section: Section, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Those that lie in it for the most part; else the one it begins in."""
    places: list[int] = []
    for place in range(_first_at(section.start, spans), len(spans)):
        start, end = spans[place]
        if start >= section.body_end:
            break
        inside = min(end, section.body_end) - max(start, section.start)
        if inside > 0 and (
            2 * inside >= end - start or (not places and 2 * inside >= section.body_end - section.start)
        ):
            places.append(place)
    return places


def _first_at(place: int, spans: Sequence[tuple[int, int]]) -> int:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= place:
            low = middle + 1
        else:
            high = middle
    return low


_KINDS: Final = {
    ChunkKind.SYMPTOM: EntityKind.SYMPTOM,
    ChunkKind.CAUSE: EntityKind.ROOT_CAUSE,
    ChunkKind.RESOLUTION: EntityKind.RESOLUTION,
}


def _part(section: Section, place: int, chunks: Sequence[Chunk], spans: Sequence[tuple[int, int]], page: Page) -> Part:
    start = max(section.heading_end, spans[place][0])
    end = min(spans[place][1], section.body_end)
    first, last = _sentence(page.text, start, end)
    name = " ".join(page.text[first:last].split())
    name = name if len(name) <= NAME_CHARS_MAX else f"{name[: NAME_CHARS_MAX - 1].rsplit(' ', 1)[0]}…"
    entity = Entity(kind=_KINDS[section.part], key=chunks[place].chunk_id, name=name or section.title)
    return Part(chunk=place, entity=entity, start=first, end=last)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The first sentence between two places, without the number of a step; the whole when it has no end."""
    opening = re.compile(r"[\s*>-]*(?:\d{1,2}[.)]\s+)?").match(text, start, end)
    start = opening.end() if opening else start
    stop = re.compile(r"[.!?。！？](?=\s|$)|\n\s*\n|\n\s*(?:[-*•]|\d{1,2}[.)])\s").search(
        text, start, min(end, start + 400)
    )
    return start, max(
        start,
        (stop.start() + 1 if stop and text[stop.start()] != "\n" else stop.start()) if stop else min(end, start + 400),
    )
