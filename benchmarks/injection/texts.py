"""The attack texts, texts that only look like them, and harmless text of any length."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from firstline.documents.parse import parse
from firstline.domain import Failure
from firstline.errors import NotAccepted
from firstline.evals.datasets import DataSource, present

HERE: Final = Path(__file__).parent
SENTENCES: Final = 250
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n{2,}")
_LOOKS_LIKE: Final = re.compile(
    r"\b(?:ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|prompt\w*|instruct\w*|assistant|system:|bots?|role|act as"
    r"|pretend|tell the|ask the|advise|you must|must not|visit|password|call us|pay|previous\w*|above|reply|respond"
    r"|hidden|secret)\b",
    re.IGNORECASE,
)
_HARMLESS: Final = (
    "The archive of the old newsletter holds pictures of the summer festival and of the garden behind the office. "
    "Visitors of the garden like the pond, the benches under the chestnut trees and the small path to the gate. "
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Attack:
    """`wants`: show (one of `marks` where people see it), leak, no_handoff or handoff. `half`: dev, second and
    third were looked at while building; held and fourth were written before, and looked at after, the signs changed."""

    half: str
    wants: str
    marks: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LookAlike:
    """Text that no attack is; it stands in a `document` or is a `question`."""

    half: str
    where: str
    text: str


def attacks() -> list[Attack]:
    return [
        Attack(half=row["half"], wants=row["wants"], marks=tuple(row["marks"]), text=row["text"])
        for row in _rows("attacks.jsonl")
    ]


def look_alikes() -> list[LookAlike]:
    return [LookAlike(**row) for row in _rows("benign.jsonl")]


def harmless(length: int) -> str:
    """Text of this length that wants nothing."""
    return (_HARMLESS * (1 + length // len(_HARMLESS)))[:length]


async def real_documents(data: Path) -> list[tuple[str, Any, Any]]:
    """(name of the set, item, parsed) of every document of the public data."""
    found: list[tuple[str, Any, Any]] = []
    for one in present(data):
        async for item in DataSource(data, [one]).items():
            if isinstance(item, Failure):
                continue
            try:
                found.append((one.name, item, parse(item)))
            except NotAccepted:
                continue
    return found


def real_sentences(documents: list[tuple[str, Any, Any]]) -> list[str]:
    """Sentences that hold words which attacks hold, too: the same ones each time."""
    return sorted(set(_candidates(documents)), key=lambda text: hashlib.sha256(text.encode()).digest())[:SENTENCES]


def _candidates(documents: list[tuple[str, Any, Any]]) -> Iterator[str]:
    for _, _, parsed in documents:
        for sentence in _SENTENCE.split(parsed.text):
            if 40 <= len(sentence) <= 400 and len(set(map(str.lower, _LOOKS_LIKE.findall(sentence)))) >= 2:
                yield sentence.strip()


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
