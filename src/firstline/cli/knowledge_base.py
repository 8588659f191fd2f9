"""Is there the knowledge base that a command line names?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstline.ports import KnowledgeLedger


async def require_kb(knowledge: KnowledgeLedger, settings: Any) -> None:
    """NotFound when there is none of the name: an empty list would say that it needs nothing."""
    from firstline.errors import NotFound

    names = await knowledge.knowledge_bases(tenant=settings.tenant)
    if settings.kb not in names:
        there = ", ".join(names[:10]) or "none yet; `firstline ingest PATH` makes one"
        raise NotFound(f"There is no knowledge base {settings.kb!r}.", remedy=f"There are: {there}.")
