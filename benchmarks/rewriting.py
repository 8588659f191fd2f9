"""How good is the rewriter? What it finds in conversations, against other ways to carry them.

python -m benchmarks.rewriting                the half of the conversations that nothing was chosen on
python -m benchmarks.rewriting --half dev     the half that constants were chosen on
python -m benchmarks.rewriting --half all

The halves are told by a digest of the conversation's id. The index is the reference one, in memory, over all
documentation of FIRSTLINE_DATA; embeddings are cached. Replies are those the data set holds, not firstline's own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.in_memory import ingest_in_memory
from benchmarks.measured import run
from benchmarks.workbench import CACHE, DATA_KB, real_data, show_progress
from firstline.domain import EVERYONE, Exchange, Level, PlannedQuery, Principal, Route, SearchPlan
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.evals.datasets import DataSource, dataset_cases, present
from firstline.evals.report import table
from firstline.evals.scorers import mean_scores, paired_bootstrap, ranking_scores
from firstline.models.cached import CachedEmbedder
from firstline.models.embedder import open_embedder
from firstline.models.words import EngineerWords
from firstline.ports import Embedder, Scope
from firstline.questions.message.references import stands_alone
from firstline.questions.message.terms import all_stems, terms
from firstline.questions.retrieve import retrieve
from firstline.questions.rewrite import rewrite
from firstline.settings import load_settings
from firstline.shaping import search_limits_of

SET: Final = "mtrag_un"
REWRITES: Final = "mtrag_human/rewrites.jsonl"
TENANT: Final = "eval"
SHOWN: Final = ("recall5", "recall10", "hit1", "hit5", "mrr", "ndcg10")
OVERLAP_AT: Final = 5
USER_MARK: Final = "|user|:"


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """`gold` documents (labelled conversations) or a `reference` wording (rewritten ones)."""

    question: str
    earlier: tuple[Exchange, ...]
    gold: tuple[str, ...] = ()
    reference: str = ""


Way = Callable[[Conversation], SearchPlan]


def alone(one: Conversation) -> SearchPlan:
    return _one_query(one.question)


def everything_said(one: Conversation) -> SearchPlan:
    return _one_query("\n".join((*(turn.question for turn in one.earlier), one.question)))


def last_twice_and_three(one: Conversation) -> SearchPlan:
    if not one.earlier:
        return alone(one)
    said = [turn.question[:1_500] for turn in reversed(one.earlier[-3:])]
    return _one_query("\n".join((one.question, one.question, *said)))


def questions_only(one: Conversation) -> SearchPlan:
    return rewrite(one.question, earlier=[turn.question for turn in one.earlier])


def with_replies(one: Conversation) -> SearchPlan:
    return rewrite(one.question, earlier=one.earlier)


WAYS: Final[Mapping[str, Way]] = {
    "last turn alone": alone,
    "all user turns": everything_said,
    "last turn twice + last three": last_twice_and_three,
    "rewriter, replies unknown": questions_only,
    "rewriter, with the reference's replies": with_replies,
}


def _one_query(text: str) -> SearchPlan:
    return SearchPlan(
        queries=(PlannedQuery(text=text, weight=1.0),), standalone=text, carried=(), filters={}, route=Route.CLASSIC
    )


# --- data -----------------------------------------------------------------------------------------------------------


def in_half(identity: str, half: str) -> bool:
    """`identity` is conversation<::>turn."""
    digest = int(hashlib.sha256(identity.split("<")[0].encode()).hexdigest(), 16)
    return half == "all" or digest % 2 == ("dev", "report").index(half)


def labelled(data: Path, half: str) -> list[Conversation]:
    tasks = {str(task["id"]): task for task in _records(data / SET / "dev_tasks.jsonl")}
    cases = [case for one in present(data) if one.name == SET for case in dataset_cases(data, one)]
    return [
        Conversation(question=case.question, earlier=_exchanges(tasks[case.case_id]["turns"][:-1]), gold=case.docs)
        for case in cases
        if case.docs and in_half(case.case_id, half)
    ]


def rewritten(data: Path, half: str) -> list[Conversation]:
    """Turns that have a turn before them."""
    found: list[Conversation] = []
    for record in _records(data / REWRITES) if (data / REWRITES).is_file() else ():
        said = [turn.strip() for turn in str(record["questions"]).split(USER_MARK)[1:]]
        if len(said) > 1 and in_half(str(record["id"]), half):
            found.append(
                Conversation(
                    question=said[-1],
                    earlier=tuple(Exchange(question=turn) for turn in said[:-1]),
                    reference=str(record["rewrite"]).split(USER_MARK)[-1].strip(),
                )
            )
    return found


def _exchanges(turns: Sequence[Mapping[str, Any]]) -> tuple[Exchange, ...]:
    found: list[Exchange] = []
    for turn in turns:
        if turn["speaker"] == "user":
            found.append(Exchange(question=str(turn["text"])))
        elif found:
            found[-1] = Exchange(question=found[-1].question, reply=str(turn["text"]))
    return tuple(found)


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def leans(one: Conversation) -> bool:
    """The reference took over a word of the conversation that the turn itself does not have."""
    own, said = all_stems(one.question), all_stems("\n".join(turn.question for turn in one.earlier))
    return any(term in said and term not in own for term in terms(one.reference))


# --- retrieval ------------------------------------------------------------------------------------------------------


class Library:
    """All documentation in the reference index."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._index = MemoryIndex(dimensions=embedder.dimensions)
        self._ledger = MemoryKnowledgeLedger()
        self._words = EngineerWords()
        self._settings = load_settings()
        self._found: dict[tuple[PlannedQuery, ...], list[str]] = {}
        self._scope: Scope | None = None

    async def fill(self, data: Path, *, only: str = "") -> None:
        """With all documentation, or that of one data set."""
        snapshot = await ingest_in_memory(
            DataSource(data, [one for one in present(data) if only in ("", one.name)]),
            tenant=TENANT,
            ledger=self._ledger,
            index=self._index,
            blobs=MemoryBlobs(),
            embedder=self.embedder,
            words=self._words,
            settings=self._settings,
        )
        asker = Principal(tenant=TENANT, user="eval", acl_tags=frozenset({EVERYONE}), level=Level.PUBLIC)
        self._scope = Scope.of(asker, kb=DATA_KB, snapshot=snapshot)

    async def find(self, plan: SearchPlan) -> list[str]:
        """Document ids, best first."""
        if self._scope is None:
            raise RuntimeError("the library is empty: call fill first")
        if plan.queries not in self._found:
            ranked = await retrieve(
                plan,
                self._scope,
                index=self._index,
                vectors=list(await self.embedder.embed([query.text for query in plan.queries])),
                words=self._words,
                weights=search_limits_of(self._settings).weights,
                candidates=self._settings.candidates,
                documents=10,
            )
            self._found[plan.queries] = [document.doc_id for document in ranked]
        return self._found[plan.queries]

    async def likeness(self, plan: SearchPlan, reference: str) -> float:
        """Cosine of the weighted queries with the reference."""
        vectors = await self.embedder.embed([*(query.text for query in plan.queries), reference])
        mixed = np.average(vectors[:-1], axis=0, weights=[query.weight for query in plan.queries])
        return float(mixed @ vectors[-1] / (np.linalg.norm(mixed) * np.linalg.norm(vectors[-1])))


async def labelled_table(library: Library, conversations: Sequence[Conversation]) -> str:
    scores: dict[str, list[dict[str, float]]] = {}
    for name, way in WAYS.items():
        show = show_progress(name)
        scores[name] = []
        for done, one in enumerate(conversations, start=1):
            scores[name].append(ranking_scores(await library.find(way(one)), one.gold))
            show(done, len(conversations))
    before = scores["last turn twice + last three"]
    rows: list[list[str]] = []
    for name, own in scores.items():
        means = mean_scores(own)
        gain = paired_bootstrap([one["mrr"] for one in before], [one["mrr"] for one in own])
        recall = paired_bootstrap([one["recall5"] for one in before], [one["recall5"] for one in own])
        rows.append(
            [name, *(f"{means[metric]:.3f}" for metric in SHOWN)]
            + [f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f})" for one in (recall, gain)]
        )
    return table(["queries", *SHOWN, "recall5 against twice + three", "mrr against it"], rows)


async def reference_table(library: Library, conversations: Sequence[Conversation]) -> str:
    """Share of the reference's first OVERLAP_AT documents that are among the first OVERLAP_AT, and cosine to it."""
    groups = {
        "reference adds": [one for one in conversations if leans(one)],
        "adds nothing": [one for one in conversations if not leans(one)],
    }
    rows: list[list[str]] = []
    for name, way in WAYS.items():
        if way is with_replies:
            continue  # these conversations hold no replies
        row = [name]
        for group, own in groups.items():
            show = show_progress(f"{name}, {group}")
            shared: list[float] = []
            likeness: list[float] = []
            for done, one in enumerate(own, start=1):
                wanted = set((await library.find(_one_query(one.reference)))[:OVERLAP_AT])
                shared.append(len(wanted.intersection((await library.find(way(one)))[:OVERLAP_AT])) / OVERLAP_AT)
                likeness.append(await library.likeness(way(one), one.reference))
                show(done, len(own))
            row += [f"{np.mean(shared):.3f}", f"{np.mean(likeness):.3f}"]
        rows.append(row)
    header = [f"{name} ({len(own)}): {what}" for name, own in groups.items() for what in ("overlap", "cosine")]
    return table(["queries", *header], rows)


def detection_line(conversations: Sequence[Conversation]) -> str:
    """How often the rewriter's idea of a turn that leans on others agrees with what the reference did."""
    told = [(not stands_alone(one.question), leans(one)) for one in conversations]
    both = sum(said and true for said, true in told)
    return (
        f"turns told to lean on others: precision {both / max(1, sum(said for said, _ in told)):.2f}, "
        f"recall {both / max(1, sum(true for _, true in told)):.2f}, "
        f"accuracy {sum(said == true for said, true in told) / max(1, len(told)):.2f}, "
        f"share of leaning turns {sum(true for _, true in told) / max(1, len(told)):.2f}"
    )


async def report(half: str) -> None:
    data = real_data()
    settings = load_settings()
    inner = open_embedder(
        name=settings.embedder,
        model=settings.embedder_model,
        api_key=settings.embedder_api_key,
        threads=settings.embed_threads,
    )
    library = Library(CachedEmbedder(inner, CACHE / "embeddings"))
    await library.fill(data)
    own = labelled(data, half)
    print(f"half: {half}. {len(own)} labelled conversations\n\n{await labelled_table(library, own)}")
    turns = rewritten(data, half)
    if turns:
        print(f"\n{len(turns)} turns with a reference rewrite\n\n{await reference_table(library, turns)}")
        print(f"\n{detection_line(turns)}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rewriting", description=__doc__)
    parser.add_argument("--half", choices=("dev", "report", "all"), default="report")
    return run("rewriting", report(parser.parse_args().half))


if __name__ == "__main__":
    sys.exit(main())
