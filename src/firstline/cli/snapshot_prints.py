"""Snapshots in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from firstline.domain import DocumentChange, SnapshotEntry
    from firstline.evals.check import Checked

DOCUMENTS_SHOWN: Final = 40
CASES_SHOWN: Final = 40
SIGNS: Final = {"added": "+", "changed": "~", "removed": "-"}


def entry_line(entry: SnapshotEntry) -> str:
    share = f" ({entry.share:.0%} of the sessions)" if entry.share else ""
    waits = f"  waits: {entry.waits}" if entry.waits else ""
    at = entry.published_at or entry.sealed_at
    return (
        f"{entry.number:>5}  {entry.state.value + share:<10}  {at:%Y-%m-%d %H:%M} UTC  {entry.documents} documents, "
        f"{entry.chunks} chunks{waits}"
    )


def diff_lines(changes: Sequence[DocumentChange], before: int, after: int) -> Iterator[str]:
    counts = Counter(one.change.value for one in changes)
    told = ", ".join(f"{counts[name]} {name}" for name in SIGNS)
    yield f"From snapshot {before} to {after}: {told}."
    for one in changes[:DOCUMENTS_SHOWN]:
        yield f"  {SIGNS[one.change.value]} {one.doc_id}  {one.title}"
    if len(changes) > DOCUMENTS_SHOWN:
        yield f"  and {len(changes) - DOCUMENTS_SHOWN} more"


def check_lines(checked: Checked) -> Iterator[str]:
    yield f"Golden cases: {checked.right_before} of {checked.cases} were right, {checked.right_after} are."
    # What got worse first.
    for change in sorted(checked.changes, key=lambda one: (not one.worse, one.better))[:CASES_SHOWN]:
        verdict = "WORSE" if change.worse else "better" if change.better else "other"
        yield f"  {verdict}: {change.key}: {change.before} -> {change.after}: {change.question[:80]}"
    if len(checked.changes) > CASES_SHOWN:
        yield f"  and {len(checked.changes) - CASES_SHOWN} more changed"
