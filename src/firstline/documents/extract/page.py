"""What is prose, what is code, what is a link on a page? One reading of the text that every rule looks at.

Offsets are characters. `prose` is as long as `text`: what is no prose (code, links, headings, placeholders) stands as
`HIDDEN` signs, so that a pattern finds nothing there and nothing that reaches across.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firstline.documents.extract.mention import PLACEHOLDER

HIDDEN: Final = "\x01"
LINKS_MAX: Final = 10_000
_FENCE: Final = re.compile(r"[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})[ \t]*([\w.+-]*)")
_ITEM: Final = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")
_HEADING: Final = re.compile(r" {0,3}(?:(#{1,6})|\\(#{2,6}))[ \t]+(\S.*)$")
_INLINE_CODE: Final = re.compile(r"`([^`\n]{1,200})`")
_LINK: Final = re.compile(
    r"\[([^\[\]]{0,300})\](?:\(\s{0,4}<?([^()\s<>]{1,400}(?:\([^()\s]{0,60}\)[^()\s]{0,60})?)>?(?:\s{1,4}[\"'][^\"'\n"
    r"]{0,200}[\"'])?\s{0,4}\)"
    r"|\[([^\[\]\n]{0,200})\])"
)
_DEFINITION: Final = re.compile(
    r"^ {0,3}\[([^\[\]\n]{1,200})\]:[ \t]{0,8}<?([^\s<>]{1,400})>?[^\n]{0,300}$", re.MULTILINE
)
_SHORT: Final = re.compile(r"\[([^\[\]\n]{1,200})\]")
_URL: Final = re.compile(
    r"\bhttps?://[^\s<>\"'`\[\](){}|\\^\x01]{3,400}|\bwww\.[\w-]{1,60}\.[^\s<>\"'`\[\](){}|\\^\x01]{2,300}", re.I
)
_NAMESPACE: Final = re.compile(r"xmlns(?::[\w-]{1,20})?=[\"']$|DTD[^\n]{0,20}[\"']$")
"""What follows names a vocabulary and leads to no page."""
_FRAME: Final = re.compile(
    r"^[ \t>]*at\s+[\w.$<>/]{3,300}[ \t\n]{0,2}\([^()\n]{1,200}\)|^[ \t]*File \"[^\"\n]{1,300}\", line"
    r" \d{1,7}[^\n]{0,120}",
    re.MULTILINE,
)
"""A line of a stack trace: it names what happened to run, not what the text speaks of."""
_SITE_PATH: Final = re.compile(r"\[(/[^\s\[\]]{2,300})\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """`language` is "" for code within a line and what no fence names."""

    text: str
    start: int
    end: int
    block: bool = False
    language: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    label: str
    target: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    text: str
    prose: str
    codes: tuple[Code, ...]
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]
    lower: frozenset[str]
    """Words that the page writes in small letters somewhere."""


class Bytes:
    """Where a character of the text begins in its UTF-8."""

    def __init__(self, text: str) -> None:
        self._wide: list[int] = []
        self._extra: list[int] = [0]
        if not text.isascii():
            total = 0
            for match in re.finditer(r"[^\x00-\x7f]", text):
                total += len(match.group().encode("utf-8")) - 1
                self._wide.append(match.end())
                self._extra.append(total)

    def at(self, place: int) -> int:
        return place + self._extra[bisect_right(self._wide, place)]


def read_page(text: str) -> Page:
    """Linear in the length of the text."""
    blocks, headings = _lines(text)
    hidden = [(one.start, one.end) for one in (*blocks, *headings)]
    prose = _hide(text, hidden)
    inline = [
        Code(text=found[1].strip(), start=found.start(1), end=found.end(1))
        for found in _INLINE_CODE.finditer(_hide(text, [(one.start, one.end) for one in blocks]))
    ]
    links = _outside(_links(prose), inline)
    spans = [(one.start - 1, one.end + 1) for one in inline]
    spans += [(one.start, one.end) for one in links]
    spans += [found.span() for found in PLACEHOLDER.finditer(prose)]
    spans += [found.span() for found in _FRAME.finditer(prose)]
    prose = _hide(prose, spans)
    return Page(
        text=text,
        prose=prose,
        codes=tuple(sorted((*blocks, *inline), key=lambda one: one.start)),
        links=tuple(links),
        headings=tuple(headings),
        lower=frozenset(re.findall(r"\b[a-z][a-z'’-]+", prose)),
    )


def _lines(text: str) -> tuple[list[Code], list[Heading]]:
    blocks: list[Code] = []
    headings: list[Heading] = []
    at = opened = body = 0
    mark = language = ""
    listed = False
    indented = -1
    blank = True
    for line in text.split("\n"):
        end = at + len(line)
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if mark:
            if fence and fence[1].startswith(mark) and not fence[2]:
                blocks.append(
                    Code(text=text[body : max(body, at - 1)], start=opened, end=end, block=True, language=language)
                )
                mark = ""
        elif fence and not (fence[1][0] == "`" and "`" in line[fence.end() :]):
            mark, language, opened, body = fence[1], fence[2].lower(), at, end + 1
        elif not line.strip():
            pass
        elif line.startswith(("    ", "\t")) and not listed and (blank or indented >= 0):
            if indented < 0:
                indented = at
            blank = False
            at = end + 1
            continue
        else:
            if heading := _HEADING.match(line):
                title = _plain(heading[3])
                level = len(heading[1] or heading[2])
                headings.append(Heading(level=level, title=title, start=at, end=end))
            listed = bool(_ITEM.match(line)) or (listed and line[:1] in " \t")
        if line.strip() and indented >= 0:
            blocks.append(Code(text=text[indented : at - 1], start=indented, end=at - 1, block=True))
            indented = -1
        blank = not line.strip()
        at = end + 1
    if mark:
        blocks.append(Code(text=text[body:], start=opened, end=len(text), block=True, language=language))
    if indented >= 0:
        blocks.append(Code(text=text[indented:], start=indented, end=len(text), block=True))
    return blocks, headings


def _plain(title: str) -> str:
    title = re.sub(r"!?\[([^\[\]]{0,300})\]\([^()]{0,500}\)", r"\1", title.rstrip("# \t\r"))
    title = re.sub(r"\s?\{#[^{}]{0,80}\}$", "", title)
    return " ".join(title.replace("*", "").replace("`", "").split())[:200]


def _outside(links: list[Link], codes: list[Code]) -> list[Link]:
    """Without those that are code themselves."""
    starts = [code.start for code in codes]
    found: list[Link] = []
    for link in links:
        at = bisect_right(starts, link.start) - 1
        if at < 0 or codes[at].end < link.end:
            found.append(link)
    return found


def _links(prose: str) -> list[Link]:
    """In reading order, at most LINKS_MAX."""
    found: list[Link] = []
    definitions = {match[1].casefold(): match[2] for match in _DEFINITION.finditer(prose)} if "]:" in prose else {}
    taken: list[tuple[int, int]] = []
    for match in _DEFINITION.finditer(prose) if definitions else ():
        taken.append(match.span())
    rest = _hide(prose, taken)
    if "](" in rest or "][" in rest:
        taken = []
        for match in _LINK.finditer(rest):
            target = match[2] or definitions.get((match[3] or match[1]).casefold(), "")
            if not target:
                continue
            image = rest[match.start() - 1 : match.start()] == "!"
            taken.append(match.span())
            if not image:
                found.append(Link(label=match[1].strip(), target=target, start=match.start(), end=match.end()))
        rest = _hide(rest, taken)
    taken = []
    if definitions:
        for match in _SHORT.finditer(rest):
            if target := definitions.get(match[1].casefold()):
                found.append(Link(label=match[1], target=target, start=match.start(), end=match.end()))
                taken.append(match.span())
        rest = _hide(rest, taken)
    for match in _URL.finditer(rest):
        target = match.group().rstrip(".,;:!?*_~'\"")
        if _NAMESPACE.search(rest, max(0, match.start() - 24), match.start()):
            continue
        if target[:4].lower() == "www.":
            target = f"https://{target}"
        found.append(Link(label="", target=target, start=match.start(), end=match.end()))
    if "[/" in rest:
        found += [
            Link(label="", target=match[1], start=match.start(), end=match.end()) for match in _SITE_PATH.finditer(rest)
        ]
    found.sort(key=lambda one: one.start)
    return found[:LINKS_MAX]


def _hide(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with these spans hidden; lines stay lines."""
    if not spans:
        return text
    spans = sorted((max(0, start), min(len(text), end)) for start, end in spans)
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        parts.append(text[at:start])
        cut = text[start:end]
        parts.append("\n".join(HIDDEN * len(line) for line in cut.split("\n")) if "\n" in cut else HIDDEN * len(cut))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def sentence_around(text: str, place: int, *, reach: int = 160) -> str:
    """At most `reach` characters before the place, back to the end of the sentence before."""
    before = text[max(0, place - reach) : place]
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s)|\n\s*\n", before)]
    return before[ends[-1] :] if ends else before
