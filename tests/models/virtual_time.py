"""An event loop whose clock jumps to whatever is waited for next: twenty minutes pass in a second, the same every
time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Never waits: tells the loop's clock how long it would have."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everything waits, and nothing will ever happen")
        if not ready and timeout:
            self.passed_s += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return 1_000.0 + self._jumping.passed_s


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run it on such a loop. What is still running at the end is a fault of the work."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
