"""Answers of the graph's API that no knowledge base would give twice alike: many neighbours, long and hostile names."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
JAPANESE = "接続プールの枯渇によるタイムアウト"
LONG = "an endless name " * 256
TEXT = "Before it. \U0001f98a Ünïcode stands here: E11000 duplicate key. After it."
WORDS = "E11000 duplicate key."


def entity(kind: str, key: str, name: str) -> dict[str, str]:
    return {"id": f"{kind}:{key}", "kind": kind, "name": name}


def edge(number: int, other: dict[str, str], relation: str = "MENTIONS", **more: Any) -> dict[str, Any]:
    start = len(TEXT[: TEXT.index(WORDS)].encode())
    return {
        "id": f"{number:032x}",
        "relation": relation,
        "outward": False,
        "other": other,
        "doc_id": "keys.md",
        "title": "Keys",
        "url": "https://docs.example/keys",
        "chunk_id": "c-1",
        "start": 1_000 + start,
        "end": 1_000 + start + len(WORDS.encode()),
        "words": WORDS,
        "confidence": 0.9,
        **more,
    }


def many(count: int, relation: str = "MENTIONS") -> list[dict[str, Any]]:
    """Each from a page of its own, confidence falling from 1 to about .5."""
    return [
        edge(at, entity("document", f"p{at}.md", f"Page {at} of the manual"), relation, confidence=1 - at / (2 * count))
        for at in range(count)
    ]


CHUNK = {
    "chunk_id": "c-1",
    "doc_id": "keys.md",
    "title": "Keys",
    "section_path": ["Keys", "Errors"],
    "url": "https://docs.example/keys",
    "page": None,
    "kind": "text",
    "document_kind": "documentation",
    "snapshot": 1,
    "text": TEXT,
    "text_start": 1_000,
    "chunk_start": 0,
    "chunk_end": len(TEXT),
    "cited": [],
    "cut_before": False,
    "cut_after": False,
}


class GraphWorld:
    """Answers for `page.route`: entities by id, their edges, and problems in front of them."""

    def __init__(self, **entities: list[dict[str, Any]]) -> None:
        self.edges = {"error:e11000": [], **entities}
        self.names = {"error:e11000": "E11000"}
        self.found: dict[str, list[dict[str, str]]] = {}
        self.problems: list[tuple[int, dict[str, str], dict[str, str]]] = []
        """Answered first, one each: status, headers, fields."""
        self.asked: list[str] = []

    def route(self, page: Any) -> None:
        page.route("**/v1/graph/**", self._graph)
        page.route("**/v1/chunks/**", lambda route: route.fulfill(json=CHUNK))

    def refuse(self, status: int, detail: str, remedy: str, **headers: str) -> None:
        self.problems.append((status, headers, {"detail": detail, "remedy": remedy, "code": "x"}))

    def _graph(self, route: Any) -> None:
        url = urlsplit(route.request.url)
        self.asked.append(route.request.url)
        if self.problems:
            status, headers, fields = self.problems.pop(0)
            route.fulfill(
                status=status, headers={"Content-Type": "application/problem+json", **headers}, body=json.dumps(fields)
            )
        elif url.path == "/v1/graph/entities":
            found = self.found.get(parse_qs(url.query)["name"][0], [])
            route.fulfill(json={"snapshot": 1, "entities": found})
        else:
            entity_id = unquote(url.path.removeprefix("/v1/graph/entities/"))
            kind, _, key = entity_id.partition(":")
            shown = entity(kind, key, self.names.get(entity_id, key))
            route.fulfill(json={"snapshot": 1, "entity": shown, "edges": self.edges.get(entity_id, [])})
