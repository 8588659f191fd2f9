"""What does reading misspelt words give? Retrieval with clean questions and with one word of each misspelt.

python -m benchmarks.spelling                 one random slip in a word or code of every development question
python -m benchmarks.spelling --seed 2        other slips
python -m benchmarks.spelling --slips any     slips at any place, the first letter and figures included
python -m benchmarks.spelling --sample 60     so many questions of each set, drawn by the seed

A slip is drawn from: neighbours swapped, a letter dropped, doubled, inserted, replaced. Without `--slips any` they are
those that the corrector can undo: the first letter is spared, in a code no figure is replaced and no two figures are
swapped, for that is another code. Words of fewer than five letters are always spared. The index is the reference one,
in memory, over all documentation of FIRSTLINE_DATA; embeddings are cached.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.ground import ASKER, Ground
from benchmarks.measured import run
from benchmarks.workbench import DATA_KB, real_data, show_progress
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.evals.cases import Case
from firstline.evals.datasets import DataSource, dataset_cases, present
from firstline.evals.report import table
from firstline.evals.scorers import mean_scores, paired_bootstrap, ranking_scores
from firstline.ports import Scope
from firstline.questions.journey import QuestionJourney
from firstline.questions.spelling import CODE_FIGURES_MIN, Spelling, spelling

SHOWN: Final = ("hit1", "hit3", "mrr")
SLIPS: Final = ("swap", "drop", "double", "insert", "replace")
WORD: Final = re.compile(r"(?<![\w./\\:@-])[A-Za-z][A-Za-z0-9]{4,23}(?![\w/\\:@-]|\.\w)")
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
FIGURES: Final = "0123456789"
CHARS_MAX: Final = 1_500


@dataclass(frozen=True, kw_only=True)
class Slip:
    question: str
    word: str
    written: str


class KnowsAll(MemoryKnowledgeLedger):
    """To this ledger every word is known, so nothing is corrected."""

    def __init__(self, filled: MemoryKnowledgeLedger) -> None:
        self.__dict__.update(filled.__dict__)

    async def word_counts(self, words: Collection[str], scope: Scope) -> dict[str, int]:
        return dict.fromkeys(words, 1)


def misspell(question: str, draw: random.Random, *, anywhere: bool) -> Slip | None:
    """One word of the question misspelt, a code before a plain word; None when it has no such word."""
    found = [match for match in WORD.finditer(question[:CHARS_MAX]) if _is_word_or_code(match.group())]
    if not found:
        return None
    codes = [match for match in found if not match.group().isalpha()]
    chosen = draw.choice(codes or found)
    word = chosen.group()
    written = word
    while written == word:
        written = _slip(word, draw, anywhere=anywhere)
    return Slip(question=question[: chosen.start()] + written + question[chosen.end() :], word=word, written=written)


def _is_word_or_code(word: str) -> bool:
    return word.isalpha() or sum(map(str.isdigit, word)) >= CODE_FIGURES_MIN


def _slip(word: str, draw: random.Random, *, anywhere: bool) -> str:
    at = draw.randrange(0 if anywhere else 1, len(word))
    before, letter, after = word[:at], word[at], word[at + 1 :]
    kind = draw.choice(SLIPS)
    if not anywhere and letter.isdigit() and (kind == "replace" or (kind == "swap" and after[:1].isdigit())):
        kind = "drop"
    other = draw.choice(LETTERS)
    if letter.isdigit() and kind in ("insert", "replace"):
        other = draw.choice(FIGURES)
    match kind:
        case "swap":
            return before + after[:1] + letter + after[1:]
        case "drop":
            return before + after
        case "double":
            return before + letter + letter + after
        case "insert":
            return before + other + letter + after
        case _:
            return before + other + after


class Bench:
    """Two journeys over the same documents: one reads misspelt words, one does not."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.ledger, self.english, self.scope = ground.ledger, ground.english, ground.scope

    def journey(self, *, reads_misspelt: bool) -> QuestionJourney:
        return self._ground.journey(graph=False, knowledge=None if reads_misspelt else KnowsAll(self.ledger))

    async def read(self, question: str) -> Spelling:
        return await spelling(question, self.scope, ledger=self.ledger, english=self.english)


async def scores_of(
    journey: QuestionJourney, cases: Sequence[Case], questions: Sequence[str], name: str
) -> list[dict[str, float]]:
    show = show_progress(name)
    found: list[dict[str, float]] = []
    for case, question in zip(cases, questions, strict=True):
        ranked = await journey.rank(principal=ASKER, kb=DATA_KB, question=question, history=case.history)
        found.append(ranking_scores([document.doc_id for document in ranked], case.docs))
        show(len(found), len(cases))
    return found


async def set_rows(bench: Bench, name: str, slips: Sequence[tuple[Case, Slip]]) -> list[list[str]]:
    """Clean and misspelt questions, each without and with correction."""
    kept = [case for case, _ in slips]
    clean, written = [case.question for case in kept], [slip.question for _, slip in slips]
    ways = {
        "clean": (False, clean),
        "clean, corrector on": (True, clean),
        "misspelt": (False, written),
        "misspelt, corrected": (True, written),
    }
    scores = {
        way: await scores_of(bench.journey(reads_misspelt=on), kept, questions, f"{name}, {way}")
        for way, (on, questions) in ways.items()
    }
    against = {"clean, corrector on": "clean", "misspelt, corrected": "misspelt"}
    rows: list[list[str]] = []
    for way, own in scores.items():
        means = mean_scores(own)
        before = scores[against.get(way, way)]
        gain = paired_bootstrap([one["mrr"] for one in before], [one["mrr"] for one in own])
        shown = f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})" if way in against else ""
        rows.append([name, str(len(kept)), way, *(f"{means[metric]:.3f}" for metric in SHOWN), shown])
    return rows


async def readings_line(bench: Bench, name: str, cases: Sequence[Case], slips: Sequence[Slip]) -> str:
    """How slips were read, and which words of clean questions were changed."""
    counted = {"read as meant": 0, "read as another word": 0, "left": 0}
    for slip in slips:
        read = dict((await bench.read(slip.question)).corrections).get(slip.written)
        if read is None:
            counted["left"] += 1
        else:
            counted["read as meant" if read.lower() == slip.word.lower() else "read as another word"] += 1
    changed = [pair for case in cases for pair in (await bench.read(case.question)).corrections]
    told = ", ".join(f"{what} {number}" for what, number in counted.items())
    return f"{name}: {len(slips)} slips, {told}; clean questions: {len(changed)} words changed: " + (
        ", ".join(f"{written} > {read}" for written, read in changed) or "none"
    )


async def report(seed: int, *, anywhere: bool, sample: int | None) -> None:
    data = real_data()
    sets = present(data)
    bench = Bench(await Ground.filled(DataSource(data, sets)))
    rows: list[list[str]] = []
    lines: list[str] = []
    for one in sets:
        cases = [case for case in dataset_cases(data, one) if case.docs]
        draw = random.Random(seed)  # noqa: S311  (not a secret)
        if sample is not None and sample < len(cases):
            cases = draw.sample(cases, sample)
        slips = [
            (case, slip) for case in cases if (slip := misspell(case.question, draw, anywhere=anywhere)) is not None
        ]
        if not slips:
            continue
        rows += await set_rows(bench, one.name, slips)
        lines.append(await readings_line(bench, one.name, cases, [slip for _, slip in slips]))
    print(table(["set", "questions", "way", *SHOWN, "mrr against the row without"], rows))
    print("\n" + "\n".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spelling", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slips", choices=("undoable", "any"), default="undoable")
    parser.add_argument("--sample", type=int, metavar="QUESTIONS", help="of each set; without it all")
    asked = parser.parse_args()
    return run("spelling", report(asked.seed, anywhere=asked.slips == "any", sample=asked.sample))


if __name__ == "__main__":
    sys.exit(main())
