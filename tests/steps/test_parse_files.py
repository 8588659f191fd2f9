from __future__ import annotations

import ctypes
import io
import zipfile
from collections.abc import Callable

import pypdfium2 as pdfium
import pypdfium2.raw as raw_pdfium
import pytest
from docx import Document as open_document

from firstline.documents.parse import parse, pdf
from firstline.domain import DocumentKind, ParsedDocument, SourceItem
from firstline.errors import NotAccepted

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def read(raw: bytes, media_type: str) -> ParsedDocument:
    return parse(SourceItem(item_id="x/file.bin", kind=DocumentKind.DOCUMENTATION, media_type=media_type, raw=raw))


def html(text: str) -> str:
    return read(text.encode(), "text/html").text


def test_html_furniture_goes_and_structure_stays() -> None:
    parsed = read(
        b"""<html><head><title>Site | Page</title><script>x()</script></head><body><nav>Menu</nav>
        <main><header><h1>Set <code>it</code> up</h1></header><p>Read <a href="/guide">the guide</a> and
        <strong>wait</strong>.<br>Then go.</p><ol><li>One<ul><li>inner</li></ul></li><li>Two</li></ol>
        <p hidden>no</p><p style="display: none">no</p><pre><code>a
  b</code></pre><table><thead><tr><th>K</th><th>V</th></tr></thead>
        <tbody><tr><td>x</td><td><code>1</code> &amp; 2</td></tr>
        </tbody></table><blockquote><p>Said.</p></blockquote></main><footer>Foot</footer></body></html>""",
        "text/html",
    )
    assert parsed.title == "Set it up"
    assert parsed.text == (
        "# Set `it` up\n\nRead [the guide](/guide) and **wait**.\nThen go.\n\n1. One\n   - inner\n2. Two\n\n"
        "```\na\n  b\n```\n\n| K | V |\n| --- | --- |\n| x | `1` & 2 |\n\n> Said.\n"
    )


def test_html_without_a_main_part_and_with_layout_tables() -> None:
    assert html("<table><tr><td><h2>Part</h2><p>Text</p></td></tr></table><p>More") == "## Part\n\nText\n\nMore\n"


@pytest.mark.parametrize("tag", ["div", "ul><li", "blockquote", "b", "table><tr><td", "a href=x"])
def test_deep_html_nesting_ends_well(tag: str) -> None:
    assert "deep" in html(f"<{tag}>" * 10_000 + "deep")


def test_html_in_a_declared_encoding() -> None:
    raw = '<meta charset="windows-1251"><p>Привет, мир</p>'.encode("cp1251")
    assert read(raw, "text/html").text == "Привет, мир\n"


def pdf_bytes(*pages: list[tuple[str, float]]) -> bytes:
    document = pdfium.PdfDocument.new()
    for lines in pages:
        page = document.new_page(595, 842)
        y = 780.0
        for text, size in lines:
            y -= size
            font = raw_pdfium.FPDFText_LoadStandardFont(document.raw, b"Helvetica")
            item = raw_pdfium.FPDFPageObj_CreateTextObj(document.raw, font, size)
            encoded = (text + "\0").encode("utf-16-le")
            raw_pdfium.FPDFText_SetText(item, ctypes.cast(encoded, ctypes.POINTER(ctypes.c_ushort)))
            raw_pdfium.FPDFPageObj_Transform(item, 1, 0, 0, 1, 60, y)
            raw_pdfium.FPDFPage_InsertObject(page.raw, item)
            y -= 12
        page.gen_content()
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def test_pdf_text_headings_and_furniture() -> None:
    raw = pdf_bytes(
        *[
            [
                ("Handbook of everything", 8),
                (f"Chapter {number}", 20),
                ("The quick brown fox jumps over the lazy dog and then it rests for a", 11),
                ("while under the old tree.", 11),
                (f"Page {number}", 8),
            ]
            for number in range(1, 5)
        ]
    )
    parsed = read(raw, "application/pdf")
    assert "# Chapter 1" in parsed.text and "# Chapter 4" in parsed.text
    assert "rests for a\nwhile under" in parsed.text
    assert "Handbook" not in parsed.text and "Page 2" not in parsed.text
    assert parsed.metadata["pages"] == "4"


ENCRYPTED = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n4 0 obj<</Filter/Standard/V 1/R 2/P -4/O<"
    + b"ab" * 32
    + b">/U<"
    + b"cd" * 32
    + b">>>endobj\ntrailer<</Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]/Size 5>>\n%%EOF"
)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: pdf_bytes([]), "contains no text"),
        (lambda: b"%PDF-1.7\n" + b"\x00\xff garbage" * 40, "truncated or damaged"),
        (lambda: pdf_bytes([("Hello there", 12)])[:300], "truncated or damaged"),
        (lambda: ENCRYPTED, "password-protected"),
    ],
)
def test_pdfs_that_cannot_be_read(make: Callable[[], bytes], reason: str) -> None:
    with pytest.raises(NotAccepted, match=reason):
        read(make(), "application/pdf")


def test_a_pdf_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "TIME_S_MAX", 0.01)
    with pytest.raises(NotAccepted, match="took longer"):
        read(pdf_bytes([("Hello", 12)]), "application/pdf")


def docx_bytes() -> bytes:
    document = open_document()
    document.add_heading("Restore a backup", 1)
    document.add_paragraph("Do this in order.")
    document.add_paragraph("Stop the server", style="List Number")
    document.add_paragraph("Copy the files", style="List Number")
    document.add_paragraph("mind the rights", style="List Bullet 2")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([c for row in table.rows for c in row.cells], ["Key", "Value", "a|b", "1"], strict=True):
        cell.text = text
    document.add_heading("After", 2)
    document.add_paragraph("Start it.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_docx_in_document_order() -> None:
    parsed = read(docx_bytes(), WORD)
    assert parsed.title == "Restore a backup"
    assert parsed.text == (
        "# Restore a backup\n\nDo this in order.\n\n1. Stop the server\n2. Copy the files\n   - mind the rights\n\n"
        "| Key | Value |\n| --- | --- |\n| a\\|b | 1 |\n\n\n## After\n\nStart it.\n"
    )


def test_docx_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for raw in (b"PK\x03\x04 broken", docx_bytes()[:2000]):
        with pytest.raises(NotAccepted, match="damaged"):
            read(raw, WORD)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 1_000_000)
    with pytest.raises(NotAccepted, match="damaged"):
        read(out.getvalue(), WORD)
    monkeypatch.setattr("firstline.documents.parse.word.UNPACKED_BYTES_MAX", 100_000)
    with pytest.raises(NotAccepted, match="Unpacked"):
        read(out.getvalue(), WORD)
    with pytest.raises(NotAccepted, match="password-protected"):
        read(b"\xd0\xcf\x11\xe0" + bytes(600), WORD)
