"""What stands of a document that could not be taken, when fewer people may see it now than what stands allows?

An earlier revision stays while a newer one cannot be read or waits for a person. It must not stay open to those whom
the newer one shuts out.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from firstline.documents.run import Run
from firstline.domain import EVERYONE, FOREVER, Document, Failure, Level

WITHDRAWN: Final = "What stood of it is out of sight: more people could see that than may see it now."


def too_open(run: Run) -> list[str]:
    """Ids of current documents that stand wider than what this run could not take of them. A table that could not be
    read speaks for its rows."""
    return [
        doc_id
        for doc_id, document in run.current.items()
        if document.until == FOREVER
        and (access := run.not_taken.get(doc_id) or run.not_taken.get(doc_id.partition("#")[0]))
        and shuts_out(document, *access)
    ]


def shuts_out(document: Document, acl: frozenset[str], level: Level) -> bool:
    """Whether somebody may see the document whom this access keeps out."""
    return level > document.level or (EVERYONE not in acl and not document.acl <= acl)


def tell(run: Run, withdrawn: Collection[str]) -> None:
    named = {*withdrawn, *(doc_id.partition("#")[0] for doc_id in withdrawn)}
    run.failures = [_told(one, named) for one in run.failures]
    run.kept_out = [_told(one, named) for one in run.kept_out]
    run.rejected = [_told(one, named) for one in run.rejected]


def _told(failure: Failure, named: Collection[str]) -> Failure:
    return replace(failure, reason=f"{failure.reason} {WITHDRAWN}") if failure.item_id in named else failure
