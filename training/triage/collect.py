"""How near the knowledge bases lie to questions that they answer and to ones that no page can: the data of fit_scope.

The public documentation (FIRSTLINE_DATA) and the demo are one knowledge base each. Answerable are their labelled
questions; out of scope are the field sentences about accounts, other people's data, world knowledge, tasks and
nonsense. Questions about quite other products ("foreign") are reported apart: they are support questions, of somebody
else's support. Split in two halves: answerable ones by a digest of their id, field sentences by industry, as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.workbench import DATA_KB, DEMO_KB, Workbench, load_set, open_workbench, question_sets, real_data

from firstline.domain import EVERYONE, Category, Level, Principal, RankedDocument
from firstline.models.classifier import open_classifier
from training.triage.train import unseen

OUTSIDE = ("out_of_scope", "irrelevant", "nonsense")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One question against one knowledge base. `label`: answerable, outside or foreign; `held`: its half."""

    kb: str
    text: str
    label: str
    held: bool
    ranked: tuple[RankedDocument, ...]
    probabilities: dict[Category, float]


async def measured() -> list[Measured]:
    """DataMissing when the public data is not on this machine."""
    data = real_data()
    async with open_workbench(data=data) as bench:
        asked = [
            (DEMO_KB if name == DEMO_KB else DATA_KB, case.turns, "answerable", _second_half(case.case_id))
            for name in question_sets(data)
            for case in load_set(name, data=data)
            if case.docs and case.answerable is not False
        ]
        for held, name in ((False, "field_dev"), (True, "field_held")):
            for row in unseen(name):
                label = "outside" if row["category"] in OUTSIDE else "foreign"
                if row["category"] != "high_stakes":
                    asked += [(kb, (row["text"],), label, held) for kb in (DATA_KB, DEMO_KB)]
        return [await _measure(bench, *one) for one in asked]


def _second_half(case_id: str) -> bool:
    return hashlib.sha256(case_id.encode()).digest()[0] % 2 == 1


async def _measure(bench: Workbench, kb: str, turns: Sequence[str], label: str, held: bool) -> Measured:
    opened = bench.firstline
    principal = Principal(
        tenant=opened.settings.tenant, user="measure", acl_tags=frozenset({EVERYONE}), level=Level.CUSTOMER
    )
    ranked = await opened.questions.rank(
        principal=principal, kb=kb, question=turns[-1], history=turns[:-1], limit=opened.settings.documents_ranked
    )
    vectors = await opened.embedder.embed([turns[-1]])
    classifier = open_classifier(embedder=opened.embedder.model_id)
    return Measured(
        kb=kb,
        text=turns[-1],
        label=label,
        held=held,
        ranked=ranked,
        probabilities=dict(classifier.classify(vectors[0], turns[-1])),
    )
