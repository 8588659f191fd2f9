"""The steps that a model may help with, each with its adviser. Without one a step is what it is without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Claim, Coverage, SearchPlan, Triage, Turn
from firstline.questions.advised.asking import NOBODY, Adviser, FromRecord
from firstline.questions.advised.doubting import doubted
from firstline.questions.advised.rewriting import rewritten
from firstline.questions.advised.unsure import sorted_again
from firstline.questions.asked import Asked
from firstline.questions.topics import TopicRules
from firstline.questions.trail import Trail


@dataclass(frozen=True, kw_only=True, slots=True)
class Advised:
    """Each is called when its step without a model has been taken: what that came to stands already."""

    rewriter: Adviser = NOBODY
    sorter: Adviser = NOBODY
    critic: Adviser = NOBODY

    async def plan(self, plan: SearchPlan, asked: Asked, trail: Trail) -> SearchPlan:
        """The plan, with what a model would search too."""
        return await rewritten(self.rewriter, plan, asked, trail)

    async def triage(self, asked: Asked, trail: Trail, rules: Mapping[str, TopicRules]) -> Triage | None:
        """The trail's triage, or a model's where the classifier was unsure."""
        return await sorted_again(self.sorter, asked, trail, rules)

    async def cannot(self, claims: Sequence[Claim], asked: Asked, trail: Trail) -> bool:
        """A model says that these claims answer nothing of the question. What it doubts otherwise, the trail keeps:
        before anything is shown, for nothing that was shown is taken back."""
        if self.critic is NOBODY:
            return False
        trail.coverage_most = await doubted(self.critic, claims, asked, trail)
        return trail.coverage_most is Coverage.CANNOT


WITHOUT_MODEL: Final = Advised()


def as_recorded_in(turn: Turn) -> Advised:
    """The steps with what was said in this turn; they call nobody."""
    said = FromRecord(turn.advice)
    return Advised(rewriter=said, sorter=said, critic=said)
