"""Spelling looks words up: one that stands in forgotten documents alone is not there, from the burial on."""

from __future__ import annotations

from ledger_samples import KB, Ledgers, stored

from firstline.domain import Level
from firstline.ports import Scope


def scope(tenant: str, snapshot: int) -> Scope:
    return Scope(tenant=tenant, kb=KB, acl_tags=frozenset({"everyone"}), level_max=Level.PUBLIC, snapshot=snapshot)


async def test_a_word_goes_with_the_last_document_that_is_not_forgotten(ledgers: Ledgers, tenant: str) -> None:
    knowledge = ledgers.knowledge
    candidate = await knowledge.open_candidate(tenant=tenant, kb=KB, embedder_id="e")
    await knowledge.write(
        [
            stored(tenant, "one.md", since=candidate, words=frozenset({"shared", "alone"})),
            stored(tenant, "two.md", since=candidate, words=frozenset({"shared"})),
            # The same words, for others: they neither keep a word there nor take it away.
            stored(tenant, "team.md", since=candidate, words=frozenset({"alone"}), acl=frozenset({"team"})),
        ]
    )
    await knowledge.publish(tenant=tenant, kb=KB, candidate=candidate)
    asked = ["shared", "alone"]
    assert set(await knowledge.word_counts(asked, scope(tenant, candidate)) or ()) == {"shared", "alone"}
    await ledgers.tombstones.bury(["one.md"], tenant=tenant, kb=KB, by="u")
    assert set(await knowledge.word_counts(asked, scope(tenant, candidate)) or ()) == {"shared"}
    await ledgers.tombstones.bury(["two.md"], tenant=tenant, kb=KB, by="u")
    assert await knowledge.word_counts(asked, scope(tenant, candidate)) == {}
