"""How the language models of this process do, in the Prometheus text format. No label carries a text, and one a
tenant alone where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from firstline.api.metric_lines import head, histogram_lines, label
from firstline.domain import FIRST_TOKEN_BUCKETS_S, GatewaySeen, ModelSeen, RoleSeen, TenantSpent

STATES: Final = ("closed", "half_open", "open")


def model_metrics(seen: GatewaySeen, *, by_tenant: bool = False) -> str:
    """`by_tenant`: also what each tenant spent, with its name in a label."""
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
    if by_tenant:
        lines += _tenants(seen.tenants)
    return "".join(f"{line}\n" for line in lines)


def _tenants(spent: Iterable[TenantSpent]) -> list[str]:
    told = [(f'role="{one.role.value}",tenant="{label(one.tenant)}"', one) for one in spent]
    tokens = [
        (f'{labels},direction="{direction}"', count)
        for labels, one in told
        for direction, count in (("in", one.tokens_in), ("out", one.tokens_out))
    ]
    costs = [(labels, round(one.cost, 9)) for labels, one in told]
    return [
        *_several("tenant_model_tokens_total", "Tokens by role and tenant.", tokens),
        *_several("tenant_model_cost_total", "Cost by the settings' prices, by role and tenant.", costs),
    ]


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
    return f'role="{one.role.value}",model="{label(one.model_id)}"'


def _finishes(models: Iterable[ModelSeen]) -> _Told:
    return [(f'{_model(one)},finish="{name}"', count) for one in models for name, count in sorted(one.finishes.items())]


def _failures(models: Iterable[ModelSeen]) -> _Told:
    return [(f'{_model(one)},kind="{name}"', count) for one in models for name, count in sorted(one.failures.items())]


def _breakers(models: Iterable[ModelSeen]) -> _Told:
    return [(f'{_model(one)},state="{state}"', int(one.breaker == state)) for one in models for state in STATES]


def _first_tokens(models: Iterable[ModelSeen]) -> list[str]:
    name = "firstline_model_first_token_seconds"
    told = (
        line
        for one in models
        for line in histogram_lines(name, _model(one), FIRST_TOKEN_BUCKETS_S, one.first_tokens, one.first_token_sum_s)
    )
    return [*head(name, "histogram", "Time from the call of a model to its first text."), *told]


def _several(name: str, meaning: str, told: _Told, *, kind: str = "counter") -> list[str]:
    return [
        *head(f"firstline_{name}", kind, meaning),
        *(f"firstline_{name}{{{labels}}} {value}" for labels, value in told),
    ]
