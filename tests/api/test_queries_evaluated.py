"""Every query of the dashboard and the alert rules, worked out from two scrapes of a server that served turns."""

from __future__ import annotations

import asyncio
import math
import re
from functools import cache
from typing import Any, Final

import promql_parser
import pytest
import yaml
from live_metrics import live, shown_in_trouble
from promql_evaluated import Evaluator, Scrape, Vector, quantile
from test_dashboard import ALERTS, LABEL, PAGE, parsed, queries, samples, selectors

RULES: Final[dict[str, str]] = {
    rule["alert"]: rule["expr"]
    for group in yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
}
PANELS: Final = sorted(queries().keys() - RULES.keys())
LEDGER: Final = frozenset(re.findall(r"^\| `(firstline_\w+)` .*\*ledger\*", PAGE.read_text(encoding="utf-8"), re.M))

FIRES: Final = {
    "FirstlineDown": ('up{job="firstline"}', 1, 0),
    "FirstlineTurnsFail": ("firstline_turns_failed_total", 0, 1),
    "FirstlineHandsOverForFailures": (
        'firstline_turns_total{outcome="escalated",completeness="",reason="provider_failure"}',
        0,
        1,
    ),
    "FirstlineSlow": ('firstline_turn_seconds_bucket{le="+Inf"}', 4, 9),
    "FirstlineStageDoneWithout": ('firstline_degraded_total{stage="compose",why="broken"}', 1, 2),
    "FirstlineGatesUnfit": ("firstline_gates_unfit", 0, 1),
    "FirstlineGatesDrifted": ("firstline_gate_drifted", 0, 1),
    "FirstlineAnswersDisliked": ('firstline_feedback_total{rating="down",reason="wrong"}', 1, 22),
    "FirstlineModelLeftAlone": ('firstline_model_breaker{role="large",model="openai:m0",state="open"}', 0, 1),
    "FirstlineModelSlow": (
        'firstline_model_first_token_seconds_bucket{role="large",model="openai:m1",le="+Inf"}',
        2,
        9,
    ),
    "FirstlineModelsOverBudget": ('firstline_model_over_budget_total{budget="turn"}', 1, 2),
    "FirstlineModelInvents": ('firstline_model_claims_total{verdict="fell"}', 2, 5),
    "FirstlineKnowledgeBehind": ('firstline_changes_oldest_seconds{tenant="acme",kb="docs"}', 900, 901),
    "FirstlineChangesDead": ('firstline_changes_waiting{tenant="acme",kb="docs",state="dead"}', 0, 1),
    "FirstlineHandOversDoNotArrive": ('firstline_deliveries_waiting{channel="webhook",state="dead"}', 0, 1),
    "FirstlineCuratedAnswersExpired": ("firstline_faq_expired", 0, 1),
}
"""By rule: a series of the two scrapes, its value before, and the one after that the rule fires for."""


@cache
def scrapes() -> tuple[Scrape, Scrape]:
    more = 'up{job="firstline"} 1\n' + shown_in_trouble()
    before, after = (dict(samples(text + more)) for text in asyncio.run(live(rounds=2)))
    return before, after


def evaluated(query: str, before: Scrape, after: Scrape) -> Vector:
    return Evaluator(before, after).vector(parsed(query))


def asked() -> dict[str, set[str]]:
    """The metrics of each query, by where it stands."""
    return {where: {one.name for one in selectors(parsed(query))} for where, query in queries().items()}


def near(first: Vector, second: Vector) -> bool:
    return first.keys() == second.keys() and all(
        math.isclose(first[labels], second[labels]) or math.isnan(first[labels]) for labels in first
    )


# --- panels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", PANELS)
def test_a_panel_has_something_to_show(where: str) -> None:
    found = evaluated(queries()[where], *scrapes())
    assert found
    assert all(value >= 0 for value in found.values() if not math.isnan(value))


@pytest.mark.parametrize(
    ("where", "labels", "wanted"),
    [
        ("Answered share A", {}, 3 / 4),
        ("Turns by outcome A", {"outcome": "answered"}, 3 / 300),
        ("Hand-overs by reason A", {"reason": "user_asked"}, 1 / 300),
        ("A model's claims that fell A", {}, 1 / 2),
        ("Gates passed A", {"gate": "confidence"}, 1.0),
        ("Requests kept and shared A", {"role": "large"}, 2 / 4),
        ("Changes waiting or dead A", {"kb": "docs", "state": "waiting"}, 2.0),
        ("Feedback A", {"rating": "down", "reason": "wrong"}, 1 / 300),
    ],
)
def test_a_panel_shows_what_was_done(where: str, labels: dict[str, str], wanted: float) -> None:
    """Between the scrapes lie four turns: three answered, one handed over and rated badly."""
    found = evaluated(queries()[where], *scrapes())
    assert found[frozenset(labels.items())] == pytest.approx(wanted)


@pytest.mark.parametrize("where", sorted(where for where, names in asked().items() if names <= LEDGER))
def test_a_second_server_doubles_nothing_that_both_read_from_the_ledger(where: str) -> None:
    """What each server counts by itself adds up; this does not."""
    one = evaluated(queries()[where], *scrapes())
    two = evaluated(queries()[where], *(twice(scrape) for scrape in scrapes()))
    assert near(one, two), where


def twice(scrape: Scrape) -> Scrape:
    return {
        (name, labels | {("instance", server)}): value
        for (name, labels), value in scrape.items()
        for server in ("a", "b")
    }


def test_the_page_says_what_is_read_from_the_ledger() -> None:
    assert {"firstline_changes_waiting", "firstline_deliveries_waiting", "firstline_documents"} <= LEDGER
    assert sum(names <= LEDGER for names in asked().values()) > 12
    assert all(names <= LEDGER or not names & LEDGER for names in asked().values()), "a query of both is not tried"


# --- rules ----------------------------------------------------------------------------------------------------------


def test_every_rule_is_tried() -> None:
    assert FIRES.keys() == RULES.keys()


def test_of_these_scrapes_as_they_are_five_rules_fire() -> None:
    firing = {rule for rule, query in RULES.items() if evaluated(query, *scrapes())}
    assert firing == {
        "FirstlineChangesDead",
        "FirstlineGatesDrifted",
        "FirstlineHandOversDoNotArrive",
        "FirstlineModelsOverBudget",
        "FirstlineStageDoneWithout",
    }


@pytest.mark.parametrize("rule", sorted(FIRES))
def test_a_rule_fires_when_it_should_and_not_before(rule: str) -> None:
    written, then, now = FIRES[rule]
    name, _, labels = written.partition("{")
    series = (name, frozenset(LABEL.findall(labels)))
    before, after = scrapes()
    # A series that is not there before it goes wrong must have the labels of its family.
    alike = {frozenset(dict(one)) for named, one in after if named == name}
    assert frozenset(dict(series[1])) in alike, f"{written} is no series that is shown"
    assert not evaluated(RULES[rule], before | {series: then}, after | {series: then})
    assert evaluated(RULES[rule], before | {series: then}, after | {series: now})


# --- the evaluator itself -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("a_total", {"x=1": 6.0, "x=2": 9.0, "x=3": 5.0}),
        ('a_total{x!="1"}', {"x=2": 9.0, "x=3": 5.0}),
        ('a_total{x=~"1|3"}', {"x=1": 6.0, "x=3": 5.0}),
        ("rate(a_total[1m])", {"x=1": 0.05, "x=2": 0.1}),
        ("sum(increase(a_total[1h]))", {"": 9.0}),
        ("max by (x) (a_total) > 5", {"x=1": 6.0, "x=2": 9.0}),
        ("1 - sum(a_total)", {"": -19.0}),
        ("a_total / on () group_left () sum(a_total)", {"x=1": 0.3, "x=2": 0.45, "x=3": 0.25}),
        ("a_total > 5 and on () sum(a_total) > 100", {}),
        ("a_total > 8 or a_total > 5", {"x=1": 6.0, "x=2": 9.0}),
        ("sum(nothing) / sum(a_total)", {}),
    ],
)
def test_what_prometheus_would_say(query: str, wanted: dict[str, float]) -> None:
    def series(**values: float) -> Scrape:
        return {("a_total", frozenset({("x", name[1:])})): value for name, value in values.items()}

    found = evaluated(query, series(x1=3.0, x2=3.0), series(x1=6.0, x2=9.0, x3=5.0))
    shown = {",".join(f"{name}={value}" for name, value in labels): value for labels, value in found.items()}
    assert shown == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("share", "counts", "wanted"),
    [(0.5, (0, 4, 4), 1.5), (0.5, (4, 4, 4), 0.5), (0.9, (0, 0, 4), 2.0), (0.25, (2, 4, 4), 0.5)],
)
def test_a_quantile_lies_within_its_bucket(share: float, counts: tuple[int, ...], wanted: float) -> None:
    assert quantile(share, list(zip((1.0, 2.0, math.inf), counts, strict=True))) == wanted


@pytest.mark.parametrize("query", ["count(a_total)", "deriv(a_total[5m])", "sum without (x) (a_total)"])
def test_what_the_evaluator_does_not_know_is_no_answer(query: str) -> None:
    shown: Scrape = {("a_total", frozenset({("x", "1")})): 1.0}
    with pytest.raises((NotImplementedError, KeyError, AssertionError)):
        evaluated(query, shown, shown)


def test_two_on_the_right_are_refused_as_prometheus_does() -> None:
    shown: Scrape = {("a_total", frozenset({("x", one)})): 1.0 for one in "12"}
    query: Any = promql_parser.parse("sum(a_total) / on () a_total")
    with pytest.raises(AssertionError, match="many on the right"):
        Evaluator(shown, shown).of(query)
