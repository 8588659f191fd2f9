"""What every KnowledgeLedger promises about words: which ones an asker may see, and how many documents hold them."""

from __future__ import annotations

import asyncio

import pytest
from ledger_samples import KB, Ledgers, publish, published, scope, stored

from firstline.domain import Level

RESTART = frozenset({"restart"})


async def counts(ledgers: Ledgers, tenant: str, snapshot: int, *words: str, **view: object) -> dict[str, int] | None:
    return await ledgers.elsewhere.word_counts(words, scope(tenant, snapshot, **view))  # pyright: ignore[reportArgumentType]  (a table of test values)


async def test_words_are_counted_by_document(ledgers: Ledgers, tenant: str) -> None:
    await published(
        ledgers.knowledge,
        tenant,
        stored(tenant, "a", since=1, words=frozenset({"restart", "e11000"})),
        stored(tenant, "b", since=1, words=RESTART),
        stored(tenant, "c", since=1),
    )
    assert await counts(ledgers, tenant, 1, "restart", "e11000", "unheard") == {"restart": 2, "e11000": 1}
    assert await counts(ledgers, tenant, 1) == {}
    assert await counts(ledgers, tenant, 1, "rest%", "RESTART", "nul\x00", "'; --") == {}
    assert await counts(ledgers, tenant, 1, "restart", "restart") == {"restart": 2}


@pytest.mark.parametrize("acl", [frozenset({"staff"}), frozenset[str]()])
async def test_a_word_that_only_others_may_read_is_unknown(ledgers: Ledgers, tenant: str, acl: frozenset[str]) -> None:
    secret = stored(tenant, "a", since=1, acl=acl, words=frozenset({"restart", "merger"}))
    await published(ledgers.knowledge, tenant, secret, stored(tenant, "b", since=1, words=RESTART))
    assert await counts(ledgers, tenant, 1, "restart", "merger") == {"restart": 1}
    assert await counts(ledgers, tenant, 1, "restart", "merger", acl_tags=frozenset[str]()) == {}
    if acl:
        both = frozenset({"staff", "everyone"})
        assert await counts(ledgers, tenant, 1, "restart", "merger", acl_tags=both) == {"restart": 2, "merger": 1}


async def test_a_word_above_the_askers_level_is_unknown(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1, level=Level.INTERNAL, words=RESTART))
    assert await counts(ledgers, tenant, 1, "restart", level_max=Level.CUSTOMER) == {}
    assert await counts(ledgers, tenant, 1, "restart", level_max=Level.INTERNAL) == {"restart": 1}


async def test_words_of_tenants_and_knowledge_bases_never_meet(ledgers: Ledgers, tenant: str) -> None:
    other = f"{tenant}-other"
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1, words=RESTART))
    await published(ledgers.knowledge, other, stored(other, "a", since=1, words=frozenset({"merger"})))
    await published(
        ledgers.knowledge, tenant, stored(tenant, "a", since=1, kb="more", words=frozenset({"more"})), kb="more"
    )
    assert await counts(ledgers, tenant, 1, "restart", "merger", "more") == {"restart": 1}
    assert await counts(ledgers, tenant, 1, "restart", "merger", "more", kb="more") == {"more": 1}
    assert await counts(ledgers, other, 1, "restart", "merger", "more") == {"merger": 1}


async def test_words_of_a_candidate_are_unknown_until_it_is_published(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1, words=RESTART))
    await ledgers.knowledge.write([stored(tenant, "b", since=2, words=frozenset({"replica"}))])
    assert await counts(ledgers, tenant, 1, "restart", "replica") == {"restart": 1}
    await publish(ledgers.knowledge, tenant, 2)
    assert await counts(ledgers, tenant, 2, "restart", "replica") == {"restart": 1, "replica": 1}


async def test_writing_again_counts_once(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1, words=RESTART))
    for text in ("first", "second", "second"):
        await ledgers.knowledge.write([stored(tenant, "a", since=2, text=text, words=RESTART | {text})])
    assert await counts(ledgers, tenant, 1, "restart") == {"restart": 1}
    await publish(ledgers.knowledge, tenant, 2)
    assert await counts(ledgers, tenant, 2, "restart", "first", "second") == {"restart": 1, "second": 1}


async def test_words_of_an_ended_document_are_gone_with_it_and_return_with_it(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await published(ledger, tenant, stored(tenant, "a", since=1, words=RESTART))
    await ledger.end(tenant=tenant, kb=KB, candidate=2, doc_ids=["a"])
    assert await counts(ledgers, tenant, 1, "restart") == {"restart": 1}, "still published"
    await ledger.unend(tenant=tenant, kb=KB, candidate=2, doc_ids=["a"])
    await publish(ledger, tenant, 2)
    assert await counts(ledgers, tenant, 2, "restart") == {"restart": 1}
    for _ in range(2):
        await ledger.end(tenant=tenant, kb=KB, candidate=3, doc_ids=["a"])
    await publish(ledger, tenant, 3)
    assert await counts(ledgers, tenant, 3, "restart") == {}
    await published(ledger, tenant, stored(tenant, "a", since=4, words=RESTART))
    assert await counts(ledgers, tenant, 4, "restart") == {"restart": 1}


async def test_a_document_that_is_closed_takes_its_words_along(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1, words=RESTART))
    closed = stored(tenant, "a", since=2, acl=frozenset({"staff"}), words=RESTART)
    await published(ledgers.knowledge, tenant, closed)
    assert await counts(ledgers, tenant, 2, "restart") == {}
    assert await counts(ledgers, tenant, 2, "restart", acl_tags=frozenset({"staff"})) == {"restart": 1}


async def test_writers_whose_words_cross_do_not_lock_each_other_out(ledgers: Ledgers, tenant: str) -> None:
    await published(ledgers.knowledge, tenant, stored(tenant, "c", since=1))
    many = [frozenset(f"{letter}{number}" for number in range(300)) for letter in "az"]
    for turn in range(12):
        await asyncio.gather(
            ledgers.knowledge.write([stored(tenant, "a", since=2, words=many[turn % 2])]),
            ledgers.elsewhere.write([stored(tenant, "b", since=2, words=many[1 - turn % 2])]),
        )
    await publish(ledgers.knowledge, tenant, 2)
    assert await counts(ledgers, tenant, 2, "a0", "z299") == {"a0": 1, "z299": 1}


async def test_words_are_not_told_while_a_current_document_has_none_recorded(ledgers: Ledgers, tenant: str) -> None:
    """The words of that document would count as unknown."""
    ledger = ledgers.knowledge
    for kb in (KB, "more"):
        await published(ledger, tenant, stored(tenant, "a", since=1, kb=kb, words=RESTART), kb=kb)
    await ledger.write([stored(tenant, "old", since=2, acl=frozenset({"staff"}), words=None)])
    assert await counts(ledgers, tenant, 1, "restart") == {"restart": 1}, "not published yet"
    await publish(ledger, tenant, 2)
    assert await counts(ledgers, tenant, 2, "restart", "unheard") is None
    assert await counts(ledgers, tenant, 2) is None
    assert await counts(ledgers, tenant, 1, "restart", kb="more") == {"restart": 1}
    await ledger.write([stored(tenant, "old", since=3, words=frozenset())])
    assert await counts(ledgers, tenant, 2, "restart") is None, "still published"
    await publish(ledger, tenant, 3)
    assert await counts(ledgers, tenant, 3, "restart", "unheard") == {"restart": 1}, "a text without words is no gap"


async def test_words_are_told_again_when_the_document_without_any_ends(ledgers: Ledgers, tenant: str) -> None:
    ledger = ledgers.knowledge
    await published(
        ledger, tenant, stored(tenant, "a", since=1, words=RESTART), stored(tenant, "old", since=1, words=None)
    )
    assert await counts(ledgers, tenant, 1, "restart") is None
    await ledger.end(tenant=tenant, kb=KB, candidate=2, doc_ids=["old"])
    await ledger.unend(tenant=tenant, kb=KB, candidate=2, doc_ids=["old"])
    await publish(ledger, tenant, 2)
    assert await counts(ledgers, tenant, 2, "restart") is None
    await ledger.end(tenant=tenant, kb=KB, candidate=3, doc_ids=["old"])
    await publish(ledger, tenant, 3)
    assert await counts(ledgers, tenant, 3, "restart") == {"restart": 1}
