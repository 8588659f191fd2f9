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

from firstline.documents.parse.page import Page
from firstline.errors import NotAccepted

UNPACKED_BYTES_MAX: Final = 256 * 1024 * 1024
ENTRIES_MAX: Final = 10_000
CELLS_MAX: Final = 100_000
LIST_DEPTH_MAX: Final = 8
TINY_HALF_POINTS_MAX: Final = 2

_HEADING: Final = re.compile(r"^heading (\d)$", re.IGNORECASE)
_CODE_STYLE: Final = re.compile(r"code|preformatted|source|verbatim|console", re.IGNORECASE)
_DAMAGED: Final = "It is damaged: it cannot be read as a Word document."
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def word_page(raw: bytes) -> Page:
    _check_archive(raw)
    try:
        document: Any = open_document(io.BytesIO(raw))
        title = str(document.core_properties.title or "").strip()
        hidden = _take_out_hidden(document)
        text = "\n".join(_Writer(document).lines())
    except NotAccepted:
        raise
    except Exception as error:
        # The library lets KeyError, ValueError, XML errors and others through, depending on which part is broken.
        raise NotAccepted(_DAMAGED, remedy="Open it in a word processor and save it again as .docx.") from error
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return Page(text=text, title=heading.group(1) if heading else title, hidden=hidden)


def _take_out_hidden(document: Any) -> str:
    """Runs that are marked hidden, of no size, or white on nothing: they leave the document; gives what they said. In a
    table white stays, for it may stand on the colour of a table's style."""
    said: list[str] = []
    for run in list(document.element.body.iter(f"{_W}r")):
        properties = run.find(f"{_W}rPr")
        if properties is None or not _unseen(run, properties):
            continue
        said.append("".join(node.text or "" for node in run.iter(f"{_W}t")))
        run.getparent().remove(run)
    text = " ".join("".join(said).split())
    return text if any(map(str.isalnum, text)) else ""


def _unseen(run: Any, properties: Any) -> bool:
    vanish, size, color = (properties.find(f"{_W}{name}") for name in ("vanish", "sz", "color"))
    if vanish is not None and vanish.get(f"{_W}val", "true") not in {"0", "false", "off"}:
        return True
    if size is not None and size.get(f"{_W}val", "").isdigit() and int(size.get(f"{_W}val")) <= TINY_HALF_POINTS_MAX:
        return True
    if color is None or color.get(f"{_W}val", "").upper() != "FFFFFF":
        return False
    if properties.find(f"{_W}shd") is not None or properties.find(f"{_W}highlight") is not None:
        return False
    around = run.getparent()
    while around is not None:
        if around.tag == f"{_W}tbl" or around.find(f"{_W}pPr/{_W}shd") is not None:
            return False
        around = around.getparent()
    return True


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

    def lines(self) -> Iterator[str]:
        code: list[str] = []
        in_list = False
        for block in self._document.iter_inner_content():
            if isinstance(block, Paragraph) and _CODE_STYLE.search(_style(block)):
                code.append(block.text)
                continue
            if code:
                yield from ("", "```", *code, "```", "")
                code = []
            if isinstance(block, Table):
                yield from ("", *self._table(block), "")
                continue
            text = " ".join(_inline(block).split())
            item = self._item(block)
            if not text:
                continue
            if item is None and in_list:
                yield ""
            in_list = item is not None
            yield from self._paragraph(_style(block), text, item)
        if code:
            yield from ("", "```", *code, "```")

    def _paragraph(self, style: str, text: str, item: str | None) -> Iterator[str]:
        heading = _HEADING.match(style)
        if heading or style.lower() == "title":
            level = min(6, max(1, int(heading.group(1)))) if heading else 1
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
        for row in cast("Any", table)._tbl.tr_lst:
            self._cells += len(row.tc_lst)
            if self._cells > CELLS_MAX:
                raise NotAccepted(f"Its tables have more than {CELLS_MAX} cells.", remedy="Export them as CSV.")
            rows.append([_cell(cell) for cell in row.tc_lst])
        width = max((len(row) for row in rows), default=0)
        for index, row in enumerate(rows):
            yield f"| {' | '.join(row + [''] * (width - len(row)))} |"
            if index == 0:
                yield f"|{' --- |' * width}"


def _cell(cell: Any) -> str:
    words = "".join(
        node.text or " " if node.tag == f"{_W}t" else " " for node in cell.iter(f"{_W}t", f"{_W}p", f"{_W}br")
    )
    return " ".join(words.split()).replace("|", "\\|")


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
