"""What turns are made of, from their records: time by step, how far gates were passed, what of an answer was proven.

No label carries a tenant, a user or a text: names of steps, gates and prompts are ours.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from firstline.api.metric_lines import Histogram, head
from firstline.domain import Turn

STEP_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SHOWN_BUCKETS_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 10.0)
MARGIN_BUCKETS: Final = (-0.5, -0.25, -0.1, -0.05, -0.02, 0.0, 0.02, 0.05, 0.1, 0.25, 0.5)
SHARE_BUCKETS: Final = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
GROUNDING: Final = "verified"
"""The feature of the confidence gate that says which share of a draft was verified."""


class TurnMetrics:
    """Used from one event loop."""

    def __init__(self) -> None:
        self.first_shown = Histogram(
            "firstline_first_shown_seconds",
            "From the message to the first verified text of an answer that a model writes.",
            SHOWN_BUCKETS_S,
        ).declared()
        self._steps = Histogram("firstline_step_seconds", "Time that steps of turns took.", STEP_BUCKETS_S)
        self._margins = Histogram(
            "firstline_gate_margin", "What gates read, less their threshold: below 0 they failed.", MARGIN_BUCKETS
        )
        self._grounding = Histogram(
            "firstline_grounding", "Share of the claims of an extractive draft that were verified.", SHARE_BUCKETS
        ).declared()
        self._claims: Counter[str] = Counter()

    def count(self, turn: Turn) -> None:
        for step in turn.steps:
            self._steps.observe(step.ms / 1000, f'step="{step.name}"')
        for gate in turn.gates:
            self._margins.observe(gate.value - gate.threshold, f'gate="{gate.name}"')
            if gate.name == "confidence" and GROUNDING in gate.features:
                self._grounding.observe(gate.features[GROUNDING])
        if (draft := turn.draft) is not None:
            self._claims["shown"] += draft.shown
            self._claims["fell"] += max(0, len(draft.claims) - draft.shown)

    def text(self) -> str:
        lines = [
            *self._steps.lines(),
            *self.first_shown.lines(),
            *self._margins.lines(),
            *self._grounding.lines(),
            *self._written(),
        ]
        return "".join(f"{line}\n" for line in lines)

    def _written(self) -> list[str]:
        """Nothing where no model writes."""
        if not self._claims:
            return []
        return [
            *head("firstline_model_claims_total", "counter", "Claims that models wrote, by what verification said."),
            *(
                f'firstline_model_claims_total{{verdict="{name}"}} {count}'
                for name, count in sorted(self._claims.items())
            ),
        ]
