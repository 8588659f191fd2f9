"""python -m benchmarks.pii            personal data found in pii_presidio dev, beside Presidio, on both halves
python -m benchmarks.pii --missed 20  and what was missed or wrong (of the tuned half)

A value counts as found when each letter and figure of it is redacted. A redaction is right when half of it or more is
of
values that count; one of values that do not count (towns and countries by themselves, companies, dates, titles, ages,
nationalities, web sites) is neither right nor wrong. The data is cut in two by the sentence around the values: one half
was looked at while rules were written, the other was held back.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.measured import EXIT_NOT_HERE, Measured, NotMeasurable, Registry
from benchmarks.peers.presidio import Found, presidio
from benchmarks.workbench import real_data
from firstline.documents.redact import PatternRedactor
from firstline.domain import DocumentKind
from firstline.evals.datasets import DataMissing
from firstline.models.names import open_name_finder

FILE: Final = Path("pii_presidio") / "dev_samples.jsonl"
COUNTED: Final = frozenset(
    "PERSON STREET_ADDRESS ZIP_CODE CREDIT_CARD PHONE_NUMBER EMAIL_ADDRESS IBAN_CODE US_SSN IP_ADDRESS US_DRIVER_LIC"
    "ENSE".split()
)
PRESIDIOS: Final = frozenset(
    "PERSON LOCATION CREDIT_CARD PHONE_NUMBER EMAIL_ADDRESS IBAN_CODE US_SSN IP_ADDRESS US_DRIVER_LICENSE US_ITIN US"
    "_PASSPORT"
    " US_BANK_NUMBER CRYPTO MEDICAL_LICENSE UK_NHS".split()
)
"""What Presidio calls the kinds that count; its dates, nationalities, companies and addresses of web sites are left
out."""
Spans = list[tuple[int, int, str]]


@dataclass(kw_only=True)
class Score:
    found: int = 0
    gold: int = 0
    right: int = 0
    wrong: int = 0
    by_kind: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    told: list[str] = field(default_factory=list[str])

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.gold)

    @property
    def f2(self) -> float:
        return 5 * self.precision * self.recall / max(1e-9, 4 * self.precision + self.recall)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """By half: "tuned", "held" and "all"; processor time over all texts."""

    ours: dict[str, Score]
    ours_cpu_s: float
    theirs: dict[str, Score]
    theirs_cpu_s: float


def rows() -> list[dict[str, Any]]:
    path = real_data() / FILE
    if not path.is_file():
        raise DataMissing(f"There is no {path}.", remedy="Name the folder of the public data in FIRSTLINE_DATA.")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def half_of(row: dict[str, Any]) -> str:
    """All sentences of one template fall into the same half."""
    return "held" if hashlib.sha256(row["masked"].lower().encode()).digest()[0] % 2 else "tuned"


def score(some: Sequence[dict[str, Any]], found: Sequence[Spans]) -> Score:
    total = Score()
    for row, spans in zip(some, found, strict=True):
        _add(total, row, spans)
    return total


def _add(total: Score, row: dict[str, Any], spans: Spans) -> None:
    text = row["text"]
    covered: set[int] = set()
    for start, end, _ in spans:
        covered |= _signs(text, start, end)
    counted: set[int] = set()
    neutral: set[int] = set()
    for one in row["spans"]:
        signs = _signs(text, one["start"], one["end"])
        if one["type"] not in COUNTED:
            neutral |= signs
            continue
        counted |= signs
        kind = total.by_kind.setdefault(one["type"], [0, 0])
        total.gold += 1
        kind[1] += 1
        if signs <= covered:
            total.found += 1
            kind[0] += 1
        else:
            total.told.append(f"missed {one['type']} {one['value']!r} in {text[:160]!r}")
    for start, end, kind_found in spans:
        signs = _signs(text, start, end)
        if 2 * len(signs & counted) >= len(signs):
            total.right += 1
        elif 2 * len(signs & (counted | neutral)) < len(signs):
            total.wrong += 1
            total.told.append(f"wrong {kind_found} {text[start:end]!r} in {text[:160]!r}")


def _signs(text: str, start: int, end: int) -> set[int]:
    return {at for at in range(start, end) if text[at].isalnum()}


def ours(texts: Sequence[str]) -> Found:
    """By the policy of tickets and forum posts, each text a document of its own."""
    redactor = PatternRedactor(names=open_name_finder())
    for text in texts[:50]:
        redactor.for_document(DocumentKind.TICKET).redact(text)
    began = time.process_time()
    found = [redactor.for_document(DocumentKind.TICKET).redact(text).redactions for text in texts]
    spent = time.process_time() - began
    return Found(cpu_s=spent, spans=[[(one.start, one.end, one.type) for one in each] for each in found])


def halves(some: list[dict[str, Any]], found: list[Spans]) -> dict[str, Score]:
    chosen = {name: [place for place, row in enumerate(some) if half_of(row) == name] for name in ("tuned", "held")}
    chosen["all"] = list(range(len(some)))
    return {name: score([some[at] for at in places], [found[at] for at in places]) for name, places in chosen.items()}


@cache
def compared() -> Comparison:
    """Both in one run. NotMeasurable without Presidio."""
    some = rows()
    texts = [row["text"] for row in some]
    theirs = presidio(texts)
    mine = ours(texts)
    counted = [[span for span in each if span[2] in PRESIDIOS] for each in theirs.spans]
    return Comparison(
        ours=halves(some, mine.spans),
        ours_cpu_s=mine.cpu_s,
        theirs=halves(some, counted),
        theirs_cpu_s=theirs.cpu_s,
    )


@cache
def our_scores() -> dict[str, Score]:
    some = rows()
    return halves(some, ours([row["text"] for row in some]).spans)


async def precision() -> Measured:
    return Measured(value=our_scores()["all"].precision, unit="precision")


async def recall() -> Measured:
    return Measured(value=our_scores()["all"].recall, unit="recall")


async def f2() -> Measured:
    return Measured(value=our_scores()["all"].f2, unit="F2")


async def f2_held() -> Measured:
    return Measured(value=our_scores()["held"].f2, unit="F2")


async def f2_presidio() -> Measured:
    return Measured(value=(await asyncio.to_thread(compared)).theirs["all"].f2, unit="F2")


async def speedup() -> Measured:
    both = await asyncio.to_thread(compared)
    return Measured(value=both.theirs_cpu_s / both.ours_cpu_s, unit="times")


def register(registry: Registry) -> None:
    registry["pii.precision"] = precision
    registry["pii.recall"] = recall
    registry["pii.f2"] = f2
    registry["pii.f2_held"] = f2_held
    registry["pii.f2_presidio"] = f2_presidio
    registry["pii.speedup_over_presidio"] = speedup


def _line(name: str, each: Score) -> str:
    kinds = ", ".join(f"{kind} {found}/{gold}" for kind, (found, gold) in sorted(each.by_kind.items()))
    return f"{name}: precision {each.precision:.4f}, recall {each.recall:.4f}, F2 {each.f2:.4f} ({kinds})"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pii", description=__doc__)
    parser.add_argument("--missed", type=int, default=0, metavar="N")
    given = parser.parse_args(arguments)
    try:
        both = compared()
    except (NotMeasurable, DataMissing) as error:
        print(f"pii cannot be measured here: {error}", file=sys.stderr)
        return EXIT_NOT_HERE
    for half in ("tuned", "held", "all"):
        print(_line(f"firstline, {half}", both.ours[half]))
        print(_line(f"Presidio, {half}", both.theirs[half]))
    print(f"processor time: firstline {both.ours_cpu_s:.2f} s, Presidio {both.theirs_cpu_s:.2f} s")
    print("\n".join(both.ours["tuned"].told[: given.missed]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
