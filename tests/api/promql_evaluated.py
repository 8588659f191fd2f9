"""The part of PromQL that the dashboard and the alert rules are written in, evaluated on two scrapes.

The scrapes stand at both ends of every range, so that `increase` is the difference and `rate` that by its seconds. As
in Prometheus, a series that is not in both has neither. Semantics: "Operators" and "Functions" at
https://prometheus.io/docs/prometheus/latest/querying/. What is not known here is an error, never nothing.
"""

from __future__ import annotations

import math
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Final

import promql_parser

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]
Series = tuple[str, Labels]
Scrape = dict[Series, float]

MATCHES: Final[dict[str, Callable[[str, str], bool]]] = {
    "=": lambda value, wanted: value == wanted,
    "!=": lambda value, wanted: value != wanted,
    "=~": lambda value, wanted: re.fullmatch(wanted, value) is not None,
    "!~": lambda value, wanted: re.fullmatch(wanted, value) is None,
}
ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b if b else math.nan if not a or math.isnan(a) else math.copysign(math.inf, a),
}
COMPARING: Final[dict[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
AGGREGATED: Final[dict[str, Callable[[Iterable[float]], float]]] = {"sum": sum, "max": max, "min": min}


class Evaluator:
    def __init__(self, before: Scrape, after: Scrape) -> None:
        self._before = before
        self._after = after

    def of(self, expression: Any) -> Vector | float:
        match expression:
            case promql_parser.NumberLiteral():
                return float(expression.val)
            case promql_parser.ParenExpr():
                return self.of(expression.expr)
            case promql_parser.VectorSelector():
                return {labels: value for (_, labels), value in self._selected(expression, self._after).items()}
            case promql_parser.Call():
                return self._called(expression)
            case promql_parser.AggregateExpr():
                return self._aggregated(expression)
            case promql_parser.BinaryExpr():
                return self._joined(expression)
            case _:
                raise NotImplementedError(type(expression).__name__)

    def vector(self, expression: Any) -> Vector:
        found = self.of(expression)
        assert isinstance(found, dict), "a number where series are wanted"
        return found

    @staticmethod
    def _selected(selector: Any, scrape: Scrape) -> Scrape:
        asked = [(one.name, sign(one.op), one.value) for one in selector.matchers.matchers]
        return {
            (name, labels): value
            for (name, labels), value in scrape.items()
            if name == selector.name
            and all(MATCHES[op](dict(labels).get(label, ""), wanted) for label, op, wanted in asked)
        }

    def _called(self, call: Any) -> Vector:
        match call.func.name:
            case "rate" | "increase" as name:
                ranged = call.args[0]
                per_s = ranged.range.total_seconds() if name == "rate" else 1.0
                now = self._selected(ranged.vector_selector, self._after)
                then = self._selected(ranged.vector_selector, self._before)
                return {one[1]: (now[one] - then[one]) / per_s for one in now if one in then}
            case "histogram_quantile":
                return quantiles(float(call.args[0].val), self.vector(call.args[1]))
            case other:
                raise NotImplementedError(other)

    def _aggregated(self, expression: Any) -> Vector:
        by = labels_of(expression.modifier, "By")
        groups: dict[Labels, list[float]] = defaultdict(list)
        for labels, value in self.vector(expression.expr).items():
            groups[frozenset(one for one in labels if one[0] in by)].append(value)
        return {labels: AGGREGATED[str(expression.op)](values) for labels, values in groups.items()}

    def _joined(self, expression: Any) -> Vector:
        op, left, right = str(expression.op), self.of(expression.lhs), self.of(expression.rhs)
        if not isinstance(right, dict):
            assert isinstance(left, dict), "two numbers"
            return kept(op, ((labels, value, right) for labels, value in left.items()))
        if not isinstance(left, dict):
            return {labels: ARITHMETIC[op](left, value) for labels, value in right.items()}
        matching = expression.modifier.matching if expression.modifier else None
        on = None if matching is None else labels_of(matching, "Include")

        def key(labels: Labels) -> Labels:
            return labels if on is None else frozenset(one for one in labels if one[0] in on)

        if op in ("and", "or"):
            return both(op, left, right, key)
        there = {key(labels): value for labels, value in right.items()}
        assert len(there) == len(right), "many on the right: Prometheus refuses that"
        many = expression.modifier is not None and str(expression.modifier.card).endswith("ManyToOne")
        assert many or len({key(labels) for labels in left}) == len(left), "many on the left without group_left"
        return kept(op, ((labels, value, there[key(labels)]) for labels, value in left.items() if key(labels) in there))


def sign(op: Any) -> str:
    return {"Equal": "=", "NotEqual": "!=", "Re": "=~", "NotRe": "!~"}[str(op).rpartition(".")[2]]


def labels_of(modifier: Any, kind: str) -> frozenset[str]:
    """Of `by (...)` or `on (...)`; without them, none."""
    if modifier is None:
        return frozenset()
    assert str(modifier.type).endswith(kind), f"not known here: {modifier.type}"
    return frozenset(modifier.labels)


def kept(op: str, pairs: Iterable[tuple[Labels, float, float]]) -> Vector:
    """A comparison keeps those on the left for which it holds."""
    if op in COMPARING:
        return {labels: left for labels, left, right in pairs if COMPARING[op](left, right)}
    return {labels: ARITHMETIC[op](left, right) for labels, left, right in pairs}


def both(op: str, left: Vector, right: Vector, key: Callable[[Labels], Labels]) -> Vector:
    if op == "and":
        there = {key(labels) for labels in right}
        return {labels: value for labels, value in left.items() if key(labels) in there}
    there = {key(labels) for labels in left}
    return left | {labels: value for labels, value in right.items() if key(labels) not in there}


def quantiles(share: float, buckets: Vector) -> Vector:
    """Linear within a bucket, as Prometheus does it for classic histograms."""
    series: dict[Labels, list[tuple[float, float]]] = defaultdict(list)
    for labels, count in buckets.items():
        rest = frozenset(one for one in labels if one[0] != "le")
        series[rest].append((float(dict(labels)["le"]), count))
    return {labels: quantile(share, sorted(found)) for labels, found in series.items()}


def quantile(share: float, found: list[tuple[float, float]]) -> float:
    assert found[-1][0] == math.inf, "no +Inf"
    if not found[-1][1]:
        return math.nan
    rank = share * found[-1][1]
    at = next(at for at, (_, count) in enumerate(found) if count >= rank)
    upper, count = found[at]
    if upper == math.inf:
        return found[-2][0]
    if at == 0 and upper <= 0:
        return upper
    lower, below = found[at - 1] if at else (0.0, 0.0)
    return lower + (upper - lower) * (rank - below) / (count - below)
