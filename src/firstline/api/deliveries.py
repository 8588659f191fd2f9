"""How hand-overs get out, in the Prometheus text format."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from firstline.api.metric_lines import head
from firstline.errors import FirstlineError
from firstline.ports import Backlog

if TYPE_CHECKING:
    from firstline.connectors.handover.deliver import Deliverer

BACKLOG_S_MAX: Final = 2.0


async def delivery_metrics(deliverer: Deliverer) -> str:
    """What this process sent, and what waits in the ledger, of every tenant. The latter is left out while the ledger
    does not answer: the other metrics are wanted most then."""
    lines = _sent(deliverer.counts)
    with contextlib.suppress(TimeoutError, FirstlineError):
        lines += _waiting(await asyncio.wait_for(deliverer.ledger.backlog(tenant=None), BACKLOG_S_MAX))
    return "\n".join(lines) + "\n"


def _sent(counts: Counter[tuple[str, str]]) -> list[str]:
    return [
        *head("firstline_deliveries_total", "counter", "Attempts to deliver a hand-over, by what came of them."),
        *(
            f'firstline_deliveries_total{{channel="{channel}",result="{result}"}} {count}'
            for (channel, result), count in sorted(counts.items())
        ),
    ]


def _waiting(backlog: Sequence[Backlog]) -> list[str]:
    now = datetime.now(UTC)
    lines = head("firstline_deliveries_waiting", "gauge", "Deliveries that have not arrived: pending or dead.")
    for one in backlog:
        for state, count in (("pending", one.pending), ("dead", one.dead)):
            lines.append(f'firstline_deliveries_waiting{{channel="{one.channel}",state="{state}"}} {count}')
    lines += head("firstline_deliveries_oldest_seconds", "gauge", "Age of the oldest delivery that is pending.")
    lines += [
        f'firstline_deliveries_oldest_seconds{{channel="{one.channel}"}} {(now - one.oldest_at).total_seconds():.0f}'
        for one in backlog
        if one.oldest_at is not None
    ]
    return lines
