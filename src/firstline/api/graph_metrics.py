"""What is done with the graph, in the Prometheus text format."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from firstline.api.metric_lines import head
from firstline.errors import FirstlineError
from firstline.questions.walk.counted import WalkCounts

if TYPE_CHECKING:
    from firstline.documents.run import Extraction
    from firstline.wiring import Firstline

COUNT_S_MAX: Final = 2.0
COUNTED_EVERY_S: Final = 60.0
"""Counting edges reads an index through: not at every look."""
LATE_PAUSE_S: Final = 900.0


@dataclass(kw_only=True)
class GraphMetrics:
    """Walks of this process's turns, and how many edges were counted last."""

    walks: WalkCounts = field(default_factory=WalkCounts)
    counting: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Statistics are counted for one caller at a time."""
    _edges: int | None = None
    _next_at: float = 0.0

    async def text(self, firstline: Firstline) -> str:
        """Walks and extraction of this process; edges of every knowledge base of the server's tenant, left out while
        the graph does not answer. Nothing without a graph."""
        if firstline.graph is None:
            return ""
        lines = [*_walked(self.walks), *_extracted(firstline.documents.extraction)]
        if time.monotonic() >= self._next_at:
            self._next_at = time.monotonic() + LATE_PAUSE_S
            counted = None
            with contextlib.suppress(TimeoutError, FirstlineError):
                counted = await asyncio.wait_for(_count(firstline), COUNT_S_MAX)
                self._next_at = time.monotonic() + COUNTED_EVERY_S
            self._edges = counted
        if self._edges is not None:
            lines += head("firstline_graph_edges", "gauge", "Edges held, ended ones included.")
            lines.append(f"firstline_graph_edges {self._edges}")
        return "".join(f"{line}\n" for line in lines)


async def _count(firstline: Firstline) -> int:
    tenant, graph = firstline.settings.tenant, firstline.graph
    kbs = await firstline.knowledge.knowledge_bases(tenant=tenant)
    return sum([await graph.count(tenant=tenant, kb=kb) for kb in kbs]) if graph is not None else 0


def _walked(walks: WalkCounts) -> list[str]:
    lines = head("firstline_graph_walks_total", "counter", "Walks of the graph, by why and by how they ended.")
    for (why, end), count in sorted(walks.items()):
        lines.append(f'firstline_graph_walks_total{{why="{why}",end="{end}"}} {count}')
    return lines


def _extracted(done: Extraction) -> list[str]:
    lines: list[str] = []
    for name, meaning, value in (
        ("documents", "Documents that edges were extracted from.", str(done.documents)),
        ("edges", "Edges extracted.", str(done.edges)),
        ("seconds", "Time that extraction took.", f"{done.seconds:.6f}"),
    ):
        lines += head(f"firstline_graph_extract_{name}_total", "counter", meaning)
        lines.append(f"firstline_graph_extract_{name}_total {value}")
    return lines
