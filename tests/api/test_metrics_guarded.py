"""Who may read /metrics, and whom it names."""

from __future__ import annotations

import pytest
from conftest import client_of
from fake_firstline import open_fake

from firstline.api.health import check_metrics_key
from firstline.api.metric_lines import SERIES_MAX, Histogram
from firstline.api.model_metrics import model_metrics
from firstline.domain import GatewaySeen, ModelRole
from firstline.errors import InvalidInput
from firstline.models.gateway.spending import TENANTS_MAX, Spending
from firstline.settings import Settings

KEY = "a-long-random-text-of-mine"


async def test_without_a_key_of_its_own_it_is_open() -> None:
    async with client_of(await open_fake()) as client:
        assert (await client.get("/metrics")).status_code == 200


@pytest.mark.parametrize("sent", ["", KEY, f"Basic {KEY}", f"Bearer {KEY[:-1]}", f"Bearer {KEY} ", "Bearer ü"])
async def test_with_one_nobody_reads_it_who_does_not_send_it(sent: str) -> None:
    async with client_of(await open_fake(metrics_key=KEY)) as client:
        refused = await client.get("/metrics", headers=[(b"authorization", sent.encode())])
        assert refused.status_code == 401
        assert "firstline_" not in refused.text
        assert KEY not in refused.text
        shown = await client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})
        assert shown.status_code == 200
        assert (await client.get("/healthz")).status_code == 200


@pytest.mark.parametrize("key", ["s3cret", "fifteen-bytes.."])
def test_a_short_key_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput, match="metrics_key") as refused:
        check_metrics_key(key)
    assert key not in refused.value.message
    assert KEY not in repr(Settings(metrics_key=KEY))


def test_so_many_tenants_are_named_and_the_rest_together() -> None:
    spending = Spending()
    for number in range(TENANTS_MAX + 50):
        for _ in range(2):
            spending.book(ModelRole.LARGE, f"t{number:04}", tokens_in=3, tokens_out=1, cost=0.5)
    seen = spending.seen()
    assert len(seen) == TENANTS_MAX + 1
    others = next(one for one in seen if one.tenant == "other")
    assert (others.tokens_in, others.tokens_out, others.cost) == (50 * 6, 50 * 2, 50.0)
    assert sum(one.tokens_in for one in seen) == (TENANTS_MAX + 50) * 6


def test_a_tenants_name_is_shown_where_it_is_asked_for_and_cannot_break_a_line() -> None:
    spending = Spending()
    spending.book(ModelRole.LARGE, 'a"b\\c\nd', tokens_in=3, tokens_out=1, cost=0.5)
    seen = GatewaySeen(models=(), roles=(), over_budget={}, tenants=spending.seen())
    assert "tenant" not in model_metrics(seen)
    shown = model_metrics(seen, by_tenant=True)
    wanted = r'firstline_tenant_model_tokens_total{role="large",tenant="a\"b\\c\nd",direction="in"} 3'
    assert wanted in shown.splitlines()


def test_a_histogram_has_a_bounded_number_of_series() -> None:
    histogram = Histogram("h", "Of something.", (1.0, 2.0)).declared()
    assert histogram.lines()[2:] == [
        'h_bucket{le="1.0"} 0',
        'h_bucket{le="2.0"} 0',
        'h_bucket{le="+Inf"} 0',
        "h_sum 0.000000",
        "h_count 0",
    ]
    for number in range(SERIES_MAX + 10):
        histogram.observe(number % 3 + 0.5, f'a="{number}"')
    assert sum(line.startswith("h_count") for line in histogram.lines()) == SERIES_MAX
    histogram.observe(2.0)
    assert 'h_bucket{le="2.0"} 1' in histogram.lines()
    assert 'h_bucket{le="1.0"} 0' in histogram.lines()
