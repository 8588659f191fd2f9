"""Features of development questions, each asked with its gold documents present and with them left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firstline.domain import EVERYONE, Level, Principal
from firstline.evals.cases import Case
from firstline.ports import Scope
from firstline.questions.compose import compose
from firstline.questions.critique import critique
from firstline.questions.gate import confidence_features, relevance_features
from firstline.questions.retrieve import read_evidence
from firstline.questions.rewrite import rewrite
from firstline.questions.verify import verify
from firstline.wiring import Firstline

EVERYTHING = Principal(tenant="default", user="training", acl_tags=frozenset({EVERYONE}), level=Level.RESTRICTED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """`right`: what would be shown comes from a gold document. `condition`: labelled or removed."""

    key: str
    set_name: str
    condition: str
    answerable: bool
    right: bool
    features: dict[str, float]


async def collect(firstline: Firstline, cases: Sequence[Case], *, kb: str) -> list[Example]:
    """Two examples for a case with gold documents, one for a case that is labelled unanswerable."""
    snapshot = await firstline.knowledge.published(tenant=EVERYTHING.tenant, kb=kb)
    scope = Scope.of(EVERYTHING, kb=kb, snapshot=snapshot.number)
    found: list[Example] = []
    for case in cases:
        if case.answerable is None and not case.docs:
            continue
        conditions = [("labelled", frozenset[str]())]
        if case.docs:
            conditions.append(("removed", frozenset(case.docs)))
        for condition, exclude in conditions:
            found.append(await _example(firstline, case, scope, condition=condition, exclude=exclude))
    return found


async def _example(
    firstline: Firstline, case: Case, scope: Scope, *, condition: str, exclude: frozenset[str]
) -> Example:
    settings = firstline.settings
    ranked = await firstline.questions.rank(
        principal=EVERYTHING,
        kb=scope.kb,
        question=case.question,
        history=case.history,
        limit=settings.documents_ranked,
        exclude=exclude,
    )
    evidence = await read_evidence(
        ranked, scope, ledger=firstline.knowledge, blobs=firstline.blobs, limit=settings.evidence_chunks
    )
    sought = rewrite(case.question, earlier=case.history).standalone
    relevance = relevance_features(sought, ranked, evidence)
    verification = verify(compose(sought, evidence, chars_max=settings.answer_chars_max), evidence)
    judged = critique(case.question, verification.kept, evidence)
    cited = {citation.doc_id for claim in verification.kept for citation in claim.citations}
    return Example(
        key=case.key,
        set_name=case.set_name,
        condition=condition,
        answerable=condition == "labelled" and case.answerable is not False,
        right=condition == "labelled" and not cited.isdisjoint(case.docs),
        features=confidence_features(relevance, verification, judged),
    )
