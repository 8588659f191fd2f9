"""How sure is an edge? The share of edges of its relation and kind that were right when they were read one by one.

Source: rounds 3 to 5 of benchmarks/graph_judged.jsonl (558 edges over three corpora, drawn anew for each round), and
for MENTIONS of settings and components round 6, 30 edges each of version 2; `python -m benchmarks.graph_extract`
counts them. Where fewer than five were met it is DEFAULT.
"""

from __future__ import annotations

from typing import Final

from firstline.domain import EntityKind, Relation

SURE: Final = 0.99
"""Of what was never wrong in the sample: it was a sample."""
DEFAULT: Final = 0.8
"""Of what too few were met of to measure."""

MEASURED: Final = {
    (Relation.AFFECTS, EntityKind.COMPONENT): 0.93,
    (Relation.AFFECTS, EntityKind.VERSION): 0.91,
    (Relation.APPLIES_TO, EntityKind.COMPONENT): 0.57,
    (Relation.APPLIES_TO, EntityKind.VERSION): SURE,
    (Relation.HAS_ROOT_CAUSE, EntityKind.ROOT_CAUSE): 0.90,
    (Relation.MENTIONS, EntityKind.COMMAND): 0.97,
    (Relation.MENTIONS, EntityKind.COMPONENT): 0.87,
    (Relation.MENTIONS, EntityKind.ERROR): 0.87,
    (Relation.MENTIONS, EntityKind.METHOD): SURE,
    (Relation.MENTIONS, EntityKind.SETTING): 0.97,  # all 30 were right: as if one in 31 had not been
    (Relation.MENTIONS, EntityKind.VERSION): SURE,
    (Relation.NAMES, EntityKind.ADDRESS): SURE,
    (Relation.NAMES, EntityKind.COMPONENT): SURE,
    (Relation.NAMES, EntityKind.ERROR): SURE,
    (Relation.NEXT, EntityKind.SECTION): SURE,
    (Relation.PART_OF, EntityKind.DOCUMENT): SURE,
    (Relation.PART_OF, EntityKind.SECTION): SURE,
    (Relation.REFERENCES, EntityKind.ADDRESS): 0.98,
    (Relation.RESOLVES, EntityKind.ERROR): 0.93,
    (Relation.RESOLVES, EntityKind.SYMPTOM): 0.89,
}


def confidence(relation: Relation, kind: EntityKind) -> float:
    """`kind` is the target's."""
    return MEASURED.get((relation, kind), DEFAULT)
