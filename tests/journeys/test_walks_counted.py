"""Whoever runs a turn is told how its walk of the graph ended."""

from __future__ import annotations

from typing import Any

import pytest
from world import World, asker, page

from firstline.errors import Unavailable
from firstline.questions.walk.counted import WalkCounts, WalkEnd, walks_told_to

EXPORT = "# Night Export\n\nThe export runs at two and depends on the Relay Agent.\n"
AGENT = "# Relay Agent\n\nThe relay agent moves files.\n"


async def counted(question: str, *, break_graph: Any = None) -> dict[tuple[str, WalkEnd], int]:
    world = World(walked=True)
    await world.ingest(page("export.md", EXPORT, title="Night Export"), page("agent.md", AGENT, title="Relay Agent"))
    if break_graph is not None:
        world.graph.named = break_graph  # pyright: ignore[reportAttributeAccessIssue]  (an engine that is down)
    counts = WalkCounts()
    with walks_told_to(counts):
        await world.questions().ask(session=await world.session(), principal=asker(), question=question)
    return dict(counts)


async def down(*_: Any, **__: Any) -> Any:
    raise Unavailable("The graph is down.")


@pytest.mark.parametrize(
    ("question", "break_graph", "wanted"),
    [
        (
            "What does the Night Export depend on?",
            None,
            {("a relation is asked for", WalkEnd.WHOLE): 1},
        ),
        (
            "What does the unheard Harbor Crane depend on for files?",
            None,
            {("a relation is asked for", WalkEnd.NOTHING_NAMED): 1},
        ),
        (
            "What does the Night Export depend on?",
            down,
            {("a relation is asked for", WalkEnd.BROKEN): 1},
        ),
        ("When does the export run?", None, {}),
    ],
)
async def test_told_by_why_and_by_end(question: str, break_graph: Any, wanted: dict[Any, int]) -> None:
    assert await counted(question, break_graph=break_graph) == wanted
