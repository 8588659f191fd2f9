"""How do tabs read that are told by indentation? One after the other, each headed by its name."""

from __future__ import annotations

import re
from typing import Final

_TAB: Final = re.compile(r"^([ ]{0,40})===[!+]{0,2}[ ]+\"([^\"\n]{1,200})\"[ ]*$")
_FENCE: Final = re.compile(r"^[ ]{0,40}(`{3,}|~{3,})")
DEPTH_MAX: Final = 6


def open_tabs(text: str) -> str:
    """`=== "Name"` with an indented body becomes `**Name**` with that body at the margin, in code, too."""
    if '=== "' not in text and '===+ "' not in text and '===! "' not in text:
        return text
    out: list[str] = []
    open_at: list[int] = []
    marker = ""
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip():
            while open_at and indent < open_at[-1] + 4:
                open_at.pop()
        bare = line[4 * len(open_at) :] if line.strip() else line
        fence = _FENCE.match(line)
        if marker:
            closes = fence is not None and fence[1].startswith(marker) and not line.strip().strip(marker[0])
            marker = "" if closes or not _inside(line, open_at) else marker
            out.append(bare)
            continue
        tab = _TAB.match(line)
        if tab is not None and len(open_at) < DEPTH_MAX:
            out.extend((f"{bare[: max(0, len(bare) - len(bare.lstrip()))]}**{tab[2]}**", ""))
            open_at.append(len(tab[1]))
            continue
        marker = fence[1] if fence is not None and open_at else ""
        out.append(bare)
    return "\n".join(out)


def _inside(line: str, open_at: list[int]) -> bool:
    """A fence of a tab ends with the tab."""
    return not line.strip() or bool(open_at)
