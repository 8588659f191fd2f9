"""Which addresses reach somebody by mail?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.redact.spans import Span

# An address starts at a boundary and its parts are bounded, so that a long run of letters is looked at once.
_EMAIL: Final = re.compile(
    r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[A-Za-z]{2,24}(?![\w-]|@|\.\w)"
)
# Names of algorithms in SSH carry the domain of whoever defined them: aes128-gcm@openssh.com.
_ALGORITHM: Final = re.compile(r"(?i)[\w-]*\d[\w-]*@(?:openssh\.com|libssh\.org|lysator\.liu\.se)$|rijndael-cbc@")
_NOT_A_DOMAIN: Final = ("png", "jpg", "jpeg", "gif", "svg", "css", "js", "webp", "service", "socket", "target", "timer")


def emails(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for match in _EMAIL.finditer(text):
        domain = match.group().rsplit("@", 1)[1]
        if domain.rsplit(".", 1)[1].lower() in _NOT_A_DOMAIN or _ALGORITHM.match(match.group()):
            continue
        if match.group().startswith("git@") and text[match.end() : match.end() + 1] in (":", "/"):
            continue
        yield Span(start=match.start(), end=match.end(), type="EMAIL")
