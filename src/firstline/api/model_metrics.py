"""How the language models of this process do, in the Prometheus text format. No label carries a tenant or a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from firstline.api.metric_lines import head
from firstline.domain import FIRST_TOKEN_BUCKETS_S, GatewaySeen, ModelSeen, RoleSeen

STATES: Final = ("closed", "half_open", "open")


def model_metrics(seen: GatewaySeen) -> str:
    lines = [
        *_several("model_calls_total", "Calls that ended with text, by how.", _finishes(seen.models)),
        *_several("model_failures_total", "Calls that ended in an error, by its kind.", _failures(seen.models)),
        *_first_tokens(seen.models),
    ]
    for name, kind, meaning, value in _PER_MODEL:
        told = [(_model(one), value(one)) for one in seen.models]
        lines += _several(name, meaning, told, kind=kind)
    lines += _several("model_breaker", "1 for the state that the breaker is in.", _breakers(seen.models), kind="gauge")
    for name, kind, meaning, count in _PER_ROLE:
        lines += _several(name, meaning, [(f'role="{one.role.value}"', count(one)) for one in seen.roles], kind=kind)
    spent = [(f'budget="{name}"', count) for name, count in sorted(seen.over_budget.items())]
    lines += _several("model_over_budget_total", "Calls refused because a budget was spent, by budget.", spent)
    return "".join(f"{line}\n" for line in lines)


_Told = Iterable[tuple[str, float]]

_PER_MODEL: Final[tuple[tuple[str, str, str, Callable[[ModelSeen], float]], ...]] = (
    ("model_attempts_total", "counter", "Calls that were made.", lambda one: one.calls),
    ("model_given_up_total", "counter", "Calls that nobody waited for any more.", lambda one: one.given_up),
    ("model_tokens_in_total", "counter", "Tokens of prompts.", lambda one: one.tokens_in),
    ("model_tokens_out_total", "counter", "Tokens of answers.", lambda one: one.tokens_out),
    ("model_cost_total", "counter", "Cost by the settings' prices.", lambda one: round(one.cost, 9)),
    ("model_held_back_total", "counter", "Calls that the breaker did not let through.", lambda one: one.refused),
)
_PER_ROLE: Final[tuple[tuple[str, str, str, Callable[[RoleSeen], float]], ...]] = (
    ("model_requests_total", "counter", "Requests to a role.", lambda one: one.requests),
    ("model_kept_total", "counter", "Of them, answered from memory.", lambda one: one.kept),
    ("model_coalesced_total", "counter", "Of them, answered by another one's call.", lambda one: one.coalesced),
    ("model_requests_running", "gauge", "Requests that hold a place.", lambda one: one.running),
    ("model_requests_waiting", "gauge", "Requests that wait for a place.", lambda one: one.waiting),
)


def _model(one: ModelSeen) -> str:
    return f'role="{one.role.value}",model="{_label(one.model_id)}"'


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _finishes(models: Iterable[ModelSeen]) -> _Told:
    return [(f'{_model(one)},finish="{name}"', count) for one in models for name, count in sorted(one.finishes.items())]


def _failures(models: Iterable[ModelSeen]) -> _Told:
    return [(f'{_model(one)},kind="{name}"', count) for one in models for name, count in sorted(one.failures.items())]


def _breakers(models: Iterable[ModelSeen]) -> _Told:
    return [(f'{_model(one)},state="{state}"', int(one.breaker == state)) for one in models for state in STATES]


def _first_tokens(models: Iterable[ModelSeen]) -> list[str]:
    lines = head("firstline_model_first_token_seconds", "histogram", "Time from the call of a model to its first text.")
    for one in models:
        total = 0
        for limit, count in zip((*map(str, FIRST_TOKEN_BUCKETS_S), "+Inf"), one.first_tokens, strict=True):
            total += count
            lines.append(f'firstline_model_first_token_seconds_bucket{{{_model(one)},le="{limit}"}} {total}')
        lines.append(f"firstline_model_first_token_seconds_sum{{{_model(one)}}} {one.first_token_sum_s:.6f}")
        lines.append(f"firstline_model_first_token_seconds_count{{{_model(one)}}} {total}")
    return lines


def _several(name: str, meaning: str, told: _Told, *, kind: str = "counter") -> list[str]:
    return [
        *head(f"firstline_{name}", kind, meaning),
        *(f"firstline_{name}{{{labels}}} {value}" for labels, value in told),
    ]
