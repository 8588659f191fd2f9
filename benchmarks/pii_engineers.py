"""python -m benchmarks.pii_engineers     identifiers that redaction alters in techqa and kubernetes
python -m benchmarks.pii_engineers --talk  as if the documents were tickets; and --show N of the altered ones

Identifiers are what an engineer searches for to the letter: error codes, versions, hashes, hexadecimal addresses,
paths, host
names, flags, variables, names of classes, functions and settings.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from benchmarks.measured import EXIT_NOT_HERE, Measured, Registry
from benchmarks.workbench import real_data
from firstline.documents.redact import PatternRedactor
from firstline.domain import DocumentKind
from firstline.evals.datasets import DataMissing, document_records, present
from firstline.models.names import open_name_finder

SETS: Final = ("techqa", "kubernetes")
IDENTIFIER: Final = re.compile(
    r"""(?x)
    (?<![\w@])(?:
      0x[0-9A-Fa-f]{2,16}\b                                   # hexadecimal
    | [0-9a-f]{7,64}\b(?<=[0-9a-f]\b)(?=\b)                   # hashes
    | [A-Z]{2,10}\d{3,6}[A-Z]?\b | [A-Z]{2,8}[-_]\d{2,6}\b    # codes: SQL0911N, ORA-01555
    | v?\d{1,4}(?:\.\d{1,6}){1,4}(?:[-_][\w.]{1,20})?\b       # versions
    | \d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?             # time stamps
    | (?:/[\w.+-]{1,64}){2,12}                                # paths
    | [A-Za-z]:\\(?:[\w. -]{1,40}\\?){1,10}
    | --[a-z][\w-]{1,40} | (?<=\s)-[A-Za-z]\b                 # flags
    | (?:[a-z][\w-]{0,40}\.){1,6}(?:com|org|net|io|local|svc|internal|ibm|dev)\b  # host names
    | [A-Z][a-z]+(?:[A-Z][a-z]+){1,6}\b                       # classes: NullPointerException
    | [a-z]+(?:[A-Z][a-z]+){1,6}\b                            # members: maxSurge
    | [a-z]+(?:[_.][a-z0-9]+){1,8}\b                          # names: kube_pod, java.lang
    | [A-Z]+(?:_[A-Z0-9]+){1,8}\b                             # constants: JAVA_HOME
    | [a-z]+(?:-[a-z0-9]+){1,6}\b                             # kebab: kube-proxy
    )"""
)


@dataclass(kw_only=True)
class Altered:
    identifiers: int = 0
    altered: int = 0
    examples: list[str] = field(default_factory=list[str])

    @property
    def percent(self) -> float:
        return 100 * self.altered / max(1, self.identifiers)


def texts() -> Iterator[str]:
    data = real_data()
    for one in present(data):
        if one.name in SETS:
            for record in document_records(data, one):
                yield str(record.get("text") or record.get("body") or "")


@cache
def measured(kind: DocumentKind = DocumentKind.DOCUMENTATION) -> Altered:
    redactor = PatternRedactor(names=open_name_finder())
    total = Altered()
    for text in texts():
        spans = redactor.for_document(kind).redact(text).redactions
        at = 0
        for match in IDENTIFIER.finditer(text):
            total.identifiers += 1
            while at < len(spans) and spans[at].end <= match.start():
                at += 1
            if at < len(spans) and spans[at].start < match.end():
                total.altered += 1
                around = " ".join(text[max(0, match.start() - 50) : match.end() + 30].split())
                total.examples.append(f"{spans[at].type} {match.group()!r} in {around!r}")
    return total


async def engineers_altered() -> Measured:
    total = await asyncio.to_thread(measured)
    return Measured(value=total.percent, unit=f"% of {total.identifiers:,} identifiers")


def register(registry: Registry) -> None:
    registry["pii.engineers_altered"] = engineers_altered


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pii_engineers", description=__doc__)
    parser.add_argument("--talk", action="store_true")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    given = parser.parse_args(arguments)
    try:
        total = measured(DocumentKind.TICKET if given.talk else DocumentKind.DOCUMENTATION)
    except DataMissing as error:
        print(f"pii_engineers cannot be measured here: {error}", file=sys.stderr)
        return EXIT_NOT_HERE
    print(f"{total.altered} of {total.identifiers:,} identifiers are altered: {total.percent:.4f}%")
    print("\n".join(total.examples[:: max(1, len(total.examples) // max(1, given.show))][: given.show]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
