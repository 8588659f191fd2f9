"""Does a model do a step better than the step without one? Asked of the models of the role `small`, as configured.

python -m benchmarks.model_steps rewrite      conversations of FIRSTLINE_DATA: what is found with its queries
python -m benchmarks.model_steps triage       sentences that the classifier is unsure of, of industries it has not seen
python -m benchmarks.model_steps critique     questions with an answer from their own page, and from another question's

--limit 60       cases, always the same ones
--within 1.5     seconds for each; 0: as many as the step has in a turn

These are the halves that constants are chosen on. A step is worth switching on when its interval lies above 0, and its
answers come in time.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import numpy as np
from training.triage.band import readings

from benchmarks.answered_pages import Paired, paired
from benchmarks.measured import NotMeasurable, run
from benchmarks.rewriting import SET, Library, labelled, with_replies
from benchmarks.workbench import CACHE, real_data
from firstline.caches.store import Kept
from firstline.domain import EVERYONE, Advice, Coverage, Level, ModelRole, Principal, Session
from firstline.evals.report import table
from firstline.evals.scorers import paired_bootstrap, ranking_scores
from firstline.model_wiring import OpenModels, open_models
from firstline.models.cached import CachedEmbedder
from firstline.models.embedder import open_embedder
from firstline.ports import Scope
from firstline.questions.advised import doubting, rewriting, unsure
from firstline.questions.advised.asking import AskingModel, Wanted
from firstline.questions.asked import Asked
from firstline.questions.message.spoken import spoken
from firstline.questions.trail import Trail
from firstline.settings import load_settings

WHO: Final = Principal(tenant="eval", user="eval", acl_tags=frozenset({EVERYONE}), level=Level.PUBLIC)
SPARE_S: Final = 60.0


@dataclass(kw_only=True)
class Asking:
    """Asks one case after the other, and remembers how that ended and how long it took."""

    models: OpenModels
    within_s: float
    ends: Counter[str] = field(default_factory=Counter[str])
    took_s: list[float] = field(default_factory=list[float])

    async def ask(self, wanted: Wanted, text: str) -> Advice:
        if self.within_s:
            wanted = replace(wanted, within_s=self.within_s)
        trail = Trail(ends_at_s=asyncio.get_running_loop().time() + wanted.within_s + SPARE_S)
        began = time.monotonic()
        found = await AskingModel(self.models.language, redact=lambda said: said).advice(wanted, asked_of(text), trail)
        self.took_s.append(time.monotonic() - began)
        self.ends[found.ended or "read"] += 1
        return found

    def line(self) -> str:
        told = ", ".join(f"{count} {end}" for end, count in self.ends.most_common()) or "nobody was asked"
        if not self.took_s:
            return told
        median, late = np.quantile(self.took_s, [0.5, 0.95])
        return f"{told}; seconds: median {median:.2f}, p95 {late:.2f}"


def asked_of(text: str) -> Asked:
    session = Session(session_id="eval", tenant=WHO.tenant, kb="data", user=WHO.user, created_at=datetime.now(UTC))
    return Asked(
        session=session,
        principal=WHO,
        question=text,
        number=1,
        history=(),
        scope=Scope.of(WHO, kb="data", snapshot=1),
        exclude=frozenset(),
        on_status=None,
        gates={},
        gates_version=0,
    )


Case = TypeVar("Case")


def some(cases: Sequence[Case], limit: int, key: Callable[[Case], str]) -> list[Case]:
    """At most `limit` of them, always the same ones."""
    return sorted(cases, key=lambda one: hashlib.sha256(key(one).encode()).hexdigest())[:limit]


# --- rewrite --------------------------------------------------------------------------------------------------------


async def rewrite(asking: Asking, limit: int) -> str:
    data = real_data()
    settings = load_settings()
    inner = open_embedder(
        name=settings.embedder, model=settings.embedder_model, api_key=settings.embedder_api_key, threads=2
    )
    library = Library(CachedEmbedder(inner, CACHE / "embeddings"))
    await library.fill(data, only=SET)
    cases = [one for one in labelled(data, "dev") if rewriting.may_help(with_replies(one), one.question, _said(one))]
    before: list[dict[str, float]] = []
    after: list[dict[str, float]] = []
    fell: Counter[str] = Counter()
    for one in some(cases, limit, lambda case: case.question):
        plan, earlier = with_replies(one), _said(one)
        found = await asking.ask(rewriting.wanted(one.question, earlier), one.question)
        why = found.ended or rewriting.why_not(
            found.said, message=one.question, earlier=earlier, language=spoken(one.question)
        )
        fell[why] += 1
        before.append(ranking_scores(await library.find(plan), one.gold))
        made = plan if why else rewriting.with_queries(plan, found.said)
        after.append(ranking_scores(await library.find(made), one.gold))
    rows = [_row(name, [one[name] for one in before], [one[name] for one in after]) for name in ("recall5", "mrr")]
    told = "\n".join(f"{count:4d}  {why or 'searched'}" for why, count in fell.most_common())
    return f"{table(HEADER, rows)}\n\n{told}"


def _said(one: Any) -> list[str]:
    return [turn.question for turn in one.earlier]


# --- triage ---------------------------------------------------------------------------------------------------------


async def triage(asking: Asking, limit: int) -> str:
    found, _ = await asyncio.to_thread(readings)
    cases = [one for one in found if unsure.is_unsure(one.told, one.shares)]
    before: list[float] = []
    after: list[float] = []
    moves: Counter[tuple[str, str]] = Counter()
    for one in some(cases, limit, lambda case: case.text):
        said = await asking.ask(unsure.wanted(one.text, ()), one.text)
        category = next((move for move in unsure.MOVES if (move.value,) == said.said), one.told.category)
        before.append(float(one.right))
        after.append(float(unsure.moved(one.told, category).category.value == one.truth))
        moves[(one.told.category.value, category.value)] += 1
    told = "\n".join(f"{count:4d}  {start} -> {end}" for (start, end), count in moves.most_common())
    return f"{table(HEADER, [_row('right', before, after)])}\n\n{told}\n\nBefore the knowledge base has its word."


# --- critique -------------------------------------------------------------------------------------------------------


async def critique(asking: Asking, limit: int) -> str:
    cases = some(await paired(real_data()), limit, lambda case: f"{case.question}|{case.own}")
    without: dict[bool, list[float]] = {True: [], False: []}
    helped: dict[bool, list[float]] = {True: [], False: []}
    for one in cases:
        said = await asking.ask(doubting.wanted(one.question, one.claims), one.question)
        doubted = _shown(one) and (Coverage.CANNOT.value,) != said.said
        without[one.own].append(float(_shown(one) is one.own))
        helped[one.own].append(float(doubted is one.own))
    rows = [
        _row("shown, from its own page", without[True], helped[True]),
        _row("held back, from another's", without[False], helped[False]),
    ]
    return table(HEADER, rows)


def _shown(one: Paired) -> bool:
    return one.coverage is not Coverage.CANNOT


# --- all ------------------------------------------------------------------------------------------------------------

HEADER: Final = ["measured", "cases", "without", "with the model", "difference (95%)"]


def _row(name: str, before: Sequence[float], after: Sequence[float]) -> list[str]:
    if not before:
        return [name, "0", "-", "-", "-"]
    gain = paired_bootstrap(before, after)
    told = f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"
    return [name, str(len(before)), f"{np.mean(before):.3f}", f"{np.mean(after):.3f}", told]


STEPS: Final[Mapping[str, Callable[[Asking, int], Coroutine[Any, Any, str]]]] = {
    "rewrite": rewrite,
    "triage": triage,
    "critique": critique,
}


async def report(step: str, *, limit: int, within_s: float) -> None:
    settings = load_settings()
    models = open_models(settings.models, Kept("model", bytes_max=0))
    if models is None or not models.language.model_id(ModelRole.SMALL):
        raise NotMeasurable("no model is configured: `chain` in [models.small]")
    asking = Asking(models=models, within_s=within_s)
    try:
        await models.load()
        said = await STEPS[step](asking, limit)
    finally:
        await models.close()
    print(f"{step}, by {models.language.model_id(ModelRole.SMALL)}\n\n{said}\n\n{asking.line()}")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.model_steps", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("step", choices=tuple(STEPS))
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--within", type=float, default=0.0)
    arguments = parser.parse_args()
    return run("model_steps", report(arguments.step, limit=arguments.limit, within_s=arguments.within))


if __name__ == "__main__":
    sys.exit(main())
