"""What every RevisionLedger promises: every revision that is held, each once, with its chunks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ledger_samples import KB, Ledgers, publish, published, scope, stored

from firstline.domain import FOREVER, Level, acting_for
from firstline.ports import StoredDocument


async def all_of(ledgers: Ledgers, tenant: str, *, limit: int = 2, kb: str = KB) -> list[StoredDocument]:
    found: list[StoredDocument] = []
    after: tuple[str, int] | None = None
    while page := await ledgers.revisions.revisions(tenant=tenant, kb=kb, after=after, limit=limit):
        assert len(page) <= limit
        found += page
        after = page[-1].document.doc_id, page[-1].document.since
    return found


def places(found: list[StoredDocument]) -> list[tuple[str, int, int]]:
    return sorted((one.document.doc_id, one.document.since, one.document.until) for one in found)


async def three(ledgers: Ledgers, tenant: str) -> None:
    """a stays, b is replaced in 2 and ends in 3, c is an inner one; nobody sees d."""
    await published(
        ledgers.knowledge,
        tenant,
        stored(tenant, "a", since=1, words=frozenset({"word"}), metadata={"product": "x", "aliases": "y"}),
        stored(tenant, "b", since=1, chunks=1),
        stored(tenant, "c", since=1, acl=frozenset({"staff"}), level=Level.RESTRICTED),
        stored(tenant, "d", since=1, acl=frozenset()),
    )
    await published(ledgers.knowledge, tenant, stored(tenant, "b", since=2, text="2"))
    await ledgers.knowledge.end(tenant=tenant, kb=KB, candidate=3, doc_ids=["b"])
    await publish(ledgers.knowledge, tenant, 3)


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_every_revision_comes_once_whoever_may_see_it(ledgers: Ledgers, tenant: str, limit: int) -> None:
    await three(ledgers, tenant)
    found = await all_of(ledgers, tenant, limit=limit)
    assert places(found) == [
        ("a", 1, FOREVER),
        ("b", 1, 2),
        ("b", 2, 3),
        ("c", 1, FOREVER),
        ("d", 1, FOREVER),
    ]
    assert [one.document.doc_id for one in found].count("b") == 2
    first = [one.document.doc_id for one in found].index("b")
    assert found[first + 1].document.doc_id == "b", "those of a document come together"


async def test_a_revision_comes_back_as_it_went_in_without_its_words(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    (first,) = await ledgers.revisions.revisions(tenant=tenant, kb=KB, limit=1)
    wanted = stored(tenant, "a", since=1, metadata={"product": "x", "aliases": "y"}, words=None)
    assert first == wanted
    assert [chunk.ordinal for chunk in first.chunks] == [0, 1, 2]


async def test_those_of_the_open_candidate_and_of_snapshots_gone_back_from_are_there(
    ledgers: Ledgers, tenant: str
) -> None:
    await three(ledgers, tenant)
    await ledgers.knowledge.write([stored(tenant, "e", since=4)])
    assert ("e", 4, FOREVER) in places(await all_of(ledgers, tenant))
    await publish(ledgers.knowledge, tenant, 4)
    await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
    assert ("e", 4, FOREVER) in places(await all_of(ledgers, tenant)), "it may be gone on to"


async def test_forgotten_and_pruned_ones_are_not(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    await ledgers.tombstones.bury(["a"], tenant=tenant, kb=KB, by="x")
    assert {one.document.doc_id for one in await all_of(ledgers, tenant)} == {"b", "c", "d"}
    await ledgers.snapshots.retire(tenant=tenant, kb=KB, keep=1)
    assert {one.document.doc_id for one in await all_of(ledgers, tenant)} == {"c", "d"}, "nobody can go back to b"


async def test_other_tenants_and_knowledge_bases_have_their_own(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    await published(ledgers.knowledge, tenant, stored(tenant, "z", since=1, kb="other"), kb="other")
    assert places(await all_of(ledgers, tenant, kb="other")) == [("z", 1, FOREVER)]
    assert await all_of(ledgers, f"{tenant}-2") == []
    assert await all_of(ledgers, tenant, kb="none") == []
    with acting_for(tenant):
        assert len(await all_of(ledgers, tenant)) == 5


async def test_documents_and_chunks_are_counted_inside_the_scope(ledgers: Ledgers, tenant: str) -> None:
    await three(ledgers, tenant)
    assert await ledgers.revisions.held_in(scope(tenant, 1)) == (2, 4)
    assert await ledgers.revisions.held_in(scope(tenant, 2)) == (2, 6)
    assert await ledgers.revisions.held_in(scope(tenant, 3)) == (1, 3)
    inner = replace(scope(tenant, 3), acl_tags=frozenset({"staff", "everyone"}), level_max=Level.RESTRICTED)
    assert await ledgers.revisions.held_in(inner) == (2, 6)
    assert await ledgers.revisions.held_in(replace(inner, acl_tags=frozenset())) == (0, 0)
    await ledgers.tombstones.bury(["a"], tenant=tenant, kb=KB, by="x")
    assert await ledgers.revisions.held_in(inner) == (1, 3)
