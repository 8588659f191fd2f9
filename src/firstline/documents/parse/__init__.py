"""What does a document say? One function for every format: bytes in, normalised Markdown out.

Parsing is pure and synchronous. What cannot be read raises NotAccepted with a sentence for the person who owns the
file. The title is, first found wins: front matter, what the source says, the first top heading, the document's own
properties, the file name.
"""

from __future__ import annotations

from itertools import accumulate

from firstline.documents.parse.decode import decode, tidy
from firstline.documents.parse.page import Page
from firstline.domain import ParsedDocument, SourceItem
from firstline.errors import NotAccepted
from firstline.ports import TextFromImage

__all__ = ["parse"]

TITLE_CHARS_MAX = 200
HIDDEN_CHARS_MAX = 10_000


def parse(item: SourceItem, *, ocr: TextFromImage | None = None) -> ParsedDocument:
    """`ocr` reads pages that are pictures.

    Text is NFC, has `\\n` line ends, no control characters and no trailing blanks outside code."""
    page = _page(item, ocr)
    title = " ".join((page.own_title or item.title or page.title or _file_name(item.item_id)).split())
    text, starts = _page_starts(tidy(page.text), page.page_mark)
    return ParsedDocument(
        title=tidy(title).strip()[:TITLE_CHARS_MAX],
        text=text,
        metadata=page.metadata,
        hidden=page.hidden[:HIDDEN_CHARS_MAX],
        page_starts=starts,
        notice=page.notice,
    )


def _page_starts(text: str, mark: str) -> tuple[str, tuple[int, ...]]:
    """The text without the marks, and where they stood."""
    if not mark:
        return text, ()
    parts = text.split(mark)
    whole = "".join(parts).rstrip("\n") + "\n" if text.strip(f"{mark}\n") else ""
    return whole, tuple(min(at, len(whole)) for at in accumulate(len(part) for part in parts[:-1]))


def _page(item: SourceItem, ocr: TextFromImage | None) -> Page:
    # Each format's library is imported when the first such document comes: most runs need one of them.
    match item.media_type.split(";")[0].strip().lower():
        case "text/markdown" | "text/mdx" | "text/x-markdown":
            from firstline.documents.parse.markdown import markdown_page

            return markdown_page(decode(item.raw))
        case "text/html" | "application/xhtml+xml":
            from firstline.documents.parse.html import html_page

            return html_page(item.raw)
        case "text/x-rst" | "text/prs.fallenstein.rst":
            from firstline.documents.parse.rst import rst_page

            return rst_page(decode(item.raw))
        case "text/asciidoc" | "text/x-asciidoc":
            from firstline.documents.parse.asciidoc import asciidoc_page

            return asciidoc_page(decode(item.raw))
        case "text/plain" | "text/x-log":
            from firstline.documents.parse.plain import plain_page

            return plain_page(decode(item.raw), title=item.title)
        case "application/pdf":
            from firstline.documents.parse.pdf import pdf_page

            return pdf_page(item.raw, ocr=ocr)
        case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
            from firstline.documents.parse.word import word_page

            return word_page(item.raw)
        case other:
            raise NotAccepted(
                f"Documents of type {other or 'unknown'!r} are not supported.",
                remedy="Save it as Markdown, reStructuredText, AsciiDoc, HTML, plain text, PDF or DOCX.",
            )


def _file_name(item_id: str) -> str:
    name = item_id.rsplit("#", 1)[-1].rsplit("/", 1)[-1]
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return stem or "untitled"
