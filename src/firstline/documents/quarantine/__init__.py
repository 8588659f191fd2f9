"""Does a document speak to whoever answers from it? Such text is data like all other; a person looks at it first.

Every field that is embedded, quoted or shown is read: title, id (the file name), address, metadata and the text. A
document is suspicious when signs of weight TOTAL_MIN stand near each other (`signs.py`), in the text as written or
behind a disguise (`unfold.py`). The time is linear in the length of the text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from firstline.documents.quarantine.excerpt import EXCERPT_CHARS, Excerpts, safe
from firstline.documents.quarantine.near import ORDERS, near_each_other
from firstline.documents.quarantine.unfold import OF_ADDRESS, disguised, flat, invisible, lowered, masked
from firstline.domain import GRAPH, ORIGIN, SourceItem, Suspicion
from firstline.ports import Redactor

__all__ = ["disguised", "fingerprint", "invisible", "reads_like_instructions", "safe", "suspicions"]

SUSPICIONS_MAX: Final = 5
NAMES: Final = frozenset({"file name", "address"})
_BLANKS_OF_NAMES: Final = re.compile(r"[-_./#+?&=]+")
MASKED_MIN: Final = 3
"""One such word is a slip of a keyboard, three are a disguise."""


def suspicions(
    *, title: str, doc_id: str, url: str | None, metadata: Mapping[str, str], text: str, redactor: Redactor
) -> list[Suspicion]:
    """What is suspicious where, at most SUSPICIONS_MAX. Excerpts are kept and shown: they are redacted here, behind
    their disguise, whatever was redacted before."""
    fields = [
        ("title", title),
        ("file name", doc_id),
        ("address", url or ""),
        *((f"metadata {name}", value) for name, value in metadata.items() if name not in (GRAPH, ORIGIN)),
        ("text", text),
    ]
    found: list[Suspicion] = []
    for where, value in fields:
        found.extend(_of_name(where, value, redactor) if where in NAMES else _of_field(where, value, redactor))
        if len(found) >= SUSPICIONS_MAX:
            break
    return found[:SUSPICIONS_MAX]


def reads_like_instructions(text: str) -> bool:
    """Whether this text would hold a document back."""
    return any(True for _ in _of_field("text", text, None))


def fingerprint(item: SourceItem) -> str:
    """Names what was looked at: a decision holds for this content, whoever may see it and whatever parses it."""
    metadata = sorted((name, value) for name, value in item.metadata.items() if name not in (GRAPH, ORIGIN))
    digest = hashlib.sha256(f"{item.item_id}\x1f{item.title}\x1f{item.url}\x1f{metadata}\x1f".encode())
    digest.update(item.raw)
    return digest.hexdigest()


def _of_name(where: str, value: str, redactor: Redactor) -> Iterator[Suspicion]:
    """What stands for blanks between its words also holds an address together: it is shown as it is written."""
    for one in _of_field(where, _BLANKS_OF_NAMES.sub(" ", value), None):
        yield replace(one, excerpt=safe(value, redactor).lower()[:EXCERPT_CHARS])


def _of_field(where: str, value: str, redactor: Redactor | None) -> Iterator[Suspicion]:
    """Without a redactor the excerpts are empty."""
    if not value:
        return
    seen: set[tuple[str, ...]] = set()
    words = masked(value)
    if len(words) >= MASKED_MIN:
        told = " ".join(words[:EXCERPT_CHARS])
        excerpt = Excerpts(told, redactor).of(0, len(told)) if redactor else ""
        yield Suspicion(where=where, says=("words are written with letters of another script",), excerpt=excerpt)
    written = flat(f"\n{value}")
    for disguise, told, read in (("", written, lowered(written)), *disguised(value)):
        excerpts = Excerpts(told, redactor) if redactor else None
        for start, end, says in near_each_other(read):
            if says in seen or (says == (ORDERS,) and (where in NAMES or disguise == OF_ADDRESS)):
                continue  # a title that became an address is no sentence: the classifier knows only those
            seen.add(says)
            yield Suspicion(
                where=where,
                says=(*says, *((f"written with {disguise}",) if disguise else ())),
                excerpt=excerpts.of(start, end) if excerpts else "",
            )
