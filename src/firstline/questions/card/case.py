"""What is known of a conversation when a message of it goes to a person?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firstline.domain import (
    Availability,
    Clarify,
    Evidence,
    GateReading,
    Outcome,
    Reason,
    Triage,
    Tried,
    Turn,
)
from firstline.questions.page.versions import Stated


@dataclass(frozen=True, kw_only=True, slots=True)
class Offered:
    """A page that the customer was offered in a question back: in which messages (numbers, oldest first), and whether
    they picked it. `tried` is how it stands on a card."""

    doc_id: str
    tried: Tried
    messages: tuple[int, ...]
    picked: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One message on its way to a person: what the turn knew, and the conversation before it, oldest first.

    `sought` is the question in full, as it was searched; `versions`, by document id, what the documents found
    are about. `outcome` is the message's own, where it is an answer; `also`: (another reason of this hand-over, the
    message that gave it). `looked`: what was looked at for the messages before.
    `before`: pages that were found for them, where nothing was looked up for this one. `offered`: pages of questions
    back, the newest first. `coded`: by name that was looked up in the whole index, the pieces that hold it, best first;
    none is an empty one.
    """

    session_id: str
    turn: int
    reason: Reason
    question: str
    earlier: Sequence[Turn]
    triage: Triage | None
    evidence: Sequence[Evidence] = ()
    gates: Sequence[GateReading] = ()
    sought: str = ""
    versions: Mapping[str, Sequence[Stated]] = field(default_factory=dict[str, Sequence[Stated]])
    availability: Availability | None = None
    outcome: Outcome | None = None
    also: Sequence[tuple[Reason, int]] = ()
    looked: Sequence[Tried] = ()
    before: Sequence[Tried] = ()
    coded: Mapping[str, Sequence[Evidence]] = field(default_factory=dict[str, Sequence[Evidence]])
    offered: Sequence[Offered] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        return (*(turn.question for turn in self.earlier), self.question)

    @property
    def answers(self) -> frozenset[int]:
        """The places of messages that reply to a question back."""
        return frozenset(place + 1 for place, turn in enumerate(self.earlier) if isinstance(turn.outcome, Clarify))
