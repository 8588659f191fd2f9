"""Does a candidate publish itself? A small change does, after checks that cost nothing; a large one waits for a person.

| what the run was asked | what becomes of it |
|---|---|
| nothing (`AUTO`) | published, unless a check finds something or it is a bulk change that golden cases can judge |
| `ALWAYS` | published whatever the checks say |
| `NEVER` | waits |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from firstline.domain import CandidateFacts
from firstline.errors import InvalidInput

BULK_DOCUMENTS_MIN: Final = 20
"""Fewer changed documents are never a bulk change, however small the knowledge base."""

SHRUNK_SHARE: Final = 0.5
GROWN_FACTOR: Final = 3.0
JUMP_CHUNKS_MIN: Final = 200
"""Smaller knowledge bases jump all the time."""

NAMED_MAX: Final = 3


class Publish(StrEnum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """`bulk_share`: changes beyond this share of the documents are a bulk change. `wipe_share`: a run that would end
    more than this share of what its source holds is refused."""

    bulk_share: float = 0.05
    wipe_share: float = 0.5


AS_SHIPPED: Final = Policy()


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What was read back of the candidate from the other engines: chunks in the index, and contents that are missing
    of those looked up."""

    chunks_indexed: int
    blobs_missing: int


def waits(
    facts: CandidateFacts,
    written: Written,
    *,
    publish: Publish,
    published: bool,
    golden: bool,
    policy: Policy,
    suspect: str = "",
) -> str:
    """Why the candidate is not published by itself; empty when it is. `published`: there is a published snapshot;
    `golden`: there are cases to judge it by. `suspect`: what the run itself found wrong with what it adds."""
    if publish is Publish.ALWAYS:
        return ""
    if publish is Publish.NEVER:
        return "it was asked to wait"
    found = [*([suspect] if suspect else []), *findings(facts, written)]
    if found and published:
        return "; ".join(found)
    if facts.builds_on_waiting:
        return "it builds on a snapshot that waits"
    if published and golden and is_bulk(facts, policy):
        return f"{facts.changes} documents changed, and golden cases are there to check it"
    return ""


def is_bulk(facts: CandidateFacts, policy: Policy) -> bool:
    return facts.changes > max(BULK_DOCUMENTS_MIN, policy.bulk_share * facts.documents_before)


def findings(facts: CandidateFacts, written: Written) -> list[str]:
    """What is wrong with a candidate, or may be, in words."""
    found: list[str] = []
    if facts.closed:
        named = ", ".join(facts.closed[:NAMED_MAX])
        found.append(f"{len(facts.closed)} documents lost their ACL, so that nobody sees them any more: {named}")
    if written.chunks_indexed < facts.chunks_written:
        found.append(
            f"the index holds {written.chunks_indexed} of the {facts.chunks_written} chunks that were written: "
            "ingest again"
        )
    if written.blobs_missing:
        found.append(f"the texts of {written.blobs_missing} documents are missing from the blob store: ingest again")
    if facts.chunks_before >= JUMP_CHUNKS_MIN:
        shrunk = facts.chunks_after < SHRUNK_SHARE * facts.chunks_before
        # New documents make it grow as far as they like; the same ones should not.
        grown = not facts.added and facts.chunks_after > GROWN_FACTOR * facts.chunks_before
        if shrunk or grown:
            found.append(f"it holds {facts.chunks_after} chunks where {facts.chunks_before} were")
    return found


def refuse_wipe(ending: int, *, of: int, policy: Policy, force: bool) -> None:
    """InvalidInput when a run would end more of its source's documents than is believed without being told twice."""
    if force or ending <= BULK_DOCUMENTS_MIN or ending <= policy.wipe_share * of:
        return
    raise InvalidInput(
        f"This run would remove {ending} of {of} documents, more than {policy.wipe_share:.0%}. Nothing was published.",
        remedy="Check that the source is whole; if they are really gone, ingest again with --force.",
    )


def rules_lost(paths: Sequence[str]) -> str:
    """Why documents that are added must wait: those of a folder with a rule of its own may be among them, under a name
    that the rule does not fit."""
    named = ", ".join(repr(path) for path in paths[:NAMED_MAX])
    more = f" and {len(paths) - NAMED_MAX} more" if len(paths) > NAMED_MAX else ""
    several = len(paths) > 1
    return (
        f"the access rule{'s' if several else ''} for {named}{more} fitted documents before and "
        f"fit{'' if several else 's'} none now: what lay there may have been moved to where more people see it. "
        "Correct the rule and discard this snapshot, or publish it when that is right"
    )
