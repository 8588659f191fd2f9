"""What became of a sync, as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import SyncReport

SHOWN_MAX: Final = 20


def print_report(name: str, report: SyncReport) -> None:
    snapshot = f"snapshot {report.snapshot}, " if report.snapshot else ""
    say(
        f"{name}: {report.state}; {report.added} added, {report.changed} changed, {report.removed} removed, "
        f"{report.unchanged} unchanged; {snapshot}{report.duration_s:.1f} s."
    )
    if report.waits:
        say(f"Snapshot {report.snapshot} waits and is not published: {report.waits}.", err=True)
        say("`firstline snapshot list` shows what stands before it.", err=True)
    for alert in report.alerts:
        say(f"alert: {alert}", err=True)
    for failure in report.failures[:SHOWN_MAX]:
        say(f"not taken: {failure.item_id}: {failure.reason}", err=True)
    if report.failed > SHOWN_MAX:
        say(f"{report.failed} items were not taken; the rest went on.", err=True)
    if report.held:
        say(f"{report.held} documents are held; `firstline quarantine` lists and releases them.", err=True)
    if report.error:
        say(f"ended early: {report.error}", err=True)
