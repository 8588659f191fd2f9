"""What the classifier learns from: written orders and look-alikes, composed orders, real sentences that are none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from firstline.documents.parse import parse
from firstline.documents.quarantine.unfold import flat, lowered
from firstline.domain import Failure
from firstline.errors import NotAccepted
from firstline.evals.datasets import DataSource, present
from firstline.orders.reading import SENTENCE, inputs

HERE = Path(__file__).parent
TRIAGE = HERE.parent / "triage" / "sentences"
FOREIGN = ("de", "fr", "es", "ja")


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """`group` is a family of wordings, of look-alikes, or the id of a document."""

    group: str
    text: str
    things: list[str]
    words: list[str]

    @property
    def half(self) -> int:
        """Documents are dealt out to two halves, so that each is judged by a model that has not seen it."""
        return hashlib.sha256(self.group.encode()).digest()[0] % 2


def written(name: str) -> list[Example]:
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return longest(tuple(line.split("\t", 1)) for line in lines)


def messages(*names: str) -> list[Example]:
    """What customers write, in five languages: but for those that ask for secrets, none gives orders of this kind."""
    rows = [json.loads(line) for name in names for line in (TRIAGE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return longest(("message", row["text"]) for row in rows if row["intent"] != "private_data")


def longest(rows: Iterable[tuple[str, ...]]) -> list[Example]:
    """Of every text the sentence that speaks of most; texts that speak of too little are left out."""
    found: list[Example] = []
    for group, text in rows:
        if sentences := read(group, text):
            found.append(max(sentences, key=lambda one: len(one.things)))
    return found


def read(group: str, text: str) -> list[Example]:
    found: list[Example] = []
    for sentence in SENTENCE.finditer(lowered(flat(text))):
        if given := inputs(sentence.group()):
            found.append(Example(group=group, text=sentence.group().strip(), things=given[0], words=given[1]))
    return found


async def documentation(data: Path) -> list[Example]:
    """Every different sentence of the public documentation."""
    found: dict[str, Example] = {}
    async for item in DataSource(data, present(data)).items():
        if isinstance(item, Failure):
            continue
        try:
            text = parse(item).text
        except NotAccepted:
            continue
        for one in read(item.item_id, text):
            found.setdefault(one.text, one)
    return list(found.values())
