"""Any bytes, under any type: read or refused, within time, and never with a word that is not in the source."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from docx import Document as open_document
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.cost import costs_less
from tests.steps.paper import paragraph, pdf_of

from firstline.documents.parse import parse
from firstline.documents.parse.decode import decode
from firstline.domain import DocumentKind, ParsedDocument, SourceItem
from firstline.errors import NotAccepted

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXTS = ["text/markdown", "text/x-rst", "text/asciidoc", "text/html", "text/plain"]
QUICK_S_MAX = 4.0
OURS = set(
    "note warning tip important caution danger attention hint error see also added changed deprecated removed since in"
    " version state quote info code yaml pycon untitled file begin before heading clean up synopsis options examples"
    " what s next admonition".split()
)
"""What the readers say themselves: labels of notes, headings of shortcodes."""
PIECES = [
    *(
        "a b",
        "word\n",
        "\n",
        "\n\n",
        "    ",
        "   x\n",
        "# ",
        "== ",
        "====\n",
        "----\n",
        "```",
        "~~~\n",
        "`",
        "``",
        "*",
        "**",
        "_",
        "|",
    ),
    *(
        "|===\n",
        "a|",
        "+---+---+\n",
        "| x | y |\n",
        "=== ===\n",
        "1 2\n",
        "- ",
        "* - ",
        "1. ",
        "#. ",
        ".. ",
        ".. note::",
        ":: ",
        "::\n",
    ),
    *(
        ".. |s| replace:: t\n",
        "|s|",
        "name_",
        "`x <y>`_",
        ":ref:`",
        ":k: v\n",
        "[1]_",
        ".. [1] n\n",
        "..\n",
        "\\",
        "<",
        ">",
        "</",
    ),
    *(
        "<div>",
        "</div>",
        "<table><tr><td>",
        "</table>",
        "<!-- ",
        "-->",
        "{",
        "}",
        "{{< note >}}",
        "{{< /note >}}",
        "{%",
        "%}",
        ":::",
    ),
    *(
        ":::note\n",
        "!!! tip\n",
        '=== "T"\n',
        "```{note}\n",
        "{ref}`x`",
        "{/*",
        "*/}",
        "import {\n",
        "<<x,y>>",
        "[[x]]",
        "image::x[y]\n",
    ),
    *(
        "include::x[]\n",
        "ifdef::x[]\n",
        ".T\n",
        "[source]\n",
        "NOTE: ",
        "+\n",
        "t:: d\n",
        "é",
        "\u00df",
        "\u4e2d",
        "\x00",
        "\r",
        "\u2028",
    ),
]


def read(raw: bytes, media_type: str) -> ParsedDocument | None:
    try:
        return parse(SourceItem(item_id="x/untitled", kind=DocumentKind.NOTE, media_type=media_type, raw=raw))
    except NotAccepted as error:
        assert str(error)
        return None


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.casefold()))


@pytest.mark.parametrize("media_type", TEXTS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=60))
@example(pieces=["=== ===\n", "image::x[y]\n"])
def test_a_page_of_any_syntax_says_only_what_is_in_it(media_type: str, pieces: list[str]) -> None:
    source = "".join(pieces)
    parsed = read(source.encode(), media_type)
    if parsed is not None:
        # Words may come together where syntax stood between them; none are made up.
        known = "|".join(sorted(words(decode(source.encode())) | {"\x00"}, key=len, reverse=True))
        assert [word for word in words(parsed.text) - OURS if not re.fullmatch(f"(?:{known})+", word)] == []


@pytest.mark.parametrize("media_type", [*TEXTS, WORD])
@settings(max_examples=60, deadline=None)
@given(raw=st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(media_type: str, raw: bytes) -> None:
    parsed = read(raw, media_type)
    assert parsed is None or "\x00" not in parsed.text


@pytest.mark.parametrize(
    "unit",
    [
        *(
            ".. note::\n   ",
            "- ",
            "  - x\n",
            "`",
            "``a",
            "|a",
            "a_ ",
            ":a:`",
            "+---+---+\n",
            "=== ===\n",
            "a\n===\n",
            "a\n b\n",
            "a::\n\n b\n",
        ),
        *(
            "====\n",
            "[[a",
            "<<a",
            "*a",
            "#a",
            "{a}",
            "|===\n|a",
            "a::\n",
            "* a\n+\n",
            "** a\n* b\n",
            "ifdef::a[b]\n",
            "----\n",
            ":a: {a}{a}\n",
        ),
        *(
            '=== "a"\n',
            "```{note}\n",
            ":::{tab-item} a\n",
            "{/*",
            "{%a",
            "{.a",
            "<Note ",
            "<Tab label=",
            "export const a = {\n",
            "{a}`",
            ":material-",
        ),
        *(
            "<table><tr><td>",
            "<td rowspan=99 colspan=99>",
            "<caption>",
            "<table><tr><td>a<td>b</table>",
            ".. list-table::\n\n   * - a\n",
        ),
    ],
)
@pytest.mark.parametrize("media_type", TEXTS)
def test_time_is_linear_on_hostile_pages(unit: str, media_type: str) -> None:
    raw = (unit * (60_000 // len(unit))).encode()
    assert costs_less(lambda: read(raw, media_type), than_s=QUICK_S_MAX)


def word_file() -> bytes:
    document: Any = open_document()
    document.add_heading("Head", 1)
    document.add_paragraph("Some words here.", style="List Number")
    document.add_table(rows=2, cols=2).cell(0, 0).text = "cell"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


PAPER = {
    WORD: word_file(),
    "application/pdf": pdf_of(
        [paragraph(780, "Some words here.", "And more.")] * 3, [("Some", 0), ("words", 1), ("more", 2)]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("media_type", list(PAPER))
@settings(max_examples=40, deadline=None)
@given(
    changes=st.lists(st.tuples(st.integers(0, 5_000), st.binary(max_size=12)), max_size=6), end=st.integers(0, 4_000)
)
def test_broken_paper_is_read_or_refused(media_type: str, changes: list[tuple[int, bytes]], end: int) -> None:
    raw = PAPER[media_type]
    for at, written in changes:
        at %= len(raw)
        raw = raw[:at] + written + raw[at + len(written) :]
    cut = raw[: len(raw) - end] if end < len(raw) // 2 else raw
    assert costs_less(lambda: read(cut, media_type), than_s=10 * QUICK_S_MAX)
