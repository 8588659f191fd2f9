"""Does the question lie beyond the knowledge base, or does it belong here and merely lack evidence?

What a message says cannot tell: "what is the capital of Peru" is off-topic for a database's manual and at home in an
atlas. So the distance to the knowledge base is weighed with what the classifier reads: the cosine of the nearest chunk,
that of the nearest document's mean, how many of the message's words count for something there, and the shares of the
intents that no page answers. The weights and the threshold stand in out_of_scope.json, fitted by
`training/triage/fit_scope.py` for at most two false alarms in a hundred answerable questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

from firstline.domain import Category, GateReading, Intent, RankedDocument, Triage
from firstline.questions.message.language import DEFAULT
from firstline.questions.message.terms import terms

NAME: Final = "in_scope"
SHARE_MIN: Final = 0.001
"""Shares are weighed by their logarithm; smaller ones say nothing more."""
TERMS_MAX: Final = 12
"""Words of a message that count: a pasted log has many, and its score grows with them."""
OTHERWISE_MIN: Final = 0.5
"""A message that was taken for a question is turned away only when another reading is likelier than all others."""


@cache
def _model() -> tuple[Mapping[str, float], float, float]:
    raw = json.loads(files("firstline.questions").joinpath("out_of_scope.json").read_text(encoding="utf-8"))
    return raw["weights"], float(raw["bias"]), float(raw["threshold"])


def scope_features(
    question: str, ranked: Sequence[RankedDocument], probabilities: Mapping[Category, float]
) -> dict[str, float]:
    """The distance to the knowledge base and to the known intents. Without any document found all distances are 1."""
    hits = [scores for document in ranked for _, scores in document.hits]
    asked = max(1, min(TERMS_MAX, len(terms(question))))
    return {
        "dense": max((scores.dense for scores in hits), default=0.0),
        "document": max((scores.document for scores in hits), default=0.0),
        "words": math.log1p(max((scores.words for scores in hits), default=0.0) / asked),
        "answerable": _log(probabilities[Category.ANSWERABLE]),
        "off_topic": _log(probabilities[Category.IRRELEVANT] + probabilities[Category.NONSENSE]),
        "account": _log(probabilities[Category.OUT_OF_SCOPE]),
    }


def out_of_scope(features: Mapping[str, float]) -> GateReading:
    """`value` is the chance that the knowledge base is about this; what does not pass lies beyond it."""
    weights, bias, threshold = _model()
    total = bias + sum(weight * features[name] for name, weight in weights.items())
    value = 1.0 / (1.0 + math.exp(max(-30.0, min(30.0, total))))
    return GateReading(name=NAME, value=value, threshold=threshold, features=dict(features))


def settled(found: Triage, *, beyond: bool) -> Triage:
    """The category once the knowledge base has had its word."""
    if found.settled:
        return found
    if beyond:
        return replace(found, settled=True, reason=f"{found.reason}, and no page is near it")
    return replace(
        found,
        category=Category.ANSWERABLE,
        intent=Intent.OTHER,
        settled=True,
        reason=f"looked up: {found.reason}, but the knowledge base is about it",
    )


def off_topic(found: Triage, reading: GateReading, probabilities: Mapping[Category, float]) -> Triage:
    """For a question whose evidence is too weak: turned away when it lies beyond the knowledge base and reads more like
    small talk, a task or a look into an account than like a question; else as it was found."""
    if (
        reading.passed
        # The classifier's shares mean nothing in a language that it was not trained on.
        or found.language != DEFAULT
        or not found.settled
        or found.category is not Category.ANSWERABLE
        or found.intent is Intent.PERSON
    ):
        return found
    account = probabilities[Category.OUT_OF_SCOPE]
    talk = probabilities[Category.IRRELEVANT] + probabilities[Category.NONSENSE]
    if max(account, talk) < OTHERWISE_MIN:
        # A classifier that knows nothing (another embedder) gives every reading the same share.
        return found
    return replace(
        found,
        category=Category.OUT_OF_SCOPE if account > talk else Category.IRRELEVANT,
        intent=Intent.ACCOUNT if account > talk else Intent.OTHER,
        reason="no page is near it",
    )


def _log(share: float) -> float:
    return math.log(max(SHARE_MIN, share))
