"""Which documents of a part tell of the same? Leiden communities (modularity), the same for the same edges.

Nodes are documents and what they speak of. What a document tells the cause of holds it faster than what it mentions,
and what few mention faster than what many do. A small part is one community; one that is too large is divided further.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from firstline.documents.communities.parts import (
    DOCUMENTS_MIN,
    HUB_DOCUMENTS,
    NODES_MIN,
    Part,
    document_node,
    joins,
)
from firstline.domain import Relation

WHOLE_MAX: Final = 24
"""Nodes of a part that is not divided."""
SIZE_MAX: Final = 400
"""Nodes of a community that is divided further, where it can be: what one error alone holds together stays."""
LEFT_OVER_MAX: Final = 0.1
"""Share of its nodes that dividing one further may leave in no community: beyond it, it stays as it is."""
ROUNDS_MAX: Final = 5
RESOLUTION: Final = 0.5
FINER: Final = 3.0
"""Of each round, in resolutions of the one before."""
ITERATIONS: Final = 3
DOCUMENT: Final = document_node("")
SEED: Final = 20_011
RANDOMNESS: Final = 0.001

WEIGHTS: Final[Mapping[Relation, float]] = {
    Relation.HAS_ROOT_CAUSE: 3.0,
    Relation.RESOLVES: 3.0,
    Relation.DUPLICATE_OF: 3.0,
    Relation.SUPERSEDES: 3.0,
    Relation.AFFECTS: 2.0,
    Relation.MENTIONS: 1.0,
}

Weighted = dict[tuple[str, str], float]


def clusters(part: Part) -> list[tuple[str, ...]]:
    """The nodes of each community, sorted; in the order of their first ones."""
    weights = _weighted(part)
    nodes = sorted({node for pair in weights for node in pair})
    if len(nodes) < NODES_MIN:
        return []
    if len(nodes) <= WHOLE_MAX:
        return [tuple(nodes)]
    return sorted(_divided(weights, RESOLUTION, ROUNDS_MAX))


def _weighted(part: Part) -> Weighted:
    """Each pair once, by name. A pair that several chunks tell of counts by its surest edge of each relation."""
    surest: dict[tuple[str, str, Relation], float] = {}
    mentioned: dict[str, set[str]] = defaultdict(set)
    for edge in part.edges:
        for one, other in joins(edge):
            key = (min(one, other), max(one, other), edge.relation)
            surest[key] = max(surest.get(key, 0.0), edge.confidence)
            mentioned[other].add(one)
    weights: Weighted = defaultdict(float)
    for (one, other, relation), confidence in sorted(surest.items()):
        many = max(len(mentioned.get(one, ())), len(mentioned.get(other, ())))
        if relation is Relation.MENTIONS and many > HUB_DOCUMENTS:
            continue
        damped = math.sqrt(many) if relation in (Relation.MENTIONS, Relation.AFFECTS) else 1.0
        weights[one, other] += WEIGHTS[relation] * confidence / damped
    return {pair: weight for pair, weight in sorted(weights.items()) if weight > 0}


def _divided(weights: Weighted, resolution: float, rounds: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for nodes in _held(_leiden(weights, resolution), weights):
        finer: list[tuple[str, ...]] = []
        if len(nodes) > SIZE_MAX and rounds > 1:
            inside = frozenset(nodes)
            own = {pair: weight for pair, weight in weights.items() if pair[0] in inside and pair[1] in inside}
            finer = _divided(own, resolution * FINER, rounds - 1)
        left_over = sum(len(group) for group in finer if not _may_be_one(group))
        found += finer if finer and left_over <= LEFT_OVER_MAX * len(nodes) else [nodes]
    return found


def _may_be_one(nodes: Sequence[str]) -> bool:
    return sum(node.startswith(DOCUMENT) for node in nodes) >= DOCUMENTS_MIN


def _held(groups: Sequence[tuple[str, ...]], weights: Weighted) -> list[tuple[str, ...]]:
    """What has too few documents for a community joins the one that holds it fastest: modularity breaks pieces off a
    star, and a thousand tickets of one error are one matter."""
    group_of = {node: place for place, nodes in enumerate(groups) for node in nodes}
    large = [_may_be_one(nodes) for nodes in groups]
    pulls: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for (one, other), weight in weights.items():
        for near, far in ((group_of[one], group_of[other]), (group_of[other], group_of[one])):
            if not large[near] and large[far]:
                pulls[near][far] += weight
    held = [list(nodes) for nodes in groups]
    for place, pulled in pulls.items():
        target = min(pulled, key=lambda far: (-pulled[far], groups[far][0]))
        held[target] += groups[place]
        held[place] = []
    return [tuple(sorted(nodes)) for nodes in held if nodes]


def _leiden(weights: Weighted, resolution: float) -> list[tuple[str, ...]]:
    # Only a build needs it: nobody else waits for it to be loaded.
    import graspologic_native  # pyright: ignore[reportMissingTypeStubs]  (the package ships no types)

    leiden = cast(Any, graspologic_native).leiden
    _, communities = leiden(
        edges=[(one, other, weight) for (one, other), weight in weights.items()],
        starting_communities=None,
        resolution=resolution,
        randomness=RANDOMNESS,
        iterations=ITERATIONS,
        use_modularity=True,
        seed=SEED,
        trials=1,
    )
    grouped: dict[int, list[str]] = defaultdict(list)
    for node, number in cast("Mapping[str, int]", communities).items():
        grouped[number].append(node)
    return sorted(tuple(sorted(nodes)) for nodes in grouped.values())
