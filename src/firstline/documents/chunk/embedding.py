"""What does the embedder read of a chunk? Its words, with where they stand, without the marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.documents.chunk.blocks import plain_heading

_IMAGE_OR_LINK: Final = re.compile(
    r"!?\[([^\[\]]{0,500})\]"
    r"(?:\([^()\s]{0,2000}(?:\s[^()]{0,300})?\)"
    r"|\[[^\[\]]{0,100}\])"
)
_AUTOLINK: Final = re.compile(r"<?https?://[^\s<>\"')\]]{1,2000}>?")
_DEFINITION: Final = re.compile(r"^ {0,3}\[[^\[\]]{1,100}\]:\s")
_FENCE: Final = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})")
_MARKS: Final = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_BULLET_ONLY: Final = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*$")


def embedding_text(title: str, section_path: Sequence[str], lead_text: str, text: str) -> str:
    """Title, heading path, lead and body, each said once: a heading in the body is not repeated."""
    lines = list(_plain_lines(text))
    standing = {line.casefold() for line in lines[:12]}
    front: list[str] = []
    for name in (title, *section_path):
        words = " ".join(plain_heading(name).split())
        if words and words.casefold() not in standing and words not in front:
            front.append(words)
    lead = list(_plain_lines(lead_text))
    head = [" > ".join(front)] if front else []
    return "\n".join((*head, *lead, *lines))


def _plain_lines(text: str) -> list[str]:
    plain: list[str] = []
    for line in text.split("\n"):
        if _BULLET_ONLY.match(line) or _FENCE.match(line) or _DEFINITION.match(line):
            continue
        if set(line) <= set("|:- \t=_*"):
            continue  # the rule below a table's header, a thematic break
        words = line.lstrip("> \t")
        if words.startswith("#"):
            words = plain_heading(words)
        words = _IMAGE_OR_LINK.sub(r"\1", words)
        words = _AUTOLINK.sub(" ", words)
        words = _MARKS.sub("", words).replace("|", " ").replace("\\", "")
        words = " ".join(words.split())
        if words:
            plain.append(words)
    return plain
