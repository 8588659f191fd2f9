"""Tickets and articles from CSV, JSONL and NDJSON: every row is a document.

| column (first found) | meaning |
|---|---|
| id | names the row within its file; else a hash of its content does |
| title, subject, question, summary | title |
| text, body, content, description, answer | the document, as Markdown or plain text |
| symptom / problem, environment, cause, resolution / fix / solution | parts of a ticket, put together under headings |
| question with answer | a curated answer (kind faq), found by its question |
| url, kind, acl, level | outrank what was given for the source; front matter in the text outranks them |
| updated_at, status, product, version and any other | metadata |

`columns` renames: {"text": "Description"} takes the text from the column "Description".
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

from firstline.connectors.charset import Notice, as_utf8
from firstline.connectors.hashing import content_hash
from firstline.connectors.overrides import Access, front_overrides, overridden
from firstline.domain import DocumentKind, Failure, SourceItem, front_matter

TITLES: Final = ("title", "subject", "question", "summary")
TEXTS: Final = ("text", "body", "content", "description", "answer")
PARTS: Final = (
    ("Symptom", ("symptom", "problem")),
    ("Environment", ("environment",)),
    ("Cause", ("cause",)),
    ("Resolution", ("resolution", "fix", "solution")),
)
_PLACED: Final = frozenset(
    {"id", "url", "kind", "acl", "level", *TITLES, *TEXTS, *(name for _, names in PARTS for name in names)}
)
METADATA_MAX: Final = 32
COLUMNS_SHOWN: Final = 40
METADATA_CHARS_MAX: Final = 500
_SAME_ID: Final = "the id of this row was used before. Give every row an id of its own."
_JSON_LINE: Final = 'Every line must be one object, like {"id": "1", "title": "...", "text": "..."}.'
FIELD_CHARS_MAX: Final = 16 * 1024 * 1024
_MARKDOWN: Final = re.compile(
    r"^#{1,6} \S|^ {0,3}(?:```|~~~)|^\|?[ \t]*:?-{3,}:?[ \t]*\|"
    r"|\[[^\[\]\n]{1,200}\]\((?:https?:|/|#|\.)[^()\s]{0,500}\)|\*\*[^*\n]{1,200}\*\*",
    re.MULTILINE,
)

Row = Mapping[str, object]


def table_items(
    path: Path, file_id: str, *, media_type: str, access: Access, columns: Mapping[str, str]
) -> Iterator[SourceItem | Failure | Notice]:
    """One item per row, in order; a broken row is a Failure naming its line, a table without a column that `columns`
    names is one as a whole. OSError: the file cannot be read."""
    seen: set[str] = set()
    text = ""
    if media_type == "text/csv":
        raw, said = as_utf8(path.read_bytes())
        text = raw.decode("utf-8-sig")
        if said:
            yield Notice(item_id=file_id, said=said)

    def rows() -> Iterator[tuple[int, Row | str]]:
        return _csv_rows(text) if media_type == "text/csv" else _json_rows(path)

    missing = _without_columns(rows(), columns) if columns else ""
    if missing:
        yield Failure(item_id=file_id, reason=missing)
        return
    for line, row in rows():
        if isinstance(row, str):
            yield Failure(item_id=f"{file_id}#line {line}", reason=f"Line {line}: {row}")
            continue
        item = _item(_renamed(row, columns), file_id, access)
        if isinstance(item, str):
            yield Failure(item_id=f"{file_id}#line {line}", reason=f"Line {line}: {item}")
        elif item.item_id in seen:
            yield Failure(item_id=f"{file_id}#line {line}", reason=f"Line {line}: {_SAME_ID}")
        else:
            seen.add(item.item_id)
            yield item


def _without_columns(rows: Iterator[tuple[int, Row | str]], columns: Mapping[str, str]) -> str:
    """What is wrong when no row has a column that is mapped; "" when each is there. Ends with the first row that has
    them all: in a CSV file that is the first one."""
    wanted = {column.lower() for column in columns.values()}
    names: dict[str, None] = {}
    for _, row in rows:
        if isinstance(row, str):
            continue
        names.update(dict.fromkeys(str(name).strip() for name in row))
        if wanted <= {name.lower() for name in names}:
            return ""
    if not names:
        return ""  # nothing could be read: every line says why
    there = {name.lower() for name in names}
    absent = ", ".join(sorted({repr(column) for column in columns.values() if column.lower() not in there}))
    listed = ", ".join(list(names)[:COLUMNS_SHOWN]) + (", ..." if len(names) > COLUMNS_SHOWN else "")
    return f"It has no column {absent}. Its columns are {listed}: name one of them with --map."


def _json_rows(path: Path) -> Iterator[tuple[int, Row | str]]:
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if not line.strip():
                continue
            try:
                row: object = json.loads(line.decode("utf-8"))
            except UnicodeDecodeError:
                yield number, "it is not UTF-8. Save the file as UTF-8."
            except json.JSONDecodeError as error:
                yield number, f"it is not valid JSON ({_json_fault(error)}). {_JSON_LINE}"
            except (ValueError, RecursionError):
                yield number, f"its JSON is nested too deep or holds a number that is too long. {_JSON_LINE}"
            else:
                if isinstance(row, dict):
                    yield number, cast("dict[str, object]", row)
                else:
                    yield number, f"it is not a JSON object. {_JSON_LINE}"


def _json_fault(error: json.JSONDecodeError) -> str:
    """The parser's own words without what it quotes, and where it stopped reading."""
    return f"{error.msg[:1].lower()}{error.msg[1:].split(':')[0]} at column {error.colno}"


def _csv_rows(text: str) -> Iterator[tuple[int, Row | str]]:
    """The separator (comma, semicolon, tab or bar) is the one that the header line has most of."""
    csv.field_size_limit(FIELD_CHARS_MAX)
    header = text.split("\n", 1)[0]
    separator = max(",;\t|", key=header.count)
    reader = csv.reader(io.StringIO(text.replace("\x00", ""), newline=""), delimiter=separator)
    names: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield line, f"it is not valid CSV ({error}). Check its quotes."
            continue
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if names is None:
            names = [cell.strip() for cell in cells]
        elif len(cells) > len(names):
            found = f"it has {len(cells)} fields, the header has {len(names)}"
            yield line, f"{found}. Put a field that holds {separator!r} in double quotes."
        else:
            yield line, dict(zip(names, cells, strict=False))


def _renamed(row: Row, columns: Mapping[str, str]) -> dict[str, object]:
    """Column names in lower case, with the mapping applied; what is mapped outranks a column of that very name."""
    taken = {column.lower() for column in columns.values()}
    lowered = {str(name).strip().lower(): value for name, value in row.items()}
    renamed = {name: value for name, value in lowered.items() if name not in taken}
    for name, column in columns.items():
        if column.lower() in lowered:
            renamed[name.lower()] = lowered[column.lower()]
    return renamed


def _item(row: Mapping[str, object], file_id: str, access: Access) -> SourceItem | str:
    title_from, title = _first(row, TITLES)
    text_from, text = _first(row, TEXTS)
    if text_from == "answer" and title_from == "question":
        access = replace(access, kind=DocumentKind.FAQ)
    changed = overridden(
        access, kind=row.get("kind"), acl=_given(row.get("acl")), level=_given(row.get("level"), empty=None)
    )
    if isinstance(changed, str):
        return changed[:1].lower() + changed[1:]
    text = _composed(row, text)
    if not text.strip():
        return "it has no text; use --map to name the column that holds it."
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title = " ".join(title.split())[:500]
    raw = text.encode("utf-8", "replace")
    front = front_overrides(raw, changed)
    if isinstance(front, str):
        return front[:1].lower() + front[1:]
    changed, url = front.access, _text(row.get("url"))[:2000] or front.url
    return content_hash(
        SourceItem(
            item_id=f"{file_id}#{_row_id(row, title, raw)}",
            kind=changed.kind,
            media_type="text/markdown" if _is_markdown(text) else "text/plain",
            raw=raw,
            title=title,
            url=url,
            metadata={**_metadata(row), **changed.metadata(title)},
            acl=changed.acl,
            level=changed.level,
        )
    )


def _is_markdown(text: str) -> bool:
    return bool(front_matter(text).head) or _MARKDOWN.search(text[:200_000]) is not None


def _row_id(row: Mapping[str, object], title: str, raw: bytes) -> str:
    given = " ".join(_text(row.get("id")).split())[:300]
    return given or hashlib.sha256(title.encode("utf-8", "replace") + b"\x00" + raw).hexdigest()[:16]


def _composed(row: Mapping[str, object], text: str) -> str:
    """The text, then the parts of a ticket under their headings."""
    parts = [text.strip()] if text.strip() else []
    for heading, names in PARTS:
        part = _first(row, names)[1].strip()
        if part:
            parts.append(f"## {heading}\n\n{part}")
    return "\n\n".join(parts) + "\n"


def _metadata(row: Mapping[str, object]) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in row.items():
        text = " ".join(_text(value).split())[:METADATA_CHARS_MAX]
        if name and name not in _PLACED and text:
            values[name[:60]] = text
        if len(values) >= METADATA_MAX:
            break
    return values


def _first(row: Mapping[str, object], names: tuple[str, ...]) -> tuple[str, str]:
    """(column, value) of the first of these columns that is not empty."""
    for name in names:
        value = _text(row.get(name))
        if value.strip():
            return name, value
    return "", ""


def _given(value: object, *, empty: object = "") -> object:
    """An empty CSV cell says nothing about the level; an empty acl column means nobody."""
    if isinstance(value, str) and not value.strip():
        return empty
    return value


def _text(value: object) -> str:
    """Scalars as text, lists joined by commas; anything deeper has no place in a row."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        parts = [_text(part) for part in cast("list[Any]", value)[:50] if not isinstance(part, list | dict)]
        return ", ".join(part for part in parts if part)
    return ""
