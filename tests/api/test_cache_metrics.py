"""What /metrics says of caches."""

from firstline.api.cache_metrics import cache_metrics
from firstline.caches.caches import CACHES, Caches
from firstline.caches.store import key_of


async def test_lookups_bytes_and_hit_rates_are_told_by_cache_and_of_nobody():
    caches = Caches.of({"embedding": 1, "retrieval": 1, "rerank": 0, "answer": 1, "model": 0})

    async def make() -> str:
        return "an answer for acme"

    for _ in range(4):
        await caches.answer.get(key_of("a question", owner=("acme", "docs")), make)
    caches.answer.counts.passed += 2
    lines = cache_metrics(caches).splitlines()
    assert 'firstline_cache_lookups_total{cache="answer",result="hit"} 3' in lines
    assert 'firstline_cache_lookups_total{cache="answer",result="miss"} 1' in lines
    assert 'firstline_cache_lookups_total{cache="answer",result="passed"} 2' in lines
    assert 'firstline_cache_hit_ratio{cache="answer"} 0.75' in lines
    assert 'firstline_cache_bytes_max{cache="answer"} 1000000' in lines
    assert f'firstline_cache_bytes{{cache="answer"}} {caches.answer.bytes}' in lines and caches.answer.bytes > 100
    assert not any("rerank" in line or "acme" in line or "a question" in line for line in lines), "off, or private"
    assert len(lines) == len(set(lines))
    assert cache_metrics(Caches.of(dict.fromkeys(CACHES, 0))) == ""
