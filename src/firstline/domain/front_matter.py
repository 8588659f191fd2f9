"""Where does what a page says about itself end, and the page begin?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

FRONT_MATTER_CHARS_MAX: Final = 65_536
COMMENT_CHARS_MAX: Final = 4_000
COMMENTS_MAX: Final = 8
UNSEEN: Final = " \t\r\n\ufeff\u00a0\u200b\u2060"
"""What may stand before the first line without anybody seeing it."""

_BLANK: Final = re.compile(f"[{UNSEEN}]*")
_OPENING: Final = re.compile(r"(?P<fence>---|\+\+\+)[ \t]*\r?\n")
_CLOSING: Final = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*\r?(?:\n|\Z)", re.MULTILINE),
}
_KEY: Final = {
    "---": re.compile(r"^[\"']?[A-Za-z_][\w .-]{0,60}[\"']?[ \t]*:", re.MULTILINE),
    "+++": re.compile(r"^[ \t]*[\"']?[A-Za-z_][\w .-]{0,60}[\"']?[ \t]*=", re.MULTILINE),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter:
    """`head` is YAML, or TOML when `toml`; `body` is the rest. A block that is never closed is no front matter: `head`
    is "" and `body` the whole text then. `unclosed` is what stands behind its first line when that begins with a key.
    """

    head: str
    body: str
    toml: bool = False
    unclosed: str = ""


def front_matter(text: str) -> FrontMatter:
    """Between `---` lines (YAML) or `+++` lines (TOML) at the top; blank lines, a byte order mark and comments may
    stand before it. Linear in the length of the text."""
    start = _start(text)
    opening = _OPENING.match(text, start)
    if opening is None:
        return FrontMatter(head="", body=text)
    fence = opening["fence"]
    limit = opening.end() + FRONT_MATTER_CHARS_MAX
    close = _CLOSING[fence].search(text, opening.end(), limit)
    if close is None:
        block = text[opening.end() : limit]
        meant = block.lstrip().startswith("#") or _KEY[fence].match(block.lstrip()) is not None
        return FrontMatter(head="", body=text, unclosed=block if meant else "")
    head = text[opening.end() : close.start()]
    # A page may open with a thematic break: front matter is told by its first key.
    if head.strip() and _KEY[fence].search(head) is None:
        return FrontMatter(head="", body=text)
    return FrontMatter(head=head, body=text[close.end() :], toml=fence == "+++")


def _start(text: str) -> int:
    at = _blank_to(text, 0)
    for _ in range(COMMENTS_MAX):
        end = text.find("-->", at, at + COMMENT_CHARS_MAX) if text.startswith("<!--", at) else -1
        if end < 0:
            break
        at = _blank_to(text, end + 3)
    return at


def _blank_to(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
