"""Which lines of a plain text are headings? A general rule, for technotes, logs and mails alike.

A heading is a line in capitals after a blank line, an underlined line, or a short line in title form that stands alone
between blank lines with a longer text below it.
"""

from __future__ import annotations

import re
from typing import Final

from firstline.documents.parse.page import Page

TITLE_CHARS_MAX: Final = 200
TITLE_LINE_CHARS_MAX: Final = 400
HEADING_CHARS_MAX: Final = 80
HEADING_WORDS_MAX: Final = 10
ALONE_WORDS_MAX: Final = 8

_RULE: Final = re.compile(r"^[ \t]*([=\-~^*])\1{2,}[ \t]*$")
_BULLET_ONLY: Final = re.compile(r"^[ \t]*[-*+\u2022][ \t]*$")
_CAPITALS: Final = re.compile(r"^[A-Z][A-Z0-9 '&,()/\-\u2013]*[A-Z)?:]:?$")
_ALONE: Final = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?[ ])?[A-Z][\w '&,()/\-\u2013]*[\w)?]$")
_SENTENCE_END: Final = (".", "!", ";", ",")


def plain_page(text: str, *, title: str = "") -> Page:
    """`title` is what the source already says; a first line that repeats it is not told twice."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")]
    lines = [line for line in lines if not _BULLET_ONLY.match(line)]
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return Page(text="")
    found = lines[first].strip().lstrip("#").strip()
    out: list[str] = []
    at = first
    if _is_title(lines, first, title):
        out.extend((f"# {found}", ""))
        at = first + 1
        if at < len(lines) and _RULE.match(lines[at]):
            at += 1
    out.extend(_body(lines, at))
    return Page(text="\n".join(out), title=found[:TITLE_CHARS_MAX])


def _is_title(lines: list[str], first: int, title: str) -> bool:
    line = lines[first].strip()
    if title:
        return line.casefold() == title.strip().casefold()
    alone = first + 1 >= len(lines) or not lines[first + 1].strip() or _RULE.match(lines[first + 1]) is not None
    if alone and len(line) <= TITLE_LINE_CHARS_MAX:
        return len(lines) - first > 1
    return len(line) <= TITLE_CHARS_MAX and (alone or not line.endswith(_SENTENCE_END)) and len(lines) - first > 1


def _body(lines: list[str], at: int) -> list[str]:
    out: list[str] = []
    index = at
    while index < len(lines):
        line = lines[index]
        words = line.strip()
        following = lines[index + 1] if index + 1 < len(lines) else ""
        after_blank = index == 0 or not lines[index - 1].strip()
        if words and after_blank and _RULE.match(following) and len(words) <= HEADING_CHARS_MAX and _has_letters(words):
            out.extend(("", f"## {words}", ""))
            index += 2
        elif words and after_blank and _is_heading(lines, index, words):
            out.extend(("", f"## {words.rstrip(':')}", ""))
            index += 1
        else:
            out.append(_kept(line))
            index += 1
    return out


def _is_heading(lines: list[str], index: int, words: str) -> bool:
    if len(words) > HEADING_CHARS_MAX or words.endswith(_SENTENCE_END) or len(lines[index]) - len(words) > 3:
        return False
    count = len(words.split())
    below = _next_text(lines, index)
    if not below:
        return False
    if _CAPITALS.match(words) and count <= HEADING_WORDS_MAX and sum(map(str.isalpha, words)) >= 4:
        return True
    stands_alone = index + 1 < len(lines) and not lines[index + 1].strip()
    return (
        stands_alone
        and count <= ALONE_WORDS_MAX
        and _ALONE.match(words) is not None
        and len(below) > max(60, 2 * len(words))
    )


def _next_text(lines: list[str], index: int) -> str:
    """The next line with text within a few lines."""
    return next((line.strip() for line in lines[index + 1 : index + 6] if line.strip()), "")


def _kept(line: str) -> str:
    """A `#` in plain text is a shell comment or ticket number, no heading. Up to three blanks in front are dropped."""
    bare = line.lstrip(" ")
    if bare.startswith("#"):
        return f"{line[: len(line) - len(bare)]}\\{bare}"
    return bare if len(line) - len(bare) <= 3 and not bare.startswith(("- ", "* ", "+ ")) else line


def _has_letters(words: str) -> bool:
    return any(character.isalpha() for character in words)
