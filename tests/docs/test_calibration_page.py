"""What docs/calibration.md says may not change is what the code looks at."""

from __future__ import annotations

import re
from pathlib import Path

from firstline.settings import Settings
from firstline.wiring import knobs_of

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


def named() -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text[text.index("What may not change") : text.index("With another value")]


def test_every_knob_is_named() -> None:
    knobs = knobs_of(Settings(), embedder="e", reranker="r", classifier="c")
    absent = [knob for knob in knobs if knob not in named()]
    assert not absent, f"docs/calibration.md does not name {absent}"


def test_no_setting_is_named_that_may_change() -> None:
    knobs = knobs_of(Settings(), embedder="e", reranker="r", classifier="c")
    assert set(re.findall(r"`(\w+)`", named())) <= set(knobs)
