"""A few kills of the trial that `make figure NAME=crash.mixtures` runs at length."""

from __future__ import annotations

import pytest
from benchmarks.crash_mixtures import crash_mixtures


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_kill_leaves_the_old_or_the_new_and_never_a_mixture() -> None:
    report = await crash_mixtures(kills=6, seed=11)
    assert report.kills == 6
    assert report.findings == []
