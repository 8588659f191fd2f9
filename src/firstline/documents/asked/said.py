"""What a model said of a chunk, and which of it stands there. A relation without a verbatim quote is none."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from firstline.domain import Chunk, Document, Edge, Entity, EntityKind, Part, Relation, by_model
from firstline.entity_names import name_key
from firstline.orders import doubtful
from firstline.prompt_files import Prompt, prompt_of

FOUND_MAX: Final = 30
NAME_CHARS_MAX: Final = 80
QUOTE_CHARS_MAX: Final = 300
CONFIDENCE: Final = 0.5
"""Of what a model says and the passage holds. Not measured: below every edge of the rules that was."""
KINDS: Final[Mapping[str, EntityKind]] = {
    kind.value: kind
    for kind in (
        EntityKind.COMPONENT,
        EntityKind.ERROR,
        EntityKind.VERSION,
        EntityKind.METHOD,
        EntityKind.COMMAND,
        EntityKind.SETTING,
    )
}
RELATIONS: Final[Mapping[Relation, frozenset[EntityKind]]] = {
    Relation.MENTIONS: frozenset(KINDS.values()),
    Relation.APPLIES_TO: frozenset({EntityKind.VERSION, EntityKind.COMPONENT}),
    Relation.RESOLVES: frozenset({EntityKind.ERROR}),
}
"""What a document may say of what."""
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "found": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "name": {"type": "string"},
                    "relation": {"type": "string", "enum": [one.value for one in RELATIONS]},
                    "quote": {"type": "string"},
                },
                "required": ["kind", "name", "relation", "quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["found"],
    "additionalProperties": False,
}
_ITEM: Final = re.compile(r"\{[^{}]*\}")
_PLACEHOLDER: Final = re.compile(r"\[[A-Z]{2,}(?:_[A-Z]+)*_\d+\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """`edges` stand in the chunk; `fell`: why others do not, and how often."""

    edges: tuple[Edge, ...]
    fell: Counter[str]


def prompt() -> Prompt:
    return prompt_of("firstline.documents", "graph")


def part_of(text: str) -> Part:
    return Part(text=text, label="passage")


def read(text: str) -> list[Any] | None:
    """The items of an answer; whole items of one that was cut off or has words around it; None when there is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return [item for match in _ITEM.finditer(text) if (item := _item(match[0])) is not None] or None
    found = cast("dict[str, Any]", value).get("found") if isinstance(value, dict) else None
    return cast("list[Any]", found) if isinstance(found, list) else None


def _item(text: str) -> Any | None:
    try:
        return json.loads(text)
    except ValueError:
        return None


def edges_of(items: list[Any], text: str, chunk: Chunk, document: Document, *, extractor: str) -> Said:
    """`text` is the chunk's. Each edge's span is its quote in the document's blob."""
    fell: Counter[str] = Counter()
    edges: dict[str, Edge] = {}
    if len(items) > FOUND_MAX:
        fell["too many"] += len(items) - FOUND_MAX
    source = Entity(kind=EntityKind.DOCUMENT, key=document.doc_id, name=document.title[:NAME_CHARS_MAX])
    for item in items[:FOUND_MAX]:
        relation, target, place, why = _checked(item, text)
        if relation is None or target is None:
            fell[why] += 1
            continue
        start = chunk.start + len(text[: place[0]].encode())
        edge = Edge(
            tenant=chunk.tenant,
            kb=chunk.kb,
            source=source,
            relation=relation,
            target=target,
            doc_id=chunk.doc_id,
            chunk_id=chunk.chunk_id,
            start=start,
            end=start + len(text[place[0] : place[1]].encode()),
            extractor=by_model(extractor),
            confidence=CONFIDENCE,
            acl=chunk.acl,
            level=chunk.level,
            since=chunk.since,
            until=chunk.until,
        )
        edges.setdefault(edge.edge_id, edge)
    return Said(edges=tuple(edges.values()), fell=fell)


_Checked = tuple[Relation | None, Entity | None, tuple[int, int], str]


def _checked(item: Any, text: str) -> _Checked:
    """Relation, target and the quote's characters; or why it is none."""
    fields = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    kind, name, relation, quote = (fields.get(one) for one in ("kind", "name", "relation", "quote"))
    if not (isinstance(kind, str) and isinstance(name, str) and isinstance(relation, str) and isinstance(quote, str)):
        return _fallen("not in the form")
    known = next((one for one in RELATIONS if one.value == relation), None)
    if known is None or kind not in KINDS or KINDS[kind] not in RELATIONS[known]:
        return _fallen("unknown kind or relation")
    name, key = " ".join(name.split()), name_key(name)
    if not key or len(name) > NAME_CHARS_MAX or _PLACEHOLDER.search(name):
        return _fallen("it names nothing")
    at = text.find(quote) if 0 < len(quote) <= QUOTE_CHARS_MAX else -1
    if at < 0:
        return _fallen("the quote is not in the chunk")
    if name.casefold() not in " ".join(quote.split()).casefold():
        return _fallen("the name is not in its quote")
    if doubtful(quote):
        return _fallen("it might be an order")
    return known, Entity(kind=KINDS[kind], key=key, name=name), (at, at + len(quote)), ""


def _fallen(why: str) -> _Checked:
    return None, None, (0, 0), why
