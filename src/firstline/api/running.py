"""What one running app holds: the opened firstline, its counts, and the turns being worked on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fastapi import Request

from firstline.api.arrivals import Arrivals, OnStatus
from firstline.api.gate_metrics import GateMetrics
from firstline.api.graph_metrics import GraphMetrics
from firstline.api.metrics import Metrics
from firstline.api.turn_metrics import TurnMetrics
from firstline.domain import Answered, Escalated, HighStakes, Principal, Session, Turn, by_curated
from firstline.errors import Unauthenticated, Unavailable
from firstline.questions.asked import OnClaims
from firstline.questions.render import render
from firstline.questions.walk.counted import walks_told_to
from firstline.questions.wording.voice import Wording, shipped

if TYPE_CHECKING:
    from firstline.api.oidc import OidcTokens
    from firstline.wiring import Firstline

TURNS_RUNNING_MAX: Final = 1000
HEARTBEAT_S: Final = 5.0


def _no_widgets() -> bytes:
    raise Unauthenticated("This server takes no widget tokens.", remedy="Use an API key.")


@dataclass(kw_only=True)
class Running:
    """One per app. Turns run as tasks of their own: a client that goes away does not take the record with it."""

    firstline: Firstline
    wording: Wording = field(default_factory=shipped)
    metrics: Metrics = field(default_factory=Metrics)
    turns: TurnMetrics = field(default_factory=TurnMetrics)
    arrivals: Arrivals = field(default_factory=Arrivals)
    gates: GateMetrics = field(default_factory=GateMetrics)
    graph: GraphMetrics = field(default_factory=GraphMetrics)
    heartbeat_s: float = HEARTBEAT_S
    care_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    oidc: OidcTokens | None = None
    widget_secret: Callable[[], bytes] = _no_widgets
    _turns: set[asyncio.Task[Turn]] = field(default_factory=set[asyncio.Task[Turn]])

    def start_turn(
        self,
        *,
        session: Session,
        principal: Principal,
        question: str,
        on_status: OnStatus | None = None,
        on_claims: OnClaims | None = None,
    ) -> asyncio.Task[Turn]:
        """Begin a turn. Unavailable when too many are under way."""
        if len(self._turns) >= TURNS_RUNNING_MAX:
            raise Unavailable("Too many people are asking at once.", remedy="Try again in a few seconds.")
        task = asyncio.create_task(self._turn(session, principal, question, on_status, on_claims))
        self._turns.add(task)
        self.metrics.turns_running = len(self._turns)
        task.add_done_callback(self._ended)
        return task

    async def drain(self, *, timeout_s: float) -> None:
        """Let the turns under way finish and record themselves; cancel what is still there at the end."""
        if not self._turns:
            return
        _, late = await asyncio.wait(self._turns, timeout=timeout_s)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=1.0)

    async def _turn(
        self,
        session: Session,
        principal: Principal,
        question: str,
        on_status: OnStatus | None,
        on_claims: OnClaims | None,
    ) -> Turn:
        started = time.perf_counter()
        with walks_told_to(self.graph.walks):
            turn = await self.firstline.questions.ask(
                session=session,
                principal=principal,
                question=question,
                on_status=self.arrivals.giving_way(on_status),
                on_claims=self._first_shown(on_claims, started),
            )
        self.turns.count(turn)
        if isinstance(turn.outcome, Escalated | HighStakes) and not turn.outcome.again:
            self.metrics.count_handoff(turn.outcome.handoff.reason)
        self.metrics.faq_answers += by_curated(turn)
        self.metrics.count_turn(render(turn.outcome), seconds=time.perf_counter() - started, degraded=turn.degraded)
        return turn

    def _first_shown(self, on_claims: OnClaims | None, started: float) -> OnClaims | None:
        """What hears of verified claims, and when the first came."""
        if on_claims is None:
            return None
        tell, first = on_claims, True

        async def heard(begun: Answered, language: str) -> None:
            nonlocal first
            if first:
                self.turns.first_shown.observe(time.perf_counter() - started)
            first = False
            await tell(begun, language)

        return heard

    def _ended(self, task: asyncio.Task[Turn]) -> None:
        self._turns.discard(task)
        self.metrics.turns_running = len(self._turns)
        # Asking for the exception marks it as seen: the client may be gone, and then nobody else asks.
        if task.cancelled() or task.exception() is not None:
            self.metrics.failed_turns += 1


def running(request: Request) -> Running:
    return request.app.state.running
