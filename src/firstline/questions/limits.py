"""What the journey of a question is bound by: its knobs, and the embedder of the knowledge base it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstline.domain import Snapshot
from firstline.errors import InvalidInput
from firstline.questions.card.support_hours import UNSTATED, Support
from firstline.questions.search import SearchLimits
from firstline.questions.topics import TopicRules


@dataclass(frozen=True, kw_only=True, slots=True)
class JourneyLimits:
    """The journey's knobs, taken from the settings."""

    question_chars_max: int
    history_turns: int
    answer_chars_max: int
    turn_deadline_s: float
    search: SearchLimits
    topics: tuple[str, ...]
    retention_offer: str
    settings_hash: str
    turns_at_once: int
    support: Support = UNSTATED
    rules: Mapping[str, TopicRules] = field(default_factory=dict[str, TopicRules])
    link_hosts: tuple[str, ...] = ()


def refuse_other_embedder(snapshot: Snapshot, *, kb: str, embedder_id: str) -> None:
    """InvalidInput when its vectors are another embedder's: cosines between two models mean nothing."""
    if snapshot.documents and snapshot.embedder_id not in (None, embedder_id):
        raise InvalidInput(
            f"The vectors of the knowledge base {kb!r} were made by {snapshot.embedder_id}, and questions are embedded "
            f"by {embedder_id}.",
            remedy="Set `embedder` back to the one it was made with, or ingest again into a new knowledge base.",
        )
