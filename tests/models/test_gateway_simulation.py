"""Twenty minutes of providers that are slow, fail, flap and lie, on a clock that jumps: the promises of the gateway
hold for every call, whatever the seed."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.models.scripted_models import Scripted, Step, Wait, asked, gateway, pieces, whole
from tests.models.virtual_time import run

from firstline.domain import Completion, Finish, ModelRequest
from firstline.errors import (
    Broken,
    FirstlineError,
    InvalidInput,
    OverBudget,
    TooLong,
    TooManyRequests,
    Unavailable,
)
from firstline.ports import LanguageModel

MINUTES = 20
CALLS = 1_500
SLACK_S = 1e-6
"""A deadline is a time of a clock that is made of floats."""
TENANTS = ("acme", "umbra", "loom", "quiet")
TENANT_DAY_TOKENS = 20_000
TURN_TOKENS = 1_300


def mood_at(second: float, seed: int) -> str:
    """A provider's mood changes every 15 to 60 seconds."""
    moods = ("well", "well", "well", "well", "slow", "hangs", "fails", "resets", "busy", "lies", "forgets", "closed")
    return random.Random(f"{seed}|{int(second // (15 + seed * 17 % 45))}").choice(moods)  # noqa: S311 - a script


def moody(name: str, seed: int) -> Scripted:
    def script(request: ModelRequest, number: int) -> Sequence[Step]:
        mood = mood_at(asyncio.get_running_loop().time(), seed)
        chance = random.Random(f"{seed}|{number}")  # noqa: S311 - a script
        words: list[Step] = [f"<{name}:{number}:{at}>" for at in range(1, 6)]
        spoken: list[Step] = []
        for word in words:
            spoken += [Wait(chance.uniform(0.02, 0.3)), word]
        counted = whole(name, tokens_in=chance.randint(20, 60), tokens_out=chance.randint(5, 40))
        return {
            "well": [*spoken, counted],
            "slow": [Wait(chance.uniform(2, 9)), *spoken, counted],
            "hangs": [Wait(10_000)],
            "fails": [Wait(0.1), Unavailable("500", remedy="wait")],
            "resets": [*spoken[: chance.randint(0, 8)], Unavailable("reset", remedy="wait")],
            "busy": [TooManyRequests("429", retry_after_s=chance.choice([0.5, 4, 90, 1e9]), remedy="wait")],
            # It says the same without end, or counts what cannot be, or says nothing and calls it an answer.
            "lies": chance.choice([["again and again. "] * 5_000, [*spoken, whole(name, tokens_in=10**9)], [counted]]),
            "forgets": spoken[: chance.randint(0, 9)],
            "closed": [chance.choice([InvalidInput("401", remedy="key"), Broken("402", remedy="pay")])],
        }[mood]

    return Scripted(name, script)


@dataclass
class Seen:
    ends: Counter[str] = field(default_factory=Counter)
    late_s: float = 0.0
    wrong: list[str] = field(default_factory=list)


async def one_call(model: LanguageModel, request: ModelRequest, seen: Seen, *, streams: bool) -> None:
    loop = asyncio.get_running_loop()
    said: str = ""
    try:
        if streams:
            said, end = await pieces(model.stream(request))
        else:
            end = await model.complete(request)
            said = end.text
        if end is None:
            seen.wrong.append("a stream without an end")
            return
        seen.ends[end.finish.value] += 1
        if end.text != said:
            seen.wrong.append(f"the end says another text than was handed on: {end.text!r} {said!r}")
        if said.startswith("<"):
            name = said[1:].partition(":")[0]
            numbers = [word.split(":") for word in said.strip("<>").split("><")]
            # From one call of one model, each word once, in order, from the first on.
            if {tuple(word[:2]) for word in numbers} != {(name, numbers[0][1])}:
                seen.wrong.append(f"mixed: {said}")
            if [int(word[2]) for word in numbers] != list(range(1, len(numbers) + 1)):
                seen.wrong.append(f"said twice or left out: {said}")
            if end.finish is Finish.WHOLE and len(numbers) != 5:
                seen.wrong.append(f"half an answer that calls itself whole: {said}")
    except FirstlineError as error:
        seen.ends[type(error).__name__] += 1
        if said:
            seen.wrong.append("an error after text")
    late_s = loop.time() - request.deadline_at_s
    seen.late_s = max(seen.late_s, late_s)


async def twenty_minutes(seed: int, calls: int = CALLS) -> tuple[Seen, dict[str, int], list[Scripted], object]:
    chance = random.Random(seed)  # noqa: S311 - a script
    models = [moody(f"m{at}", seed * 10 + at) for at in range(3)]
    language, watch = gateway(
        *models,
        bytes_max=50_000,
        calls_at_once=8,
        timeout_s=25.0,
        call_s=12.0,
        first_token_s=3.0,
        budgets={"tenant_day_tokens": TENANT_DAY_TOKENS, "turn_tokens": TURN_TOKENS},
    )
    open_calls = watch_breakers(models, watch)
    seen = Seen()
    left = 0

    async def later(number: int, at_s: float) -> None:
        nonlocal left
        await asyncio.sleep(at_s)
        tenant = TENANTS[number // 12 % 3]
        # Some ask the same at the same time, and some of everybody leave.
        text = f"question {number - 2 if number % 12 == 2 else number}"
        request = asked(text, tenant=tenant, within_s=chance.choice([0.05, 2, 8, 20]), turn=f"t{number // 2}")
        call = asyncio.create_task(one_call(language, request, seen, streams=number % 2 == 0))
        if number % 11 == 0:
            await asyncio.sleep(chance.uniform(0, 4))
            if call.cancel():
                left += 1
        await asyncio.gather(call, return_exceptions=True)
        if call.done() and not call.cancelled() and call.exception() is not None:
            seen.wrong.append(f"an error of nobody: {call.exception()!r}")

    times = [chance.uniform(0, MINUTES * 60) for _ in range(calls)]
    # Every sixth with the next one of its kind, at the same moment.
    times = [times[number - 2] if number % 12 == 2 else at for number, at in enumerate(times)]
    await asyncio.gather(*(later(number, at) for number, at in enumerate(times)))
    await asyncio.sleep(60)
    return seen, {"left": left, "open_calls": len(open_calls)}, models, watch()


def watch_breakers(models: Sequence[Scripted], watch) -> list[str]:  # type: ignore[no-untyped-def]
    """Names of models that were called while their breaker was open: as the breakers themselves say, at each call."""
    wrong: list[str] = []
    for at, model in enumerate(models):
        inner = model.script

        def script(request: ModelRequest, number: int, *, at: int = at, inner=inner) -> Sequence[Step]:  # type: ignore[no-untyped-def]
            if watch().models[at].breaker == "open":
                wrong.append(models[at].name)
            return inner(request, number)

        model.script = script
    return wrong


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twenty_minutes_of_everything(seed: int) -> None:
    async def work() -> None:
        seen, counted, models, told = await twenty_minutes(seed)
        assert seen.wrong == []
        assert seen.late_s <= SLACK_S
        assert counted["open_calls"] == 0
        assert sum(seen.ends.values()) + counted["left"] == CALLS
        # Nothing is left behind: no call, no place, nobody waiting.
        assert [model.open for model in models] == [0, 0, 0]
        assert (told.roles[0].running, told.roles[0].waiting) == (0, 0)
        assert sum(one.calls for one in told.models) == sum(len(model.calls) for model in models)
        # The simulation is worth something: much is answered, much fails, breakers open, and much is shared.
        assert seen.ends["whole"] > CALLS / 5 and len(seen.ends) >= 5
        assert any(one.refused for one in told.models) and told.roles[0].coalesced > 20
        assert told.over_budget["tenant_day"] > 20
        by_tenant = Counter[str]()
        for model in models:
            by_tenant.update(request.tenant for request in model.calls)
        assert sum(one.tokens_in + one.tokens_out for one in told.models) <= TENANT_DAY_TOKENS * len(by_tenant)

    run(work())


def test_the_same_seed_is_the_same_twenty_minutes() -> None:
    async def work() -> dict[str, int]:
        return dict((await twenty_minutes(4, calls=300))[0].ends)

    assert run(work()) == run(work())


def test_budgets_are_never_exceeded_whatever_is_counted() -> None:
    async def work() -> None:
        for seed in range(3):
            chance = random.Random(seed)  # noqa: S311 - a script
            models = [moody(f"m{at}", seed * 10 + at) for at in range(2)]
            language, watch = gateway(
                *models,
                budgets={"tenant_day_tokens": 9_000, "turn_tokens": 1_200, "day_cost": 0.03},
                prices={"price_in": 1.0, "price_out": 4.0},
            )
            ends: Counter[str] = Counter()

            async def call(number: int, chance=chance, language=language, ends=ends) -> None:  # type: ignore[no-untyped-def]
                await asyncio.sleep(chance.uniform(0, 600))
                tenant = chance.choice(TENANTS)
                try:
                    done = await language.complete(asked(f"q{number}", tenant=tenant, turn=f"t{number // 8}"))
                except FirstlineError as error:
                    ends[type(error).__name__] += 1
                else:
                    ends[done.finish.value] += 1

            await asyncio.gather(*(call(number) for number in range(600)))
            told = watch()
            assert sum(one.tokens_in + one.tokens_out for one in told.models) <= 9_000 * len(TENANTS)
            assert sum(one.cost for one in told.models) <= 0.03 * (1 + 1e-9)
            assert ends["OverBudget"] > 20 and ends["whole"] > 20

    run(work())


def test_a_quiet_tenant_is_served_beside_a_flood() -> None:
    async def work() -> None:
        steady = Scripted("m0", lambda _, n: (Wait(1.0), f"<m0:{n}:1>", whole("m0")))
        language, _ = gateway(steady, calls_at_once=4)
        flood = [
            asyncio.create_task(language.complete(asked(f"f{number}", within_s=900, tenant="acme")))
            for number in range(400)
        ]
        await asyncio.sleep(1.5)
        waits: list[float] = []
        for number in range(20):
            began = asyncio.get_running_loop().time()
            await language.complete(asked(f"q{number}", within_s=20, tenant="quiet"))
            waits.append(asyncio.get_running_loop().time() - began)
        assert max(waits) <= 2.5, "at most one call of the flood before its own"
        for task in flood:
            task.cancel()
        await asyncio.gather(*flood, return_exceptions=True)

    run(work())


STEPS = st.lists(
    st.one_of(
        st.sampled_from(["one ", "two ", ""]),
        st.floats(0, 15).map(Wait),
        st.sampled_from([Unavailable("x", remedy="y"), TooLong("x", remedy="y"), Broken("x", remedy="y")]),
        st.floats(0, 50).map(lambda s: TooManyRequests("x", retry_after_s=s, remedy="y")),
        st.sampled_from(list(Finish)).map(lambda finish: whole(finish=finish)),
    ),
    max_size=6,
)


@hypothesis_settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(STEPS, min_size=1, max_size=3), min_size=1, max_size=3), st.floats(0, 30), st.booleans())
def test_whatever_models_do_a_call_ends_in_time_and_says_nothing_twice(
    scripts: list[list[list[Step]]], within_s: float, streams: bool
) -> None:
    async def work() -> None:
        models = [
            Scripted(f"m{at}", lambda _, n, steps=steps: steps[n % len(steps)]) for at, steps in enumerate(scripts)
        ]
        language, watch = gateway(*models, timeout_s=20.0, call_s=9.0, first_token_s=2.0)
        request = asked(within_s=within_s)
        try:
            if streams:
                said, end = await pieces(language.stream(request))
                assert end is not None and end.text == said
            else:
                end = await language.complete(request)
                assert end.finish not in (Finish.BROKEN_OFF, Finish.LATE)
            assert isinstance(end, Completion)
            spoken = {"".join(one for one in script if isinstance(one, str)) for steps in scripts for script in steps}
            assert any(text.startswith(end.text) for text in spoken), "from one call, from its beginning"
        except FirstlineError as error:
            assert not isinstance(error, OverBudget) and error.remedy
        assert asyncio.get_running_loop().time() <= request.deadline_at_s + SLACK_S
        await asyncio.sleep(0.001)
        assert all(model.open == 0 for model in models), "no call goes on when nobody waits"
        assert watch().roles[0].running == 0

    run(work())


def test_a_reader_who_leaves_ends_everything() -> None:
    async def work() -> None:
        model = Scripted("m0", lambda *_: ("one ", Wait(50), "two", whole()))
        language, watch = gateway(model)
        async with aclosing(language.stream(asked())) as stream:
            assert (await anext(stream)).text == "one "
        await asyncio.sleep(0.001)
        assert model.open == 0 and watch().roles[0].running == 0 and watch().models[0].given_up == 1

    run(work())
