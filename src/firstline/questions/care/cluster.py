"""Which questions ask the same? Leader clustering on their embeddings.

Those who come first lead, so the order is not left to chance: by how often a wording was asked, then by the wording.
The same questions give the same clusters, in whatever order they arrive. A second round moves everybody to the nearest
leader: who came before a better leader was found does not stay with a worse one. Only questions of one `kind` meet: a
close vector does not tell 404 from 500, or switching on from switching off.

Bounded: at most `leaders_max` leaders per kind, and one block of similarities at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from firstline.ports import Vectors

BLOCK: Final = 512
LEADERS_MAX: Final = 4_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """A question as it was worded, how often, and what it must share with those it is put together with."""

    text: str
    count: int
    kind: Hashable = None


def cluster(
    wordings: Sequence[Wording], vectors: Vectors, *, alike_min: float, leaders_max: int = LEADERS_MAX
) -> list[list[int]]:
    """Positions of the wordings, by cluster, leader first; clusters with most turns first. `vectors` has one normalised
    row per wording; those whose cosine to a leader is at least `alike_min` may join it."""
    kinds: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in sorted(range(len(wordings)), key=lambda at: (-wordings[at].count, wordings[at].text)):
        kinds[wordings[at].kind].append(at)
    found = [group for members in kinds.values() for group in _of_kind(members, vectors, alike_min, leaders_max)]
    found.sort(key=lambda group: (-sum(wordings[at].count for at in group), wordings[group[0]].text))
    return found


def _of_kind(order: Sequence[int], vectors: Vectors, alike_min: float, leaders_max: int) -> list[list[int]]:
    rows = np.ascontiguousarray(vectors[list(order)], dtype=np.float32)
    leaders = _leaders(rows, alike_min, leaders_max)
    groups: list[list[int]] = [[order[at]] for at in leaders]
    led = set(leaders)
    heads = rows[leaders]
    for start in range(0, len(rows), BLOCK):
        near = rows[start : start + BLOCK] @ heads.T
        best = near.argmax(axis=1)
        for row, which in enumerate(best):
            at = start + row
            if at in led:
                continue
            # Beyond the last leader that there may be, one that is like none stands alone.
            if near[row, which] >= alike_min:
                groups[int(which)].append(order[at])
            else:
                groups.append([order[at]])
    return groups


def _leaders(rows: Vectors, alike_min: float, leaders_max: int) -> list[int]:
    leaders: list[int] = []
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        led = (block @ rows[leaders].T).max(axis=1) >= alike_min if leaders else np.zeros(len(block), dtype=bool)
        among = block @ block.T
        fresh: list[int] = []
        for row in np.flatnonzero(~led):
            if len(leaders) + len(fresh) >= leaders_max:
                break
            if not fresh or among[row, fresh].max() < alike_min:
                fresh.append(int(row))
        leaders += [start + row for row in fresh]
    return leaders
