"""What would `ingest` take out of one document, in each place that it redacts? By type, without the values."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstline.domain import Redaction, SourceItem
    from firstline.ports import Redactor, TextFromImage

TEXT = "text"
TITLE = "title"
LINK = "link"
ID = "id"
ENCODED = "ENCODED"
"""What percent signs, entities, wide letters or base64 hid: it has no place in the text as it is written."""


def preview(item: SourceItem, redactor: Redactor, *, ocr: TextFromImage | None = None) -> dict[str, Any]:
    """The text first, then what is kept beside it, in the order of `ingest`, so that placeholders are its own: title,
    link, front matter and columns. Last the document's id, which is kept as it is. NotAccepted when it cannot be read.
    """
    from firstline.documents.parse import parse
    from firstline.documents.quarantine import safe
    from firstline.documents.redact import wholly

    parsed = parse(item, ocr=ocr)
    of_document = redactor.for_document(item.kind)
    redacted = wholly(of_document.redact(parsed.text))
    places = list(_places(TEXT, parsed.text, redacted.redactions))
    title = safe(parsed.title, of_document)
    if parsed.title not in parsed.text:
        # One that is the text's own first line is told with it.
        places += _of_value(TITLE, parsed.title, of_document)
    metadata = {**parsed.metadata, **item.metadata}
    if url := item.url or metadata.get("url"):
        places += _of_value(LINK, url, of_document)
    for name, value in _written(metadata).items():
        places += _of_value(name, value, of_document)
    kept = _of_value(ID, item.item_id, of_document)
    return {
        "document": item.item_id if not kept else safe(item.item_id, of_document),
        "kind": item.kind.value,
        "title": title,
        "counts": dict(Counter(str(one["type"]) for one in places)),
        "places": places,
        "kept_in_id": kept,
        "text": redacted.text,
    }


def _written(metadata: Mapping[str, str]) -> dict[str, str]:
    """Without what is made of the title, and without the link, which has its own place."""
    from firstline.documents.prepare import QUESTION_KEY

    return {name: value for name, value in metadata.items() if name not in (QUESTION_KEY, "url")}


def _of_value(where: str, value: str, redactor: Redactor) -> list[dict[str, Any]]:
    from firstline.documents.quarantine import safe

    plain = redactor.redact(value)
    found = list(_places(where, value, plain.redactions))
    if safe(value, redactor) != plain.text:
        found.append(
            {"where": where, "type": ENCODED, "placeholder": f"[{ENCODED}]", "line": 1, "column": 1} | _all(value)
        )
    return found


def _all(value: str) -> dict[str, int]:
    return {"characters": len(value)}


def _places(where: str, text: str, redactions: Sequence[Redaction]) -> Iterator[dict[str, Any]]:
    lines = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]
    for one in redactions:
        line = bisect_right(lines, one.start)
        yield {
            "where": where,
            "type": one.type,
            "placeholder": one.placeholder,
            "line": line,
            "column": one.start - lines[line - 1] + 1,
            "characters": one.end - one.start,
        }
