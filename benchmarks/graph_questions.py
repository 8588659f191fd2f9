"""Does the graph find what similar text does not? Two-hop questions, causes and cures, and what it costs the others.

python -m benchmarks.graph_questions                the tables: two-hop by way and type, causes and cures, no loss
python -m benchmarks.graph_questions --set two_hop  one of them: two_hop, causes, loss
python -m benchmarks.graph_questions --misses       with the questions that miss something

Ways: `classic` knows no graph; `graph` is what the graph alone leads to from the names in the question; `both` is the
product: the graph joins where the route says so. The index is the reference one, in memory; embeddings are cached.
A two-hop question is answered when a passage of every gold title is among the first eight documents.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.ground import ASKER, Ground
from benchmarks.measured import Measured, NotMeasurable, Registry, run
from benchmarks.workbench import DATA_KB, load_set, question_sets, real_data
from firstline.domain import Chunk, ChunkKind, Document
from firstline.evals.datasets import DataSet, DataSource, present
from firstline.evals.report import table
from firstline.evals.scorers import paired_bootstrap, ranking_scores
from firstline.questions.journey import QuestionJourney
from firstline.questions.route import routed

TWO_HOP: Final = DataSet(name="twowiki", folder="twowiki")
FIRST: Final = 8
CODE: Final = re.compile(r"\b(?:[A-Z]{2,8}-?\d{3,6}[A-Z]?|[A-Z][a-z]+(?:[A-Z][a-z0-9]+){2,})\b")
"""An error as titles name it: a code, or the name of an alert or exception."""
CAUSES: Final = re.compile(r"^(?:root |possible |likely )?causes?$|^diagnos", re.IGNORECASE)
CURES: Final = re.compile(r"^(?:resol|mitigat|fix|solution|workaround|remed|answer)", re.IGNORECASE)
LOSS_SHOWN: Final = ("hit1", "hit3", "hit5", "mrr", "recall10")


@dataclass(frozen=True, kw_only=True)
class TwoHop:
    question: str
    titles: tuple[str, ...]

    @property
    def type(self) -> str:
        return routed(self.question).why


@dataclass(frozen=True, kw_only=True)
class Named:
    """An error that the title of a page names, and the page."""

    name: str
    doc_id: str


def two_hop_cases(data: Path, *, split: str = "dev") -> list[TwoHop]:
    """NotMeasurable when the folder is not there."""
    found = sorted((data / TWO_HOP.folder).glob(f"{split}_*.jsonl"))
    if not found:
        raise NotMeasurable(f"There are no {split} questions in {data / TWO_HOP.folder}.")
    rows = [json.loads(line) for path in found for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [TwoHop(question=row["question"], titles=tuple(row["titles"])) for row in rows]


async def two_hop(ground: Ground, cases: Sequence[TwoHop], way: str) -> list[tuple[str, ...]]:
    """For each case the gold titles that are missing among the first documents."""
    journey = ground.journey(graph=way != "classic")
    missing: list[tuple[str, ...]] = []
    for case in cases:
        if way == "graph":
            doc_ids = (await ground.led_to(case.question))[:FIRST]
        else:
            ranked = await journey.rank(principal=ASKER, kb=DATA_KB, question=case.question, limit=FIRST)
            doc_ids = [one.doc_id for one in ranked]
        shown = {ground.documents[doc_id].title for doc_id in doc_ids}
        missing.append(tuple(title for title in case.titles if title not in shown))
    return missing


def named_errors(documents: Sequence[Document], chunks: dict[str, Sequence[Chunk]]) -> list[Named]:
    """Pages whose title names an error, with chunks that tell a cause and chunks that tell a cure by their headings."""
    found: list[Named] = []
    for document in documents:
        name = CODE.search(document.title)
        own = chunks[document.doc_id]
        if name and any(tells_cause(one) for one in own) and any(tells_cure(one) for one in own):
            found.append(Named(name=name.group(), doc_id=document.doc_id))
    return found


def tells_cause(chunk: Chunk) -> bool:
    return chunk.kind is ChunkKind.CAUSE or any(CAUSES.match(part) for part in chunk.section_path)


def tells_cure(chunk: Chunk) -> bool:
    return chunk.kind is ChunkKind.RESOLUTION or any(CURES.match(part) for part in chunk.section_path)


async def causes(ground: Ground, cases: Sequence[Named], *, graph: bool) -> list[bool]:
    """For each case whether the evidence holds a cause and a cure of a page that is titled with the error."""
    journey = ground.journey(graph=graph)
    titled: defaultdict[str, set[str]] = defaultdict(set)
    for case in cases:
        titled[case.name].add(case.doc_id)
    right: list[bool] = []
    for case in cases:
        evidence = await ground.evidence(journey, f"What is the cause of {case.name} and how is it resolved?")
        own = [chunk for chunk in evidence if chunk.doc_id in titled[case.name]]
        right.append(any(tells_cause(chunk) for chunk in own) and any(tells_cure(chunk) for chunk in own))
    return right


async def loss(ground: Ground, data: Path) -> list[list[str]]:
    """By set: how many questions the route sends over the graph, and both rankings' scores on those."""
    journeys = {True: ground.journey(graph=True), False: ground.journey(graph=False)}
    rows: list[list[str]] = []
    for name in question_sets(data):
        cases = [case for case in load_set(name, data=data) if case.docs and name != "demo"]
        scored: dict[bool, list[dict[str, float]]] = {True: [], False: []}
        for case in cases:
            found = {way: await _ranked(journey, case.turns) for way, journey in journeys.items()}
            if found[True] == found[False]:
                continue
            for way, doc_ids in found.items():
                scored[way].append(ranking_scores(doc_ids, case.docs))
        for metric in LOSS_SHOWN if scored[True] else ():
            pairs = [(one[metric], other[metric]) for one, other in zip(scored[True], scored[False], strict=True)]
            rows.append([name, str(len(cases)), str(len(pairs)), metric, *_difference(pairs)])
        if not scored[True]:
            rows.append([name, str(len(cases)), "0", "-", "-", "-", "-"])
    return rows


def _difference(pairs: Sequence[tuple[float, float]]) -> list[str]:
    both, classic = zip(*pairs, strict=True)
    found = paired_bootstrap(classic, both)
    count = len(pairs)
    return [
        f"{sum(classic) / count:.3f}",
        f"{sum(both) / count:.3f}",
        f"{found.mean:+.3f} ({found.low:+.3f} {found.high:+.3f})",
    ]


async def _ranked(journey: QuestionJourney, turns: Sequence[str]) -> list[str]:
    found = await journey.rank(principal=ASKER, kb=DATA_KB, question=turns[-1], history=turns[:-1], limit=10)
    return [one.doc_id for one in found]


async def _two_hop_ground(data: Path) -> Ground:
    if not (data / TWO_HOP.folder).is_dir():
        raise NotMeasurable(f"There is no {TWO_HOP.folder} in {data}.")
    return await Ground.filled(DataSource(data, [TWO_HOP]))


async def all8() -> Measured:
    data = real_data()
    cases = two_hop_cases(data)
    missing = await two_hop(await _two_hop_ground(data), cases, "both")
    return Measured(value=sum(not one for one in missing) / len(missing), unit="ratio")


async def cause_resolution() -> Measured:
    data = real_data()
    ground = await Ground.filled(DataSource(data, present(data)))
    found = await causes(ground, named_errors(list(ground.documents.values()), ground.chunks), graph=True)
    if not found:
        raise NotMeasurable("No page of the data is titled with an error and tells its cause and its cure.")
    return Measured(value=sum(found) / len(found), unit="ratio")


def register(registry: Registry) -> None:
    registry["graph.twowiki.all8"] = all8
    registry["graph.cause_resolution"] = cause_resolution


async def _print_two_hop(data: Path, *, misses: bool) -> None:
    ground, cases = await _two_hop_ground(data), two_hop_cases(data)
    found = {way: await two_hop(ground, cases, way) for way in ("classic", "graph", "both")}
    types = sorted({case.type for case in cases})
    rows: list[list[str]] = []
    for label in [*types, "all"]:
        own = [place for place, case in enumerate(cases) if label in (case.type, "all")]
        shares = [sum(not missing[place] for place in own) / len(own) for missing in found.values()]
        rows.append([label, str(len(own)), *[f"{share:.3f}" for share in shares]])
    print(f"Every gold passage among the first {FIRST}\n")
    print(table(["type", "questions", *found], rows))
    right = {way: [float(not one) for one in missing] for way, missing in found.items()}
    change = paired_bootstrap(right["classic"], right["both"])
    print(f"\nboth - classic: {change.mean:+.3f} (95%: {change.low:+.3f} to {change.high:+.3f})")
    if misses:
        for case, missing in zip(cases, found["both"], strict=True):
            if missing:
                print(f"  {case.question}  missing: {', '.join(missing)}")


async def _print_causes(ground: Ground, *, misses: bool) -> None:
    cases = named_errors(list(ground.documents.values()), ground.chunks)
    rows: list[list[str]] = []
    found = {graph: await causes(ground, cases, graph=graph) for graph in (False, True)}
    for prefix in sorted({case.doc_id.partition("/")[0] for case in cases}):
        own = [place for place, case in enumerate(cases) if case.doc_id.startswith(f"{prefix}/")]
        rows.append([prefix, str(len(own)), *[f"{sum(found[way][at] for at in own) / len(own):.3f}" for way in found]])
    print("Cause and cure of a named error in the evidence\n")
    print(table(["set", "errors", "classic", "both"], rows))
    if misses:
        print(
            *(f"  {case.name}  {case.doc_id}" for case, right in zip(cases, found[True], strict=True) if not right),
            sep="\n",
        )


async def report(chosen: str, *, misses: bool) -> None:
    data = real_data()
    if chosen in ("", "two_hop"):
        await _print_two_hop(data, misses=misses)
    if chosen == "two_hop":
        return
    ground = await Ground.filled(DataSource(data, present(data)))
    if chosen in ("", "causes"):
        await _print_causes(ground, misses=misses)
    if chosen in ("", "loss"):
        print("\nQuestions whose ranking the graph changes\n")
        print(
            table(["set", "questions", "changed", "metric", "classic", "both", "difference"], await loss(ground, data))
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph_questions")
    parser.add_argument("--set", choices=("two_hop", "causes", "loss"), default="")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    sys.exit(run("graph_questions", report(options.set, misses=options.misses)))
