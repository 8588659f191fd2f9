"""What may be spent, on whose account, and what is left of it.

Before a call the most that it can cost is set aside, and afterwards what it did cost is booked, so that calls at the
same time cannot spend the same rest twice, and no budget is ever exceeded. The most is sure and not near: a token is
at least one byte. So a budget may be refused while as much as one prompt's bytes of it are left.

Kept in this process: a restart begins anew, and several servers each keep their own.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from firstline.domain import ModelRequest
from firstline.errors import OverBudget

ACCOUNTS_MAX: Final = 50_000
"""Turns and sessions remembered; the one that spent longest ago is forgotten first."""
REMEDY: Final = "Raise the limit under [models.budgets], or do without a language model until it is new."


@dataclass(frozen=True, slots=True)
class Limit:
    """0: none. `cost` is in the currency of the prices."""

    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetLimits:
    """`tenant_day`: of one tenant and one day (UTC). `day`: of everybody together."""

    turn: Limit = Limit()
    session: Limit = Limit()
    tenant_day: Limit = Limit()
    day: Limit = Limit()


@dataclass(frozen=True, slots=True)
class Spent:
    tokens: int
    cost: float


@dataclass(slots=True)
class _Account:
    """`held` by calls that are under way is part of `tokens` and `cost`."""

    tokens: int = 0
    cost: float = 0.0


_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What one call has set aside, and where."""

    spent: Spent
    keys: tuple[_Key, ...]


def _now() -> datetime:
    return datetime.now(UTC)


class Budgets:
    """Used from one event loop; nothing is awaited between looking and setting aside."""

    def __init__(self, limits: BudgetLimits, *, now: Callable[[], datetime] = _now) -> None:
        self.refused: Counter[str] = Counter()
        self._limits = limits
        self._now = now
        self._accounts: OrderedDict[_Key, _Account] = OrderedDict()

    def hold(self, request: ModelRequest, most: Spent) -> Held:
        """Set aside `most`, or OverBudget: the budget's name, and when it is new."""
        keys: list[_Key] = []
        for name, key, limit in self._touched(request):
            account = self._accounts.get(key, _Account())
            over = limit.tokens and account.tokens + most.tokens > limit.tokens
            # A sum of prices is a float: the last bit of it is nobody's money.
            if over or (limit.cost and account.cost + most.cost > limit.cost * (1 + 1e-12)):
                self.refused[name] += 1
                raise OverBudget(
                    f"The budget of the {name.replace('_', ' of this ')} does not suffice for this call.",
                    retry_after_s=self._until_midnight_s() if "day" in name else 0.0,
                    remedy=REMEDY,
                )
            keys.append(key)
        held = Held(most, tuple(keys))
        self._book(held, most.tokens, most.cost)
        return held

    def settle(self, held: Held, spent: Spent) -> None:
        """Book what the call did cost in place of what was held for it."""
        self._book(held, spent.tokens - held.spent.tokens, spent.cost - held.spent.cost)

    def spent(self, request: ModelRequest) -> dict[str, Spent]:
        """By budget that has a limit, what is booked or set aside."""
        accounts = {name: self._accounts.get(key, _Account()) for name, key, _ in self._touched(request)}
        return {name: Spent(account.tokens, account.cost) for name, account in accounts.items()}

    def _book(self, held: Held, tokens: int, cost: float) -> None:
        for key in held.keys:
            account = self._accounts.setdefault(key, _Account())
            account.tokens += tokens
            account.cost = max(0.0, account.cost + cost)
            self._accounts.move_to_end(key)
        while len(self._accounts) > ACCOUNTS_MAX:
            self._accounts.popitem(last=False)

    def _touched(self, request: ModelRequest) -> Iterator[tuple[str, _Key, Limit]]:
        day = self._now().date().isoformat()
        limits = self._limits
        for name, key, limit in (
            ("turn", ("turn", request.tenant, request.turn) if request.turn else (), limits.turn),
            ("session", ("session", request.tenant, request.session) if request.session else (), limits.session),
            ("tenant_day", ("tenant", request.tenant, day), limits.tenant_day),
            ("day", ("day", day), limits.day),
        ):
            if key and (limit.tokens or limit.cost):
                yield name, key, limit

    def _until_midnight_s(self) -> float:
        now = self._now()
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - now).total_seconds()
