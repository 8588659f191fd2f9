"""Which changes between two snapshots may be told to somebody?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firstline.domain import DocumentChange, Principal
from firstline.ports import KnowledgeLedger, Scope


async def readable_changes(
    changes: Sequence[DocumentChange],
    *,
    before: int,
    after: int,
    kb: str,
    principal: Principal,
    knowledge: KnowledgeLedger,
) -> list[DocumentChange]:
    """Those of documents that the principal may open in one of the snapshots, by the title that it may see: a page that
    was closed is told of by its old title to who could read it, and by none to others."""
    ids = [change.doc_id for change in changes]
    titles: dict[str, str] = {}
    for snapshot in (before, after):
        scope = Scope.of(principal, kb=kb, snapshot=snapshot)
        titles |= {one.doc_id: one.title for one in await knowledge.documents(ids, scope)}
    return [replace(change, title=titles[change.doc_id]) for change in changes if change.doc_id in titles]
