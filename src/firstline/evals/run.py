"""Run cases on a running journey: what `firstline eval` and the benchmarks share."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from firstline.domain import EVERYONE, Level, Principal, RankedDocument, Session, Turn
from firstline.evals.cases import Case
from firstline.evals.evaluate import REMOVED, OnDone, ask_cases, rank_cases
from firstline.evals.results import Results
from firstline.evals.scorers import RANK_MAX

USER: Final = "evaluation"
LEVEL_DEFAULT: Final = Level.CUSTOMER
"""Who asks a case that does not say."""


class RankQuestion(Protocol):
    """Retrieval alone, as `questions.journey` offers it."""

    def __call__(
        self,
        *,
        principal: Principal,
        kb: str,
        question: str,
        history: Sequence[str] = ...,
        limit: int = ...,
        exclude: frozenset[str] = ...,
    ) -> Awaitable[Sequence[RankedDocument]]: ...


class AskQuestion(Protocol):
    """A whole turn, as `questions.journey` offers it."""

    def __call__(
        self, *, session: Session, principal: Principal, question: str, exclude: frozenset[str] = ...
    ) -> Awaitable[Turn]: ...


CreateSession = Callable[[Session], Awaitable[None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Runner:
    """Asks cases of one knowledge base. `history_turns` bounds how many earlier messages are really asked: the
    journey would not look further back."""

    rank_question: RankQuestion
    ask_question: AskQuestion
    create_session: CreateSession
    tenant: str
    kb: str
    history_turns: int = 6
    snapshot: int = 0
    """Ask this one, whatever is published; 0: the published one."""

    async def rank(self, case: Case, exclude: frozenset[str]) -> list[str]:
        """Implements `evaluate.Rank`."""
        found = await self.rank_question(
            principal=self._principal(case),
            kb=self.kb,
            question=case.question,
            history=case.history[-self.history_turns :] if self.history_turns else (),
            limit=RANK_MAX,
            exclude=exclude,
        )
        return [document.doc_id for document in found]

    async def ask(self, case: Case, exclude: frozenset[str]) -> Turn:
        """Implements `evaluate.Ask`: earlier messages are asked first, in the same session."""
        principal = self._principal(case)
        session = Session(
            session_id=str(uuid.uuid4()),
            tenant=self.tenant,
            kb=self.kb,
            user=principal.user,
            created_at=datetime.now(UTC),
            snapshot=self.snapshot,
        )
        await self.create_session(session)
        for earlier in case.history[-self.history_turns :] if self.history_turns else ():
            await self.ask_question(session=session, principal=principal, question=earlier, exclude=exclude)
        return await self.ask_question(session=session, principal=principal, question=case.question, exclude=exclude)

    def _principal(self, case: Case) -> Principal:
        level = LEVEL_DEFAULT if case.level is None else case.level
        return Principal(tenant=self.tenant, user=USER, acl_tags=frozenset({EVERYONE}), level=level)


async def run_cases(
    cases: Sequence[Case],
    runner: Runner,
    *,
    name: str = "evaluation",
    removed: bool = True,
    on_done: OnDone | None = None,
) -> Results:
    """Retrieval and outcomes of every case; with `removed`, answerable ones once more without their gold documents."""
    ranked = await rank_cases(cases, runner.rank, on_done=on_done)
    judged = await ask_cases(cases, runner.ask, on_done=on_done)
    if removed:
        judged += await ask_cases(cases, runner.ask, condition=REMOVED, on_done=on_done)
    return Results(name=name, about={"cases": str(len(cases))}, ranked=tuple(ranked), judged=tuple(judged))
