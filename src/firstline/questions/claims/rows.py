"""Does a table row say under which column each of its cells stands, as its table does?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

PART: Final = " · "
_NAMED: Final = re.compile(r"\*\*(.+?)\*\*:\s*(.*)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
COLUMNS_MAX: Final = 200


def row_disagreement(claim: str, sources: Sequence[str]) -> str | None:
    """Why the row is not the table's; "" when it is; None when the claim is not written as a row.

    `sources`: the row's own line first, then the line of column names when it cites one.
    """
    rows = [_cells(source) for source in sources if source.lstrip().startswith("|") or "|" in source]
    if not rows:
        return None
    cells, names = rows[0], rows[1] if len(rows) > 1 else []
    pairs = set(zip(names, cells, strict=False)) | {("", cell) for cell in cells}
    allowed = {f"**{name}**: {cell}" if name else cell for name, cell in pairs if cell}
    said = " ".join(claim.split())
    whole = PART.join(f"**{name}**: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)
    if said and said == whole:
        return ""
    parts = [part.strip() for part in said.split(PART.strip()) if part.strip()]
    if not parts or (names and not any(_NAMED.match(part) for part in parts)):
        return None
    for part in parts:
        if part not in allowed:
            return f"{part[:80]!r} does not stand so in the cited row"
    return ""


def _cells(source: str) -> list[str]:
    line = source.strip().splitlines()[0] if source.strip() else ""
    return [" ".join(_LINK.sub(r"\1", cell).split()) for cell in line.strip("|").split("|")][:COLUMNS_MAX]
