"""One question back, from what the evidence would distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firstline.domain import Clarify, Evidence

OPTIONS_MAX: Final = 3


def clarify(evidence: Sequence[Evidence]) -> Clarify:
    """Ask which of the pages found is meant, or for detail where there are no two to choose from."""
    titles = tuple(dict.fromkeys(piece.chunk.title for piece in evidence))[:OPTIONS_MAX]
    if len(titles) > 1:
        question = (
            "I am not sure which of these you mean. Pick one, or tell me the exact error message, the version "
            "and what you were doing."
        )
        return Clarify(question=question, options=titles)
    return Clarify(
        question="Can you tell me more: the exact error message, the version, and what you were doing?", options=()
    )
