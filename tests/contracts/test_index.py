"""What every chunk index promises."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_samples import DIMENSIONS, axis, entry, question

from firstline.domain import EVERYONE, FOREVER, Level
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.qdrant_edge import open_qdrant_edge
from firstline.errors import InvalidInput
from firstline.ports import ChunkIndex


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for the module: its worker stays between tests, which keep apart by tenant."""
    return tmp_path_factory.mktemp("index")


@pytest.fixture(params=["memory", "qdrant_edge"])
async def index(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[ChunkIndex]:
    if request.param == "memory":
        yield MemoryIndex(dimensions=DIMENSIONS)
    else:
        async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as opened:
            yield opened


@pytest.fixture
def tenant() -> str:
    return f"tenant-{uuid.uuid4()}"


def idf(population: int, holders: int) -> float:
    return math.log(1 + (population - holders + 0.5) / (holders + 0.5))


async def test_every_score_of_every_hit_is_exact(index: ChunkIndex, tenant: str) -> None:
    near = entry(tenant=tenant, doc_id="a", dense=axis(0, lean=0.5), terms={1: 2.0}, document=axis(0, lean=1.0))
    by_words = entry(tenant=tenant, doc_id="b", dense=axis(4), terms={7: 1.5, 8: 0.5}, document=axis(3))
    other = entry(tenant=tenant, doc_id="b", dense=axis(0, lean=2.0), terms={8: 1.0})
    await index.upsert([near, by_words, other])

    hits = await index.search(question(tenant=tenant, dense=axis(0), terms={7: 2.0, 8: 1.0}, limit=1))

    assert [hit.chunk_id for hit in hits] == [near.chunk_id, by_words.chunk_id]
    assert [hit.doc_id for hit in hits] == ["a", "b"]
    assert hits[0].dense == pytest.approx(1 / math.sqrt(1.25), abs=1e-3)
    assert hits[0].words == 0.0
    assert hits[0].document == pytest.approx(1 / math.sqrt(2), abs=1e-3)
    assert hits[1].dense == pytest.approx(0.0, abs=1e-3)
    assert hits[1].words == pytest.approx(2.0 * 1.5 * idf(3, 1) + 0.5 * idf(3, 2), rel=2e-3)
    assert hits[1].document == pytest.approx(0.0, abs=1e-3)


async def test_the_words_of_what_was_found_by_vector_count_though_others_have_more(
    index: ChunkIndex, tenant: str
) -> None:
    near = entry(tenant=tenant, dense=axis(0), terms={7: 0.5})
    wordy = entry(tenant=tenant, dense=axis(4), terms={7: 2.0})
    await index.upsert([near, wordy])

    hits = await index.search(question(tenant=tenant, dense=axis(0), terms={7: 1.0}, limit=1))

    assert [hit.chunk_id for hit in hits] == [near.chunk_id, wordy.chunk_id]
    assert [hit.words for hit in hits] == pytest.approx([0.5 * idf(2, 2), 2.0 * idf(2, 2)], rel=2e-3)


async def test_both_lists_are_joined_each_with_its_limit(index: ChunkIndex, tenant: str) -> None:
    by_vector = [entry(tenant=tenant, dense=axis(0, lean=0.1 * n), terms={}) for n in range(4)]
    by_words = [entry(tenant=tenant, dense=axis(5), terms={7: 1.0 + n}) for n in range(4)]
    await index.upsert([*by_vector, *by_words])

    hits = await index.search(question(tenant=tenant, limit=2))

    expected = [by_vector[0], by_vector[1], by_words[2], by_words[3]]
    assert {hit.chunk_id for hit in hits} == {chunk.chunk_id for chunk in expected}


async def test_the_neighbour_is_the_most_similar_other_document_inside_the_scope(
    index: ChunkIndex, tenant: str
) -> None:
    def written(doc_id: str, lean: float, **fields: Any) -> Any:
        return entry(tenant=tenant, doc_id=doc_id, document=axis(0, lean=lean), **fields)

    secret = written("secret", 0.05, level=Level.INTERNAL)
    closed = written("closed", 0.05, acl=("staff",))
    ended = written("ended", 0.05, until=1)
    await index.upsert(
        [written("own", 0.0), written("near", 0.5), written("far", 2.0), secret, closed, ended, entry(tenant=tenant)]
    )
    await index.upsert([entry(tenant=f"{tenant}-other", doc_id="twin", document=axis(0))])
    scope = question(tenant=tenant).scope

    assert await index.neighbour("own", scope) == pytest.approx(1 / math.sqrt(1.25), abs=2e-3)
    assert await index.neighbour("own", scope, exclude=["near"]) == pytest.approx(1 / math.sqrt(5), abs=2e-3)
    assert await index.neighbour("own", scope, exclude=["near", "far"]) == 0.0
    assert await index.neighbour("secret", scope) == 0.0
    assert await index.neighbour("nowhere", scope) == 0.0
    assert await index.neighbour("own", replace(scope, acl_tags=frozenset())) == 0.0


async def test_a_vector_of_zeros_searches_by_words_alone(index: ChunkIndex, tenant: str) -> None:
    wordy = entry(tenant=tenant, doc_id="a", dense=axis(0), terms={7: 2.0}, document=axis(0))
    await index.upsert([wordy, entry(tenant=tenant, doc_id="b", dense=axis(1), terms={8: 1.0}, document=axis(1))])
    nowhere = np.zeros(DIMENSIONS, dtype=np.float32)

    (hit,) = await index.search(question(tenant=tenant, dense=nowhere, terms={7: 1.0}))

    assert (hit.chunk_id, hit.dense, hit.document) == (wordy.chunk_id, 0.0, 0.0)
    assert hit.words == pytest.approx(2.0 * idf(2, 1), rel=1e-3)
    assert await index.search(question(tenant=tenant, dense=nowhere, terms={})) == []


async def test_best_dense_first_and_ties_by_chunk_id(index: ChunkIndex, tenant: str) -> None:
    chunks = [entry(tenant=tenant, dense=axis(0, lean=lean)) for lean in (0.5, 0.5, 0.0, 2.0, 0.5)]
    await index.upsert(chunks)

    hits = await index.search(question(tenant=tenant))

    assert [hit.chunk_id for hit in hits] == [
        chunks[2].chunk_id,
        *sorted(chunks[at].chunk_id for at in (0, 1, 4)),
        chunks[3].chunk_id,
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        {"kb": "other"},
        {"acl": ["staff"]},
        {"acl": []},
        {"level": Level.CUSTOMER},
        {"since": 6},
        {"until": 5},
    ],
    ids=str,
)
async def test_what_is_outside_the_scope_is_neither_found_nor_felt(
    index: ChunkIndex, tenant: str, hidden: dict[str, Any]
) -> None:
    seen = entry(tenant=tenant, doc_id="same", dense=axis(0, lean=0.3), terms={7: 1.0})
    await index.upsert([seen])
    before = await index.search(question(tenant=tenant, snapshot=5))

    await index.upsert([entry(tenant=tenant, doc_id="same", document=axis(0), **hidden) for _ in range(5)])
    await index.upsert([entry(tenant=f"{tenant}-2", doc_id="same", document=axis(0))])

    assert [hit.chunk_id for hit in before] == [seen.chunk_id]
    assert await index.search(question(tenant=tenant, snapshot=5)) == before


async def test_any_one_tag_and_a_lower_level_suffice(index: ChunkIndex, tenant: str) -> None:
    chunk = entry(tenant=tenant, acl=["gold", "staff"], level=Level.CUSTOMER, since=3, until=5)
    await index.upsert([chunk])

    for snapshot, found in ((2, 0), (3, 1), (4, 1), (5, 0)):
        asked = question(tenant=tenant, acl=[EVERYONE, "staff"], level=Level.INTERNAL, snapshot=snapshot)
        assert len(await index.search(asked)) == found, snapshot


async def test_nobody_sees_nothing(index: ChunkIndex, tenant: str) -> None:
    await index.upsert([entry(tenant=tenant)])

    assert await index.search(question(tenant=tenant, acl=[])) == []


async def test_a_query_without_words_finds_by_vector(index: ChunkIndex, tenant: str) -> None:
    chunk = entry(tenant=tenant)
    await index.upsert([chunk])

    hits = await index.search(question(tenant=tenant, terms={}))

    assert [(hit.chunk_id, hit.words) for hit in hits] == [(chunk.chunk_id, 0.0)]


async def test_term_ids_use_all_32_bits(index: ChunkIndex, tenant: str) -> None:
    chunk = entry(tenant=tenant, dense=axis(3), terms={0: 1.0, 2**32 - 1: 1.0})
    await index.upsert([chunk])

    hits = await index.search(question(tenant=tenant, terms={2**32 - 1: 1.0}))

    assert hits[0].words == pytest.approx(idf(1, 1), rel=2e-3)


async def test_ids_may_hold_any_text(index: ChunkIndex, tenant: str) -> None:
    strange = f"{tenant} «ключ» 鍵\n\u0000 🔑"
    chunk = entry(tenant=strange, kb="ドキュメント", doc_id="räksmörgås/№ 5?.md", acl=['güld, "x"'], document=axis(0))
    await index.upsert([chunk])

    asked = question(tenant=strange, kb="ドキュメント", acl=['güld, "x"'])
    hits = await index.search(asked)

    assert [(hit.doc_id, round(hit.document, 2)) for hit in hits] == [("räksmörgås/№ 5?.md", 1.0)]
    assert await index.count(tenant=strange, kb="ドキュメント") == 1


async def test_a_chunk_id_need_not_be_a_uuid(index: ChunkIndex, tenant: str) -> None:
    chunk = entry(tenant=tenant, chunk_id=f"{tenant}#§1")
    await index.upsert([chunk])
    await index.set_until([chunk.chunk_id], 3)

    assert [hit.chunk_id for hit in await index.search(question(tenant=tenant, snapshot=2))] == [chunk.chunk_id]
    assert await index.search(question(tenant=tenant, snapshot=3)) == []


async def test_writing_again_replaces_everything(index: ChunkIndex, tenant: str) -> None:
    first = entry(tenant=tenant, doc_id="old", dense=axis(0), terms={7: 1.0}, document=axis(0))
    await index.upsert([first])
    await index.upsert([entry(tenant=tenant, chunk_id=first.chunk_id, doc_id="new", dense=axis(1), terms={8: 1.0})])

    (hit,) = await index.search(question(tenant=tenant, dense=axis(0), terms={7: 1.0}))

    assert (hit.doc_id, hit.words, hit.document) == ("new", 0.0, 0.0)
    assert hit.dense == pytest.approx(0.0, abs=1e-3)
    assert await index.count(tenant=tenant, kb="docs") == 1


async def test_an_end_can_be_set_and_taken_back(index: ChunkIndex, tenant: str) -> None:
    chunks = [entry(tenant=tenant) for _ in range(3)]
    await index.upsert(chunks)
    ids = [chunk.chunk_id for chunk in chunks]

    await index.set_until([ids[0], str(uuid.uuid4()), ids[1]], 4)
    assert {hit.chunk_id for hit in await index.search(question(tenant=tenant, snapshot=3))} == set(ids)
    assert {hit.chunk_id for hit in await index.search(question(tenant=tenant, snapshot=4))} == {ids[2]}
    assert await index.count(tenant=tenant, kb="docs") == 3

    await index.set_until([ids[0]], FOREVER)
    assert {hit.chunk_id for hit in await index.search(question(tenant=tenant, snapshot=4))} == {ids[0], ids[2]}
    await index.set_until([], 9)


async def test_delete_takes_one_revision_of_the_named_documents(index: ChunkIndex, tenant: str) -> None:
    kept = [
        entry(tenant=tenant, doc_id="a", since=1),
        entry(tenant=tenant, doc_id="b", since=2),
        entry(tenant=tenant, doc_id="a", since=2, kb="other"),
        entry(tenant=f"{tenant}-2", doc_id="a", since=2),
    ]
    await index.upsert([*kept, entry(tenant=tenant, doc_id="a", since=2), entry(tenant=tenant, doc_id="c", since=2)])

    await index.delete(tenant=tenant, kb="docs", doc_ids=["a", "c", "unknown"], since=2)
    await index.delete(tenant=tenant, kb="docs", doc_ids=[], since=2)

    found = {hit.chunk_id for hit in await index.search(question(tenant=tenant, snapshot=2))}
    assert found == {kept[0].chunk_id, kept[1].chunk_id}
    assert await index.count(tenant=tenant, kb="other") == 1
    assert await index.count(tenant=f"{tenant}-2", kb="docs") == 1


async def test_vectors_of_another_length_are_refused_before_anything_is_written(index: ChunkIndex, tenant: str) -> None:
    wrong = entry(tenant=tenant, dense=np.ones(DIMENSIONS + 1, dtype=np.float32))

    with pytest.raises(InvalidInput, match="shape"):
        await index.upsert([entry(tenant=tenant), wrong])

    assert await index.count(tenant=tenant, kb="docs") == 0


async def test_many_at_once_keep_apart(index: ChunkIndex, tenant: str) -> None:
    chunks = [entry(tenant=f"{tenant}-{n}", terms={n: 1.0}) for n in range(40)]

    async def write_and_read(number: int) -> str:
        await index.upsert([chunks[number]])
        (hit,) = await index.search(question(tenant=f"{tenant}-{number}", terms={number: 1.0}))
        return hit.chunk_id

    found = await asyncio.gather(*(write_and_read(number) for number in range(40)))

    assert found == [chunk.chunk_id for chunk in chunks]


async def test_large_writes_arrive_whole(index: ChunkIndex, tenant: str) -> None:
    chunks = [entry(tenant=tenant, doc_id=f"d{n}") for n in range(700)]
    await index.upsert(chunks)
    assert await index.count(tenant=tenant, kb="docs") == 700
    assert await index.size_bytes() > 700 * DIMENSIONS * 2

    await index.set_until([chunk.chunk_id for chunk in chunks[:650]], 2)
    assert len(await index.search(question(tenant=tenant, snapshot=2, limit=1000))) == 50
    await index.upsert([])


async def test_purging_removes_what_documents_got_up_to_a_number_and_nothing_else(
    index: ChunkIndex, tenant: str
) -> None:
    made = [
        entry(tenant=tenant, doc_id=doc_id, dense=axis(place), since=since)
        for place, (doc_id, since) in enumerate([("a", 1), ("a", 2), ("a", 3), ("b", 1)])
    ]
    await index.upsert(made)
    where = {"tenant": tenant, "kb": made[0].kb}
    assert await index.held(**where, doc_ids=["a"], upto=2) == 2
    assert await index.held(**where, doc_ids=[], upto=2) == 0
    assert [await index.count(tenant=tenant, kb="docs", since=number) for number in (1, 2, 9)] == [2, 1, 0]

    await index.purge(**{**where, "tenant": "another"}, doc_ids=["a"], upto=2)
    assert await index.count(tenant=tenant, kb="docs") == 4
    await index.purge(**where, doc_ids=["a", "unknown"], upto=2)
    await index.purge(**where, doc_ids=["a", "unknown"], upto=2)

    assert await index.held(**where, doc_ids=["a"], upto=2) == 0
    assert await index.held(**where, doc_ids=["a", "b"], upto=9) == 2


async def test_vectors_are_given_back_to_their_own_knowledge_base(index: ChunkIndex, tenant: str) -> None:
    own = entry(tenant=tenant, dense=axis(0, lean=0.7))
    other_kb = entry(tenant=tenant, kb="other", dense=axis(2))
    many = [entry(tenant=tenant, doc_id=f"d{number}", dense=axis(number % DIMENSIONS)) for number in range(600)]
    await index.upsert([own, other_kb, *many])
    asked = [own.chunk_id, other_kb.chunk_id, str(uuid.uuid4()), *(one.chunk_id for one in many)]
    found = await index.vectors(asked, tenant=tenant, kb="docs")
    assert set(found) == {own.chunk_id, *(one.chunk_id for one in many)}
    assert found[own.chunk_id].shape == (DIMENSIONS,)
    assert float(found[own.chunk_id] @ own.dense) == pytest.approx(1.0, abs=1e-3)
    assert all(float(found[one.chunk_id] @ one.dense) == pytest.approx(1.0, abs=1e-3) for one in many)
    assert await index.vectors([own.chunk_id], tenant="nobody", kb="docs") == {}
    assert await index.vectors([], tenant=tenant, kb="docs") == {}
    await index.set_until([own.chunk_id], 2)
    assert set(await index.vectors([own.chunk_id], tenant=tenant, kb="docs")) == {own.chunk_id}
