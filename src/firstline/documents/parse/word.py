"""What does a Word document say? Headings by style, lists by numbering, tables, in the order of the document."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, Final, cast

from docx import Document as open_document
from docx.table import Table
from docx.text.hyperlink import Hyperlink
from docx.text.paragraph import Paragraph

from firstline.documents.parse.marked import fenced, table_lines
from firstline.documents.parse.page import Page
from firstline.documents.parse.word_blocks import (
    heading_levels,
    marks_of,
    notes_of,
    own_level,
    pictures,
    table_rows,
    unwrap,
)
from firstline.documents.parse.word_hidden import take_out_hidden
from firstline.errors import NotAccepted

UNPACKED_BYTES_MAX: Final = 256 * 1024 * 1024
ENTRIES_MAX: Final = 10_000
CELLS_MAX: Final = 100_000
LIST_DEPTH_MAX: Final = 8
HEADING_CHARS_MAX: Final = 300

_CODE_STYLE: Final = re.compile(r"code|preformatted|source|verbatim|console", re.IGNORECASE)
_DAMAGED: Final = "It is damaged: it cannot be read as a Word document."
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def word_page(raw: bytes) -> Page:
    _check_archive(raw)
    try:
        document: Any = open_document(io.BytesIO(raw))
        title = str(document.core_properties.title or "").strip()
        hidden = take_out_hidden(document)
        unwrap(document)
        text = "\n".join(_Writer(document).lines())
    except NotAccepted:
        raise
    except Exception as error:
        # The library lets KeyError, ValueError, XML errors and others through, depending on which part is broken.
        raise NotAccepted(_DAMAGED, remedy="Open it in a word processor and save it again as .docx.") from error
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return Page(text=text, title=heading.group(1) if heading else title, hidden=hidden)


def _check_archive(raw: bytes) -> None:
    """Look into the directory before anything is unpacked: a small file may unfold to terabytes."""
    if raw.startswith(b"\xd0\xcf\x11\xe0"):
        raise NotAccepted("It is password-protected or in the old .doc format.", remedy="Save it as an open .docx.")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise NotAccepted(_DAMAGED, remedy="Open it in a word processor and save it again as .docx.") from None
    if len(entries) > ENTRIES_MAX or sum(entry.file_size for entry in entries) > UNPACKED_BYTES_MAX:
        raise NotAccepted(
            f"Unpacked it is larger than {UNPACKED_BYTES_MAX // 1024**2} MiB.",
            remedy="Split it, or take out its pictures.",
        )


class _Writer:
    def __init__(self, document: Any) -> None:
        self._document = document
        self._cells = 0
        self._numbers: dict[tuple[str, int], int] = {}
        self._formats = _list_formats(document)
        self._levels = heading_levels(document)
        self._notes = notes_of(document)
        self._told: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        code: list[str] = []
        in_list = False
        for block in self._document.iter_inner_content():
            if isinstance(block, Paragraph) and _CODE_STYLE.search(_style(block)):
                code.append(block.text)
                continue
            if code:
                yield from ("", *fenced(code), "")
                code = []
            if isinstance(block, Table):
                yield from ("", *self._table(block), "")
                continue
            text = self._text(block)
            item = self._item(block)
            if not text:
                continue
            if item is None and in_list:
                yield ""
            in_list = item is not None
            yield from self._paragraph(self._level(block), text, item)
        if code:
            yield from ("", *fenced(code))
        yield from ("", *(f"[{mark}] {words}" for mark, words in self._told.items()))

    def _text(self, block: Paragraph) -> str:
        """On one line, with the alternative texts of its pictures and the marks of its notes."""
        element: Any = block._p  # pyright: ignore[reportPrivateUsage] python-docx shows drawings and notes nowhere else
        marks = [mark for mark in marks_of(element) if mark in self._notes]
        self._told.update({mark: self._notes[mark] for mark in marks})
        parts = (_inline(block), pictures(element), "".join(f"[{mark}]" for mark in marks))
        return " ".join(" ".join(part for part in parts if part).split())

    def _level(self, block: Paragraph) -> int:
        element: Any = block._p  # pyright: ignore[reportPrivateUsage] see above
        style = block.style
        return own_level(element) or (self._levels.get(style.style_id or "", 0) if style is not None else 0)

    def _paragraph(self, level: int, text: str, item: str | None) -> Iterator[str]:
        if level and len(text) <= HEADING_CHARS_MAX:
            yield from ("", f"{'#' * level} {text}", "")
        elif item is not None:
            yield f"{item}{text}"
        else:
            yield from (text, "")

    def _item(self, paragraph: Paragraph) -> str | None:
        """The list marker with its indentation, None outside of lists."""
        properties = cast("Any", paragraph._p).pPr  # pyright: ignore[reportPrivateUsage] python-docx shows numbering nowhere else
        numbering = properties.numPr if properties is not None else None
        style = _style(paragraph)
        if numbering is not None and numbering.numId is not None and numbering.numId.val:
            level = min(LIST_DEPTH_MAX, int(numbering.ilvl.val) if numbering.ilvl is not None else 0)
            key = str(numbering.numId.val)
            bullet = self._formats.get((key, level), "bullet") == "bullet"
        elif style.lower().startswith("list "):
            digits = re.search(r"\d$", style)
            level, key = (int(digits.group()) - 1 if digits else 0), style.rstrip("0123456789 ")
            bullet = "number" not in style.lower()
        else:
            self._numbers.clear()
            return None
        for deeper in [entry for entry in self._numbers if entry[1] > level]:
            del self._numbers[deeper]
        if bullet:
            return "   " * level + "- "
        number = self._numbers[(key, level)] = self._numbers.get((key, level), 0) + 1
        return "   " * level + f"{number}. "

    def _table(self, table: Table) -> Iterator[str]:
        rows: list[list[str]] = []
        for row in table_rows(cast("Any", table)._tbl):
            self._cells += len(row)
            if self._cells > CELLS_MAX:
                raise NotAccepted(f"Its tables have more than {CELLS_MAX} cells.", remedy="Export them as CSV.")
            rows.append(row)
        return table_lines(rows)


def _style(paragraph: Paragraph) -> str:
    style = paragraph.style
    return (style.name or "") if style is not None else ""


def _inline(paragraph: Paragraph) -> str:
    parts: list[str] = []
    for part in paragraph.iter_inner_content():
        if (
            isinstance(part, Hyperlink)
            and part.address
            and part.text.strip()
            and not re.search(r"[\s()]", part.address)
        ):
            parts.append(f"[{part.text.strip()}]({part.address})")
        else:
            parts.append(part.text)
    return "".join(parts)


def _list_formats(document: Any) -> dict[tuple[str, int], str]:
    """(numbering id, level) -> number format, from the numbering part; {} when there is none."""
    try:
        root = document.part.numbering_part.element
    except (KeyError, NotImplementedError, AttributeError):
        return {}
    abstract: dict[str, dict[int, str]] = {}
    for entry in root.iter(f"{_W}abstractNum"):
        levels: dict[int, str] = {}
        for level in entry.iter(f"{_W}lvl"):
            form = level.find(f"{_W}numFmt")
            levels[int(level.get(f"{_W}ilvl", "0"))] = form.get(f"{_W}val", "bullet") if form is not None else "bullet"
        abstract[entry.get(f"{_W}abstractNumId", "")] = levels
    formats: dict[tuple[str, int], str] = {}
    for entry in root.iter(f"{_W}num"):
        reference = entry.find(f"{_W}abstractNumId")
        named = reference.get(f"{_W}val", "") if reference is not None else ""
        for level, form in abstract.get(named, {}).items():
            formats[(entry.get(f"{_W}numId", ""), level)] = form
    return formats
