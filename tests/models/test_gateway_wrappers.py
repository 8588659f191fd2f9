"""Each wrapper of the gateway by itself, on a clock that jumps."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from tests.models.scripted_models import Scripted, Wait, always, asked, pieces, whole
from tests.models.virtual_time import run

from firstline.caches.store import Kept
from firstline.domain import Completion, Finish, Part, Piece
from firstline.errors import (
    Broken,
    FirstlineError,
    InvalidInput,
    OverBudget,
    TooLong,
    TooManyRequests,
    Unavailable,
)
from firstline.models.gateway.breaker import Breaker, BreakerOpen, BreakerState
from firstline.models.gateway.budgets import BudgetLimits, Budgets, Limit
from firstline.models.gateway.chain import Chain
from firstline.models.gateway.coalescing import Coalescing
from firstline.models.gateway.deadline import Deadline
from firstline.models.gateway.fair_queue import FairQueue
from firstline.models.gateway.first_token import FirstToken, SlowToBegin
from firstline.models.gateway.keeping import Keeping
from firstline.models.gateway.named_ends import NamedEnds
from firstline.models.gateway.priced import Price, Priced
from firstline.models.gateway.retrying import Retrying
from firstline.models.gateway.streams import Late

DOWN = Unavailable("down", remedy="wait")
TOO_LONG = TooLong("long", remedy="cut")
PAUSE = TooManyRequests("busy", retry_after_s=3.0, remedy="wait")
NO_KEY = InvalidInput("no key", remedy="set it")


def now() -> float:
    return asyncio.get_running_loop().time()


# --- deadline and first token ---------------------------------------------------------------------------------------


def test_a_call_that_hangs_ends_at_its_own_limit_and_at_the_turns() -> None:
    async def work() -> None:
        model = always("a", Wait(100), "late", whole())
        for limit, within, ends in ((5.0, 10.0, 5.0), (20.0, 10.0, 10.0), (5.0, -1.0, 0.0)):
            began = now()
            with pytest.raises(Late):
                await Deadline(model, timeout_s=limit).complete(asked(within_s=within))
            assert now() - began == pytest.approx(ends)
        assert model.open == 0

    run(work())


def test_what_hangs_after_it_spoke_ends_with_a_name_and_keeps_what_was_said() -> None:
    async def work() -> None:
        model = always("a", "one ", "two ", Wait(100), "three", whole())
        said, end = await pieces(Deadline(model, timeout_s=5).stream(asked()))
        assert said == "one two "
        assert end is not None and (end.finish, end.text) == (Finish.LATE, "one two ")
        # Nobody has seen it: then it is an error, and another model may begin anew.
        with pytest.raises(Unavailable):
            await Deadline(model, timeout_s=5).complete(asked())
        assert model.open == 0

    run(work())


def test_a_reader_that_takes_its_time_is_not_ended_by_the_limit_of_a_step() -> None:
    async def work() -> None:
        model = always("a", "one ", "two ", Wait(1), "three", whole())
        stream = Deadline(model, timeout_s=5).stream(asked())
        async with aclosing(stream):
            assert (await anext(stream)).text == "one "
            await asyncio.sleep(8)
            assert (await anext(stream)).text == "two ", "what was there already is given"
            end = (await anext(stream)).completion
        assert end is not None and end.finish is Finish.LATE

    run(work())


def test_a_model_that_says_nothing_is_left_in_time_and_one_that_spoke_is_not() -> None:
    async def work() -> None:
        began = now()
        with pytest.raises(SlowToBegin):
            await FirstToken(always("a", Wait(4), "x", whole()), wait_s=3).complete(asked())
        assert now() - began == pytest.approx(3)
        slow_speaker = always("a", "x", Wait(60), "y", whole())
        assert (await FirstToken(slow_speaker, wait_s=3).complete(asked())) is not None

    run(work())


# --- breaker --------------------------------------------------------------------------------------------------------


async def fails(model: Breaker, error: type[FirstlineError], times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(error):
            await model.complete(asked())


def test_failures_in_a_row_open_it_and_one_call_tries_after_the_rest() -> None:
    async def work() -> None:
        model = Scripted("a", lambda _, n: (DOWN,) if n < 4 else (Wait(1), "fine", whole()))
        breaker = Breaker(model, failures_max=3, rest_s=20)
        await fails(breaker, Unavailable, 3)
        assert breaker.state is BreakerState.OPEN
        await fails(breaker, BreakerOpen, 50)
        assert len(model.calls) == 3 and breaker.refused == 50
        await asyncio.sleep(20)
        assert breaker.state is BreakerState.HALF_OPEN
        await fails(breaker, Unavailable)
        assert breaker.state is BreakerState.OPEN
        await asyncio.sleep(20)
        many = await asyncio.gather(*(breaker.complete(asked()) for _ in range(10)), return_exceptions=True)
        assert sum(isinstance(one, Completion) for one in many) == 1, "one call tries, the others wait for what it says"
        assert len(model.calls) == 5 and breaker.state is BreakerState.CLOSED

    run(work())


def test_an_answer_between_failures_keeps_it_closed() -> None:
    async def work() -> None:
        model = Scripted("a", lambda _, n: ("fine", whole()) if n % 3 == 2 else (DOWN,))
        breaker = Breaker(model, failures_max=3)
        for _ in range(30):
            try:
                await breaker.complete(asked())
            except Unavailable:
                assert breaker.state is BreakerState.CLOSED

    run(work())


@pytest.mark.parametrize("error", [TOO_LONG, OverBudget("spent", retry_after_s=0, remedy="wait")])
def test_what_is_not_the_models_failure_does_not_open_it(error: FirstlineError) -> None:
    async def work() -> None:
        breaker = Breaker(always("a", error), failures_max=2)
        await fails(breaker, type(error), 10)
        assert breaker.state is BreakerState.CLOSED

    run(work())


def test_a_stream_that_breaks_off_counts_and_a_caller_who_leaves_does_not() -> None:
    async def work() -> None:
        breaker = Breaker(NamedEnds(always("a", "one", DOWN)), failures_max=2)
        for _ in range(2):
            _, end = await pieces(breaker.stream(asked()))
            assert end is not None and end.finish is Finish.BROKEN_OFF
        assert breaker.state is BreakerState.OPEN
        left = Breaker(always("a", "one", Wait(5), whole()), failures_max=1)
        for _ in range(5):
            async with aclosing(left.stream(asked())) as stream:
                await anext(stream)
        assert left.state is BreakerState.CLOSED

    run(work())


def test_a_caller_who_leaves_the_trial_makes_room_for_the_next_one() -> None:
    async def work() -> None:
        model = Scripted("a", lambda _, n: (DOWN,) if n == 0 else (Wait(5), "fine", whole()))
        breaker = Breaker(model, failures_max=1, rest_s=10)
        await fails(breaker, Unavailable)
        await asyncio.sleep(10)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await breaker.complete(asked())
        assert (await breaker.complete(asked())).finish is Finish.WHOLE

    run(work())


def test_what_began_before_it_opened_is_not_heard() -> None:
    async def work() -> None:
        model = Scripted("a", lambda _, n: (Wait(3), "old", whole()) if n == 0 else (DOWN,))
        breaker = Breaker(model, failures_max=2, rest_s=20)
        old = asyncio.create_task(breaker.complete(asked()))
        await asyncio.sleep(1)
        await fails(breaker, Unavailable, 2)
        assert (await old).finish is Finish.WHOLE
        assert breaker.state is BreakerState.OPEN

    run(work())


def test_a_model_that_asks_for_a_pause_gets_it() -> None:
    async def work() -> None:
        model = Scripted("a", lambda _, n: (PAUSE,) if n == 0 else ("fine", whole()))
        breaker = Breaker(model)
        await fails(breaker, TooManyRequests)
        await asyncio.sleep(1)
        with pytest.raises(TooManyRequests) as told:
            await breaker.complete(asked())
        assert told.value.retry_after_s == pytest.approx(2) and len(model.calls) == 1
        await asyncio.sleep(2.01)
        assert (await breaker.complete(asked())).finish is Finish.WHOLE

    run(work())


def test_a_call_that_had_no_time_says_nothing_of_the_model() -> None:
    async def work() -> None:
        breaker = Breaker(Deadline(always("a", Wait(5), "x", whole()), timeout_s=20), failures_max=1)
        with pytest.raises(Late):
            await breaker.complete(asked(within_s=0.2))
        assert breaker.state is BreakerState.CLOSED
        with pytest.raises(Late):
            await breaker.complete(asked(within_s=2))
        assert breaker.state is BreakerState.OPEN

    run(work())


# --- retry and chain ------------------------------------------------------------------------------------------------


def test_what_may_pass_is_tried_again_and_what_may_not_is_not() -> None:
    async def work() -> None:
        for error, calls in ((DOWN, 3), (PAUSE, 3), (TOO_LONG, 1), (NO_KEY, 1), (Broken("x", remedy="y"), 1)):
            model = always("a", error)
            with pytest.raises(type(error)):
                await Retrying(model, chance=lambda: 0.5).complete(asked())
            assert len(model.calls) == calls, error

    run(work())


def test_a_pause_that_was_asked_for_is_kept_unless_the_deadline_is_nearer() -> None:
    async def work() -> None:
        began = now()
        model = Scripted("a", lambda _, n: (PAUSE,) if n == 0 else ("fine", whole()))
        await Retrying(model).complete(asked())
        assert 3.2 <= now() - began <= 3.4
        began = now()
        with pytest.raises(TooManyRequests):
            await Retrying(always("a", PAUSE)).complete(asked(within_s=2))
        assert now() == began, "waiting for what cannot come in time helps nobody"
        with pytest.raises(TooManyRequests):
            await Retrying(always("a", PAUSE), pause_s_max=1).complete(asked())
        assert now() == began, "with another model to ask, a long pause is not waited for"

    run(work())


def test_nothing_is_tried_again_once_text_was_handed_on() -> None:
    async def work() -> None:
        model = NamedEnds(always("a", "one ", DOWN))
        said, end = await pieces(Chain([Retrying(model), always("b", "two", whole())]).stream(asked()))
        assert said == "one " and end is not None and end.finish is Finish.BROKEN_OFF
        # As a whole, nothing was handed on: the next one answers.
        done = await Chain([Retrying(model), NamedEnds(always("b", "two", whole("b")))]).complete(asked())
        assert (done.text, done.model_id) == ("two", "b") and done.notes[0].startswith("a: ")

    run(work())


def test_the_next_model_begins_anew_while_nothing_was_handed_on() -> None:
    async def work() -> None:
        for trouble in (DOWN, NO_KEY, TOO_LONG, PAUSE, Broken("x", remedy="y")):
            chain = Chain([always("a", Wait(1), trouble), NamedEnds(always("b", "two", whole("b")))])
            said, end = await pieces(chain.stream(asked()))
            assert said == "two" and end is not None and end.model_id == "b" and len(end.notes) == 1

    run(work())


def test_one_error_says_what_can_be_done_when_all_fail() -> None:
    async def work() -> None:
        for errors, told in (
            ((DOWN, TOO_LONG), TooLong),
            ((DOWN, NO_KEY), Unavailable),
            ((PAUSE, PAUSE), TooManyRequests),
            ((NO_KEY,), InvalidInput),
        ):
            with pytest.raises(told) as raised:
                await Chain([always(f"m{at}", error) for at, error in enumerate(errors)]).complete(asked())
            if told is Unavailable:
                assert "m0: down | m1: no key" in str(raised.value)
        spent = OverBudget("spent", retry_after_s=0, remedy="wait")
        other = always("b", "two", whole())
        with pytest.raises(OverBudget):
            await Chain([always("a", spent), other]).complete(asked())
        assert other.calls == [], "what is spent is spent for every model"

    run(work())


# --- fair queue -----------------------------------------------------------------------------------------------------


def test_tenants_take_turns_and_no_more_run_than_may() -> None:
    async def work() -> None:
        model = always("a", Wait(1), "x", whole())
        queue = FairQueue(model, calls_max=2)
        flood = [asyncio.create_task(queue.complete(asked(str(n), within_s=900))) for n in range(100)]
        await asyncio.sleep(0)
        began = now()
        await asyncio.gather(*(queue.complete(asked("mine", tenant=f"t{n}", within_s=900)) for n in range(4)))
        assert now() - began <= 4, "four small tenants wait for a few calls and not for a hundred"
        await asyncio.gather(*flood)
        assert model.open_most == 2 and queue.running == queue.waiting == 0

    run(work())


def test_who_waits_leaves_at_the_deadline_and_the_queue_has_a_limit() -> None:
    async def work() -> None:
        model = always("a", Wait(30), "x", whole())
        queue = FairQueue(model, calls_max=1, waiting_max=3)
        first = asyncio.create_task(queue.complete(asked(within_s=900)))
        await asyncio.sleep(1)
        waiting = [asyncio.create_task(queue.complete(asked(within_s=2))) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await queue.complete(asked(within_s=2))
        late = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(one, Late) for one in late)
        await first
        assert queue.running == queue.waiting == 0
        assert (await queue.complete(asked(within_s=40))) is not None

    run(work())


def test_whoever_leaves_at_any_moment_takes_no_place_with_them() -> None:
    async def work() -> None:
        model = always("a", Wait(1), "x", whole())
        queue = FairQueue(model, calls_max=2)
        tasks = [asyncio.create_task(queue.complete(asked(tenant=f"t{n % 3}", within_s=60))) for n in range(60)]
        for number, task in enumerate(tasks):
            await asyncio.sleep(0.11 if number % 2 else 0)
            if number % 3:
                task.cancel()
                if number % 2:
                    await asyncio.sleep(0)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert queue.running == queue.waiting == 0 and model.open_most == 2

    run(work())


def test_every_tenant_that_waits_gets_the_same_share_at_any_time() -> None:
    async def work() -> None:
        model = always("a", Wait(1), "x", whole())
        queue = FairQueue(model, calls_max=2)
        tasks = [
            asyncio.create_task(queue.complete(asked(f"{n}", tenant=tenant, within_s=900)))
            for tenant, many in (("a", 60), ("b", 30), ("c", 30))
            for n in range(many)
        ]
        for _ in range(20):
            await asyncio.sleep(2)
            served = [sum(call.tenant == tenant for call in model.calls) for tenant in "abc"]
            # Two were begun before anybody else came.
            assert max(served) - min(served) <= 3, served
        await asyncio.gather(*tasks)

    run(work())


def test_a_place_that_is_given_in_the_moment_of_leaving_goes_to_the_next() -> None:
    async def work() -> None:
        victims: list[asyncio.Task[Completion]] = []

        class Unlucky(FairQueue):
            def _release(self) -> None:
                super()._release()
                if victims:
                    victims.pop().cancel()

        model = always("a", Wait(1), "x", whole())
        queue = Unlucky(model, calls_max=1)
        first = asyncio.create_task(queue.complete(asked(within_s=60)))
        await asyncio.sleep(0.5)
        leaving = asyncio.create_task(queue.complete(asked(within_s=60)))
        last = asyncio.create_task(queue.complete(asked(within_s=60)))
        await asyncio.sleep(0)
        victims.append(leaving)
        await first
        assert (await last).text == "" and leaving.cancelled() and queue.running == 0
        assert len(model.calls) == 2

    run(work())


# --- budgets --------------------------------------------------------------------------------------------------------


def test_each_budget_refuses_by_its_name_and_calls_at_once_cannot_share_a_rest() -> None:
    async def work() -> None:
        for name, more in (
            ("turn", {"turn": "t1"}),
            ("session", {"session": "s1"}),
            ("tenant_day", {}),
            ("day", {}),
        ):
            budgets = Budgets(BudgetLimits(**{name: Limit(tokens=3_000)}))
            model = Priced(NamedEnds(always("a", Wait(1), "x", whole(tokens_in=900, tokens_out=40))), **free(budgets))
            many = await asyncio.gather(*(model.complete(asked(**more)) for _ in range(20)), return_exceptions=True)
            done = [one for one in many if isinstance(one, Completion)]
            assert 1 <= len(done) < 20 and all(isinstance(one, Completion | OverBudget) for one in many)
            assert set(budgets.refused) == {name}
            spent = budgets.spent(asked(**more))[name].tokens
            assert spent == sum(one.tokens_in + one.tokens_out for one in done) <= 3_000

    run(work())


def free(budgets: Budgets, **price: float) -> dict[str, object]:
    return {"price": Price(**price), "budgets": budgets}


def test_money_is_counted_by_the_prices_and_what_nobody_counts_is_estimated() -> None:
    async def work() -> None:
        budgets = Budgets(BudgetLimits(day=Limit(cost=0.01)))
        price = {"tokens_in": 2.0, "tokens_out": 10.0}
        model = Priced(NamedEnds(always("a", "x", whole(tokens_in=400, tokens_out=20))), **free(budgets, **price))
        done = await model.complete(asked())
        assert done.cost == pytest.approx((400 * 2 + 20 * 10) / 1e6) and done.counted
        assert budgets.spent(asked())["day"].cost == pytest.approx(done.cost)
        silent = Priced(NamedEnds(always("a", "x" * 400, whole(tokens_in=0))), **free(budgets, **price))
        done = await silent.complete(asked("y" * 800, max_tokens=500))
        assert not done.counted and (done.tokens_in, done.tokens_out) == (200, 100)

    run(work())


def test_a_liar_is_believed_as_far_as_it_is_possible() -> None:
    async def work() -> None:
        budgets = Budgets(BudgetLimits(day=Limit(tokens=10_000)))
        liar = Priced(NamedEnds(always("a", "x", whole(tokens_in=10**9, tokens_out=10**9))), **free(budgets))
        refused = 0
        for _ in range(40):
            try:
                await liar.complete(asked())
            except OverBudget:
                refused += 1
        assert refused and budgets.spent(asked())["day"].tokens <= 10_000

    run(work())


def test_what_was_given_up_or_failed_is_settled() -> None:
    async def work() -> None:
        budgets = Budgets(BudgetLimits(day=Limit(tokens=5_000)))
        hangs = Priced(always("a", Wait(100), "x", whole()), **free(budgets))
        for _ in range(30):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await hangs.complete(asked("y" * 40))
        # The prompts, and not the most that the calls could have cost.
        assert budgets.spent(asked())["day"].tokens == 30 * 10

    run(work())


def test_an_outage_does_not_eat_the_budget_and_what_was_late_is_booked() -> None:
    async def work() -> None:
        budgets = Budgets(BudgetLimits(day=Limit(tokens=5_000)))
        for error in (Unavailable("down", remedy="x"), TooManyRequests("busy", retry_after_s=1, remedy="x")):
            down = Priced(NamedEnds(always("a", error)), **free(budgets))
            for _ in range(200):
                with pytest.raises(type(error)):
                    await down.complete(asked("y" * 40))
            assert (down.tokens_in, budgets.spent(asked())["day"].tokens) == (0, 0)
        late = Priced(NamedEnds(Deadline(always("a", Wait(100), "x", whole()), timeout_s=1)), **free(budgets))
        with pytest.raises(Late):
            await late.complete(asked("y" * 40))
        assert budgets.spent(asked())["day"].tokens == 10

    run(work())


# --- keeping and coalescing -----------------------------------------------------------------------------------------


def test_only_whole_answers_of_the_same_tenant_and_request_are_kept() -> None:
    async def work() -> None:
        model = NamedEnds(scripted := always("a", "x", whole(tokens_in=9)))
        keeping = Keeping(model, Kept("model", bytes_max=100_000))
        first = await keeping.complete(asked())
        again = await keeping.complete(asked(turn="t2", session="s2", within_s=3))
        assert (again.text, again.kept, first.kept) == ("x", True, False)
        assert await pieces(keeping.stream(asked())) == ("x", again)
        assert len(scripted.calls) == 1
        others = [
            asked("Why not?"),
            asked(tenant="other"),
            asked(max_tokens=51),
            asked(system=("x",)),
            asked(parts=(Part(text="Why?", label="page"),)),
        ]
        for other in others:
            assert not (await keeping.complete(other)).kept
        for _ in range(2):
            assert not (await keeping.complete(asked(temperature=0.7))).kept
        cut = Keeping(NamedEnds(always("a", "x", whole(finish=Finish.CUT))), Kept("model", bytes_max=100_000))
        for _ in range(2):
            assert not (await cut.complete(asked())).kept

    run(work())


def test_what_was_forgotten_meanwhile_is_not_kept() -> None:
    async def work() -> None:
        kept: Kept[Completion] = Kept("model", bytes_max=100_000)
        keeping = Keeping(NamedEnds(always("a", Wait(2), "x", whole())), kept)
        for way in (keeping.complete, lambda request: pieces(keeping.stream(request))):
            task = asyncio.create_task(way(asked()))
            await asyncio.sleep(1)
            kept.drop(tenant="acme")
            await task
            assert len(kept) == 0

    run(work())


def test_a_thousand_ask_and_one_call_is_made() -> None:
    async def work() -> None:
        model = always("a", Wait(1), "x", Wait(1), "y", whole())
        shared = Coalescing(NamedEnds(model))
        done = await asyncio.gather(*(shared.complete(asked()) for _ in range(1_000)))
        assert {one.text for one in done} == {"xy"} and len(model.calls) == 1
        streams = await asyncio.gather(*(pieces(shared.stream(asked())) for _ in range(1_000)))
        assert {said for said, _ in streams} == {"xy"} and len(model.calls) == 2
        assert shared.joined == 2 * 999
        await asyncio.gather(*(shared.complete(asked(tenant=f"t{n}")) for n in range(5)))
        assert len(model.calls) == 7, "never across tenants"

    run(work())


def test_who_comes_late_gets_it_from_the_beginning() -> None:
    async def work() -> None:
        shared = Coalescing(NamedEnds(model := always("a", "one ", Wait(2), "two", whole())))
        first = asyncio.create_task(pieces(shared.stream(asked())))
        await asyncio.sleep(1)
        assert (await pieces(shared.stream(asked())))[0] == "one two" == (await first)[0]
        assert len(model.calls) == 1

    run(work())


def test_one_leaves_and_the_others_go_on_and_the_last_one_ends_the_call() -> None:
    async def work() -> None:
        model = always("a", Wait(5), "x", whole())
        shared = Coalescing(NamedEnds(model))
        tasks = [asyncio.create_task(shared.complete(asked())) for _ in range(3)]
        await asyncio.sleep(1)
        tasks[0].cancel()  # the one who began it
        assert [one.text for one in await asyncio.gather(*tasks[1:])] == ["x", "x"] and len(model.calls) == 1
        tasks = [asyncio.create_task(shared.complete(asked())) for _ in range(3)]
        await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0.01)
        assert model.open == 0 and model.ended_early == 1
        # Who comes right after begins anew, and is not told of the end.
        assert (await shared.complete(asked())).text == "x"

    run(work())


def test_the_failure_of_one_is_not_the_failure_of_those_who_joined() -> None:
    async def work() -> None:
        model = Scripted("a", lambda _, n: (Wait(1), DOWN) if n == 0 else (Wait(1), "fine", whole()))
        shared = Coalescing(NamedEnds(model))
        done = await asyncio.gather(*(shared.complete(asked()) for _ in range(100)), return_exceptions=True)
        assert sum(isinstance(one, Unavailable) for one in done) == 1
        assert sum(isinstance(one, Completion) for one in done) == 99 and len(model.calls) == 2
        dead = always("a", Wait(1), DOWN)
        shared = Coalescing(dead)
        done = await asyncio.gather(*(shared.complete(asked()) for _ in range(100)), return_exceptions=True)
        assert all(isinstance(one, Unavailable) for one in done) and len(dead.calls) == 2, "and only once more"

    run(work())


def test_everybody_has_their_own_deadline() -> None:
    async def work() -> None:
        shared = Coalescing(Deadline(NamedEnds(model := always("a", Wait(4), "x", whole())), timeout_s=60))
        began = now()
        patient = asyncio.create_task(shared.complete(asked(within_s=20)))
        await asyncio.sleep(0)
        with pytest.raises(Late):
            await shared.complete(asked(within_s=1))
        assert now() - began == pytest.approx(1)
        assert (await patient).text == "x" and len(model.calls) == 1
        # Who began it had no time: who joined it has.
        hasty = asyncio.create_task(shared.complete(asked(within_s=1)))
        await asyncio.sleep(0)
        assert (await shared.complete(asked(within_s=20))).text == "x"
        assert isinstance((await asyncio.gather(hasty, return_exceptions=True))[0], Late)

    run(work())


def test_a_late_piece_is_never_handed_on_twice() -> None:
    async def work() -> None:
        shared = Coalescing(NamedEnds(always("a", "one ", "two ", DOWN)))
        for said, end in await asyncio.gather(*(pieces(shared.stream(asked())) for _ in range(20))):
            assert said == "one two " and end is not None and end.finish is Finish.BROKEN_OFF

    run(work())


def test_an_answer_that_broke_off_before_it_began_is_an_error() -> None:
    async def work() -> None:
        for steps in ((), (whole(finish=Finish.BROKEN_OFF),), ("", whole(finish=Finish.LATE))):
            with pytest.raises(Unavailable):
                await pieces(NamedEnds(always("a", *steps)).stream(asked()))
        with pytest.raises(TooLong):
            await pieces(NamedEnds(always("a", TOO_LONG)).stream(asked()))

    run(work())


def test_a_piece_has_text_or_the_end() -> None:
    async def work() -> None:
        seen = [piece async for piece in NamedEnds(always("a", "x", "", "y", whole())).stream(asked())]
        assert seen[:2] == [Piece(text="x"), Piece(text="y")] and seen[2].completion is not None

    run(work())
