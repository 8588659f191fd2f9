"""What paper looks like comes out as structure: headings, tables, code, pages; the same for Word documents."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, cast

import docx.oxml
import pytest
from docx import Document as open_document
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.ns import qn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.steps.paper import Word, paragraph, pdf_of

from firstline.documents.parse import parse
from firstline.documents.prepare import prepare
from firstline.domain import (
    Answered,
    Citation,
    Claim,
    ClaimKind,
    Completeness,
    DocumentKind,
    ParsedDocument,
    Redacted,
    Redaction,
    Reply,
    SourceItem,
    at_page,
    page_at,
    pages_told,
)
from firstline.questions.render import render

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PROSE = (
    "The quick brown fox jumps over the lazy dog and then it rests for a",
    "while under the old tree until the evening comes and it goes home.",
)


def read(raw: bytes, media_type: str = "application/pdf") -> ParsedDocument:
    return parse(SourceItem(item_id="x/file", kind=DocumentKind.DOCUMENTATION, media_type=media_type, raw=raw))


def page(title: str, *, size: float = 18, face: str = "F2", below: tuple[str, ...] = PROSE) -> list[Word]:
    return [*paragraph(780, title, size=size, face=face), *paragraph(740, *below)]


def test_the_outline_tells_the_headings_of_a_pdf() -> None:
    titles = ["Install", "Configure", "Operate"]
    # The numbers of the sections are in the print alone.
    pages = [page(f"{number}. {title}", size=12) for number, title in enumerate(titles, start=1)]
    text = read(pdf_of(pages, [(title, number) for number, title in enumerate(titles)])).text
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# 1. Install",
        "# 2. Configure",
        "# 3. Operate",
    ]


def test_bold_lines_head_a_pdf_that_has_one_size() -> None:
    text = read(pdf_of([[*page("Restart the pump", size=11), *paragraph(690, *PROSE), *paragraph(650, *PROSE)]])).text
    assert "# Restart the pump\n" in text and text.count("#") == 1


def table(top: float, rows: list[tuple[str, ...]], columns: tuple[float, ...] = (60, 180, 300)) -> list[Word]:
    return [
        (left, top - 16 * index, 10, "F1", cell)
        for index, row in enumerate(rows)
        for left, cell in zip(columns, row, strict=True)
        if cell
    ]


def test_a_table_of_a_pdf_keeps_its_columns() -> None:
    rows = [
        ("Code", "Meaning", "What to do"),
        ("E01", "No water", "Open the valve"),
        ("", "", "and wait"),
        ("E02", "Hot", ""),
    ]
    rows.append(("E03", "Cold", "Heat it"))
    text = read(pdf_of([[*paragraph(780, *PROSE), *table(700, rows), *paragraph(560, *PROSE)]])).text
    assert (
        "| Code | Meaning | What to do |\n| --- | --- | --- |\n| E01 | No water | Open the valve and wait |\n"
        "| E02 | Hot |  |\n| E03 | Cold | Heat it |"
    ) in text


def test_columns_of_prose_are_no_table() -> None:
    left = [
        "the pump is old and it will not start",
        "when the valve is closed by hand or",
        "by wire so open it first and wait",
        "for it",
    ]
    right = [
        "second column speaks of other matters",
        "altogether and goes on for quite long",
        "until the end of the page is reached",
        "at last and it is over",
    ]
    words = [
        (x, 700 - 14 * i, 10.0, "F1", f"{line} {line} {line}"[:120])
        for i, pair in enumerate(zip(left, right, strict=True))
        for x, line in zip((20, 620), pair, strict=True)
    ]
    assert "|" not in read(pdf_of([words])).text


def test_code_of_a_pdf_keeps_its_lines() -> None:
    code = [*paragraph(700, "server:", size=10, face="F3"), *paragraph(686, "port: 80", size=10, face="F3", left=72)]
    text = read(pdf_of([[*paragraph(780, *PROSE), *code, *paragraph(600, *PROSE)]])).text
    assert "```\nserver:\n  port: 80\n```" in text


def test_a_pdf_says_what_its_pictures_say() -> None:
    assert "A wiring plan" in read(pdf_of([paragraph(780, *PROSE)], alt="A wiring plan")).text


def test_pages_without_text_are_told() -> None:
    parsed = read(pdf_of([paragraph(700, *PROSE), [], [], paragraph(700, "The end."), []]))
    assert parsed.notice.startswith("3 of its 5 pages hold no text (2-3, 5)")
    assert len(parsed.page_starts) == 5


def test_a_page_begins_where_its_first_word_stands() -> None:
    parsed = read(pdf_of([page("One"), page("Two"), [], page("Four")]))
    starts = parsed.page_starts
    assert [parsed.text[at:].lstrip("\n# ")[:3] for at in starts] == ["One", "Two", "Fou", "Fou"]
    assert "\ue00c" not in parsed.text


class _Redactor:
    """Takes every `fox` out."""

    def for_document(self, kind: DocumentKind) -> _Redactor:
        del kind
        return self

    def redact(self, text: str) -> Redacted:
        at = text.find("fox")
        found: list[Redaction] = []
        while at >= 0:
            found.append(Redaction(type="animal", start=at, end=at + 3, placeholder="[ANIMAL_1]"))
            at = text.find("fox", at + 3)
        return Redacted(text=text.replace("fox", "[ANIMAL_1]"), redactions=tuple(found))


@pytest.mark.parametrize("chunk_tokens", [30, 2_000])
def test_every_chunk_knows_its_pages_also_after_redaction(chunk_tokens: int) -> None:
    item = SourceItem(
        item_id="x.pdf",
        kind=DocumentKind.DOCUMENTATION,
        media_type="application/pdf",
        raw=pdf_of([page(f"Ünit {'abcdefgh'[number]}", below=PROSE * 3) for number in range(8)]),
    )
    made: Any = prepare(
        item,
        tenant="t",
        kb="k",
        candidate=1,
        redactor=_Redactor(),  # pyright: ignore[reportArgumentType] what a document needs of it
        count_tokens=lambda text: len(text.split()),
        chunk_tokens=chunk_tokens,
    )
    blob: bytes = made.blob
    asked = 0
    for chunk in made.chunks:
        for number, letter in enumerate("abcdefgh", start=1):
            at = blob.find(f"nit {letter}".encode(), chunk.start, chunk.end)
            if at >= 0:
                asked += 1
                assert page_at(chunk.metadata, at) == number
    assert asked == 8


@given(st.lists(st.integers(0, 500), min_size=1, max_size=20), st.integers(0, 500), st.integers(1, 200))
def test_a_page_is_told_as_it_was_meant(starts: list[int], start: int, length: int) -> None:
    starts = [0, *sorted(starts)]
    told = {"pages": pages_told(starts, start, start + length)}
    for offset in range(start, start + length, 7):
        assert page_at(told, offset) == sum(at <= offset for at in starts)


def test_what_is_no_page_gives_none() -> None:
    assert page_at({}, 3) is None and page_at({"pages": "x y@z"}, 3) is None
    assert pages_told((), 0, 9) == ""


def test_a_link_leads_to_the_page_of_a_pdf_alone() -> None:
    assert at_page("https://x.example/a.pdf?v=2", 12) == "https://x.example/a.pdf?v=2#page=12"
    assert at_page("https://x.example/a.pdf#part", 12) == "https://x.example/a.pdf#part"
    assert at_page("https://x.example/a", 12) == "https://x.example/a"
    assert at_page("https://x.example/a.pdf", None) == "https://x.example/a.pdf"


def test_the_reply_says_the_page_and_its_link_leads_there() -> None:
    def cited(number: int | None, url: str) -> Citation:
        return Citation(
            chunk_id=str(number), doc_id="d", blob="b", start=0, end=4, title="Manual", url=url, page=number
        )

    def said(*citations: Citation) -> Reply:
        claims = tuple(Claim(text="Some words.", kind=ClaimKind.SENTENCE, citations=(each,)) for each in citations)
        return render(Answered(claims=claims, completeness=Completeness.FULL, confidence=0.9))

    url = "https://x.example/manual.pdf"
    reply = said(cited(12, url), cited(14, url), cited(15, url), cited(None, url))
    assert [entry.place for entry in reply.citations] == ["p. 12", "p. 14", "p. 15", ""]
    # Two links are allowed; an address that is none of them is not in the reply.
    assert reply.links == (("Manual (p. 12)", f"{url}#page=12"), ("Manual (p. 14)", f"{url}#page=14"))
    assert [entry.citation.url for entry in reply.citations] == [f"{url}#page=12", f"{url}#page=14", None, None]
    assert said(cited(3, "https://x.example/a")).links == (("Manual", "https://x.example/a"),)


def word(write: Callable[[Any], None]) -> str:
    document: Any = open_document()
    write(document)
    out = io.BytesIO()
    document.save(out)
    return read(out.getvalue(), WORD).text


new: Any = cast("Any", docx.oxml).OxmlElement


def element(parent: Any, tag: str, **values: str) -> Any:
    made = new(tag)
    for name, value in values.items():
        made.set(qn(f"w:{name}"), value)
    parent.append(made)
    return made


def test_a_style_heads_by_its_outline_level_or_by_what_it_is_based_on() -> None:
    def write(document: Any) -> None:
        base = document.styles.add_style("Kapitel", 1)
        element(base.element.get_or_add_pPr(), "w:outlineLvl", val="1")
        document.styles.add_style("Kapitel blau", 1).base_style = base
        document.add_paragraph("Pumpen", style="Kapitel")
        document.add_paragraph("Ventile", style="Kapitel blau")
        document.add_paragraph("Text.")

    assert [line for line in word(write).split("\n") if line] == ["## Pumpen", "## Ventile", "Text."]


def test_merged_and_nested_cells_of_a_word_table() -> None:
    def write(document: Any) -> None:
        table = document.add_table(rows=3, cols=3)
        for row, words in zip(table.rows, ("ABC", "def", "ghi"), strict=True):
            for cell, letter in zip(row.cells, words, strict=True):
                cell.text = letter
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(1, 0).merge(table.cell(2, 0)).text = "both"
        inner = table.cell(2, 2).add_table(rows=1, cols=2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "x", "y"

    text = word(write)
    assert "| A | B C |  |\n| --- | --- | --- |\n| both | e | f |\n| both | h | i; x; y |" in text


def test_pictures_and_content_controls_of_a_word_document() -> None:
    def write(document: Any) -> None:
        paragraph = document.add_paragraph("See")
        drawing = element(paragraph.runs[0]._r, "w:drawing")
        properties = new("wp:docPr")
        properties.set("descr", "A wiring plan")
        drawing.append(properties)
        control = element(document.element.body, "w:sdt")
        content = element(control, "w:sdtContent")
        content.append(document.add_paragraph("Inside a control.")._p)
        inserted = element(document.add_paragraph("Kept ")._p, "w:ins")
        inserted.append(document.add_paragraph("and added").runs[0]._r)

    text = word(write)
    assert "See A wiring plan" in text and "Inside a control." in text and "Kept and added" in text


def test_footnotes_of_a_word_document_stand_at_its_end() -> None:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    words = "<w:p><w:r><w:t>Since 2.1.</w:t></w:r></w:p>"
    noted = f'<w:footnotes {space}><w:footnote w:id="7">{words}</w:footnote></w:footnotes>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"

    def write(document: Any) -> None:
        element(document.add_paragraph("Use the valve").runs[0]._r, "w:footnoteReference", id="7")
        document.add_paragraph("The end.")
        part = Part(PackURI("/word/footnotes.xml"), "application/xml", noted.encode(), document.part.package)
        document.part.relate_to(part, kind)

    assert [line for line in word(write).split("\n") if line] == ["Use the valve [7]", "The end.", "[7] Since 2.1."]


def test_tables_of_a_web_page_keep_captions_and_spans() -> None:
    html = (
        b"<table><caption>Codes</caption><tr><th>A<th colspan=2>B<tr><td rowspan=2>x<td>1<td>2<tr><td>3<td>4</table>"
        b"<table><tr><td>side<td><table><tr><th>K<th>V<tr><td>a<td>b</table></table>"
    )
    assert read(html, "text/html").text == (
        "**Codes**\n\n| A | B |  |\n| --- | --- | --- |\n| x | 1 | 2 |\n| x | 3 | 4 |\n\nside\n\n"
        "| K | V |\n| --- | --- |\n| a | b |\n"
    )


def test_spans_of_a_web_page_do_not_make_it_grow_without_end() -> None:
    html = b"<table><tr><td rowspan=9999>" + b"w " * 5_000 + b"<td>1" + b"<tr><td colspan=99>2" * 2_000 + b"</table>"
    assert len(read(html, "text/html").text) < 1_000_000


@settings(deadline=None, max_examples=20)
@given(st.lists(st.text("abc XYZ.-", min_size=1, max_size=40), min_size=1, max_size=12), st.sampled_from([8, 11, 20]))
@example(["XXXXXXXXX", "XXXXXXXXX"], 20)
def test_a_pdf_says_its_words_and_no_others(lines: list[str], size: int) -> None:
    if not "".join(lines).replace(" ", ""):
        return
    parsed = read(pdf_of([paragraph(780, *lines, size=size)]))
    said = "".join(letter for letter in parsed.text if letter.isalpha())
    assert said == "".join(letter for line in lines for letter in line if letter.isalpha())
