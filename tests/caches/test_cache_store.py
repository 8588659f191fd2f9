"""The store behind every cache: bounds, one working it out for all, and what is never given out."""

import asyncio
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.caches.sizes import size_of
from firstline.caches.store import How, Kept, key_of
from firstline.errors import Unavailable


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Maker:
    """Counts its calls, and waits for `go` when it is told to."""

    value: str = "made"
    calls: int = 0
    fails: int = 0
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self) -> str:
        self.calls += 1
        await self.go.wait()
        if self.calls <= self.fails:
            raise Unavailable("It is down.", remedy="Wait.")
        return self.value


def ready(value: str = "made", fails: int = 0) -> Maker:
    maker = Maker(value, fails=fails)
    maker.go.set()
    return maker


def kept(bytes_max: int = 100_000, clock: Clock | None = None) -> Kept[str]:
    return Kept("test", bytes_max=bytes_max, age_s_max=60, clock=clock or Clock())


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_second_who_asks_gets_what_the_first_was_given():
    cache, maker = kept(), ready()
    assert await cache.get(key_of("a"), maker) == ("made", How.MADE)
    assert await cache.get(key_of("a"), maker) == ("made", How.KEPT)
    assert await cache.get(key_of("b"), maker) == ("made", How.MADE)
    assert (maker.calls, cache.counts.hits, cache.counts.misses) == (2, 1, 2)
    assert cache.counts.hit_ratio == pytest.approx(1 / 3)


async def test_a_size_of_nothing_turns_it_off():
    cache, maker = kept(bytes_max=0), ready()
    for _ in range(3):
        assert await cache.get(key_of("a"), maker) == ("made", How.MADE)
    cache.put(key_of("a"), "x")
    assert (maker.calls, len(cache), cache.bytes, cache.peek(key_of("a"))) == (3, 0, 0, None)


async def test_fifty_at_once_are_one_computation():
    cache, maker = kept(), Maker()
    asking = [asyncio.create_task(cache.get(key_of("a"), maker)) for _ in range(50)]
    await settle()
    maker.go.set()
    assert {value for value, _ in await asyncio.gather(*asking)} == {"made"}
    assert (maker.calls, cache.counts.misses, cache.counts.hits, cache.counts.joined) == (1, 1, 49, 49)


async def test_an_error_is_not_kept_and_the_others_try_for_themselves():
    cache, maker = kept(), Maker(fails=1)
    asking = [asyncio.create_task(cache.get(key_of("a"), maker)) for _ in range(5)]
    await settle()
    maker.go.set()
    found = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(one) for one in found].count(Unavailable) == 1
    assert found.count(("made", How.MADE)) == 4
    failing = ready(fails=1)
    with pytest.raises(Unavailable):
        await cache.get(key_of("b"), failing)
    assert await cache.get(key_of("b"), failing) == ("made", How.MADE)


async def test_who_gives_up_first_leaves_the_work_to_the_next():
    cache, maker = kept(), Maker()
    asking = [asyncio.create_task(cache.get(key_of("a"), maker)) for _ in range(4)]
    await settle()
    asking[0].cancel()
    asking[2].cancel()
    await settle()
    maker.go.set()
    assert [(await asking[1])[0], (await asking[3])[0]] == ["made", "made"]
    assert maker.calls == 2, "the one who gave up, and one more"
    assert asking[0].cancelled() and asking[2].cancelled()


async def test_a_timeout_of_the_first_is_not_one_of_the_others():
    cache, maker = kept(), Maker()

    async def hurried() -> str:
        async with asyncio.timeout(0.01):
            return (await cache.get(key_of("a"), maker))[0]

    first = asyncio.create_task(hurried())
    await settle()
    second = asyncio.create_task(cache.get(key_of("a"), maker))
    with pytest.raises(TimeoutError):
        await first
    maker.go.set()
    assert (await second)[0] == "made"


async def test_what_is_not_for_others_is_worked_out_by_each_at_once():
    cache, maker = kept(), Maker()
    asking = [asyncio.create_task(cache.get(key_of("a"), maker, keeps=lambda _: False)) for _ in range(6)]
    await settle()
    maker.go.set()
    assert [how for _, how in await asyncio.gather(*asking)] == [How.MADE] * 6
    assert (maker.calls, len(cache)) == (6, 0)


async def test_what_may_not_be_shown_any_more_is_made_anew():
    cache, maker = kept(), ready()
    allowed = True

    async def still(_: str) -> bool:
        return allowed

    await cache.get(key_of("a"), maker, still=still)
    assert (await cache.get(key_of("a"), maker, still=still))[1] is How.KEPT
    allowed = False
    assert (await cache.get(key_of("a"), maker, still=still))[1] is How.MADE
    assert (maker.calls, cache.counts.stale) == (2, 1)
    waiting = Maker()
    asking = [asyncio.create_task(cache.get(key_of("b"), waiting, still=still)) for _ in range(3)]
    await settle()
    waiting.go.set()
    assert [how for _, how in await asyncio.gather(*asking)] == [How.MADE] * 3, "those who waited look as well"


async def test_a_failed_check_is_an_error_and_no_hit():
    cache = kept()

    async def down(_: str) -> bool:
        raise Unavailable("It is down.", remedy="Wait.")

    await cache.get(key_of("a"), ready())
    with pytest.raises(Unavailable):
        await cache.get(key_of("a"), ready(), still=down)
    assert cache.counts.hits == 0


async def test_what_was_made_of_something_forgotten_meanwhile_does_not_stay():
    cache, maker = kept(), Maker()
    key = key_of("a", owner=("acme", "docs"))
    asking = asyncio.create_task(cache.get(key, maker))
    await settle()
    cache.drop(tenant="acme", kb="docs")
    maker.go.set()
    await asking
    assert key not in cache


@pytest.mark.parametrize(("jump", "how"), [(59.0, How.KEPT), (61.0, How.MADE), (-5.0, How.MADE), (1e12, How.MADE)])
async def test_a_clock_that_jumps_makes_nothing_older_than_it_may_be(jump: float, how: How):
    clock = Clock()
    cache = kept(clock=clock)
    await cache.get(key_of("a"), ready())
    clock.now += jump
    cache.sweep()
    assert (await cache.get(key_of("a"), ready()))[1] is how
    assert len(cache) == 1 and cache.bytes == size_of("made")


async def test_one_knowledge_base_or_one_tenant_is_dropped_and_nobody_else():
    cache = kept()
    owners = [("acme", "docs"), ("acme", "help"), ("umbra", "docs"), ("acme\x1fdocs", "")]
    for owner in owners:
        cache.put(key_of("q", owner=owner), f"of {owner}")
    assert cache.drop(tenant="acme", kb="docs") == 1
    assert [key_of("q", owner=owner) in cache for owner in owners] == [False, True, True, True]
    assert cache.of_tenant("acme") == ["of ('acme', 'help')"] and cache.of_tenant("nobody") == []
    assert cache.drop(tenant="acme") == 1
    assert (len(cache), cache.counts.dropped) == (2, 2)


def test_no_text_looks_like_another_key():
    texts = ["a", "b", '","', '["a","b"]', "a\x1eb", "a\x1f", "", "\ud800", "a|b"]
    keys = {key_of(one, other) for one in texts for other in texts}
    assert len(keys) == len(texts) ** 2
    assert key_of("a", ["b", "c"]) != key_of("a", ["b"], "c") != key_of("a", "b", "c")
    assert key_of("q", owner=("a", "b")) != key_of("a", "b", "q")
    assert key_of(1) != key_of("1") and key_of(True) != key_of("True")
    assert all(text not in key.digest for key, text in [(key_of("secret"), b"secret")])


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1_500), st.booleans()), max_size=40), st.integers(1, 6_000))
def test_whatever_is_put_the_bytes_are_counted_and_stay_within_the_limit(
    puts: list[tuple[int, int, bool]], bytes_max: int
):
    cache = kept(bytes_max=bytes_max)
    last: dict[int, str] = {}
    for name, length, look in puts:
        if look:
            found = cache.peek(key_of(name))
            assert found is None or found == last[name]
        else:
            last[name] = "x" * length
            cache.put(key_of(name), last[name])
        assert cache.bytes <= bytes_max
        assert cache.bytes == sum(size_of(value) for value in cache.newest(100))


def test_a_value_too_large_to_be_kept_does_not_leave_the_one_before_it():
    cache = kept(bytes_max=1_000)
    cache.put(key_of("a"), "small")
    cache.put(key_of("a"), "x" * 5_000)
    assert (cache.peek(key_of("a")), len(cache), cache.bytes) == (None, 0, 0)


def test_whoever_looks_through_the_latest_is_not_disturbed_by_others():
    cache = kept()
    for number in range(3):
        cache.put(key_of(number), f"value {number}")
    found: list[str] = []
    for value in cache.newest(9):
        found.append(value)
        cache.peek(key_of(0))
        cache.put(key_of("new", len(found)), "new")
    assert found == ["value 2", "value 1", "value 0"]


def test_the_oldest_goes_first_and_what_is_used_stays():
    cache = kept(bytes_max=3 * size_of("value 0"))
    for number in range(3):
        cache.put(key_of(number), f"value {number}")
    cache.peek(key_of(0))
    cache.put(key_of(3), "value 3")
    assert [key_of(number) in cache for number in range(4)] == [True, False, True, True]
    cache.put(key_of(4), "v" * 10_000)
    assert key_of(4) not in cache and len(cache) == 3, "too large for all there is: nothing goes for it"
    assert list(cache.newest(2)) == ["value 3", "value 0"]


def test_sizes_count_what_is_held():
    assert size_of("x" * 10_000) > 10_000
    assert size_of(np.zeros(384, dtype=np.float32)) > 384 * 4
    text = "y" * 5_000
    assert size_of((text, text, {"a": text})) < 2 * 5_000, "one object counts once"
    assert size_of({"a": "b" * 900}) > 900
