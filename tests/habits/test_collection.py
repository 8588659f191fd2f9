"""Two processes share the tests, so both must find the same ones under the same names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COLLECT = ("-o", "addopts=", "--collect-only", "-q", "-p", "no:cacheprovider", "--strict-markers")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_names_of_tests_depend_on_no_clock_and_no_order_of_sets() -> None:
    """A name that holds what is drawn, read off a clock or taken from a set ends `make test` now and then."""
    found = [names(seed) for seed in ("1", "2")]
    assert len(found[0]) > 10_000
    assert found[0] == found[1]


def names(seed: str) -> list[str]:
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", *COLLECT],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in listed.stdout.splitlines() if "::" in line]
