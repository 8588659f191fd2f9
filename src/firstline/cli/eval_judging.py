"""The judge of `firstline eval --judge`: which model, may it judge these answers, and what it said."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firstline.domain import Judgement, ModelRole, Turn
from firstline.errors import InvalidInput
from firstline.model_settings import ModelEntry, ModelsSettings

if TYPE_CHECKING:
    from firstline.evals.judge.asking import Judge
    from firstline.evals.results import Results
    from firstline.settings import Settings
    from firstline.wiring import Firstline

KEPT_IN: Final = "judgements.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judging:
    """`file`: where judgements are kept; None: in the data folder."""

    wanted: bool
    forced: bool
    file: Path | None

    def check(self, settings: Settings) -> None:
        """InvalidInput when there is no judge, or when it would judge its own answers. Before anything is asked."""
        if not self.wanted:
            return
        if ModelRole.JUDGE.value not in settings.models.roles:
            raise InvalidInput(
                "No model is configured that judges.", remedy="Name one: `chain` in [models.judge] (docs/models.md)."
            )
        if (own := own_judges(settings.models)) and not self.forced:
            raise InvalidInput(
                f"{', '.join(own)} writes answers and would judge them too: models favour what they wrote themselves.",
                remedy="Name another model in [models.judge], or say --force-same-judge and read the marks as that.",
            )

    async def marks(self, settings: Settings, results: Results) -> list[str]:
        """The report on one run's answers; nothing when no judge is wanted."""
        if not self.wanted:
            return []
        from firstline.cli.progress import counted
        from firstline.evals.judge.report import judge_report
        from firstline.evals.judge.run import answers_of, judge_answers, judged_by_people

        async with self._judge(settings) as (judge, firstline):
            read = firstline.blobs.get_range

            async def turn_of(one: Judgement) -> Turn | None:
                known = await firstline.feedback.turn(one.session_id, one.turn, tenant=settings.tenant)
                return None if known is None else known.turn

            said = await firstline.feedback.judgements(tenant=settings.tenant, kb=settings.kb, limit=500)
            people = await judged_by_people(said, turn_of, read)
            answers = await answers_of(results.judged, read)
            with counted("judged") as on_done:
                found = await judge_answers(judge, answers, people, on_done=on_done)
        return [judge_report(found, same_judge=bool(own_judges(settings.models)))]

    async def preferred(self, settings: Settings, before: Results, after: Results) -> list[str]:
        """The report on two runs beside each other; nothing when no judge is wanted."""
        if not self.wanted:
            return []
        from firstline.cli.progress import counted
        from firstline.evals.judge.report import preference_report
        from firstline.evals.judge.run import answers_of, judge_pairs

        async with self._judge(settings) as (judge, firstline):
            read = firstline.blobs.get_range
            old = await answers_of(before.judged, read, all_outcomes=True)
            new = await answers_of(after.judged, read, all_outcomes=True)
            with counted("compared") as on_done:
                found = await judge_pairs(judge, old, new, on_done=on_done)
        return [preference_report(found, a=before.name, b=after.name)]

    @asynccontextmanager
    async def _judge(self, settings: Settings) -> AsyncGenerator[tuple[Judge, Firstline]]:
        from firstline.evals.judge.asking import Judge
        from firstline.evals.judge.kept_file import KeptFile
        from firstline.wiring import open_firstline

        async with open_firstline(settings) as firstline:
            if firstline.models is None:
                raise InvalidInput("No model is configured that judges.", remedy="See docs/models.md.")
            kept = KeptFile(self.file or settings.data_folder / KEPT_IN)
            yield Judge(firstline.models.language, tenant=settings.tenant, kept=kept), firstline


def own_judges(models: ModelsSettings) -> list[str]:
    """Models of the judge's chain that also answer: the same name at the same address."""
    writes = {_who(entry) for entry in _chain(models, ModelRole.LARGE)}
    return sorted({entry.model for entry in _chain(models, ModelRole.JUDGE) if _who(entry) in writes})


def _chain(models: ModelsSettings, role: ModelRole) -> tuple[ModelEntry, ...]:
    found = models.roles.get(role.value)
    return () if found is None else tuple(found.chain)


def _who(entry: ModelEntry) -> tuple[str, str]:
    return entry.model.casefold(), entry.base_url.rstrip("/")
