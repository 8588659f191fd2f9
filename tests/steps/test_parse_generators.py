"""Pages of documentation generators come out as text, not as syntax: reStructuredText, AsciiDoc, MyST, MDX, tabs."""

from __future__ import annotations

import pytest

from firstline.documents.parse import parse
from firstline.domain import DocumentKind, ParsedDocument, SourceItem

RST = "text/x-rst"
ADOC = "text/asciidoc"


def read(text: str, media_type: str = "text/markdown") -> ParsedDocument:
    return parse(
        SourceItem(
            item_id="x/page.txt", kind=DocumentKind.DOCUMENTATION, media_type=media_type, raw=text.encode("utf-8")
        )
    )


def squeezed(text: str, media_type: str) -> str:
    """Without blank lines, which say nothing here."""
    return "\n".join(line for line in read(text, media_type).text.split("\n") if line.strip("> "))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("=====\nTitle\n=====\n\nPart\n----\n\nSub\n~~~\nText", "# Title\n## Part\n### Sub\nText"),
        (".. note:: Mind this\n   and that.\n\nAfter", "> **Note:** Mind this\n> and that.\nAfter"),
        (".. warning::\n\n   Hot.", "> **Warning:** Hot."),
        (".. admonition:: Care\n\n   Hot.", "> **Care:** Hot."),
        (".. versionadded:: 2.1\n   New flag.", "> **Added in version 2.1:** New flag."),
        ("Run::\n\n   $ ls\n     deep\n\nthen", "Run:\n```\n$ ls\n  deep\n```\nthen"),
        (".. code-block:: yaml\n   :linenos:\n\n   a: `b`\n", "```yaml\na: `b`\n```"),
        (".. code-block:: sh\n   :caption: run.sh\n\n   ls", "**run.sh**\n```sh\nls\n```"),
        ("Use ``a_b`` and :func:`~os.path.join`.", "Use `a_b` and `join`."),
        ("See :ref:`the page <label>` or :doc:`other`.", "See the page or other."),
        ("`Docs <https://x.example/a>`_ and *soft*.", "[Docs](https://x.example/a) and *soft*."),
        ("Go to docs_.\n\n.. _docs: https://x.example/", "Go to [docs](https://x.example/)."),
        ("|p| runs.\n\n.. |p| replace:: Product", "Product runs."),
        ("a\n\n.. a comment\n   over lines\n\nb", "a\nb"),
        (".. raw:: html\n\n   <b>x</b>\n\nb", "b"),
        (".. toctree::\n   :maxdepth: 2\n\n   one\n   two\n\nb", "b"),
        (".. include:: ../secret.txt\n\nb", "b"),
        (".. image:: x.png\n   :alt: A wiring plan", "A wiring plan"),
        (".. figure:: x.png\n   :alt: A plan\n\n   The caption.", "A plan\nThe caption."),
        (".. list-table::\n\n   * - A\n     - B\n   * - 1\n     - 2", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ('.. csv-table::\n   :header: "A", "B"\n\n   1, "x, y"', "| A | B |\n| --- | --- |\n| 1 | x, y |"),
        ("+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("+---+---+\n| A | B |\n+===+===+\n| both  |\n+---+---+", "| A | B |\n| --- | --- |\n| both |  |"),
        ("== ==\nA  B\n== ==\n1  2\n   more\n== ==", "| A | B |\n| --- | --- |\n| 1 | 2 more |"),
        ("1. one\n2. two\n\n   - inner", "1. one\n2. two\n   - inner"),
        ("#. one\n#. two", "1. one\n2. two"),
        ("term\n   Its meaning.", "**term**\nIts meaning."),
        ("Text [1]_.\n\n.. [1] The note.", "Text [1].\n[1] The note."),
        (
            ".. tabs::\n\n   .. tab:: Linux\n\n      apt\n\n   .. tab:: Mac\n\n      brew",
            "**Linux**\napt\n**Mac**\nbrew",
        ),
        (".. py:function:: f(a, b)\n\n   Does it.", "**`f(a, b)`**\nDoes it."),
        (".. unknown:: words\n\n   More words.", "words\nMore words."),
        ("A. Smith wrote it.\nIt is good.", "A. Smith wrote it.\nIt is good."),
        ("| one\n| two", "one\ntwo"),
        ("# not a heading", "\\# not a heading"),
    ],
)
def test_restructured_text(source: str, expected: str) -> None:
    assert squeezed(source, RST) == expected


def test_fields_at_the_top_of_restructured_text_are_metadata_and_set_no_access() -> None:
    parsed = read(":version: 4.2\n:acl: everyone\n:level: public\n\nTitle\n=====\n\ntext\n\n:param x: first", RST)
    assert parsed.metadata == {"version": "4.2"} and parsed.title == "Title"
    assert "**param x:** first" in parsed.text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("= Title\nJane Doe <j@x.example>\nv2.1, 2024-01-01\n:toc:\n\nText", "# Title\nText"),
        ("== Part\n\n=== Sub\nText", "## Part\n### Sub\nText"),
        (":product: Thing\n\n{product} and {other}", "Thing and {other}"),
        ("NOTE: Mind this.", "> **Note:** Mind this."),
        ("[WARNING]\n.Hot\n====\nIt burns.\n====", "> **Warning: Hot** It burns."),
        ("[source,yaml]\n.conf.yml\n----\na: 1\n  b: *x*\n----", "**conf.yml**\n```yaml\na: 1\n  b: *x*\n```"),
        ("....\nliteral\n....", "```\nliteral\n```"),
        ("```sh\nls\n```", "```sh\nls\n```"),
        (". one\n+\nmore\n. two\n** deep", "1. one\n   more\n2. two\n   - deep"),
        ("Term:: Meaning.\nOther::\n  Below.", "**Term**\nMeaning.\n**Other**\nBelow."),
        ("|===\n|A |B\n\n|1 |2\n|===", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ('[cols="1,1"]\n|===\n|A\n|B\n\n|1\na|x \\| y\n|===', "| A | B |\n| --- | --- |\n| 1 | x \\| y |"),
        (",===\nA,B\n1,2\n,===", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("// gone\na\n\n////\ngone\n////\n\nb", "a\nb"),
        ("++++\n<b>x</b>\n++++\n\nb", "b"),
        ("include::../secret.txt[]\n\nb", "b"),
        ("ifdef::x[]\na\nendif::[]\nb", "a\nb"),
        ("image::x.png[A wiring plan,200]", "A wiring plan"),
        ("See <<id,the part>> and https://x.example/a[Docs^].", "See the part and [Docs](https://x.example/a)."),
        ("*bold* `code` kbd:[Ctrl+C] menu:File[Save]", "**bold** `code` Ctrl+C File > Save"),
        ("Text.footnote:[The note.]", "Text. (The note.)"),
        ("* [x] done\n* [ ] open", "- done\n- open"),
        ("xref:other.adoc#part[Other page] #marked#", "Other page marked"),
        ("# not a heading of ours", "# not a heading of ours"),
    ],
)
def test_asciidoc(source: str, expected: str) -> None:
    assert squeezed(source, ADOC) == expected


def test_attributes_of_asciidoc_do_not_grow_without_end() -> None:
    grown = "".join(f":a{number}: {{a{number - 1}}}{{a{number - 1}}}\n" for number in range(1, 40))
    assert len(read(f":a0: xxxxxxxxxx\n{grown}\n{{a39}}", ADOC).text) < 1_000


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('=== "Linux"\n\n    apt\n\n=== "Mac"\n\n    brew\n\nend', "**Linux**\napt\n**Mac**\nbrew\nend"),
        ('=== "A"\n\n    ```sh\n    ls\n      x\n    ```\n', "**A**\n```sh\nls\n  x\n```"),
        ('!!! tip\n    A\n\n    === "T"\n\n        one\nend', "> **Tip:** A\n> **T**\n> one\nend"),
        ("```{note} Care\nHot.\n```", "> **Note: Care** Hot."),
        ("::::{tab-set}\n:::{tab-item} Linux\n:sync: l\napt\n:::\n::::", "**Linux**\napt"),
        ("```{code-block} python\n:linenos:\nx = 1\n```", "```python\nx = 1\n```"),
        ("```{toctree}\na\nb\n```\nend", "end"),
        ("See {ref}`the page <label>`, {py:func}`~a.b`.", "See the page, `b`."),
        ("{/* a\nb */}\nend", "end"),
        ("a{' '}b", "a b"),
        ("import {\n  A,\n} from 'b';\nexport const m = {\n  a: 1,\n};\n\n# Hi", "# Hi"),
        ("export the settings\nfirst", "export the settings\nfirst"),
        ('<Callout type="warning" title="Care">\nHot.\n</Callout>', "> **Warning: Care** Hot."),
        ("<Tip>Fast.</Tip>", "> **Tip:** Fast."),
        ("[Go](x){ .md-button } {: .wide}", "[Go](x)"),
        ("{% include x.html %}a", "a"),
        ('--8<-- "file.md"\na', "a"),
        ("[TOC]\na", "a"),
        (":material-check: yes", "yes"),
        ("`{.kept}` and `{% kept %}`", "`{.kept}` and `{% kept %}`"),
        # What only looks like such syntax stays: paths, variables, examples of the syntax itself.
        ("get -o jsonpath='{.spec.nodes}' {.items}", "get -o jsonpath='{.spec.nodes}' {.items}"),
        ("Set `${TAG}` to `3.4` or `{name}` `x`.", "Set `${TAG}` to `3.4` or `{name}` `x`."),
        ("a `{range .x[*]}{'\\t'}{end}` b", "a `{range .x[*]}{'\\t'}{end}` b"),
        ("| `{a} {b}{'\\t'}{end}` | `c` |", "| `{a} {b}{'\\t'}{end}` | `c` |"),
        ("````md\n```{note}\n{ref}`x`\n```\n````", "````md\n```{note}\n{ref}`x`\n```\n````"),
        ("```sh\nls\n```\n\n```{tip}\nGo.\n```", "```sh\nls\n```\n> **Tip:** Go."),
        ("```{note}\n~~~sh\nls\n~~~\n```\nend", "> **Note:**\n> ~~~sh\n> ls\n> ~~~\nend"),
        ("Price {low} and {high: 3}.", "Price {low} and {high: 3}."),
        ('# Head { .c #x }\n\n[a](b){: .c target="_blank"}', "# Head\n[a](b)"),
        ("```jinja\n{% kept %} {/* kept */}\n```", "```jinja\n{% kept %} {/* kept */}\n```"),
        ("Text[^1].\n\n[^1]: The note.", "Text[^1].\n[^1]: The note."),
    ],
)
def test_markdown_of_generators(source: str, expected: str) -> None:
    assert squeezed(source, "text/markdown") == expected
