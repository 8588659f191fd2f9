"""Figures about triage, on the field sentences of held-out industries (training/triage/report.py)."""

from __future__ import annotations

import asyncio
import time

import numpy as np
from training.triage.collect import measured
from training.triage.report import beyond, report
from training.triage.train import embedded, sentences

from benchmarks.measured import Measured, Registry
from firstline.models.classifier import open_classifier
from firstline.questions.triage import triage


async def macro_f1() -> Measured:
    return Measured(value=(await asyncio.to_thread(report)).macro_f1, unit="macro-F1")


async def high_stakes_recall() -> Measured:
    return Measured(value=(await asyncio.to_thread(report)).high_stakes_recall, unit="recall")


async def oos_recall() -> Measured:
    """The threshold was chosen for 2% false alarms on the development half; the unit says what it gives on this one."""
    found = beyond(await measured())
    return Measured(value=found.recall, unit=f"recall at {found.false_alarms:.1%} false alarms")


async def p95_ms() -> Measured:
    """Of one message: the classifier and the rules, beyond the embedding that retrieval shares."""
    rows = sentences("field_held")
    vectors, embedder_id = await asyncio.to_thread(embedded, rows)
    classifier = open_classifier(embedder=embedder_id)
    spent: list[float] = []
    for row, vector in zip(rows, vectors.astype(np.float32), strict=True):
        began = time.perf_counter()
        triage(row["text"], history=(), probabilities=classifier.classify(vector, row["text"]))
        spent.append((time.perf_counter() - began) * 1000)
    return Measured(value=float(np.quantile(spent, 0.95)), unit="ms")


def register(registry: Registry) -> None:
    registry["triage.macro_f1"] = macro_f1
    registry["triage.high_stakes_recall"] = high_stakes_recall
    registry["triage.oos_recall"] = oos_recall
    registry["triage.p95_ms"] = p95_ms
