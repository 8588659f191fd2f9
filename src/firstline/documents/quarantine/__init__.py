"""Does a document speak to whoever answers from it? Such text is data like all other; a person looks at it first.

Every field that is embedded, quoted or shown is read: title, id (the file name), address, metadata and the text. A
document is suspicious when signs of weight TOTAL_MIN stand near each other (`signs.py`), in the text as written or
behind a disguise (`unfold.py`). The time is linear in the length of the text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from firstline.documents.quarantine.signs import MENTION, SIGNS
from firstline.documents.quarantine.unfold import disguised, invisible, masked, plain
from firstline.domain import ORIGIN, SourceItem, Suspicion

__all__ = ["disguised", "fingerprint", "invisible", "reads_like_instructions", "suspicions"]

TOTAL_MIN: Final = 2.0
NEAR_CHARS: Final = 400
"""Signs further apart belong to different thoughts."""
AROUND_CHARS: Final = 160
"""What a sign's pattern may span before the word that it needs; twice as much after it."""
EXCERPT_CHARS: Final = 240
SUSPICIONS_MAX: Final = 5
MASKED_MIN: Final = 3
"""One such word is a slip of a keyboard, three are a disguise."""
QUOTES: Final = "\"'`“”„‘’«»「」"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    start: int
    end: int
    weight: float
    says: str


def suspicions(*, title: str, doc_id: str, url: str | None, metadata: Mapping[str, str], text: str) -> list[Suspicion]:
    """What is suspicious where, at most SUSPICIONS_MAX. Give redacted values: excerpts are kept and shown."""
    fields = [
        ("title", title),
        ("file name", re.sub(r"[-_./#+]+", " ", doc_id)),
        ("address", re.sub(r"[-_./#+?&=]+", " ", url or "")),
        *((f"metadata {name}", value) for name, value in metadata.items() if name != ORIGIN),
        ("text", text),
    ]
    found: list[Suspicion] = []
    for where, value in fields:
        found.extend(_of_field(where, value))
        if len(found) >= SUSPICIONS_MAX:
            break
    return found[:SUSPICIONS_MAX]


def reads_like_instructions(text: str) -> bool:
    """Whether this text would hold a document back."""
    return any(True for _ in _of_field("text", text))


def fingerprint(item: SourceItem) -> str:
    """Names what was looked at: a decision holds for this content, whoever may see it and whatever parses it."""
    metadata = sorted((name, value) for name, value in item.metadata.items() if name != ORIGIN)
    digest = hashlib.sha256(f"{item.item_id}\x1f{item.title}\x1f{item.url}\x1f{metadata}\x1f".encode())
    digest.update(item.raw)
    return digest.hexdigest()


def _of_field(where: str, value: str) -> Iterator[Suspicion]:
    if not value:
        return
    seen: set[tuple[str, ...]] = set()
    words = masked(value)
    if len(words) >= MASKED_MIN:
        excerpt = " ".join(words)[:EXCERPT_CHARS]
        yield Suspicion(where=where, says=("words are written with letters of another script",), excerpt=excerpt)
    for disguise, read in (("", plain(f"\n{value}")), *disguised(value)):
        for start, end, says in _near_each_other(read):
            if says in seen:
                continue
            seen.add(says)
            left = max(0, start - 40)
            excerpt = " ".join(read[left : max(end, left) + 80][:EXCERPT_CHARS].split())
            yield Suspicion(
                where=where, says=(*says, *((f"written with {disguise}",) if disguise else ())), excerpt=excerpt
            )


def _near_each_other(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(start, end, what the signs say) of places whose different signs weigh enough together."""
    found = sorted(_signs_in(text), key=lambda one: one.start)
    at = 0
    while at < len(found):
        near: dict[str, _Found] = {}
        for one in found[at:]:
            if one.start - found[at].start > NEAR_CHARS:
                break
            if one.says not in near or near[one.says].weight < one.weight:
                near[one.says] = one
        if sum(one.weight for one in near.values()) >= TOTAL_MIN:
            end = max(one.end for one in near.values())
            yield found[at].start, end, tuple(near)
            while at < len(found) and found[at].start < end:
                at += 1
            continue
        at += 1


def _signs_in(text: str) -> Iterator[_Found]:
    for sign in SIGNS:
        for left, right in _around(text, sign.needs):
            for match in sign.pattern.finditer(text, left, right):
                if not _mentioned(text, match.start(), match.end()):
                    yield _Found(start=match.start(), end=match.end(), weight=sign.weight, says=sign.says)


def _around(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Stretches about these words, in order, without overlaps: elsewhere a sign that needs one of them cannot stand."""
    places: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            places.append(at)
            at = text.find(word, at + AROUND_CHARS)
    stretches: list[tuple[int, int]] = []
    for place in sorted(places):
        left, right = max(0, place - AROUND_CHARS), place + 2 * AROUND_CHARS
        if stretches and left <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], right)
        else:
            stretches.append((left, right))
    return stretches


def _mentioned(text: str, start: int, end: int) -> bool:
    """It stands in quotation marks or code, in a sentence about such things; or somebody tells what others try."""
    before, after = text[max(0, start - 200) : start], text[end : end + 200]
    opening = _BREAK.split(before)[-1]
    quoted = any(mark in before[-60:] for mark in QUOTES) and any(mark in after[:60] for mark in QUOTES)
    if quoted and MENTION.search(f"{opening}{text[start:end]}{_BREAK.split(after)[0]}"):
        return True
    return _REPORTED.search(opening) is not None


_BREAK: Final = re.compile(r"[.!?]\s|\n\n")
_REPORTED: Final = re.compile(
    r"\b(?:attack(?:er|ers|s)?|injections?|attempts?|jail ?breaks?|classifiers?|detectors?|filters?|guards?"
    r"|guardrails)\b"
    r"[^.!?\n]{0,120}\b(?:to|asks?|tries|try|that|whether|when)\b"
)
"""What stands before the sign when it is told of, as in "guards detect attempts to override the system prompt"."""
