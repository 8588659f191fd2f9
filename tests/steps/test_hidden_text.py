"""Text that a reader does not see is left out and told; text that is only pale, small or upon a colour stays."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Callable
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw_pdfium
import pytest
from docx import Document as open_document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor

from firstline.documents.parse import parse
from firstline.documents.parse.colours import colour, lost_on, transparent
from firstline.domain import DocumentKind, ParsedDocument, SourceItem

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
BLACK, WHITE = (0, 0, 0, 255), (255, 255, 255, 255)


def read(raw: bytes, media_type: str) -> ParsedDocument:
    return parse(SourceItem(item_id="x/file.bin", kind=DocumentKind.DOCUMENTATION, media_type=media_type, raw=raw))


def page(body: str, media_type: str) -> ParsedDocument:
    return read(f"<p>Before.</p>\n\n{body}\n\n<p>After.</p>".encode(), media_type)


HIDDEN = [
    '<p style="color:#fefefe">Secret</p>',
    '<p style="color:rgb(250,251,252)">Secret</p>',
    '<p style="color: hsl(0 0% 99%)">Secret</p>',
    '<p style="color:snow">Secret</p>',
    '<p style="color:#ffffff00">Secret</p>',
    '<div style="background:#222"><p style="color:#232323">Secret</p></div>',
    '<div bgcolor="#000"><font color="#010101">Secret</font></div>',
    '<p style="-webkit-text-fill-color:transparent">Secret</p>',
    '<p style="filter: opacity(1%)">Secret</p>',
    '<p style="clip-path:polygon(0 0,0 0,0 0)">Secret</p>',
    '<p style="clip-path:inset(60%)">Secret</p>',
    "<dialog><p>Secret</p></dialog>",
    '<p style="transform:translateX(-9999px)">Secret</p>',
    '<p style="position:absolute;left:12000px">Secret</p>',
    '<p style="margin:0 0 0 -9999px">Secret</p>',
    '<p style="zoom:0">Secret</p>',
    '<p style="font-size:1%">Secret</p>',
    '<p style="line-height:0;overflow:hidden">Secret</p>',
]
BY_SHEET = [
    "<style>div.note > p {font-size:0}</style><div class=note><p>Secret</p></div>",
    '<style>p.x {color:#fdfdfd}</style><p class="x">Secret</p>',
    "<style>article em {opacity:0}</style><article>a <em>Secret</em></article>",
    "<style>[data-k] {text-indent:-999em}</style><p data-k=1>Secret</p>",
    "<style>.dark {background:#111} .dark p {color:#121212}</style><div class=dark><p>Secret</p></div>",
]
SEEN = [
    '<div style="background:#000"><p style="color:#fff">Secret</p></div>',
    '<p style="color:#ccc">Secret</p>',
    '<p style="opacity:0.8">Secret</p>',
    '<p style="margin:0 -15px">Secret</p>',
    '<p style="position:relative;top:-3px">Secret</p>',
    '<p style="background-image:url(x.png);color:#fff">Secret</p>',
    '<p style="background:linear-gradient(#111,#222);color:white">Secret</p>',
    "<details><summary>More</summary>Secret</details>",
    "<dialog open>Secret</dialog>",
]
SEEN_BY_SHEET = [
    "<style>body {background:#111} p {color:#eee}</style><p>Secret</p>",
    '<style>.b {color:#fff} .b.c {background:#06c}</style><p class="b c">Secret</p>',
    "<style>h1 {-webkit-background-clip:text;background-clip:text;color:transparent}</style><h1>Secret</h1>",
    "<style>.tab {display:none}</style><div class=tab>Secret</div>",
    "<style>p:hover {opacity:0}</style><p>Secret</p>",
]


@pytest.mark.parametrize("media_type", ["text/html", "text/markdown"])
@pytest.mark.parametrize("body", HIDDEN)
def test_what_a_page_hides_is_left_out_and_told(body: str, media_type: str) -> None:
    parsed = page(body, media_type)
    assert "Secret" not in parsed.text and "Secret" in parsed.hidden
    assert "Before." in parsed.text and "After." in parsed.text


@pytest.mark.parametrize("media_type", ["text/html", "text/markdown"])
@pytest.mark.parametrize("body", SEEN)
def test_what_a_page_shows_stays(body: str, media_type: str) -> None:
    assert "Secret" in page(body, media_type).text


@pytest.mark.parametrize("body", BY_SHEET)
def test_any_selector_of_the_pages_own_style_sheet_may_hide(body: str) -> None:
    parsed = page(body, "text/html")
    assert "Secret" not in parsed.text and "Secret" in parsed.hidden


@pytest.mark.parametrize("body", SEEN_BY_SHEET)
def test_a_style_sheet_hides_nothing_by_the_way(body: str) -> None:
    assert "Secret" in page(body, "text/html").text


@pytest.mark.parametrize("media_type", ["text/html", "text/markdown"])
@pytest.mark.parametrize("tag", ["template", "noscript"])
def test_what_no_browser_shows_is_no_text(tag: str, media_type: str) -> None:
    assert "Secret" not in page(f"<{tag}>Secret</{tag}>", media_type).text


def test_colours() -> None:
    assert colour("#FFF") == colour("white") == colour("rgb(100%, 100%, 100%)") == (255, 255, 255)
    assert colour("var(--x)") is None and colour("#12345") is None
    assert transparent("rgba(0,0,0,0)") and transparent("#0000") and not transparent("#000")
    assert lost_on((250, 250, 250), (255, 255, 255)) and not lost_on((200, 200, 200), (255, 255, 255))


def shaded(element: Any, fill: str) -> None:
    shading = OxmlElement("w:shd")
    shading.set(qn("w:val"), "clear")
    shading.set(qn("w:fill"), fill)
    element.append(shading)


def styled(document: Any, **font: object) -> Any:
    style = document.styles.add_style("Own", WD_STYLE_TYPE.PARAGRAPH)
    for name, value in font.items():
        setattr(style.font, name, value)
    return style


def hidden_by_style(document: Any) -> None:
    styled(document, hidden=True)
    document.add_paragraph("Secret", style="Own")


def hidden_by_a_base_style(document: Any) -> None:
    base = document.styles.add_style("Base", WD_STYLE_TYPE.CHARACTER)
    base.font.hidden = True
    document.styles.add_style("Upon", WD_STYLE_TYPE.CHARACTER).base_style = base
    document.add_paragraph("a ").add_run("Secret", style="Upon")


def tiny_by_style(document: Any) -> None:
    styled(document, size=Pt(1))
    document.add_paragraph("Secret", style="Own")


def pale_by_style(document: Any) -> None:
    styled(document).font.color.rgb = RGBColor(0xFD, 0xFD, 0xFD)
    document.add_paragraph("Secret", style="Own")


def dark_on_dark(document: Any) -> None:
    paragraph = document.add_paragraph()
    paragraph.add_run("Secret").font.color.rgb = RGBColor(0x20, 0x20, 0x20)
    shaded(paragraph._p.get_or_add_pPr(), "202020")


def white_in_a_white_cell(document: Any) -> None:
    cell = document.add_table(1, 2).cell(0, 0)
    cell.paragraphs[0].add_run("Secret").font.color.rgb = RGBColor(255, 255, 255)
    shaded(cell._tc.get_or_add_tcPr(), "FFFFFF")


def shown_against_its_style(document: Any) -> None:
    styled(document, hidden=True)
    document.add_paragraph(style="Own").add_run("Secret").font.hidden = False


def white_on_blue(document: Any) -> None:
    paragraph = document.add_paragraph()
    paragraph.add_run("Secret").font.color.rgb = RGBColor(255, 255, 255)
    shaded(paragraph._p.get_or_add_pPr(), "003366")


def white_in_a_table(document: Any) -> None:
    run = document.add_table(1, 2).cell(0, 0).paragraphs[0].add_run("Secret")
    run.font.color.rgb = RGBColor(255, 255, 255)


def grey(document: Any) -> None:
    document.add_paragraph().add_run("Secret").font.color.rgb = RGBColor(0x88, 0x88, 0x88)


def word(write: Callable[[Any], None]) -> ParsedDocument:
    document = open_document()
    document.add_paragraph("Before.")
    write(document)
    raw = io.BytesIO()
    document.save(raw)
    return read(raw.getvalue(), WORD)


@pytest.mark.parametrize(
    "write",
    [hidden_by_style, hidden_by_a_base_style, tiny_by_style, pale_by_style, dark_on_dark, white_in_a_white_cell],
)
def test_what_a_word_document_hides_is_left_out_and_told(write: Callable[[Any], None]) -> None:
    parsed = word(write)
    assert "Secret" not in parsed.text and parsed.hidden == "Secret" and "Before." in parsed.text


@pytest.mark.parametrize("write", [shown_against_its_style, white_on_blue, white_in_a_table, grey])
def test_what_a_word_document_shows_stays(write: Callable[[Any], None]) -> None:
    assert "Secret" in word(write).text


def printed(
    *,
    at: tuple[float, float] = (50, 600),
    size: float = 12,
    ink: tuple[int, ...] = BLACK,
    mode: int = 0,
    on: Any = None,
) -> ParsedDocument:
    """A page with a line that is seen and "Secret order", printed as told, upon a field of the colour `on`."""
    document = pdfium.PdfDocument.new()
    sheet = document.new_page(595, 842)
    if on is not None:
        field = raw_pdfium.FPDFPageObj_CreateNewRect(0, 550, 595, 100)
        raw_pdfium.FPDFPageObj_SetFillColor(field, *on)
        raw_pdfium.FPDFPath_SetDrawMode(field, 1, 0)
        raw_pdfium.FPDFPage_InsertObject(sheet.raw, field)
    for text, (x, y), points, shade, how in (
        ("Visible words here.", (50, 700), 12.0, BLACK, 0),
        ("Secret order", at, size, ink, mode),
    ):
        font = raw_pdfium.FPDFText_LoadStandardFont(document.raw, b"Helvetica")
        item = raw_pdfium.FPDFPageObj_CreateTextObj(document.raw, font, points)
        encoded = (text + "\0").encode("utf-16-le")
        raw_pdfium.FPDFText_SetText(item, ctypes.cast(encoded, ctypes.POINTER(ctypes.c_ushort)))
        raw_pdfium.FPDFPageObj_Transform(item, 1, 0, 0, 1, x, y)
        raw_pdfium.FPDFPageObj_SetFillColor(item, *shade)
        raw_pdfium.FPDFTextObj_SetTextRenderMode(item, how)
        raw_pdfium.FPDFPage_InsertObject(sheet.raw, item)
    raw_pdfium.FPDFPage_GenerateContent(sheet.raw)
    raw = io.BytesIO()
    document.save(raw)
    document.close()
    return read(raw.getvalue(), "application/pdf")


@pytest.mark.parametrize(
    "how",
    [
        {"mode": 3},
        {"ink": WHITE},
        {"ink": (250, 250, 250, 255)},
        {"ink": (0, 0, 0, 3)},
        {"at": (-900, 600)},
        {"at": (50, 1200)},
        {"size": 0.5},
        {"ink": (20, 20, 20, 255), "on": (20, 20, 22, 255)},
    ],
)
def test_what_a_pdf_hides_is_left_out_and_told(how: dict[str, Any]) -> None:
    parsed = printed(**how)
    assert parsed.text == "Visible words here.\n" and parsed.hidden == "Secret order"


@pytest.mark.parametrize("how", [{}, {"ink": WHITE, "on": (0, 0, 120, 255)}, {"ink": (120, 120, 120, 255)}])
def test_what_a_pdf_shows_stays(how: dict[str, Any]) -> None:
    parsed = printed(**how)
    assert "Secret order" in parsed.text and parsed.hidden == ""
