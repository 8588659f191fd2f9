"""How far knowledge is behind its sources, in the Prometheus text format."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from firstline.api.metric_lines import head, label
from firstline.domain import Lag
from firstline.errors import FirstlineError

if TYPE_CHECKING:
    from firstline.documents.working import Working

LAG_S_MAX: Final = 2.0


async def event_metrics(working: Working) -> str:
    """Of every tenant, as the ledger knows it, whichever process did the work. Left out while the ledger does not
    answer: the other metrics are wanted most then."""
    with contextlib.suppress(TimeoutError, FirstlineError):
        lags = await asyncio.wait_for(working.changes.lag(tenant=None), LAG_S_MAX)
        return "\n".join(_lines(lags)) + "\n" if lags else ""
    return ""


def _lines(lags: Sequence[Lag]) -> list[str]:
    now = datetime.now(UTC)
    lines = head("firstline_changes_waiting", "gauge", "Announced changes that are not answerable: waiting or dead.")
    for one in lags:
        for state, count in (("waiting", one.waiting), ("dead", one.dead)):
            lines.append(f'firstline_changes_waiting{{{_of(one)},state="{state}"}} {count}')
    lines += head("firstline_changes_oldest_seconds", "gauge", "Age of the oldest change that waits.")
    for one in lags:
        age_s = max(0.0, (now - one.oldest_at).total_seconds()) if one.oldest_at is not None else 0.0
        lines.append(f"firstline_changes_oldest_seconds{{{_of(one)}}} {age_s:.1f}")
    lines += head("firstline_change_to_answerable_seconds", "gauge", "From change to answerable, within the last hour.")
    for one in lags:
        if one.settled:
            for share, value in (("0.5", one.p50_s), ("0.95", one.p95_s)):
                lines.append(f'firstline_change_to_answerable_seconds{{{_of(one)},quantile="{share}"}} {value:.3f}')
    return lines


def _of(one: Lag) -> str:
    return f'tenant="{label(one.tenant)}",kb="{label(one.kb)}"'
