"""The texts of many documents, within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from firstline.domain import Document
from firstline.errors import NotFound
from firstline.ports import BlobStore

DOCUMENT_BYTES_MAX: Final = 65_536
"""Of a document so much is read for its links and its runs of words."""
TEXT_BYTES_MAX: Final = 256 * 1024 * 1024
READS_AT_ONCE: Final = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Texts:
    """`cut`: some document was not read, or not to its end."""

    by_blob: Mapping[str, str]
    cut: bool


async def read_texts(documents: Iterable[Document], blobs: BlobStore) -> Texts:
    """By content, each once. One that is being removed meanwhile is left out."""
    sizes = {document.blob: document.size_bytes for document in documents}
    found: dict[str, str] = {}
    room = TEXT_BYTES_MAX
    cut = False
    names = sorted(sizes)
    for at in range(0, len(names), READS_AT_ONCE):
        some = names[at : at + READS_AT_ONCE]
        wanted = [min(sizes[name], DOCUMENT_BYTES_MAX) for name in some]
        if sum(wanted) > room:
            return Texts(by_blob=found, cut=True)
        room -= sum(wanted)
        cut = cut or any(sizes[name] > DOCUMENT_BYTES_MAX for name in some)
        texts = await asyncio.gather(*(_text(blobs, name, end) for name, end in zip(some, wanted, strict=True)))
        found |= {name: text for name, text in zip(some, texts, strict=True) if text is not None}
    return Texts(by_blob=found, cut=cut)


async def _text(blobs: BlobStore, name: str, end: int) -> str | None:
    try:
        return (await blobs.get_range(name, 0, end)).decode("utf-8", errors="ignore")
    except NotFound:
        return None
