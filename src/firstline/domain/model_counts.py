"""How the language models of this process did since it started: counts, and what is under way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from firstline.domain.completions import ModelRole

FIRST_TOKEN_BUCKETS_S: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSeen:
    """One model of a role's chain. `finishes`: calls that ended with text, by how; `failures`: calls that ended in an
    error, by its code; `given_up`: those that nobody waited for any more. `first_tokens`: calls by time to the first
    text, one count a bucket and one for the rest. `breaker` is closed, open or half_open; `refused`: calls that it
    held back."""

    role: ModelRole
    model_id: str
    calls: int
    finishes: Mapping[str, int]
    failures: Mapping[str, int]
    given_up: int
    tokens_in: int
    tokens_out: int
    cost: float
    first_tokens: tuple[int, ...]
    first_token_sum_s: float
    breaker: str
    refused: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleSeen:
    """What was asked of a role: `kept` were answered from memory, `coalesced` by a call that somebody else had
    begun."""

    role: ModelRole
    requests: int
    kept: int
    coalesced: int
    running: int
    waiting: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TenantSpent:
    """What one tenant spent on one role; `tenant` is "other" for all beyond the first 200."""

    role: ModelRole
    tenant: str
    tokens_in: int
    tokens_out: int
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True)
class GatewaySeen:
    """`over_budget`: requests that were refused because something was spent, by which budget."""

    models: tuple[ModelSeen, ...]
    roles: tuple[RoleSeen, ...]
    over_budget: Mapping[str, int]
    tenants: tuple[TenantSpent, ...] = ()
