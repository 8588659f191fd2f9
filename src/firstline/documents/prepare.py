"""What does a source item become before it is embedded? Parsed, redacted, cut into chunks; nothing is stored yet."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from firstline.documents.chunk import ChunkSpan, chunk, embedding_text
from firstline.documents.extract import extract
from firstline.documents.parse import parse
from firstline.documents.quarantine import fingerprint, invisible, reads_like_instructions, safe, suspicions
from firstline.documents.redact import wholly
from firstline.documents.run import Prepared
from firstline.domain import (
    GRAPH,
    GRAPH_OFF,
    NOTHING,
    PAGES,
    Chunk,
    Document,
    ParsedDocument,
    Redacted,
    SourceItem,
    content_hash_of,
    pages_told,
    question_key,
)
from firstline.errors import NotAccepted
from firstline.ports import Redactor, TextFromImage
from firstline.vocabulary import vocabulary

QUESTION_KEY: Final = "question_key"
INVISIBLE_MAX: Final = 20
"""Some stand in many pages, put there by editors: they are left out without a word."""


def prepare(
    item: SourceItem,
    *,
    tenant: str,
    kb: str,
    candidate: int,
    redactor: Redactor,
    count_tokens: Callable[[str], int],
    chunk_tokens: int,
    known: Document | None = None,
    ocr: TextFromImage | None = None,
    extract_graph: bool = True,
) -> Prepared:
    """CPU-bound, for a thread. `known` is the revision that stands; `ocr` reads pages that are pictures. Without
    `extract_graph`, or when its source is kept out of the graph, the document says no edges. NotAccepted when the item
    cannot be read or holds no text."""
    parsed = parse(item, ocr=ocr)
    redactor = redactor.for_document(item.kind)
    # Redact first: a chunk edge can cut an identifier in two and hide both halves.
    redacted = wholly(redactor.redact(parsed.text))
    blob = redacted.text.encode("utf-8")
    spans = chunk(redacted.text, tokens_aim=chunk_tokens, count_tokens=count_tokens)
    if not spans:
        raise NotAccepted("It holds no text.", remedy="Put text in it, or leave it out.")
    document = Document(
        tenant=tenant,
        kb=kb,
        doc_id=item.item_id,
        kind=item.kind,
        title=safe(parsed.title, redactor),
        url=_safe_url(item.url or parsed.metadata.get("url"), redactor),
        blob=hashlib.sha256(blob).hexdigest(),
        size_bytes=len(blob),
        content_hash=item.content_hash,
        acl=item.acl,
        level=item.level,
        since=candidate,
        metadata=safe_metadata({**parsed.metadata, **item.metadata}, item.title, redactor),
    )
    starts = _bytes_of_pages(parsed.page_starts, redacted)
    chunks = tuple(_chunk(document, ordinal, span, starts) for ordinal, span in enumerate(spans))
    bodies = tuple(_cut(blob, part.start, part.end) for part in chunks)
    leads = tuple(_cut(blob, *part.lead) if part.lead else "" for part in chunks)
    began = time.perf_counter()
    edges = extract(document, chunks, blob) if extract_graph and item.metadata.get(GRAPH) != GRAPH_OFF else ()
    extract_s = time.perf_counter() - began
    return Prepared(
        document=document,
        chunks=chunks,
        blob=blob,
        texts=tuple(
            embedding_text(document.title, part.section_path, lead, body)
            for part, lead, body in zip(chunks, leads, bodies, strict=True)
        ),
        titles=tuple(" ".join((document.title, *part.section_path)) for part in chunks),
        bodies=tuple(f"{lead}\n{body}" for lead, body in zip(leads, bodies, strict=True)),
        redactions=Counter(redaction.type for redaction in redacted.redactions),
        words=vocabulary(f"{document.title}\n{redacted.text}"),
        fingerprint=fingerprint(item),
        suspicions=tuple(
            suspicions(
                title=document.title,
                doc_id=document.doc_id,
                url=document.url,
                metadata=document.metadata,
                text=redacted.text,
                redactor=redactor,
            )
        ),
        hidden=_left_out(parsed, item),
        earlier=_earlier(item, document, chunks, known),
        edges=edges,
        extract_s=extract_s,
    )


def _earlier(item: SourceItem, document: Document, chunks: Sequence[Chunk], known: Document | None) -> tuple[str, ...]:
    """The ids that these chunks have in the revision that stands, when only who may see it has changed."""
    if known is None or (known.blob, known.title) != (document.blob, document.title):
        return ()
    before = replace(item, acl=known.acl, level=known.level)
    if content_hash_of(before) != known.content_hash:
        return ()
    return tuple(_chunk_id(replace(document, since=known.since), part.start, part.end) for part in chunks)


def _left_out(parsed: ParsedDocument, item: SourceItem) -> str:
    """What was left out because no reader sees it or because it could not be read, in words; empty when nothing was."""
    told = [parsed.notice] if parsed.notice else []
    hidden = parsed.hidden
    if hidden:
        like = ", which reads like instructions to an assistant" if reads_like_instructions(hidden) else ""
        told.append(f"text that no reader sees was left out ({len(hidden):,} characters{like})")
    unseen = invisible(item.raw.decode("utf-8", errors="ignore")) if item.media_type.startswith("text/") else 0
    if unseen > INVISIBLE_MAX:
        told.append(f"{unseen:,} invisible signs were left out")
    return "; ".join(told)


def _bytes_of_pages(starts: Sequence[int], redacted: Redacted) -> tuple[int, ...]:
    """Where pages begin in the redacted text's bytes, when they began at these characters before."""
    if not starts:
        return ()
    found: list[int] = []
    shift = at = size = 0
    waiting = deque(sorted(redacted.redactions, key=lambda each: each.start))
    for start in starts:
        while waiting and waiting[0].end <= start:
            gone = waiting.popleft()
            shift += len(gone.placeholder) - (gone.end - gone.start)
        # A page that begins within what was taken out begins with the placeholder.
        own = waiting[0].start if waiting and waiting[0].start < start else start
        place = max(at, own + shift)
        size += len(redacted.text[at:place].encode("utf-8"))
        at = place
        found.append(size)
    return tuple(found)


def _chunk(document: Document, ordinal: int, span: ChunkSpan, page_starts: Sequence[int]) -> Chunk:
    pages = pages_told(page_starts, span.start, span.end)
    return Chunk(
        chunk_id=_chunk_id(document, span.start, span.end),
        tenant=document.tenant,
        kb=document.kb,
        doc_id=document.doc_id,
        blob=document.blob,
        ordinal=ordinal,
        start=span.start,
        end=span.end,
        kind=span.kind,
        title=document.title,
        section_path=span.section_path,
        url=document.url,
        acl=document.acl,
        level=document.level,
        since=document.since,
        lead=span.lead,
        metadata={PAGES: pages} if pages else NOTHING,
    )


def _chunk_id(document: Document, start: int, end: int) -> str:
    """The blob is part of the name: another text of the same document never takes over a chunk's id."""
    name = "\x1f".join(
        (document.tenant, document.kb, document.doc_id, str(document.since), document.blob, str(start), str(end))
    )
    return str(uuid.UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=5))


def safe_metadata(metadata: Mapping[str, str], title: str, redactor: Redactor) -> dict[str, str]:
    """Columns and front matter hold personal data as readily as the text does."""
    found = {name: safe(value, redactor) for name, value in metadata.items()}
    if metadata.get(QUESTION_KEY) == question_key(title):
        # Of the redacted question: its key has lost the capitals and signs by which a secret is known.
        found[QUESTION_KEY] = question_key(safe(title, redactor))
    return found


def _safe_url(url: str | None, redactor: Redactor) -> str | None:
    """A link that carried a secret is dropped: with a placeholder inside it would lead nowhere."""
    return url if url is None or safe(url, redactor) == url else None


def _cut(blob: bytes, start: int, end: int) -> str:
    return blob[start:end].decode("utf-8")
