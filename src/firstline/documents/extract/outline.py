"""How is a page divided? Its sections with their numbers, from the headings alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from firstline.documents.extract.page import Heading, Page
from firstline.documents.part_headings import PART_NAMES, heading_words
from firstline.domain import ChunkKind
from firstline.entity_names import name_key

SECTIONS_MAX: Final = 2_000
"""More are no outline that anybody walks: what stands behind belongs to the last one."""

ABSTRACT: Final = frozenset({"abstract"})
"""Tells the problem of a page that has an answer and does not name its problem otherwise."""
DIAGNOSIS: Final = frozenset(
    {"diagnosis", "diagnosing the problem", "diagnose", "troubleshooting", "diagnostic", "诊断", "診断"}
)
"""Tells how the cause is found: it stands for the cause where no heading names one."""
ASKED: Final = frozenset({"question", "questions", "frage", "fragen", "pregunta", "preguntas", "質問"})
"""A page that answers a question diagnoses nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """`number` counts sisters from the top ("2.1"); "" is the page itself, under its one title. `end` is where the next
    section of this or a higher level begins, `body_end` where the next heading stands. `part` is what the nearest
    heading names."""

    number: str
    parent: int
    title: str
    start: int
    heading_end: int
    body_end: int
    end: int
    slug: str
    part: ChunkKind = ChunkKind.SECTION


def outline(page: Page, title: str) -> tuple[Section, ...]:
    """The first is the page itself; the others follow in reading order."""
    headings = page.headings[:SECTIONS_MAX]
    size = len(page.text)
    top = headings[0] if headings and _is_title(headings, title) else None
    first = headings[1:] if top else headings
    body = first[0].start if first else size
    sections = [
        Section(
            number="",
            parent=-1,
            title=title,
            start=0,
            heading_end=top.end if top else 0,
            body_end=body,
            end=size,
            slug="",
        )
    ]
    ends = _ends(first, size)
    chain: list[tuple[int, int]] = []
    children: dict[int, int] = {}
    slugs: dict[str, int] = {}
    own = _named_parts(first)
    for place, heading in enumerate(first):
        while chain and chain[-1][0] >= heading.level:
            chain.pop()
        parent = chain[-1][1] if chain else 0
        children[parent] = children.get(parent, 0) + 1
        above = sections[parent]
        number = f"{above.number}.{children[parent]}" if above.number else str(children[parent])
        sections.append(
            Section(
                number=number,
                parent=parent,
                title=heading.title,
                start=heading.start,
                heading_end=heading.end,
                body_end=first[place + 1].start if place + 1 < len(first) else size,
                end=ends[place],
                slug=_unique(_slug(heading.title), slugs),
                part=own.get(heading_words(heading.title)) or above.part,
            )
        )
        chain.append((heading.level, len(sections) - 1))
    return tuple(sections)


def _named_parts(headings: tuple[Heading, ...]) -> dict[str, ChunkKind]:
    """What part of a ticket each heading names, by its words."""
    found = {words: PART_NAMES[words] for heading in headings if (words := heading_words(heading.title)) in PART_NAMES}
    kinds = set(found.values())
    asks = any(heading_words(heading.title) in ASKED for heading in headings)
    for heading in headings:
        words = heading_words(heading.title)
        if words in ABSTRACT and ChunkKind.SYMPTOM not in kinds and kinds & {ChunkKind.CAUSE, ChunkKind.RESOLUTION}:
            found[words] = ChunkKind.SYMPTOM
        if (
            words in DIAGNOSIS
            and not asks
            and ChunkKind.CAUSE not in kinds
            and kinds & {ChunkKind.SYMPTOM, ChunkKind.RESOLUTION}
        ):
            found[words] = ChunkKind.CAUSE
    return found


def _is_title(headings: tuple[Heading, ...], title: str) -> bool:
    top = headings[0]
    if top.level != 1 or any(one.level == 1 for one in headings[1:]):
        return False
    return top.start < 200 or name_key(top.title) == name_key(title)


def _ends(headings: tuple[Heading, ...], size: int) -> list[int]:
    """Where each heading's section ends, by one walk from the back."""
    ends = [size] * len(headings)
    nearest = [size] * 7
    for place in range(len(headings) - 1, -1, -1):
        level = headings[place].level
        ends[place] = min(nearest[1 : level + 1])
        nearest[level] = headings[place].start
    return ends


def _slug(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.casefold().replace(" ", "-"))[:100]


def _unique(slug: str, seen: dict[str, int]) -> str:
    """Namesakes get a number, as renderers give it."""
    times = seen.get(slug, 0)
    seen[slug] = times + 1
    return f"{slug}-{times}" if times and slug else slug
