"""How the shard is laid out: vectors, memory, indexes."""

from __future__ import annotations

from typing import Final

import qdrant_edge as qd

# Graphs are built for segments past this many KB of float16 vectors; below, exact search is as fast and never misses.
INDEXING_BYTES_PER_DIMENSION: Final = 2
INDEXING_VECTORS_MIN: Final = 50_000


def shard_config(dimensions: int) -> qd.EdgeConfig:
    return qd.EdgeConfig(
        vectors={name: _dense(dimensions) for name in ("chunk", "document")},
        sparse_vectors={
            "words": qd.EdgeSparseVectorParams(
                modifier=qd.Modifier.Idf, datatype=qd.VectorStorageDatatype.Float16, memory=qd.Memory.Cold
            )
        },
        # A small full_scan_threshold sends narrow filters into the graph, where they find nothing.
        hnsw_config=qd.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000, memory=qd.Memory.Cached),
        quantization_config=qd.ScalarQuantizationConfig(
            type=qd.ScalarType.Int8, quantile=0.99, memory=qd.Memory.Pinned
        ),
        optimizers=qd.EdgeOptimizersConfig(
            indexing_threshold=INDEXING_VECTORS_MIN * dimensions * INDEXING_BYTES_PER_DIMENSION // 1024
        ),
        payload_memory=qd.Memory.Cold,
        # On, a second opener is refused and what was acknowledged survives a kill.
        wal_enabled=True,
    )


def _dense(dimensions: int) -> qd.EdgeVectorParams:
    return qd.EdgeVectorParams(
        size=dimensions,
        distance=qd.Distance.Cosine,
        datatype=qd.VectorStorageDatatype.Float16,
        memory=qd.Memory.Cold,
    )


def shard_indexes() -> list[qd.UpdateOperation]:
    """Payload indexes. `is_tenant` stays unset and `enable_hnsw` off: with them filtered searches missed neighbours."""
    keywords = [
        qd.UpdateOperation.create_field_index(name, qd.KeywordIndexParams(enable_hnsw=False))
        for name in ("tenant", "kb", "acl", "doc_id")
    ]
    integers = [
        qd.UpdateOperation.create_field_index(
            name, qd.IntegerIndexParams(lookup=name == "since", range=True, enable_hnsw=False)
        )
        for name in ("level", "since", "until")
    ]
    return keywords + integers
