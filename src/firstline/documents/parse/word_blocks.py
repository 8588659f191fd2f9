"""How high does a paragraph of a Word document head, which cells has a table, what stands in notes and pictures?

Read from the document's own XML, so that styles in any language, merged cells and drawings are met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

STYLES_DEEP_MAX: Final = 20
SPAN_MAX: Final = 100
REPEATED_CHARS_MAX: Final = 200
ALT_CHARS_MAX: Final = 500
NOTES_MAX: Final = 5_000
WRAPPERS_MAX: Final = 20_000
_HEADING: Final = re.compile(r"^heading (\d)$", re.IGNORECASE)
W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"


def unwrap(document: Any) -> None:
    """Content controls, accepted changes and fields are taken for what they hold; a table of contents goes: it says
    what the headings say."""
    tags = [f"{W}{name}" for name in ("sdt", "ins", "moveTo", "smartTag", "fldSimple", "customXml")]
    for wrapper in list(document.element.body.iter(*tags))[:WRAPPERS_MAX]:
        parent = wrapper.getparent()
        if parent is None:
            continue
        gallery = wrapper.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
        if gallery is not None and "contents" in gallery.get(f"{W}val", "").lower():
            parent.remove(wrapper)
            continue
        inner = wrapper.find(f"{W}sdtContent") if wrapper.tag == f"{W}sdt" else wrapper
        for child in list(inner) if inner is not None else ():
            wrapper.addprevious(child)
        parent.remove(wrapper)


def heading_levels(document: Any) -> dict[str, int]:
    """Level from 1 of the styles that head, by style id: by name, outline level, or the style they are based on."""
    styles: dict[str, Any] = {
        style.get(f"{W}styleId", ""): style for style in document.styles.element.iter(f"{W}style")
    }
    levels: dict[str, int] = {}
    for own in styles:
        at = own
        for _ in range(STYLES_DEEP_MAX):
            style = styles.get(at)
            if style is None:
                break
            if level := _level(style):
                levels[own] = level
                break
            base = style.find(f"{W}basedOn")
            at = base.get(f"{W}val", "") if base is not None else ""
    return levels


def own_level(paragraph: Any) -> int:
    """The outline level that a paragraph has by itself, from 1; 0 for none."""
    return _outline(paragraph.find(f"{W}pPr"))


def _level(style: Any) -> int:
    name = style.find(f"{W}name")
    said = name.get(f"{W}val", "") if name is not None else ""
    if (numbered := _HEADING.match(said)) is not None:
        return min(6, max(1, int(numbered[1])))
    if said.lower() == "title":
        return 1
    return _outline(style.find(f"{W}pPr"))


def _outline(properties: Any) -> int:
    level = properties.find(f"{W}outlineLvl") if properties is not None else None
    value = level.get(f"{W}val", "") if level is not None else ""
    # 9 is the text itself.
    return min(6, int(value) + 1) if value.isdecimal() and len(value) == 1 and int(value) < 9 else 0


def table_rows(table: Any) -> Iterator[list[str]]:
    """Rows of cells' words. A merged cell stands in the first of its columns, and in every row when it is short."""
    above: dict[int, str] = {}
    for row in table.iterchildren(f"{W}tr"):
        cells: list[str] = []
        for cell in row.iter(f"{W}tc"):
            if next(cell.iterancestors(f"{W}tbl")) is not table:
                continue
            properties = cell.find(f"{W}tcPr")
            merge = properties.find(f"{W}vMerge") if properties is not None else None
            words = cell_words(cell)
            if merge is not None and merge.get(f"{W}val", "continue") == "continue" and not words:
                words = above.get(len(cells), "")
            above[len(cells)] = words if len(words) <= REPEATED_CHARS_MAX else ""
            cells.extend((words, *([""] * (_across(properties) - 1))))
        yield cells


def cell_words(cell: Any) -> str:
    """On one line; a table inside is read through, its cells parted by semicolons."""
    parts: list[str] = []
    for node in cell.iter(f"{W}t", f"{W}p", f"{W}br", f"{W}tab", f"{W}tc", f"{_WP}docPr", f"{W}footnoteReference"):
        if node.tag == f"{W}t":
            parts.append(node.text or " ")
        elif node.tag == f"{_WP}docPr":
            parts.append(f" {_alternative(node)} ")
        elif node.tag == f"{W}footnoteReference":
            parts.append(f"[{node.get(f'{W}id', '')}]")
        else:
            parts.append("; " if node.tag == f"{W}tc" and node is not cell and any(map(str.strip, parts)) else " ")
    return " ".join("".join(parts).split())


def _across(properties: Any) -> int:
    span = properties.find(f"{W}gridSpan") if properties is not None else None
    value = span.get(f"{W}val", "1") if span is not None else "1"
    return min(SPAN_MAX, max(1, int(value))) if value.isdecimal() and len(value) < 9 else 1


def pictures(paragraph: Any) -> str:
    """What pictures of a paragraph say in their alternative texts."""
    found = [_alternative(node) for node in paragraph.iter(f"{_WP}docPr")]
    return " ".join(text for text in found if text)


def _alternative(properties: Any) -> str:
    text = properties.get("descr") or ""
    return " ".join(text.split())[:ALT_CHARS_MAX]


def notes_of(document: Any) -> Mapping[str, str]:
    """Words of the footnotes and endnotes by mark: `1`, and `e1` for the latter."""
    found: dict[str, str] = {}
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in {"footnotes", "endnotes"} or relation.is_external:
            continue
        root = _parsed(relation.target_part.blob)
        for note in root.iterchildren(f"{W}{kind[:-1]}") if root is not None else ():
            mark = note.get(f"{W}id", "")
            words = cell_words(note)
            if words and note.get(f"{W}type") is None and len(found) < NOTES_MAX:
                found[mark if kind == "footnotes" else f"e{mark}"] = words
    return found


def marks_of(paragraph: Any) -> list[str]:
    """Marks of the notes that a paragraph refers to, in order."""
    return [
        ("" if node.tag == f"{W}footnoteReference" else "e") + node.get(f"{W}id", "")
        for node in paragraph.iter(f"{W}footnoteReference", f"{W}endnoteReference")
    ]


def _parsed(raw: bytes) -> Any:
    from docx.oxml.parser import parse_xml

    return parse_xml(raw)
