"""One message on its way: who asked what, in which session, on which snapshot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from firstline.domain import NOTHING, Answered, Clarify, GateReading, Principal, Session, Turn, turn_id_of
from firstline.ports import Scope
from firstline.questions.message.spoken import spoken

OnStatus = Callable[[str], Awaitable[None]]

OnClaims = Callable[[Answered, str], Awaitable[None]]
"""Hears the verified beginning of an answer that is still being written, each time there is more of it, and the
language of the conversation. What it heard is never taken back: the turn's answer begins with it."""

OnRecorded = Callable[[Turn, Session], None]
"""Hears of a turn once it is recorded. It returns at once and raises nothing."""


def to_nobody(_turn: Turn, _session: Session) -> None:
    return None


ReadGate = Callable[[Mapping[str, float]], GateReading]
"""A gate with its threshold: features to a decision."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What somebody sent, redacted, before anything was looked up for it. The rest as in `Asked`."""

    session: Session
    principal: Principal
    text: str
    on_status: OnStatus | None = None
    on_claims: OnClaims | None = None
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """`history` holds the session's newest turns, oldest first; `exclude` documents that do not exist for this turn.
    `gates` are those that decide, by name, and `gates_version` names them; `unfit` says why they may not,
    if so. `then`: what was late or broken in the recorded turn that is replayed, if one is, and
    `communities` the build that it looked at; None: the newest."""

    session: Session
    principal: Principal
    question: str
    number: int
    history: tuple[Turn, ...]
    scope: Scope
    exclude: frozenset[str]
    on_status: OnStatus | None
    gates: Mapping[str, ReadGate]
    gates_version: int
    unfit: str = ""
    then: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    communities: int | None = None
    on_claims: OnClaims | None = None

    @property
    def turn_id(self) -> str:
        return turn_id_of(self.session.session_id, self.number)

    @property
    def language(self) -> str:
        """A message that tells nothing ("4.2", "ok") goes on in the language of those before it."""
        return spoken(self.question) or (self.history[-1].language if self.history else "")

    @property
    def earlier(self) -> tuple[str, ...]:
        return tuple(turn.question for turn in self.history)

    @property
    def back_in_a_row(self) -> int:
        """How many of the newest turns asked back, one after the other."""
        other = (at for at, turn in enumerate(reversed(self.history)) if not isinstance(turn.outcome, Clarify))
        return next(other, len(self.history))

    async def tell(self, step: str) -> None:
        """Say which step begins, to whoever wants to know."""
        if self.on_status is not None:
            await self.on_status(step)

    async def tell_claims(self, begun: Answered) -> None:
        if self.on_claims is not None:
            await self.on_claims(begun, self.language)
