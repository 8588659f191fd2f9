"""What /metrics shows of a server that answered turns, with a model's words and without, and was rated."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from calls import ask_streamed, bearer, begin
from conftest import client_of
from fake_firstline import open_fake
from tests.journeys.test_model_answers import PAGE, QUESTION, STALLS, claim, cut_up, draft
from tests.journeys.world import World, page
from tests.models.scripted_models import Scripted, asked, gateway, whole

from firstline.api import deliveries, event_metrics, gate_metrics
from firstline.domain import Finish, HandoffState, Lag, Level
from firstline.errors import OverBudget, Unavailable
from firstline.evals.drift import Drift
from firstline.ports import Backlog
from firstline.questions.writing.composer import ByModel

WRITTEN = draft(claim(STALLS, 1), claim("It stalls on Mondays.", 1))
WHOLE = [*cut_up(WRITTEN), whole("openai:m1")]
DRIFTED = Drift(turns=200, reference=300, distance=0.4, luck=0.001, shift=0.2)


class OpenedModels:
    """As much of `model_wiring.OpenModels` as the app asks for."""

    def __init__(self, watch: object) -> None:
        self.seen = watch


async def live(rounds: int = 1) -> list[str]:
    """What was shown after each round: two turns whose answers a chain of two models writes (the first is down), one
    where both are broken, one that is handed over, taken and rated badly, and a call that no budget allows."""
    firstline = await open_fake(metrics_by_tenant=True)
    down = Scripted("openai:m0", lambda request, number: [Unavailable("down", remedy="wait")])
    fine = Scripted("openai:m1", lambda request, number: WHOLE if number == 0 else [whole(finish=Finish.REFUSED)])
    language, watch = gateway(down, fine, bytes_max=100_000, attempts=1, budgets={"turn_tokens": 100_000})
    firstline.models = OpenedModels(watch)
    world = World(composer=ByModel(language, redact=str, chars_max=1_500), conversations=firstline.conversations)
    await world.ingest(page("queue", PAGE, title="Printer queue"))
    firstline.questions = world.questions()  # type: ignore[assignment]  # the real one
    shown: list[str] = []
    async with client_of(firstline) as client:
        client.headers.update(bearer(await firstline.token()))
        person = bearer(await firstline.token(level=Level.INTERNAL))
        for _ in range(rounds):
            for _ in range(2):
                await ask_streamed(client, await begin(client), QUESTION)
            await ask_streamed(client, await begin(client), "Which command clears the printer queue?")
            session = await begin(client)
            await ask_streamed(client, session, "I want to talk to a human.")
            await client.post(f"/v1/sessions/{session}/turns/1/feedback", json={"rating": "down", "reason": "wrong"})
            (handed,) = await firstline.conversations.handoffs(tenant="acme", limit=5, states={HandoffState.OPEN})
            await client.post(f"/v1/handoffs/{handed.handoff_id}/take", json={}, headers=person)
            with pytest.raises(OverBudget):
                await language.complete(asked("q" * 200_000, turn="t-1"))
            scrape = await client.get("/metrics")
            assert scrape.status_code == 200, scrape.text
            shown.append(scrape.text)
    return shown


def shown_in_trouble() -> str:
    """What is shown beside it when something waits, is dead, or drifted: as the same functions write it."""
    before = datetime.now(UTC) - timedelta(minutes=5)
    lag = Lag(tenant="acme", kb="docs", waiting=2, dead=1, oldest_at=before, settled=3, p50_s=1.0, p95_s=2.0)
    backlog = Backlog(channel="webhook", pending=1, dead=1, oldest_at=before)
    return "\n".join(
        [
            *event_metrics._lines([lag]),
            *deliveries._sent(Counter({("webhook", "delivered"): 1})),
            *deliveries._waiting([backlog]),
            gate_metrics.lines_of([DRIFTED]),
        ]
    )
