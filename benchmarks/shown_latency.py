"""What does it cost a reader that nothing is shown before it is verified? Beside showing what the model says at once.

The demo's golden questions that are answered, through the real journey, worded by the played model (honest, so that
both show the same) at 20 tokens a second, a few at once. Plain streaming would show the model's first token when it
comes and end with its last; shown are claims, each once it is whole and verified, and the end is the turn's.

python -m benchmarks.shown_latency
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.measured import Measured, NotMeasurable, Registry, run
from benchmarks.model_chats import played
from benchmarks.start_up import demo_folder
from benchmarks.turn_latency import nearest_rank
from benchmarks.workbench import CACHE, DEMO, DEMO_KB
from firstline.domain import EVERYONE, Answered, Level, Principal, Session
from firstline.evals.cases import load_cases
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

AT_ONCE: Final = 8
TOKENS_PER_S: Final = 20.0
DEADLINE_S: Final = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Seconds from the message, of one answer in the model's words."""

    plain_first_s: float
    plain_end_s: float
    shown_first_s: float
    shown_end_s: float


async def measure(folder: Path, url: str) -> list[Latency]:
    os.environ["PLAYED_KEY"] = "sk-played"
    role = {
        "chain": [{"model": "openai:played", "base_url": url, "key_env": "PLAYED_KEY"}],
        "timeout_s": DEADLINE_S,
        "call_s": DEADLINE_S,
    }
    flags = {
        "data_folder": folder,
        "kb": DEMO_KB,
        "answers_by": "model",
        "models": {"large": role},
        "turn_deadline_s": DEADLINE_S,
        "cache_answer_mb": 0,
        "cache_model_mb": 0,
    }
    cases = [case for case in load_cases(DEMO / "golden.jsonl") if len(case.turns) == 1]
    async with open_firstline(load_settings(flags=flags)) as firstline:
        places = asyncio.Semaphore(AT_ONCE)

        async def one(at: int, question: str) -> Latency | None:
            async with places:
                return await _asked(firstline, f"shown-{time.time_ns()}-{at}", question)

        found = await asyncio.gather(*(one(at, case.question) for at, case in enumerate(cases)))
    return [latency for latency in found if latency is not None]


async def _asked(firstline: Firstline, session_id: str, question: str) -> Latency | None:
    """None where the answer is not in the model's words."""
    tenant = firstline.settings.tenant
    user = "latency"
    principal = Principal(tenant=tenant, user=user, acl_tags=frozenset({EVERYONE}), level=Level.CUSTOMER)
    session = Session(session_id=session_id, tenant=tenant, kb=DEMO_KB, user=user, created_at=datetime.now(UTC))
    await firstline.conversations.create_session(session)
    began = time.perf_counter()
    shown: list[float] = []

    async def on_claims(begun: Answered, language: str) -> None:
        shown.append(time.perf_counter() - began)

    turn = await firstline.questions.ask(session=session, principal=principal, question=question, on_claims=on_claims)
    ended = time.perf_counter() - began
    if not turn.calls or "compose" in turn.degraded or not turn.calls[0].attempts:
        return None
    attempt = turn.calls[0].attempts[-1]
    return Latency(
        plain_first_s=(attempt.began_ms + attempt.first_token_ms) / 1000,
        plain_end_s=(attempt.began_ms + attempt.ms) / 1000,
        shown_first_s=shown[0] if shown else ended,
        shown_end_s=ended,
    )


_measured: list[list[Latency]] = []


async def measured() -> list[Latency]:
    if not _measured:
        folder = await asyncio.to_thread(demo_folder, CACHE)
        with played(tokens_per_s=TOKENS_PER_S, honest=True) as url:
            _measured.append(await measure(folder, url))
        if not _measured[0]:
            raise NotMeasurable("no answer was in the model's words")
    return _measured[0]


async def first_claim() -> Measured:
    return Measured(value=nearest_rank([one.shown_first_s for one in await measured()], 0.5), unit="s")


async def plain_first() -> Measured:
    return Measured(value=nearest_rank([one.plain_first_s for one in await measured()], 0.5), unit="s")


def register(registry: Registry) -> None:
    registry.update({"gateway.first_claim_p50_s": first_claim, "gateway.first_token_p50_s": plain_first})


async def report() -> None:
    found = await measured()
    print(f"{len(found)} answers in the model's words, {TOKENS_PER_S:.0f} tokens a second, {AT_ONCE} at once")
    for name, values in (
        ("first token of the model", [one.plain_first_s for one in found]),
        ("first verified claim shown", [one.shown_first_s for one in found]),
        ("last token of the model", [one.plain_end_s for one in found]),
        ("end of the turn", [one.shown_end_s for one in found]),
    ):
        print(f"  {name:28} p50 {nearest_rank(values, 0.5):5.2f} s   p95 {nearest_rank(values, 0.95):5.2f} s")


if __name__ == "__main__":
    sys.exit(run("shown_latency", report()))
