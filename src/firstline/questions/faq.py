"""Curated answers: the same question, up to case, punctuation and spacing, gets the answer its owner wrote."""

from __future__ import annotations

from firstline.domain import EXACT, Evidence, question_key
from firstline.errors import Unavailable
from firstline.ports import BlobStore, KnowledgeLedger, Scope


async def faq(question: str, scope: Scope, *, ledger: KnowledgeLedger, blobs: BlobStore) -> tuple[Evidence, ...]:
    """The chunks of the FAQ document that is titled by this question, in reading order; empty when there is none. The
    ledger shows none that has expired."""
    key = question_key(question)
    document = await ledger.faq(key, scope) if key else None
    if document is None:
        return ()
    chunks = await ledger.document_chunks(document.doc_id, scope)
    evidence: list[Evidence] = []
    for chunk in chunks:
        raw = await blobs.get_range(chunk.blob, chunk.start, chunk.end)
        if len(raw) != chunk.end - chunk.start:
            raise Unavailable("A document could be read in part only.", remedy="Ask again in a moment.")
        text = raw.decode("utf-8")
        evidence.append(Evidence(chunk=chunk, text=text, lead_text="", scores=EXACT))
    return tuple(evidence)
