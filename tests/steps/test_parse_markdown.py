from __future__ import annotations

import pytest
from tests.cost import grows_evenly

from firstline.documents.parse import parse
from firstline.domain import DocumentKind, ParsedDocument, SourceItem
from firstline.errors import NotAccepted


def page(text: str | bytes, *, media_type: str = "text/markdown", title: str = "") -> ParsedDocument:
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return parse(
        SourceItem(
            item_id="docs/guide/set-up.md", kind=DocumentKind.DOCUMENTATION, media_type=media_type, raw=raw, title=title
        )
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a <!-- hidden\nover lines --> b\n", "a\n b\n"),
        ("`<!-- shown -->` and <!-- never closed", "`<!-- shown -->` and <!-- never closed\n"),
        ('The {{< glossary_tooltip text="control plane" term_id="x" >}} runs.', "The control plane runs.\n"),
        ("{{% youtube abc %}}text{{< /tabs >}}", "text\n"),
        ('## {{% heading "whatsnext" %}}', "## What's next\n"),
        ('[a]({{< ref "other/page" >}})', "[a](other/page)\n"),
        ("{{< note >}}\nMind this.\n{{< /note >}}\nafter", "> **Note:** Mind this.\n\n\nafter\n"),
        (":::warning Take care\nIt burns.\n:::\n", "> **Warning: Take care** It burns.\n"),
        (
            '!!! tip "Faster"\n    Use this.\n\n    And that.\nafter',
            "> **Tip: Faster** Use this.\n>\n> And that.\nafter\n",
        ),
        ("> [!NOTE]\n> Useful.", "> **Note:**\n> Useful.\n"),
        (":::note\nnever closed", ":::note\nnever closed\n"),
        ("import X from '@site/x';\n\nHi <Badge kind=\"new\" /> <B>there</B>", "Hi  there\n"),
        ("import this to that", "import this to that\n"),
        ('<TabItem value="l" label="Linux">\n\nuse apt\n\n</TabItem>', "**Linux**\n\n\nuse apt\n"),
        ("## Set up {#setup}", "## Set up\n"),
        ("Title\n=====\n\nPart\n----\ntext\n\n---\n", "# Title\n\n## Part\ntext\n\n---\n"),
        ("Use `<p>` or <name> <b>now</b>.", "Use `<p>` or <name> now.\n"),
        ("![a diagram](x.png) and [link](https://x.example)", "a diagram and [link](https://x.example)\n"),
        (
            "```yaml\n# {{< x >}} <!-- y --> <div>\n:::note\n```",
            "```yaml\n# {{< x >}} <!-- y --> <div>\n:::note\n```\n",
        ),
        ("a line\r\nb line\rc line\x00\x07", "a line\nb line\nc line\n"),
        ("e\u0301", "é\n"),
    ],
)
def test_machinery_goes_and_words_stay(source: str, expected: str) -> None:
    assert page(source).text == expected


def test_an_html_table_becomes_a_markdown_table() -> None:
    text = page("x\n<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2|3</td></tr></table>\ny").text
    assert "| A | B |\n| --- | --- |\n| 1 | 2\\|3 |" in text


def test_front_matter_is_metadata() -> None:
    parsed = page("---\ntitle: My page\nversion: 4.1\nacl: [a]\nlevel: internal\ntags: [x, y]\n---\n\n# Other\n\ntext")
    assert parsed.title == "My page"
    assert dict(parsed.metadata) == {"version": "4.1", "tags": "x, y"}
    assert parsed.text == "# Other\n\ntext\n"


@pytest.mark.parametrize("head", ["title: [broken", "a: &a [*a, *a]", "x: " + "[" * 5_000, "key: 2024-13-99"])
def test_broken_front_matter_is_tolerated(head: str) -> None:
    assert page(f"---\n{head}\n---\n\ntext").text == "text\n"


def test_titles_in_order_of_trust() -> None:
    assert page("# First\n\nx", title="Given").title == "Given"
    assert page("x\n\n# **First** `one`\n").title == "First one"
    assert page("x").title == "set-up"
    assert len(page("# " + "long " * 100).title) <= 200


def test_encodings() -> None:
    assert page("\ufeffhé".encode()).text == "hé\n"
    assert page("hé".encode("utf-16")).text == "hé\n"
    assert page("naïve café – “quoted”".encode("cp1252")).text == "naïve café – “quoted”\n"
    with pytest.raises(NotAccepted, match="not readable text"):
        page(bytes(range(32)) * 50)


def test_an_unknown_type_is_not_accepted() -> None:
    with pytest.raises(NotAccepted, match="not supported"):
        page("x", media_type="image/png")


@pytest.mark.parametrize(
    "unit",
    [
        "{{< ",
        "{{< x >}}",
        "<!-- ",
        "<!-- x -->",
        "`",
        "` `` ",
        "<a ",
        "<A ",
        "![",
        "[a](",
        ":::note\n",
        "> ",
        "- ",
        "<table",
        "{{%",
        "!!! note\n",
        "# x {#",
        "```\n",
        "<Tab label=",
        "x\n=\n",
        "<style",
    ],
)
def test_time_is_linear_on_hostile_pages(unit: str) -> None:
    assert grows_evenly(lambda length: page(unit * (length // len(unit))), 30_000, free_s=0.7)


def test_plain_text_gets_headings_by_a_general_rule() -> None:
    text = (
        "Server does not start after an upgrade - Product\n\nPROBLEM(ABSTRACT)\nThe server does not start.\n\n"
        "RESOLVING THE PROBLEM\n\n# systemctl restart it\n * \nIt helps.\n\nMore details\n\n"
        "This sentence is long enough to be a paragraph below a heading of its own.\n\nDONE.\n"
    )
    parsed = page(text, media_type="text/plain")
    assert parsed.title == "Server does not start after an upgrade - Product"
    headings = [line for line in parsed.text.split("\n") if line.startswith("#")]
    assert headings == [
        "# Server does not start after an upgrade - Product",
        "## PROBLEM(ABSTRACT)",
        "## RESOLVING THE PROBLEM",
        "## More details",
    ]
    assert "\\# systemctl restart it" in parsed.text


def test_underlined_plain_headings_and_a_given_title() -> None:
    parsed = page("First line\nsecond line\n\nCauses\n------\nnone", media_type="text/plain", title="Given")
    assert parsed.title == "Given"
    assert "## Causes\n\nnone" in parsed.text
    assert "First line\nsecond line" in parsed.text
