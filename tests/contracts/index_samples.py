"""Chunks to fill an index with."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firstline.domain import EVERYONE, FOREVER, Level
from firstline.ports import IndexEntry, IndexQuery, Scope, SparseVector

DIMENSIONS = 8


def axis(number: int, *, lean: float = 0.0) -> npt.NDArray[np.float32]:
    """A unit vector along one axis, leaning towards the next one."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[number] = 1.0
    vector[(number + 1) % DIMENSIONS] = lean
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def words(weights: dict[int, float]) -> SparseVector:
    return SparseVector(indices=tuple(sorted(weights)), values=tuple(weights[term] for term in sorted(weights)))


def entry(
    *,
    tenant: str,
    chunk_id: str = "",
    kb: str = "docs",
    doc_id: str = "doc",
    acl: Sequence[str] = (EVERYONE,),
    level: Level = Level.PUBLIC,
    since: int = 1,
    until: int = FOREVER,
    dense: npt.NDArray[np.float32] | None = None,
    terms: dict[int, float] | None = None,
    document: npt.NDArray[np.float32] | None = None,
) -> IndexEntry:
    return IndexEntry(
        chunk_id=chunk_id or str(uuid.uuid4()),
        tenant=tenant,
        kb=kb,
        doc_id=doc_id,
        acl=frozenset(acl),
        level=level,
        since=since,
        until=until,
        dense=axis(0) if dense is None else dense,
        words=words({7: 1.0} if terms is None else terms),
        document_vector=document,
    )


def question(
    *,
    tenant: str,
    kb: str = "docs",
    acl: Sequence[str] = (EVERYONE,),
    level: Level = Level.PUBLIC,
    snapshot: int = 1,
    dense: npt.NDArray[np.float32] | None = None,
    terms: dict[int, float] | None = None,
    limit: int = 10,
) -> IndexQuery:
    return IndexQuery(
        scope=Scope(tenant=tenant, kb=kb, acl_tags=frozenset(acl), level_max=level, snapshot=snapshot),
        dense=axis(0) if dense is None else dense,
        words=words({7: 1.0} if terms is None else terms),
        limit=limit,
    )


def random_entry(random: np.random.Generator, *, tenant: str, number: int) -> IndexEntry:
    terms = {int(term): float(random.uniform(0.2, 2.2)) for term in random.zipf(1.4, 12) % 60}
    vector = random.normal(size=DIMENSIONS).astype(np.float32)
    since = int(random.integers(1, 4))
    return entry(
        tenant=tenant,
        chunk_id=str(uuid.UUID(int=number + 1)),
        kb="other" if random.random() < 0.1 else "docs",
        doc_id=f"doc-{number // 3}",
        acl=[str(tag) for tag in random.choice([EVERYONE, "staff", "gold"], size=int(random.integers(0, 4)))],
        level=Level(int(random.integers(0, 3))),
        since=since,
        until=FOREVER if random.random() < 0.7 else since + int(random.integers(1, 3)),
        dense=vector / np.linalg.norm(vector),
        terms=terms if random.random() < 0.95 else {},
        document=vector / np.linalg.norm(vector) if number % 3 == 0 else None,
    )


def random_question(random: np.random.Generator, *, tenant: str) -> IndexQuery:
    vector = random.normal(size=DIMENSIONS).astype(np.float32)
    return question(
        tenant=tenant,
        kb="other" if random.random() < 0.1 else "docs",
        acl=[str(tag) for tag in random.choice([EVERYONE, "staff", "gold"], size=int(random.integers(1, 4)))],
        level=Level(int(random.integers(0, 4))),
        snapshot=int(random.integers(1, 5)),
        dense=vector / np.linalg.norm(vector),
        terms={int(term): float(random.uniform(0.5, 2)) for term in random.integers(0, 60, size=4)},
        limit=int(random.integers(1, 30)),
    )
