"""Tables `[knowledge_bases.NAME]` of the settings that look like a slip: they are valid, and do something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firstline.settings import Settings

NEAR = 0.75
"""How alike a phrase and the name of a built-in topic are when one is taken for the other."""


def table_warnings(settings: Settings, known: Sequence[str]) -> Iterator[str]:
    """One sentence for each finding. `known`: the knowledge bases that exist."""
    from firstline.questions.topics import BUILT_IN

    for name, table in settings.knowledge_bases.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known) or 'none'}."
            yield f"[knowledge_bases.{name}] is of no knowledge base, so it changes nothing. {remedy}"
        for phrase in table.refused_topics:
            meant = get_close_matches(phrase.lower().replace(" ", "_"), BUILT_IN, n=1, cutoff=NEAR)
            if phrase not in BUILT_IN and meant:
                yield (
                    f"[knowledge_bases.{name}] refuses the words {phrase!r}, which is not the built-in topic "
                    f"{meant[0]!r}. Write {meant[0]!r} when that is meant."
                )
