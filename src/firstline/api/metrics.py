"""Counts and latencies in the Prometheus text format. No label ever carries a tenant, a user or a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from firstline.api.metric_lines import Histogram, head
from firstline.domain import Feedback, HandoffEntry, Reason, Reply

BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Everything this process counts. Used from one event loop."""

    def __init__(self) -> None:
        self._outcomes: Counter[tuple[str, str, str]] = Counter()
        self._degraded: Counter[tuple[str, str]] = Counter()
        self._responses: Counter[str] = Counter()
        self._seconds = Histogram("firstline_turn_seconds", "Time from message to reply.", BUCKETS_S).declared()
        self._handoffs: Counter[str] = Counter()
        self._moves: Counter[tuple[str, str]] = Counter()
        self._feedback: Counter[tuple[str, str]] = Counter()
        self.failed_turns = 0
        self.faq_answers = 0
        self.gap_clusters = 0
        self.turns_running = 0

    def count_turn(self, reply: Reply, *, seconds: float, degraded: Mapping[str, str]) -> None:
        """`degraded` as in the turn's record: by stage, "late: ..." or "broken: ..."."""
        self._degraded.update((stage, what.partition(":")[0]) for stage, what in degraded.items())
        completeness = reply.completeness.value if reply.completeness else ""
        self._outcomes[(reply.outcome, completeness, reply.reason.value if reply.reason else "")] += 1
        self._seconds.observe(seconds)

    def count_handoff(self, reason: Reason) -> None:
        """A hand-over was opened; a message that joined one that stands does not count again."""
        self._handoffs[reason.value] += 1

    def count_act(self, entry: HandoffEntry) -> None:
        """Staying (a note, a second reply, another owner) is no move."""
        if entry.before is not entry.after:
            self._moves[(entry.before.value, entry.after.value)] += 1

    def count_feedback(self, feedback: Feedback) -> None:
        """What somebody changes counts again: this counts what was said, the ledger keeps what holds."""
        self._feedback[(feedback.rating.value, feedback.reason.value if feedback.reason else "")] += 1

    def count_response(self, status: int) -> None:
        self._responses[f"{status // 100}xx"] += 1

    def text(self) -> str:
        return "\n".join([*self._turns(), *self._seconds.lines(), *self._rest()]) + "\n"

    def _turns(self) -> list[str]:
        lines = head("firstline_turns_total", "counter", "Turns by outcome.")
        for (outcome, completeness, reason), count in sorted(self._outcomes.items()):
            labels = f'outcome="{outcome}",completeness="{completeness}",reason="{reason}"'
            lines.append(f"firstline_turns_total{{{labels}}} {count}")
        return lines

    def _rest(self) -> list[str]:
        return [
            *head("firstline_turns_failed_total", "counter", "Turns that ended in an error."),
            f"firstline_turns_failed_total {self.failed_turns}",
            *head("firstline_handoffs_total", "counter", "Hand-overs opened, by reason."),
            *(
                f'firstline_handoffs_total{{reason="{reason}"}} {count}'
                for reason, count in sorted(self._handoffs.items())
            ),
            *head("firstline_handoff_moves_total", "counter", "Steps of hand-overs made through this server."),
            *(
                f'firstline_handoff_moves_total{{from="{before}",to="{after}"}} {count}'
                for (before, after), count in sorted(self._moves.items())
            ),
            *head("firstline_feedback_total", "counter", "Feedback on turns, by rating and reason."),
            *(
                f'firstline_feedback_total{{rating="{rating}",reason="{reason}"}} {count}'
                for (rating, reason), count in sorted(self._feedback.items())
            ),
            *head("firstline_degraded_total", "counter", "Stages of turns that were late or broken and done without."),
            *(
                f'firstline_degraded_total{{stage="{stage}",why="{why}"}} {count}'
                for (stage, why), count in sorted(self._degraded.items())
            ),
            *head("firstline_faq_answers_total", "counter", "Turns answered by a curated answer."),
            f"firstline_faq_answers_total {self.faq_answers}",
            *head("firstline_gap_clusters", "gauge", "Clusters that this server's /v1/gaps showed last."),
            f"firstline_gap_clusters {self.gap_clusters}",
            *head("firstline_turns_running", "gauge", "Turns being worked on."),
            f"firstline_turns_running {self.turns_running}",
            *head("firstline_responses_total", "counter", "HTTP responses."),
            *(
                f'firstline_responses_total{{status="{status}"}} {count}'
                for status, count in sorted(self._responses.items())
            ),
        ]
