"""The knowledge base's word on what triage could not settle by itself, and on evidence that is too weak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firstline.domain import Triage
from firstline.questions.asked import Asked
from firstline.questions.message.references import stands_alone
from firstline.questions.out_of_scope import off_topic, out_of_scope, scope_features, settled
from firstline.questions.rewrite import rewrite
from firstline.questions.search import Search
from firstline.questions.sorting import ruled
from firstline.questions.topics import TopicRules
from firstline.questions.trail import Trail

APART: Final = "settle "
"""Goes before the name of a stage of this search in what is noted as degraded."""


async def settle(asked: Asked, trail: Trail, *, search: Search, limit: int, rules: Mapping[str, TopicRules]) -> None:
    """Settles the trail's triage by the distance to the knowledge base, once there are candidates, and then by the
    rules, which know by now how the message was read.

    A message that stands alone is measured by itself: after a question about backups, one about restaurants would
    otherwise be found near the pages on backups.
    """
    if trail.triage is None:
        return
    found = trail.triage if trail.triage.settled else await _measured(asked, trail, trail.triage, search, limit)
    trail.triage = ruled(found, asked, rules, trail.plan, read_as=trail.read_as)


async def _measured(asked: Asked, trail: Trail, found: Triage, search: Search, limit: int) -> Triage:
    ranked = trail.ranked
    if asked.history and stands_alone(asked.question):
        own = Trail(then={stage.removeprefix(APART): noted for stage, noted in trail.then.items() if APART in stage})
        ranked = await search.rank(
            rewrite(asked.question, earlier=[]), asked.scope, own, limit=limit, exclude=asked.exclude
        )
        trail.degraded |= {f"{APART}{stage}": noted for stage, noted in own.degraded.items()}
    reading = out_of_scope(scope_features(asked.question, ranked, trail.probabilities))
    trail.gates.append(reading)
    return settled(found, beyond=not reading.passed)


def weak(asked: Asked, trail: Trail, rules: Mapping[str, TopicRules]) -> bool:
    """The evidence is too weak: is that because the question lies beyond the knowledge base? A follow-up, and one that
    was searched by words alone, say too little to tell. Says whether the trail's triage changed."""
    if trail.triage is None or asked.history or "embed" in trail.degraded or not trail.probabilities:
        return False
    reading = out_of_scope(scope_features(asked.question, trail.ranked, trail.probabilities))
    changed = off_topic(trail.triage, reading, trail.probabilities)
    if changed is not trail.triage:
        changed = ruled(changed, asked, rules, trail.plan, read_as=trail.read_as)
    if changed.category is trail.triage.category:
        return False
    trail.gates.append(reading)
    trail.triage = changed
    return True
