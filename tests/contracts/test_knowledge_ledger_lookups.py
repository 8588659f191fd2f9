"""What every KnowledgeLedger promises: lookups inside a scope."""

from __future__ import annotations

import pytest
from ledger_samples import KB, Ledgers, ids, published, scope, stored

from firstline.domain import DocumentKind, Level
from firstline.ports import Scope, StoredDocument

STAFF = frozenset({"staff", "partners"})


async def visible(ledgers: Ledgers, document: StoredDocument, view: Scope) -> bool:
    """Whether a document shows; every way to look it up must agree."""
    ledger = ledgers.knowledge
    found = await ledger.chunks(ids(document), view)
    whole = await ledger.document_chunks(document.document.doc_id, view)
    near = await ledger.neighbours(document.chunks[0], view, before=0, after=99)
    itself = await ledger.document(document.document.doc_id, view)
    several = await ledger.documents(["no such", document.document.doc_id], view)
    assert several == ([itself] if itself is not None else [])
    assert found == whole == near
    assert len(found) in (0, len(document.chunks))
    assert (itself is not None) == bool(found)
    return bool(found)


async def test_chunks_come_in_the_order_asked_without_unknown_ones(ledgers: Ledgers, tenant: str) -> None:
    document = stored(tenant, "a", since=1)
    await published(ledgers.knowledge, tenant, document)
    first, second, third = ids(document)
    unknown = "00000000-0000-4000-8000-000000000000"
    asked = [third, unknown, "not an id", first, "", second, first.upper(), "\x00", "\ud800"]
    found = await ledgers.knowledge.chunks(asked, scope(tenant, 1))
    assert [chunk.chunk_id for chunk in found] == [third, first, second]
    assert await ledgers.knowledge.chunks([], scope(tenant, 1)) == []


async def test_documents_come_in_the_order_asked_each_once_without_unknown_ones(ledgers: Ledgers, tenant: str) -> None:
    known = [stored(tenant, name, since=1, metadata={"version": name}) for name in ("a", "b", "c")]
    await published(ledgers.knowledge, tenant, *known)
    asked = ["c", "no such", "a", "", "c", "A", "\x00", "\ud800"]
    found = await ledgers.knowledge.documents(asked, scope(tenant, 1))
    assert found == [known[2].document, known[0].document]
    assert await ledgers.knowledge.documents([], scope(tenant, 1)) == []


async def test_neighbours_stay_inside_the_revision(ledgers: Ledgers, tenant: str) -> None:
    document, other = stored(tenant, "a", since=1, chunks=6), stored(tenant, "b", since=1, chunks=6)
    await published(ledgers.knowledge, tenant, document, other)

    async def near(position: int, before: int, after: int) -> list[int]:
        found = await ledgers.knowledge.neighbours(
            document.chunks[position], scope(tenant, 1), before=before, after=after
        )
        assert {chunk.doc_id for chunk in found} == {"a"}
        return [chunk.ordinal for chunk in found]

    assert await near(2, 1, 2) == [1, 2, 3, 4]
    assert await near(0, 3, 0) == [0]
    assert await near(5, 1, 9) == [4, 5]


@pytest.mark.parametrize(
    ("acl", "tags", "shows"),
    [
        (frozenset({"everyone"}), frozenset({"everyone"}), True),
        (frozenset({"staff", "everyone"}), frozenset({"staff"}), True),
        (frozenset({"staff"}), frozenset({"everyone"}), False),
        (frozenset({"staff"}), frozenset[str](), False),
        (frozenset[str](), frozenset({"everyone", "staff"}), False),
        (frozenset[str](), frozenset[str](), False),
    ],
)
async def test_acl(ledgers: Ledgers, tenant: str, acl: frozenset[str], tags: frozenset[str], shows: bool) -> None:
    document = stored(tenant, "a", since=1, acl=acl)
    await published(ledgers.knowledge, tenant, document)
    assert await visible(ledgers, document, scope(tenant, 1, acl_tags=tags)) is shows


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("level_max", Level)
async def test_level(ledgers: Ledgers, tenant: str, level: Level, level_max: Level) -> None:
    document = stored(tenant, "a", since=1, level=level)
    await published(ledgers.knowledge, tenant, document)
    assert await visible(ledgers, document, scope(tenant, 1, level_max=level_max)) is (level <= level_max)


async def test_tenants_and_knowledge_bases_never_meet(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    mine, theirs = stored(tenant, "a", since=1), stored(f"{tenant}-2", "a", since=1)
    other = stored(tenant, "a", since=1, kb="other")
    await published(ledger, tenant, mine)
    await published(ledger, f"{tenant}-2", theirs)
    await published(ledger, tenant, other, kb="other")
    assert await visible(ledgers, mine, scope(tenant, 1))
    assert await ledger.chunks(ids(theirs, other), scope(tenant, 1)) == []
    for foreign in (theirs, other):
        assert await ledger.neighbours(foreign.chunks[0], scope(tenant, 1), before=9, after=9) == []
    assert await ledger.document("a", scope(tenant, 1)) == mine.document
    assert await ledger.document_chunks("a", scope(tenant, 1, kb="other")) == list(other.chunks)
    assert await ledger.knowledge_bases(tenant=tenant) == [KB, "other"]
    assert list(await ledger.current(tenant=f"{tenant}-2", kb=KB)) == ["a"]


async def test_a_snapshot_shows_what_it_held(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    first = stored(tenant, "a", since=1)
    await published(ledger, tenant, first)
    second = stored(tenant, "a", since=2, text="second")
    await published(ledger, tenant, second)
    await ledger.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")
    await ledger.end(tenant=tenant, kb=KB, candidate=3, doc_ids=["a"])
    await ledger.publish(tenant=tenant, kb=KB, candidate=3)
    third = stored(tenant, "a", since=4, text="third")
    await ledger.open_candidate(tenant=tenant, kb=KB, embedder_id="embedder")
    await ledger.write([third])
    seen = {
        snapshot: [
            len(await ledger.chunks(ids(revision), scope(tenant, snapshot))) for revision in (first, second, third)
        ]
        for snapshot in range(5)
    }
    assert seen == {0: [0, 0, 0], 1: [3, 0, 0], 2: [0, 3, 0], 3: [0, 0, 0], 4: [0, 0, 3]}


async def test_faq_is_found_by_its_question_key(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    faq = stored(
        tenant, "faq#1", since=1, kind=DocumentKind.FAQ, metadata={"question_key": "how do i reset"}, acl=STAFF
    )
    twin = stored(tenant, "faq#2", since=1, kind=DocumentKind.FAQ, metadata={"question_key": "how do i reset"})
    note = stored(tenant, "note", since=1, kind=DocumentKind.NOTE, metadata={"question_key": "what is it"})
    await published(ledger, tenant, faq, twin, note)
    staff = scope(tenant, 1, acl_tags=STAFF | {"everyone"})
    assert await ledger.faq("how do i reset", staff) == faq.document, "ties by doc_id"
    assert await ledger.faq("how do i reset", scope(tenant, 1)) == twin.document
    assert await ledger.faq("what is it", staff) is None, "not a FAQ"
    assert await ledger.faq("how do i", staff) is None
    assert await ledger.faq("\x00", staff) is None
    assert await ledger.faq("how do i reset", scope(tenant, 0)) is None
    assert await ledger.faq("how do i reset", scope(tenant, 1, acl_tags=frozenset({"guests"}))) is None
