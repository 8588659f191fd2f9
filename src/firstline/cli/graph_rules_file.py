"""Rules about names in a file: a JSON object on each line, or CSV, with kind, first, second and note."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from firstline.questions.aliases.desk import Wanted

BYTES_MAX: Final = 16_000_000
FIELDS: Final = ("kind", "first", "second", "note")
FORMS: Final = (
    'Write {"kind": "same", "first": "RS", "second": "ReplicaSet"}, or CSV that begins with kind,first,second.'
)


def rules_in(path: Path, *, note: str) -> list[Wanted]:
    """In the order of the file, with their lines. `note` is that of rules without their own. InvalidInput names the
    line of what cannot be read as a rule."""
    from firstline.domain import RuleKind
    from firstline.errors import InvalidInput
    from firstline.questions.aliases.desk import AT_ONCE_MAX, Wanted

    found: list[Wanted] = []
    for line, row in _rows(path):
        where = f"Line {line} of {path.name}"
        unknown = sorted(set(row) - set(FIELDS))
        if unknown or not all(isinstance(value, str) for value in row.values()):
            raise InvalidInput(f"{where} is no rule{f': {unknown[0]!r} is unknown' if unknown else ''}.", remedy=FORMS)
        kind = row.get("kind", "").strip().lower().replace("-", "_")
        kinds = {one.value: one for one in RuleKind}
        if kind not in kinds:
            raise InvalidInput(
                f"{where} has no kind of rule: {kind[:50]!r}.", remedy=f"The kinds are {', '.join(kinds)}."
            )
        found.append(
            Wanted(
                kind=kinds[kind],
                first=row.get("first", ""),
                second=row.get("second", ""),
                note=row.get("note", "") or note,
                line=line,
            )
        )
        if len(found) > AT_ONCE_MAX:
            raise InvalidInput(f"{path.name} has more than {AT_ONCE_MAX} rules.", remedy="Part it.")
    if not found:
        raise InvalidInput(f"{path.name} holds no rule.", remedy=FORMS)
    return found


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    from firstline.errors import InvalidInput

    try:
        if path.stat().st_size > BYTES_MAX:
            raise InvalidInput(f"{path.name} is larger than {BYTES_MAX:,} bytes.", remedy="Part it.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path.name} cannot be read as text.", remedy="Give a file in UTF-8.") from error
    if text.lstrip().startswith("{"):
        yield from _json_lines(path, text)
    else:
        yield from _table(path, text)


def _json_lines(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    from firstline.errors import InvalidInput

    # Not splitlines: it parts at signs that JSON may hold.
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            row = json.loads(written)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise InvalidInput(f"Line {line} of {path.name} is no JSON object.", remedy=FORMS)
        yield line, {str(name): "" if value is None else value for name, value in row.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  (whatever JSON holds)


def _table(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    from firstline.errors import InvalidInput

    lines = csv.DictReader(text.split("\n"))
    if not {"kind", "first"} <= {name.strip() for name in lines.fieldnames or ()}:
        raise InvalidInput(f"Line 1 of {path.name} does not name the columns.", remedy=FORMS)
    try:
        for row in lines:
            told = {(name or "more").strip(): value for name, value in row.items() if value is not None}
            yield lines.line_num, told
    except csv.Error as error:
        raise InvalidInput(f"Line {lines.line_num} of {path.name} is no CSV: {error}.", remedy=FORMS) from error
