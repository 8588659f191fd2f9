"""How do notes and warnings read? As quotes with a bold label, whatever dialect wrote them.

Known forms: `:::note Title` to `:::` (and what shortcodes were turned into), `!!! note "Title"` with an indented body,
`> [!NOTE]`.
"""

from __future__ import annotations

import re
from typing import Final

_OPEN: Final = re.compile(
    r"^([ \t]*):{3,}[ \t]*([A-Za-z][\w-]{0,30})[ \t]*(?:\[([^\[\]\n]{1,200})\]|([^\n{]{0,200}))?(?:\{[^\n]{0,200})?$"
)
_CLOSE: Final = re.compile(r"^[ \t]*:{3,}[ \t]*$")
_INDENTED: Final = re.compile(
    r"^([ \t]*)(?:!!!"
    r"|\?\?\?)\+?[ \t]+([A-Za-z][\w-]{0,30})(?:[ \t]+[\w -]{0,60})?(?:[ \t]+\"([^\"\n]{0,200})\")?[ \t]*$"
)
_ALERT: Final = re.compile(r"^([ \t]*>[ \t]*)\[!([A-Za-z]{2,20})\][-+]?[ \t]*([^\n]{0,200})$")
_FENCE: Final = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
DEPTH_MAX: Final = 4


def quote_admonitions(text: str) -> str:
    """Text with every known form brought to `> **Note:** ...`. Code fences are quoted inside a note, else kept."""
    if ":::" not in text and "!!!" not in text and "???" not in text and "[!" not in text:
        return text
    return "\n".join(_Quoter(text.split("\n")).lines())


class _Quoter:
    def __init__(self, lines: list[str]) -> None:
        self._source = lines
        # An opening without a close would quote the rest of the page: count the closes that are left.
        self._closes_left = sum(1 for line in lines if _CLOSE.match(line))
        self._open: list[str] = []
        self._body_indent: int | None = None
        self._label = ""
        self._marker = ""
        self._out: list[str] = []

    def lines(self) -> list[str]:
        for line in self._source:
            self._take(line)
        self._flush_label()
        return self._out

    def _take(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self._marker:
            if fence and fence.group(1).startswith(self._marker) and not line.strip("> \t").strip(self._marker[0]):
                self._marker = ""
            self._emit(line)
            return
        if fence:
            self._marker = fence.group(1)
            self._emit(line)
            return
        if _CLOSE.match(line):
            self._close()
            return
        opening = _OPEN.match(line)
        if opening and self._closes_left > len(self._open):
            self._flush_label()
            self._open.append(opening.group(1))
            self._label = _label(opening.group(2), opening.group(3) or opening.group(4) or "")
            return
        indented = _INDENTED.match(line)
        if indented:
            self._flush_label()
            self._body_indent = len(indented.group(1).expandtabs(4))
            self._label = _label(indented.group(2), indented.group(3) or "")
            return
        alert = _ALERT.match(line)
        if alert:
            self._emit(f"{alert.group(1)}{_label(alert.group(2), alert.group(3))}")
            return
        self._emit(line)

    def _close(self) -> None:
        self._closes_left -= 1
        self._flush_label()
        if self._open:
            while self._out and self._out[-1].strip() == ">":
                self._out.pop()
            self._open.pop()
            self._out.append("")

    def _emit(self, line: str) -> None:
        if self._body_indent is not None and line.strip():
            if len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip()) < self._body_indent + 4:
                self._flush_label()
                self._body_indent = None
            else:
                line = line.expandtabs(4)[self._body_indent + 4 :]
        if self._body_indent is None and not self._open:
            self._out.append(line)
            return
        prefix = self._prefix()
        if self._label and _FENCE.match(line):
            self._flush_label()  # beside the label it would open nothing
        if self._label and line.strip():
            line, self._label = f"{self._label} {line.strip()}", ""
        elif self._label:
            return  # blank lines between the label and its text
        indent = self._open[-1] if self._open else ""
        bare = line.removeprefix(indent)
        self._out.append(f"{prefix}{bare}".rstrip() if not self._marker else f"{prefix}{bare}")

    def _prefix(self) -> str:
        indent = self._open[0] if self._open else " " * (self._body_indent or 0)
        depth = min(DEPTH_MAX, len(self._open) + (self._body_indent is not None))
        return indent + "> " * depth

    def _flush_label(self) -> None:
        if self._label:
            label, self._label = self._label, ""
            self._out.append(f"{self._prefix()}{label}")


def _label(kind: str, title: str) -> str:
    words = title.strip().strip("\"'")
    name = kind.replace("-", " ").capitalize()
    return f"**{name}: {words}**" if words and words.lower() != kind.lower() else f"**{name}:**"
