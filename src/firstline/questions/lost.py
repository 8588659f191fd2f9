"""At which stage was a page lost, and how is that said? In plain words, with what was different when the turn ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from firstline.domain import Evidence, GateReading, RankedDocument, Turn
from firstline.questions.search import Stages
from firstline.questions.trail import Trail

GATE_SAME: Final = 0.01
"""Readings that differ by less are the same."""


def place_of(ranked: Sequence[RankedDocument], doc_id: str) -> int | None:
    return next((place for place, one in enumerate(ranked, start=1) if one.doc_id == doc_id), None)


def differences(turn: Turn, gate: GateReading, trail: Trail) -> list[str]:
    """What was not the same when the turn ran: the places told are those of today's search."""
    told = [f"This turn ran without {stage} ({instead})." for stage, instead in turn.degraded.items()]
    told += [f"Today's search ran without {stage} ({instead})." for stage, instead in trail.degraded.items()]
    then = next((reading for reading in turn.gates if reading.name == gate.name), None)
    if then is None:
        told.append("No relevance gate was read in this turn: it ended before that.")
    elif (
        abs(then.value - gate.value) > GATE_SAME
        or abs(then.threshold - gate.threshold) > GATE_SAME
        or then.passed != gate.passed
    ):
        told.append(f"Today the relevance gate reads {_said(gate)}; in this turn it read {_said(then)}.")
    return told


def _said(gate: GateReading) -> str:
    return f"{gate.value:.2f} against {gate.threshold:.2f} ({'passed' if gate.passed else 'failed'})"


def lost_at_of(
    doc_id: str,
    fused: int | None,
    preferred: int | None,
    was_read: bool,
    gate: GateReading,
    stages: Stages,
    *,
    kept: int,
) -> str:
    if fused is None and preferred is None:
        return "candidates"
    if preferred is None:
        return _pushed_out_by(doc_id, stages, kept=kept) or "documents_ranked"
    if not was_read:
        return "evidence_chunks"
    return "" if gate.passed else "gate"


def _pushed_out_by(doc_id: str, stages: Stages, *, kept: int) -> str:
    """The last stage that took the page out of the places kept; "" when it was never in them."""
    if _within(stages.preferred, doc_id, kept):
        return "traverse"
    if _within(stages.reranked, doc_id, kept):
        return "prefer"
    return "rerank" if _within(stages.fused, doc_id, kept) else ""


def _within(ranked: Sequence[RankedDocument], doc_id: str, kept: int) -> bool:
    place = place_of(ranked, doc_id)
    return place is not None and place <= kept


def verdict_of(
    lost_at: str,
    fused: int | None,
    preferred: int | None,
    first: str,
    evidence: Sequence[Evidence],
    *,
    candidates: int,
    kept: int,
) -> str:
    """`first`: the id of the page at place 1, "" when it is not for the asker any more."""
    if lost_at == "candidates":
        return (
            f"No chunk of this page was among the best {candidates} by vector or the best {candidates} "
            "by words (`candidates`). See which of the question's words the page lacks."
        )
    if lost_at == "documents_ranked":
        return (
            f"This page was a candidate, at place {fused} of the documents; the best {kept} are "
            "kept (`documents_ranked`)."
        )
    if lost_at == "rerank":
        return (
            f"This page was found, at place {fused} of the documents, and put behind the best {kept} that are kept "
            "(`documents_ranked`): others fit better by their titles, or by the reranker if there is one."
        )
    if lost_at == "prefer":
        return (
            "This page was among the documents that are kept, and gave its place to another version of the same page "
            "that covers the version asked for."
        )
    if lost_at == "traverse":
        return (
            "This page was among the documents that are kept, and gave its place to a page that the graph led to from "
            "what the question names."
        )
    if lost_at == "evidence_chunks":
        return (
            f"This page was ranked, at place {preferred}. The pages before it filled the evidence, {len(evidence)} "
            "chunks (`evidence_chunks`), or its text repeats theirs."
        )
    if lost_at == "gate":
        return (
            f"This page was found, at place {preferred}, and read. The relevance gate judged that the evidence does "
            "not answer the question."
        )
    if preferred == 1:
        return "This page was found first and read: the answer was written from it if there was one."
    return (
        f"This page was found, at place {preferred}, and read. Answers begin with the page at place 1: "
        f"{first or 'one that is not there for you any more'}."
    )


def verdict_of_list(doc_id: str, listed: Mapping[str, bool], *, verdict: str) -> str:
    """For an answer that lists usual causes. `listed`: documents that tell one, and whether the answer cites them.
    `verdict`: where the search lost the page, if it did."""
    if doc_id not in listed:
        told = "The answer lists the causes that several pages tell, and this page tells none of these."
        return f"{told} {verdict}".strip()
    if listed[doc_id]:
        return "This page tells one of the causes that the answer lists, and is cited for it."
    return "This page tells one of the causes that the answer lists in the same words as the page that is cited for it."
