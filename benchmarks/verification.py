"""Does verification tell supported claims from others? Labelled claims made from the documents of FIRSTLINE_DATA.

python -m benchmarks verification                        the held-out half: the table
python -m benchmarks.verification --seed 2 --claims 4000
python -m benchmarks.verification --half development --examples 3   the half that rules may be written on
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.labelled_claims import DEVELOPMENT, HELD_OUT, Sample, pages, samples
from benchmarks.measured import Measured, Registry, run
from firstline.domain import Draft
from firstline.evals.report import table
from firstline.questions.verify import verify

CLAIMS: Final = 8_000
SEED: Final = 1
NOTHING_FALSE: Final = ("number changed", "version changed", "negation added", "negation removed")
"""Kinds of change that must never be called supported."""


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """Every sample with whether verification called it supported."""

    samples: Sequence[Sample]
    called: Sequence[bool]

    def count(self, keep: Callable[[Sample], bool], *, called: bool | None = None) -> int:
        return sum(
            keep(sample) and (called is None or said is called)
            for sample, said in zip(self.samples, self.called, strict=True)
        )

    @property
    def precision(self) -> float:
        true = self.count(lambda one: one.supported, called=True)
        return true / max(1, self.count(lambda _: True, called=True))

    @property
    def recall(self) -> float:
        true = self.count(lambda one: one.supported, called=True)
        return true / max(1, self.count(lambda one: one.supported))

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def judged(found: Sequence[Sample]) -> Verdicts:
    return Verdicts(
        samples=found, called=[bool(verify(Draft(claims=(one.claim,)), one.evidence).kept) for one in found]
    )


async def measured(*, half: str = HELD_OUT, claims: int = CLAIMS, seed: int = SEED) -> Verdicts:
    return judged(samples(await pages(half), claims=claims, seed=seed))


def verdict_table(found: Verdicts) -> str:
    rows: list[list[str]] = []
    for supported in (True, False):
        kinds = sorted({one.kind for one in found.samples if one.supported is supported})
        for kind in kinds:
            total = found.count(lambda one, k=kind, s=supported: one.kind == k and one.supported is s)
            called = found.count(lambda one, k=kind, s=supported: one.kind == k and one.supported is s, called=True)
            rows.append(["supported" if supported else "not", kind, str(total), str(called), f"{called / total:.4f}"])
    return table(["label", "claim", "claims", "called supported", "share"], rows)


def report(found: Verdicts, *, half: str) -> None:
    supported = found.count(lambda one: one.supported)
    documents = len({one.claim.citations[0].doc_id for one in found.samples})
    print(
        f"Claims of the {half} half: {len(found.samples)} from {documents} documents, {supported} of them supported\n"
    )
    print(verdict_table(found))
    print(f"\nprecision {found.precision:.4f}, recall {found.recall:.4f}, F1 {found.f1:.4f}")
    false = found.count(lambda one: not one.supported and one.kind in NOTHING_FALSE, called=True)
    print(f"numbers, versions and negations called supported: {false}")


def _examples(found: Verdicts, each: int, kind: str) -> None:
    shown: Counter[tuple[bool, str]] = Counter()
    for sample, called in zip(found.samples, found.called, strict=True):
        key = (sample.supported, sample.kind)
        if called is sample.supported or shown[key] >= each or (kind and kind != sample.kind):
            continue
        shown[key] += 1
        dropped = verify(Draft(claims=(sample.claim,)), sample.evidence).dropped
        why = dropped[0][1] if dropped else "called supported"
        print(f"\n[{sample.kind}] {why}\n  claim: {sample.claim.text}\n  cited: {sample.cited}")


async def _figure() -> Measured:
    return Measured(value=(await measured()).f1, unit="F1")


def register(registry: Registry) -> None:
    registry["verify.f1"] = _figure


async def _run(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks verification", description="Verification on labelled claims."
    )
    parser.add_argument("--half", choices=(HELD_OUT, DEVELOPMENT), default=HELD_OUT)
    parser.add_argument("--claims", type=int, default=CLAIMS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--examples", type=int, default=0, help="of each kind of error; the development half only")
    parser.add_argument("--kind", default="", help="examples of this kind only")
    given = parser.parse_args(list(arguments))
    found = samples(await pages(given.half), claims=given.claims, seed=given.seed)
    began = time.perf_counter()
    verdicts = judged(found)
    spent_ms = (time.perf_counter() - began) * 1000
    report(verdicts, half=given.half)
    print(f"{spent_ms / max(1, len(found)):.3f} ms a claim")
    if given.half == DEVELOPMENT and given.examples:
        _examples(verdicts, given.examples, given.kind)


def main(arguments: Sequence[str] = ()) -> int:
    return run("verification", _run(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
