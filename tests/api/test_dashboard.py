"""The dashboard, the alert rules and docs/metrics.md, beside what /metrics of a server that served turns shows."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import promql_parser
import pytest
import yaml
from live_metrics import live, shown_in_trouble

from firstline.domain import Reason

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "ops" / "grafana" / "firstline.json"
ALERTS = ROOT / "ops" / "prometheus" / "alerts.yml"
PAGE = ROOT / "docs" / "metrics.md"
OF_PROMETHEUS: Final = {"up": {"job"}}
"""What Prometheus itself adds."""
MAY_BE: Final = {"reason": {reason.value for reason in Reason}}
"""Values that the turns above have not come to."""
NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+Inf|NaN)"
SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (' + NUMBER + ")")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
SUFFIX = re.compile(r"_(bucket|sum|count)$")


@cache
def exposed() -> str:
    return asyncio.run(live())[0]


@cache
def everything() -> str:
    return exposed() + shown_in_trouble()


Series = tuple[str, frozenset[tuple[str, str]]]


def samples(text: str) -> Iterator[tuple[Series, float]]:
    for line in text.splitlines():
        if line and not line.startswith("#"):
            found = SAMPLE.fullmatch(line)
            assert found, f"no line of the exposition format: {line!r}"
            yield (found[1], frozenset(LABEL.findall(found[2] or ""))), float(found[3])


def types(text: str) -> dict[str, str]:
    return dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))


def family(name: str, known: dict[str, str]) -> str:
    return name if name in known else SUFFIX.sub("", name)


def queries() -> dict[str, str]:
    """Every query that is shipped, by where it stands."""
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
        for target in panel.get("targets", ())
    }
    for group in yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]:
        found |= {rule["alert"]: rule["expr"] for rule in group["rules"]}
    return found


def parsed(query: str) -> Any:
    return promql_parser.parse(query.replace("$__rate_interval", "5m"))


def selectors(expression: Any) -> Iterator[Any]:
    if isinstance(expression, promql_parser.VectorSelector):
        yield expression
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        part = getattr(expression, name, None)
        if part is not None and not isinstance(part, str):
            yield from selectors(part)
    for part in getattr(expression, "args", ()):
        yield from selectors(part)


def sections(page: Path) -> set[str]:
    """As links name them."""
    titles = re.findall(r"^##+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def grouped(expression: Any) -> set[str]:
    """Labels by which something is aggregated."""
    return set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", expression.prettify()))))


# --- the exposition -------------------------------------------------------------------------------------------------


def test_every_sample_is_declared_and_none_stands_twice() -> None:
    text = exposed()
    known = types(text)
    described = re.findall(r"^# HELP (\S+) \S+", text, re.MULTILINE)
    assert sorted(described) == sorted(known), "each metric has one HELP and one TYPE"
    assert len(re.findall(r"^# TYPE", text, re.MULTILINE)) == len(known)
    seen = [series for series, _ in samples(text)]
    assert len(seen) == len(set(seen))
    for name, _ in seen:
        assert family(name, known) in known, name
        assert (known[family(name, known)] == "histogram") == bool(SUFFIX.search(name)) or name in known
        assert known[family(name, known)] != "counter" or name.endswith("_total"), name


def test_histograms_count_up_to_everything() -> None:
    text = exposed()
    buckets: dict[Series, list[tuple[float, float]]] = defaultdict(list)
    counts: dict[Series, float] = {}
    for (name, labels), value in samples(text):
        rest = frozenset(one for one in labels if one[0] != "le")
        if name.endswith("_bucket"):
            buckets[SUFFIX.sub("", name), rest].append((float(dict(labels)["le"]), value))
        elif name.endswith("_count"):
            counts[SUFFIX.sub("", name), rest] = value
    assert buckets.keys() == counts.keys()
    assert len(buckets) > 15
    for series, found in buckets.items():
        limits, values = zip(*found, strict=True)
        assert list(limits) == sorted(limits), series
        assert list(values) == sorted(values), series
        assert (limits[-1], values[-1]) == (float("inf"), counts[series]), series


def test_what_was_done_is_counted() -> None:
    found = dict(samples(exposed()))

    def value(name: str, **labels: str) -> float:
        return found[name, frozenset(labels.items())]

    assert value("firstline_turns_total", outcome="answered", completeness="full", reason="") == 3
    assert value("firstline_step_seconds_count", step="write") == 3
    assert value("firstline_gate_margin_bucket", gate="confidence", le="0.0") == 0
    assert value("firstline_gate_margin_count", gate="confidence") == 3
    assert value("firstline_grounding_count") == 3
    assert value("firstline_first_shown_seconds_count") == 2
    assert value("firstline_model_claims_total", verdict="shown") == 2
    assert value("firstline_model_claims_total", verdict="fell") == 2
    assert value("firstline_model_kept_total", role="large") == 1
    assert value("firstline_tenant_model_tokens_total", role="large", tenant="acme", direction="in") == 20
    assert value("firstline_degraded_total", stage="compose", why="broken") == 1
    assert value("firstline_feedback_total", rating="down", reason="wrong") == 1
    assert not [series for series in found if any("printer" in text.casefold() for _, text in series[1])]


# --- what is shipped ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", sorted(queries()))
def test_a_query_asks_for_what_there_is(where: str) -> None:
    known = types(everything())
    labels: dict[str, set[str]] = defaultdict(set)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for (name, own), _ in samples(everything()):
        labels[name] |= {label for label, _ in own}
        for label, value in own:
            values[name, label].add(value)
    expression = parsed(queries()[where])
    asked = list(selectors(expression))
    assert asked, where
    there: set[str] = set()
    for selector in asked:
        name = selector.name
        if name in OF_PROMETHEUS:
            there |= OF_PROMETHEUS[name]
            continue
        assert family(name, known) in known, f"{where}: no {name}"
        there |= labels[name]
        for matcher in selector.matchers.matchers:
            assert matcher.name in labels[name], f"{where}: {name} has no label {matcher.name}"
            if matcher.op == promql_parser.MatchOp.Equal and matcher.name != "job":
                may = values[name, matcher.name] | MAY_BE.get(matcher.name, set())
                assert matcher.value in may, f"{where}: {name} has no {matcher.name}={matcher.value}"
    assert grouped(expression) <= there, f"{where}: grouped by {grouped(expression) - there}"


def test_names_that_are_not_there_would_be_found() -> None:
    """The checks above can fail."""
    known = types(everything())
    (selector,) = selectors(parsed("sum(rate(firstline_turns_totally[5m]))"))
    assert family(selector.name, known) not in known
    assert grouped(parsed("sum by (nowhere) (firstline_turns_total)")) == {"nowhere"}
    with pytest.raises(ValueError, match=r".+"):
        parsed("sum by (le (rate(firstline_turns_total[5m]))")


def test_the_dashboard_is_one_that_grafana_takes() -> None:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    assert board["uid"] == "firstline"
    assert board["schemaVersion"] >= 39
    assert [one["type"] for one in board["templating"]["list"]] == ["datasource"]
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    rows = [panel["title"] for panel in panels if panel["type"] == "row"]
    assert rows == ["Traffic and outcomes", "Time", "Answers' quality", "Language models", "Knowledge", "Hand-overs"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        place = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not place & taken, f"{panel['title']} lies on another panel"
        assert at["x"] + at["w"] <= 24
        taken |= place
        if panel["type"] == "row":
            continue
        assert panel["description"].endswith("."), panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
        assert panel["targets"]
        for target in panel["targets"]:
            named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert named <= grouped(parsed(target["expr"])), f"{panel['title']}: {named}"


def test_every_rule_says_what_to_do_and_where_that_is_told() -> None:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(names) == len(set(names)) > 12
    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m"))
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert set(rule["annotations"]) == {"summary", "description", "docs"}
        page, _, section = rule["annotations"]["docs"].partition("#")
        assert section in sections(ROOT / page), rule["annotations"]["docs"]
        used = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
        assert used <= grouped(parsed(rule["expr"])), rule["alert"]


def test_the_page_names_what_is_exposed_and_nothing_else() -> None:
    told = set(re.findall(r"^\| `(firstline_\w+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert told == set(types(everything()))
    known = types(everything())
    for page in PAGE.parent.glob("*.md"):
        named = re.findall(r"`(firstline_[a-z_]+_(?:total|seconds))\b", page.read_text(encoding="utf-8"))
        absent = {name for name in named if family(name, known) not in known}
        assert not absent, f"{page.name}: {absent}"
