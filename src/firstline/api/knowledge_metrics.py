"""How old and how large is what questions are answered from, in the Prometheus text format."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from firstline.api.metric_lines import head, label
from firstline.errors import FirstlineError

if TYPE_CHECKING:
    from firstline.ports import KnowledgeLedger

READ_S_MAX: Final = 2.0
KBS_MAX: Final = 50


async def knowledge_metrics(knowledge: KnowledgeLedger, *, tenant: str) -> str:
    """Of the server's tenant, the first 50 knowledge bases by name. Left out while the ledger does not answer."""
    with contextlib.suppress(TimeoutError, FirstlineError):
        async with asyncio.timeout(READ_S_MAX):
            names = sorted(await knowledge.knowledge_bases(tenant=tenant))[:KBS_MAX]
            found = [await knowledge.published(tenant=tenant, kb=name) for name in names]
        now = datetime.now(UTC)
        lines = head("firstline_snapshot_age_seconds", "gauge", "Since the snapshot in force was published.")
        for one in found:
            if one.published_at is not None:
                age_s = max(0.0, (now - one.published_at).total_seconds())
                lines.append(f'firstline_snapshot_age_seconds{{kb="{label(one.kb)}"}} {age_s:.0f}')
        lines += head("firstline_documents", "gauge", "Documents in the snapshot in force.")
        lines += [f'firstline_documents{{kb="{label(one.kb)}"}} {one.documents}' for one in found]
        lines += head("firstline_chunks", "gauge", "Chunks in the snapshot in force.")
        lines += [f'firstline_chunks{{kb="{label(one.kb)}"}} {one.chunks}' for one in found]
        return "".join(f"{line}\n" for line in lines)
    return ""
