"""Where is code, which must be kept to the letter, and where prose? Comments are dropped on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)$")
_TICKS: Final = re.compile("`+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    text: str
    code: bool


def split_code(body: str) -> list[Segment]:
    """Fenced blocks apart from prose, in order. An unclosed fence reaches to the end, as in every Markdown reader."""
    segments: list[Segment] = []
    prose: list[str] = []
    code: list[str] = []
    marker = ""
    for line in _without_comments(body):
        if marker:
            code.append(line)
            if _closes(line, marker):
                segments.append(Segment(text="".join(code), code=True))
                code, marker = [], ""
            continue
        opening = _FENCE.match(line.rstrip("\n"))
        if opening and not (opening.group(1)[0] == "`" and "`" in opening.group(2)):
            segments.append(Segment(text="".join(prose), code=False))
            prose, code, marker = [], [line], opening.group(1)
        else:
            prose.append(line)
    segments.append(Segment(text="".join(code or prose), code=bool(code)))
    return segments


def outside_code_spans(text: str, change: Callable[[str], str]) -> str:
    """The text with `change` applied to what lies outside of `inline code`."""
    if "`" not in text:
        return change(text)
    parts: list[str] = []
    done = start = 0
    for line in text.splitlines(keepends=True):
        for left, right in code_spans(line) if "`" in line else ():
            parts.extend((change(text[done : start + left]), text[start + left : start + right]))
            done = start + right
        start += len(line)
    return "".join((*parts, change(text[done:])))


def _closes(line: str, marker: str) -> bool:
    stripped = line.strip("> \t\n")
    return stripped.startswith(marker) and not stripped.strip(marker[0])


def _without_comments(body: str) -> Iterator[str]:
    """Lines without `<!-- -->`, which may span lines; those in code stay."""
    last_close = body.rfind("-->")
    at = 0
    inside = False
    marker = ""
    for line in body.splitlines(keepends=True) if "\x0b" not in body else body.replace("\x0b", "").splitlines(True):
        start, at = at, at + len(line)
        if marker:
            marker = "" if _closes(line, marker) else marker
            yield line
            continue
        if not inside:
            opening = _FENCE.match(line.rstrip("\n"))
            if opening and not (opening.group(1)[0] == "`" and "`" in opening.group(2)):
                marker = opening.group(1)
                yield line
                continue
        if inside or "<!--" in line:
            kept, inside = _strip(line, inside=inside, last_close=last_close - start)
            if kept.strip() or line.strip() == "":
                yield kept
            elif not inside or line.lstrip().startswith("<!--"):
                yield "\n"
            continue
        yield line


def _strip(line: str, *, inside: bool, last_close: int) -> tuple[str, bool]:
    """(what is outside of comments, whether one is still open). A `<!--` that never closes is text."""
    kept: list[str] = []
    at = 0
    covered = code_spans(line) if "`" in line and not inside else []
    while at < len(line):
        if inside:
            end = line.find("-->", at)
            if end < 0:
                return "".join(kept) + ("\n" if line.endswith("\n") and kept else ""), True
            at, inside = end + 3, False
            continue
        start = line.find("<!--", at)
        if start < 0 or start > last_close:
            break
        span = next((right for left, right in covered if left < start < right), None)
        if span is not None:
            kept.append(line[at:span])
            at = span
            continue
        kept.append(line[at:start])
        at, inside = start + 4, True
    return "".join(kept) + line[at:], inside


def code_spans(line: str) -> list[tuple[int, int]]:
    """Spans between backtick runs of equal length."""
    spans: list[tuple[int, int]] = []
    waiting: tuple[int, int] | None = None
    for match in _TICKS.finditer(line):
        length = match.end() - match.start()
        if waiting is None:
            waiting = (match.start(), length)
        elif waiting[1] == length:
            spans.append((waiting[0], match.end()))
            waiting = None
    return spans[:1_000]
