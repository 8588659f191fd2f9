"""How far is knowledge behind its sources? In lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from firstline.domain import Behind, JobBacklog, Lag


def behind_lines(
    behind: Behind | None,
    waiting: Sequence[int],
    lags: Sequence[Lag],
    *,
    kb: str,
    age: Callable[[datetime | None], str],
) -> list[str]:
    """What waits for what, since when, and what to do about it; nothing when no snapshot waits."""
    if behind is None:
        return []
    lines = [f"  waiting: snapshot {', '.join(map(str, waiting))}, made {age(behind.since)}: {behind.why}"]
    for one in lags:
        if one.kb == kb and one.waiting:
            lines.append(
                f"    {one.waiting} announced changes wait for it, the oldest announced {age(one.oldest_at)}; they are "
                "taken once it is decided"
            )
    return [*lines, f"    {behind.what_to_do}"]


def lag_lines(lags: Sequence[Lag], backlog: JobBacklog, *, age: Callable[[datetime | None], str]) -> list[str]:
    """What `firstline status` says of changes on their way; nothing when no source ever announced any."""
    lines: list[str] = []
    for one in lags:
        line = f"changes of {one.kb}: {one.waiting} waiting"
        if one.oldest_at is not None:
            line += f", the oldest announced {age(one.oldest_at)}"
        if one.dead:
            line += f"; {one.dead} given up (`firstline worker dead`)"
        if one.settled:
            line += f"; {one.settled} taken in the last hour, after {one.p50_s:.1f} s (95%: {one.p95_s:.1f} s)"
        lines.append(line)
    if backlog.waiting or backlog.running or backlog.dead:
        lines.append(f"jobs: {backlog.waiting} waiting, {backlog.running} running, {backlog.dead} given up")
    return lines
