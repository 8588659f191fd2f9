"""What /metrics says of language models: of each model, and of nobody."""

from __future__ import annotations

import re

import httpx
import pytest
from tests.models.scripted_models import Wait, always, asked, gateway, whole
from tests.models.virtual_time import run

from firstline.api.model_metrics import model_metrics
from firstline.errors import FirstlineError, Unavailable

LINE = re.compile(r'# (HELP|TYPE) \w+ .+|firstline_model_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[0-9.e+-]+')


def test_calls_tokens_cost_first_tokens_breakers_and_sharing() -> None:
    async def work() -> list[str]:
        down = always("openai:m0", Unavailable("down", remedy="wait"))
        fine = always("openai:m1", Wait(0.3), "x", whole(tokens_in=100, tokens_out=10))
        language, watch = gateway(
            down, fine, bytes_max=10_000, attempts=1, prices={"price_in": 1.0, "price_out": 5.0},
            budgets={"turn_tokens": 700},
        )  # fmt: skip
        for number in range(7):
            await language.complete(asked(f"q{number}"))
        await language.complete(asked("q1"))
        with pytest.raises(FirstlineError):
            await language.complete(asked("q" * 200, turn="t1"))
        return model_metrics(watch()).splitlines()

    lines = run(work())
    m0, m1 = 'role="large",model="openai:m0"', 'role="large",model="openai:m1"'
    for line in (
        f'firstline_model_calls_total{{{m1},finish="whole"}} 7',
        f'firstline_model_failures_total{{{m0},kind="unavailable"}} 5',
        f"firstline_model_held_back_total{{{m0}}} 3",
        f'firstline_model_breaker{{{m0},state="open"}} 1',
        f'firstline_model_breaker{{{m1},state="closed"}} 1',
        f"firstline_model_tokens_in_total{{{m1}}} 700",
        f"firstline_model_cost_total{{{m1}}} 0.00105",
        f'firstline_model_first_token_seconds_bucket{{{m1},le="0.25"}} 0',
        f'firstline_model_first_token_seconds_bucket{{{m1},le="0.5"}} 7',
        'firstline_model_requests_total{role="large"} 9',
        'firstline_model_kept_total{role="large"} 1',
        'firstline_model_over_budget_total{budget="turn"} 1',
    ):
        assert line in lines, line
    assert not [line for line in lines if not LINE.fullmatch(line)]
    assert len(lines) == len(set(lines)) and not any("acme" in line for line in lines)


async def test_without_models_nothing_is_said_of_them(anonymous: httpx.AsyncClient) -> None:
    assert "firstline_model_" not in (await anonymous.get("/metrics")).text
