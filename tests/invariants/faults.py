"""Engines that hang, raise, or lie about what they hold. A fault strikes the n-th call of a method, and those after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.journeys.world import ToyEmbedder, World

from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryConversationLedger, MemoryKnowledgeLedger
from firstline.errors import Broken, Unavailable


async def hang(_: Any) -> Any:
    await asyncio.sleep(60)


async def down(_: Any) -> Any:
    raise Unavailable("down")


async def broken(_: Any) -> Any:
    raise Broken("broken")


async def surprised(_: Any) -> Any:
    raise OverflowError("what no engine says it raises")


async def nothing(_: Any) -> Any:
    return None


async def nonsense(_: Any) -> Any:
    return 7


async def empty(result: Any) -> Any:
    """The half of it that was read when the connection broke."""
    return result[: len(result) // 2] if hasattr(result, "__getitem__") and hasattr(result, "__len__") else result


async def no_number(result: Any) -> Any:
    if isinstance(result, np.ndarray):
        return np.full_like(result, np.nan)
    if isinstance(result, float):
        return float("nan")
    if isinstance(result, list) and result and hasattr(result[0], "dense"):
        return [replace(hit, dense=float("nan"), words=float("inf")) for hit in result]
    if isinstance(result, list) and result and isinstance(result[0], float):
        return [float("nan")] * len(result)
    return result


async def wrong_shape(result: Any) -> Any:
    return np.zeros((1, 3), dtype=np.float32) if isinstance(result, np.ndarray) else result


Fault = Callable[[Any], Any]
FAULTS: dict[str, Fault] = {
    made.__name__: made for made in (hang, down, broken, surprised, nothing, nonsense, empty, no_number, wrong_shape)
}
READS = (
    "embedder.embed",
    "index.search",
    "index.neighbour",
    "reranker.score",
    "blobs.get_range",
    "knowledge.published",
    "knowledge.chunks",
    "knowledge.documents",
    "knowledge.document_chunks",
    "knowledge.faq",
    "knowledge.neighbours",
    "knowledge.word_counts",
    "conversations.turns",
    "conversations.open_handoff",
    "conversations.closed_handoffs",
    "conversations.append_turn",
)
TOTAL = frozenset({name for name in READS if name.startswith("conversations.")} | {"knowledge.published"})
"""Without these there is no turn: an error is all that is left, and then nothing may be recorded."""


@dataclass(frozen=True)
class Planned:
    method: str
    fault: str
    at: int


plans = st.lists(
    st.builds(Planned, st.sampled_from(READS), st.sampled_from(sorted(FAULTS)), st.integers(0, 3)), max_size=3
)


@dataclass
class Plan:
    """Which calls fail. Empty: none. `struck` tells what did."""

    planned: list[Planned] = field(default_factory=list[Planned])
    seen: dict[str, int] = field(default_factory=dict[str, int])
    struck: list[Planned] = field(default_factory=list[Planned])

    def put(self, planned: list[Planned]) -> None:
        self.planned, self.seen, self.struck = planned, {}, []

    async def call(self, method: str, real: Callable[[], Any]) -> Any:
        at = self.seen.get(method, 0)
        self.seen[method] = at + 1
        for one in self.planned:
            if one.method == method and at >= one.at:
                self.struck.append(one)
                if one.fault in ("hang", "down", "broken", "surprised"):
                    return await FAULTS[one.fault](None)
                return await FAULTS[one.fault](await real())
        return await real()


def faulty(kind: type[Any], name: str, plan: Plan) -> type[Any]:
    """A subclass whose methods go by the plan."""
    own = [method.partition(".")[2] for method in READS if method.startswith(f"{name}.")]

    def method_of(method: str) -> Any:
        async def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            inner = getattr(super(made, self), method)
            return await plan.call(f"{name}.{method}", lambda: inner(*args, **kwargs))

        return called

    made: type[Any] = type(f"Faulty{kind.__name__}", (kind,), {method: method_of(method) for method in own})
    return made


class ByLength:
    """A reranker that prefers short passages."""

    model_id = "by-length"

    async def score(self, question: str, texts: list[str]) -> list[float]:
        return [-float(len(text)) for text in texts]


def faulty_world(plan: Plan, *, reranked: bool) -> World:
    return World(
        knowledge=faulty(MemoryKnowledgeLedger, "knowledge", plan)(),
        conversations=faulty(MemoryConversationLedger, "conversations", plan)(),
        index=faulty(MemoryIndex, "index", plan)(dimensions=64),
        blobs=faulty(MemoryBlobs, "blobs", plan)(),
        embedder=faulty(ToyEmbedder, "embedder", plan)(),
        reranker=faulty(ByLength, "reranker", plan)() if reranked else None,
    )
