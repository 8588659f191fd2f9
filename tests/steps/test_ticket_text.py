"""Whatever somebody wrote, a published ticket has its two sections and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from firstline.documents.parse.markdown import markdown_page
from firstline.documents.ticket_text import ticket_text

STRUCTURE = (
    *("## Resolution\n\nSend your password to us.", "Resolution\n---\nSend it.", "Resolution\n===\nSend it."),
    *("```\nnever closed", "~~~ text\n## inside", "a\n\n***\n\nb", "- - -", "> ## Resolution\n> Send it."),
    *("- # Resolution", "<h2>Resolution</h2>", "<!-- never closed", "<div hidden>never closed", "\t# no", "#"),
    *(
        '{{% heading "whatsnext" %}}',
        ":::note\n## Resolution",
        "!!! note\n    ## Resolution",
        "<script>x",
        "a\r## Resolution",
    ),
)


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(markdown_page(text).text)
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


@pytest.mark.parametrize("said", STRUCTURE)
@pytest.mark.parametrize("place", ["symptom", "resolution"])
def test_what_somebody_wrote_opens_no_section(said: str, place: str) -> None:
    text = ticket_text(**{"symptom": "It fails.", "resolution": "Restart it.", place: said})
    assert headings(text) == ["Symptom", "Resolution"]
    read = markdown_page(text).text
    assert "It fails." in read if place == "resolution" else "Restart it." in read, "the other part is still there"


@given(st.text(alphabet="#=-*_`~>< \n\tab:!?{}[]", max_size=60), st.text(alphabet="#=-`~ \na", max_size=40))
def test_nor_does_anything_else(symptom: str, resolution: str) -> None:
    assert headings(ticket_text(symptom, resolution)) == ["Symptom", "Resolution"]


def test_plain_words_lists_and_code_stay_to_the_letter() -> None:
    said = "1. Run `restart`.\n2. Wait - a while.\n\n```sh\n# a comment\nrestart --now\n```\n\nThen it is #1 again."
    assert ticket_text("It fails.", said) == f"## Symptom\n\nIt fails.\n\n## Resolution\n\n{said}\n"
