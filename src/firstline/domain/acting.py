"""For whom is this task working? The ledger shows a tenant's work that tenant's rows alone, whatever a query asks for.

It follows a task and the tasks that it starts. A process that nobody called over the network (the command line,
workers) works for every tenant until it says otherwise.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

EVERY_TENANT: Final = None
NOBODY: Final = ""
"""No tenant is called so: whoever works for nobody sees no rows."""

_acting: ContextVar[str | None] = ContextVar("acting", default=EVERY_TENANT)


def acting_tenant() -> str | None:
    return _acting.get()


def act_for(tenant: str) -> None:
    """From here to the end of the task, or of the `acting_for` around it."""
    _acting.set(tenant)


@contextmanager
def acting_for(tenant: str | None) -> Generator[None]:
    token = _acting.set(tenant)
    try:
        yield
    finally:
        _acting.reset(token)
