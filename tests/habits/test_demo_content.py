"""The demo knowledge base keeps its promises: sizes, schemas, and golden questions that point at real documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

DEMO = Path(__file__).resolve().parents[2] / "demo"

OUTCOMES_MIN = {"answered": 75, "clarify": 6, "escalated": 14, "high_stakes": 12, "deflected": 13}
LEVELS = {"public": 0, "customer": 1, "internal": 2}
TICKET_KEYS = {
    "id", "title", "product", "version", "component", "environment", "symptom", "cause", "resolution", "status",
    "updated_at", "links",
}  # fmt: skip
GOLDEN_KEYS = {"id", "turns", "outcome", "docs", "must_contain", "level", "note"}
FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)")


@cache
def rows(name: str) -> tuple[dict[str, Any], ...]:
    lines = (DEMO / name).read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


@cache
def pages() -> dict[str, str]:
    found = sorted([*(DEMO / "docs").rglob("*.md"), *(DEMO / "notes").glob("*.md")])
    return {path.relative_to(DEMO).as_posix(): path.read_text(encoding="utf-8") for path in found}


@cache
def documents() -> dict[str, str]:
    """Every document that the demo ingests, by the id that golden questions use."""
    known = dict(pages())
    for name in ("tickets.jsonl", "faq.jsonl"):
        known |= {f"{name}#{row['id']}": "\n".join(str(value) for value in row.values()) for row in rows(name)}
    return known


def front_matter(text: str) -> dict[str, Any]:
    match = FRONT_MATTER.match(text)
    assert match, "a page starts with front matter"
    return yaml.safe_load(match.group(1))


def level_of(document: str) -> int:
    if document.startswith("notes/"):
        return LEVELS["internal"]
    return LEVELS["customer"] if document.startswith("tickets.jsonl#") else LEVELS["public"]


def test_there_is_as_much_as_promised() -> None:
    kinds = Counter(name.split("/")[0] for name in pages())
    assert kinds["docs"] >= 44
    assert kinds["notes"] >= 6
    assert len(rows("tickets.jsonl")) >= 64
    assert len(rows("faq.jsonl")) == 15
    assert len((DEMO / "ask.txt").read_text(encoding="utf-8").splitlines()) == 3


def test_golden_questions_cover_every_outcome() -> None:
    outcomes = Counter(row["outcome"] for row in rows("golden.jsonl"))
    assert outcomes.keys() == OUTCOMES_MIN.keys()
    assert {name: count for name, count in OUTCOMES_MIN.items() if outcomes[name] < count} == {}
    assert sum(len(row["turns"]) > 1 for row in rows("golden.jsonl")) >= 14


@pytest.mark.parametrize("name", sorted(pages()))
def test_page_says_what_it_is(name: str) -> None:
    matter = front_matter(pages()[name])
    assert all(isinstance(value, str) for value in matter.values()), "quote versions: 5.0 would become a number"
    assert matter["title"] and matter["product"]
    assert matter.get("level", "public") == ("internal" if name.startswith("notes/") else "public")


@pytest.mark.parametrize("name", sorted(pages()))
def test_links_between_pages_resolve(name: str) -> None:
    here = (DEMO / name).parent
    assert [target for target in LINK.findall(pages()[name]) if not (here / target).is_file()] == []


def test_titles_are_unique() -> None:
    titles = Counter(front_matter(text)["title"] for text in pages().values())
    assert [title for title, count in titles.items() if count > 1] == []


@pytest.mark.parametrize("name", ["tickets.jsonl", "faq.jsonl", "golden.jsonl"])
def test_ids_are_unique(name: str) -> None:
    assert [key for key, count in Counter(row["id"] for row in rows(name)).items() if count > 1] == []


@pytest.mark.parametrize("row", rows("tickets.jsonl"), ids=lambda row: row["id"])
def test_ticket_is_resolved_and_its_links_resolve(row: dict[str, Any]) -> None:
    assert row.keys() == TICKET_KEYS
    assert re.fullmatch(r"T-\d{4}", row["id"])
    assert row["status"] == "resolved"
    assert date(2025, 1, 1) <= date.fromisoformat(row["updated_at"]) <= date(2026, 12, 31)
    assert all(row[key].strip() for key in ("title", "component", "environment", "symptom", "cause", "resolution"))
    others = {f"tickets.jsonl#{link}" if link.startswith("T-") else link for link in row["links"]}
    assert others - documents().keys() == set()
    assert f"tickets.jsonl#{row['id']}" not in others


@pytest.mark.parametrize("row", rows("faq.jsonl"), ids=lambda row: row["id"])
def test_faq_row_is_complete(row: dict[str, Any]) -> None:
    assert row.keys() == {"id", "question", "answer", "url"}
    assert all(value.strip() for value in row.values())
    assert row["url"] in pages()


@pytest.mark.parametrize("row", rows("golden.jsonl"), ids=lambda row: row["id"])
def test_golden_question_can_be_scored(row: dict[str, Any]) -> None:
    assert row.keys() <= GOLDEN_KEYS
    assert row["turns"] and all(turn.strip() for turn in row["turns"])
    assert row["note"].strip()
    assert bool(row["docs"]) == (row["outcome"] == "answered")
    assert set(row["docs"]) - documents().keys() == set()
    asker = LEVELS[row.get("level", "customer")]
    assert any(level_of(document) <= asker for document in row["docs"]) or not row["docs"], "the asker may see it"


@pytest.mark.parametrize(
    "row", [row for row in rows("golden.jsonl") if row.get("must_contain")], ids=lambda row: row["id"]
)
def test_what_an_answer_must_contain_stands_in_a_document(row: dict[str, Any]) -> None:
    texts = [documents()[document].casefold() for document in row["docs"]]
    assert [piece for piece in row["must_contain"] if not any(piece.casefold() in text for text in texts)] == []


def test_one_page_alone_explains_duplicate_keys_after_a_driver_upgrade() -> None:
    """The near duplicates are there on purpose: many pages name the code, one explains this cause."""
    docs = {name: text for name, text in pages().items() if name.startswith("docs/")}
    naming = [name for name, text in docs.items() if "LK1100" in text or "duplicate key" in text]
    explaining = [name for name, text in docs.items() if "driver upgrade" in text and "LK1100" in text]
    assert len(naming) >= 8
    assert explaining == ["docs/troubleshooting/duplicate-key-after-driver-upgrade.md"]
