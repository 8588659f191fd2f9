"""Who spent how much? Tokens and cost by role and tenant, for as many tenants as a metric may name."""

from __future__ import annotations

from typing import Final

from firstline.domain import ModelRole, TenantSpent

TENANTS_MAX: Final = 200
OTHERS: Final = "other"


class Spending:
    """The first 200 tenants that spend have an account of their own for as long as the process runs; the rest share
    one, so that no metric grows without end."""

    def __init__(self) -> None:
        self._named: set[str] = set()
        self._spent: dict[tuple[ModelRole, str], tuple[int, int, float]] = {}

    def book(self, role: ModelRole, tenant: str, *, tokens_in: int, tokens_out: int, cost: float) -> None:
        if tenant not in self._named and len(self._named) >= TENANTS_MAX:
            tenant = OTHERS
        self._named.add(tenant)
        before = self._spent.get((role, tenant), (0, 0, 0.0))
        self._spent[role, tenant] = before[0] + tokens_in, before[1] + tokens_out, before[2] + cost

    def seen(self) -> tuple[TenantSpent, ...]:
        return tuple(
            TenantSpent(role=role, tenant=tenant, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)
            for (role, tenant), (tokens_in, tokens_out, cost) in sorted(self._spent.items())
        )
