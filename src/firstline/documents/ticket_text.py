"""How do a customer's words and a person's stand in a published ticket? As words: its two headings are its only ones.

What would read as structure (headings, rules, fences that stay open) is escaped or closed. Whether that was enough is
asked of the reader that the ticket goes through; where it was not, the words stand as a code block, to the letter.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from markdown_it import MarkdownIt

from firstline.documents.parse.markdown import markdown_page

HEADINGS: Final = ("Symptom", "Resolution")
_FENCE: Final = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_STRUCTURE: Final = re.compile(r"^(?P<indent>[ \t]*)(?=#{1,6}(?:[ \t]|$)|(?:=+|-+|(?:[-*_][ \t]*){3,})[ \t]*$)")
_TAKEN: Final = frozenset({"heading_open", "hr", "html_block"})


def ticket_text(symptom: str, resolution: str) -> str:
    """The ticket as Markdown."""
    text = _under_headings(_said(symptom), _said(resolution))
    return text if _is_sound(text) else _under_headings(_as_code(symptom), _as_code(resolution))


def _under_headings(symptom: str, resolution: str) -> str:
    return f"## {HEADINGS[0]}\n\n{symptom}\n\n## {HEADINGS[1]}\n\n{resolution}\n"


def _said(text: str) -> str:
    lines: list[str] = []
    mark = ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        fence = _FENCE.match(line)
        if mark:
            closes = fence and fence["mark"].startswith(mark) and not fence["info"].strip()
            mark = "" if closes else mark
            lines.append(line)
            continue
        mark = fence["mark"] if fence else ""
        lines.append(line if fence else _STRUCTURE.sub(r"\g<indent>\\", line))
    return "\n".join([*lines, mark] if mark else lines)


def _as_code(text: str) -> str:
    runs = (len(run) for run in re.findall("`{3,}", text))
    fence = "`" * (max(runs, default=2) + 1)
    return f"{fence}\n{text}\n{fence}"


def _is_sound(text: str) -> bool:
    page = markdown_page(text)
    tokens = _reader().parse(page.text)
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    others = [token for token in tokens if token.type in _TAKEN - {"heading_open"}]
    return tuple(headings) == HEADINGS and not others and not page.hidden


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True})
