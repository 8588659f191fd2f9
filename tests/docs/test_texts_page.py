"""docs/texts.md shows what is shipped."""

from __future__ import annotations

from tools.document_texts import PAGE, page


def test_the_page_of_texts_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tools/document_texts.py"
