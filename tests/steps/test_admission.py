"""A few turns at once, the others in the order they came, nobody longer than they may wait."""

from __future__ import annotations

import asyncio

import pytest

from firstline.questions.admission import Admission, leave_place


async def test_no_more_than_the_places_run_and_the_rest_follow_in_order() -> None:
    admission = Admission(3)
    running = most = 0
    order: list[int] = []

    async def turn(number: int) -> None:
        nonlocal running, most
        async with admission.place(wait_s_max=5) as admitted:
            assert admitted
            running += 1
            most = max(most, running)
            order.append(number)
            await asyncio.sleep(0.001)
            running -= 1

    await asyncio.gather(*(turn(number) for number in range(20)))
    assert most == 3
    assert order == list(range(20))


async def test_who_waited_too_long_is_told_and_takes_no_place() -> None:
    admission = Admission(1)
    async with admission.place(wait_s_max=1) as first, admission.place(wait_s_max=0.01) as second:
        assert (first, second) == (True, False)
    async with admission.place(wait_s_max=0.01) as third:
        assert third


async def test_a_place_comes_back_from_a_turn_that_fails_or_leaves_the_queue() -> None:
    admission = Admission(1)
    with pytest.raises(ValueError, match="broken"):
        async with admission.place(wait_s_max=1):
            raise ValueError("broken")

    async def wait() -> None:
        async with admission.place(wait_s_max=5):
            pytest.fail("the place was taken")

    async with admission.place(wait_s_max=1):
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    async with admission.place(wait_s_max=0.01) as admitted:
        assert admitted


async def test_a_turn_that_leaves_its_place_lets_the_next_one_in_and_gives_it_back_once() -> None:
    admission = Admission(1)
    async with admission.place(wait_s_max=1) as first:
        assert first
        leave_place()
        leave_place()
        async with admission.place(wait_s_max=0.01) as second:
            assert second
            async with admission.place(wait_s_max=0.01) as third:
                assert not third, "given back twice"
    async with admission.place(wait_s_max=0.01) as fourth, admission.place(wait_s_max=0.01) as fifth:
        assert (fourth, fifth) == (True, False)
    leave_place()  # outside of turns


async def test_turns_leave_each_their_own_place() -> None:
    admission = Admission(2)
    both = asyncio.Barrier(2)

    async def turn(leaves: bool) -> None:
        async with admission.place(wait_s_max=1):
            await both.wait()
            if leaves:
                leave_place()
            await both.wait()

    async def later() -> tuple[bool, bool]:
        await asyncio.sleep(0)
        async with admission.place(wait_s_max=1) as one, admission.place(wait_s_max=0.01) as two:
            return one, two

    _, _, found = await asyncio.gather(turn(True), turn(False), later())
    assert found[0]
