"""200 chats at once on a real server, extractive: how soon is a message acknowledged, how soon answered?

    burst    every chat sends one message within the same second
    steady   every chat sends one about every 20 seconds, for a minute

The load comes from another process on the same cores, so it takes some of what it measures; how much is reported.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from benchmarks.processes import cpu_s, descendants, postmaster, serve
from benchmarks.turn_latency import nearest_rank
from benchmarks.workbench import DEMO, DEMO_KB, ROOT
from firstline.cli.key_command import create_key
from firstline.domain import EVERYONE, Level
from firstline.evals.cases import load_cases
from firstline.settings import load_settings

CHATS: Final = 200
BURST_S: Final = 1.0
STEADY_S: Final = 60.0
STEADY_EVERY_S: Final = 20.0
LOAD_S_MAX: Final = 300.0
WARM_UP: Final = 20
RATES: Final = {
    "FIRSTLINE_RATE_KEY_PER_MINUTE": "100000",
    "FIRSTLINE_RATE_USER_PER_MINUTE": "1000",
    "FIRSTLINE_RATE_SESSION_PER_MINUTE": "1000",
}
"""All chats come with one key and from one machine: its limits are raised as an operator would raise them."""

Plan = list[tuple[float, int, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chats:
    """One scenario. Times in milliseconds; `cpu_ms` is processor time per turn of the server, its index worker and
    its Postgres; `late_p95_ms` says how far behind its plan the load ran, and `load_cpu_ms` what a turn cost it."""

    turns: int
    errors: int
    ack_p50_ms: float
    ack_p95_ms: float
    answer_p50_ms: float
    answer_p95_ms: float
    cpu_ms: float
    load_cpu_ms: float
    late_p95_ms: float
    first_error: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatsMeasured:
    burst: Chats
    steady: Chats

    @property
    def errors(self) -> int:
        return self.burst.errors + self.steady.errors


def burst_plan(questions: Sequence[str], *, chats: int, within_s: float, seed: int) -> Plan:
    """One message of every chat, at any time within the window."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable order, no secret
    return sorted((chance.uniform(0, within_s), chat, _once(questions, chat, chance)) for chat in range(chats))


def steady_plan(questions: Sequence[str], *, chats: int, every_s: float, lasting_s: float, seed: int) -> Plan:
    """Messages of every chat about `every_s` apart, chats evenly out of step."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable order, no secret
    plan: Plan = []
    for chat in range(chats):
        at_s = every_s * chat / chats
        while at_s < lasting_s:
            plan.append((at_s, chat, _once(questions, len(plan), chance)))
            at_s += every_s * chance.uniform(0.8, 1.2)
    return sorted(plan)


def _once(questions: Sequence[str], number: int, chance: random.Random) -> str:
    """No message is asked twice, or the cache of question vectors would answer instead of the model."""
    return f"{chance.choice(questions)} (build {4000 + number}.{chance.randrange(1000)})"


def measure_chats(folder: Path, *, steady_s: float = STEADY_S) -> ChatsMeasured:
    """`folder`: a data folder with the demo's documents. Starts a server of its own on it."""
    settings = load_settings(flags={"data_folder": folder, "kb": DEMO_KB})
    with serve(folder, environ=RATES) as served:
        token = asyncio.run(create_key(settings, name="chats", level=Level.CUSTOMER, acl=frozenset({EVERYONE}), days=1))
        questions = [case.question for case in load_cases(DEMO / "golden.jsonl")]
        warm_up = burst_plan(questions, chats=WARM_UP, within_s=BURST_S, seed=1)
        burst = burst_plan(questions, chats=CHATS, within_s=BURST_S, seed=2)
        steady = steady_plan(questions, chats=CHATS, every_s=STEADY_EVERY_S, lasting_s=steady_s, seed=3)
        _play(served.url, token, warm_up, served.pid, folder)
        return ChatsMeasured(
            burst=_play(served.url, token, burst, served.pid, folder),
            steady=_play(served.url, token, steady, served.pid, folder),
        )


def _play(url: str, token: str, plan: Plan, server: int, folder: Path) -> Chats:
    address = urlsplit(url)
    order = {
        "host": address.hostname,
        "port": address.port,
        "token": token,
        "chats": 1 + max(chat for _, chat, _ in plan),
        "plan": plan,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.chat_load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as load:
        if load.stdin is None or load.stdout is None:
            raise RuntimeError("the load has no pipes")
        load.stdin.write(json.dumps(order) + "\n")
        load.stdin.flush()
        load.stdout.readline()  # every chat is open: from here on the turns alone are measured
        before = _cpu_s(server, folder)
        try:
            played, _ = load.communicate("\n", timeout=LOAD_S_MAX)
        except subprocess.TimeoutExpired:
            load.kill()
            raise
        spent_s = _cpu_s(server, folder) - before
    if load.returncode:
        raise RuntimeError(f"the load ended with exit code {load.returncode}")
    return summary(json.loads(played), server_cpu_s=spent_s)


def _cpu_s(server: int, folder: Path) -> float:
    database = postmaster(folder)
    return cpu_s({*descendants(server), *(descendants(database) if database else ())})


def summary(played: dict[str, Any], *, server_cpu_s: float) -> Chats:
    """What the load reported, as figures."""
    sent: list[dict[str, Any]] = played["sent"]
    answered = [one for one in sent if not one["error"]]
    if not answered:
        raise RuntimeError(f"no message was answered: {sent[0]['error'] if sent else 'none was sent'}")
    acks = [float(one["ack_ms"]) for one in answered]
    answers = [float(one["answer_ms"]) for one in answered]
    return Chats(
        turns=len(sent),
        errors=len(sent) - len(answered),
        ack_p50_ms=nearest_rank(acks, 0.5),
        ack_p95_ms=nearest_rank(acks, 0.95),
        answer_p50_ms=nearest_rank(answers, 0.5),
        answer_p95_ms=nearest_rank(answers, 0.95),
        cpu_ms=server_cpu_s * 1000 / len(sent),
        load_cpu_ms=float(played["load_cpu_s"]) * 1000 / len(sent),
        late_p95_ms=nearest_rank([float(one["late_ms"]) for one in sent], 0.95),
        first_error=next((str(one["error"]) for one in sent if one["error"]), ""),
    )
