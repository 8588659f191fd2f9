"""The statements that look things up in the graph.

Of every entity the best few edges are read off an index that lies in their order and holds all that the filters ask;
the table is visited for these alone. Forgotten documents are left out of what was read: while some wait to be purged,
an entity may have fewer edges than it could.
"""

from __future__ import annotations

from typing import Final, LiteralString

from firstline.engines.postgres.graph_reading import READ

READABLE: Final[LiteralString] = """e.access = ANY (ARRAY(
        SELECT access FROM firstline.graph_access
        WHERE tenant = %(tenant)s AND kb = %(kb)s AND level <= %(level_max)s AND acl && %(acl_tags)s::text[]))
    AND e.since <= %(snapshot)s AND e.until > %(snapshot)s"""

BURIED: Final[LiteralString] = """WITH buried AS MATERIALIZED (
    SELECT doc_id, upto FROM firstline.tombstones
    WHERE tenant = %(tenant)s AND kb = %(kb)s AND purged_at IS NULL
) """
"""Of what was purged no edge is left. Nearly always nothing waits: that costs less than a look for each edge."""

NOT_FORGOTTEN: Final[LiteralString] = """NOT EXISTS (
    SELECT FROM buried WHERE buried.doc_id = e.doc_id AND buried.upto >= e.since)"""

# The rows are fetched through the index that they were chosen from, whose pages are at hand. That is what "OFFSET 0" is
# for: without it the two looks are joined by the primary key, which takes five times as long.
OUT: Final[LiteralString] = f"""SELECT {READ} FROM unnest(%(hashes)s::bigint[]) AS seed (hash)
CROSS JOIN LATERAL (
    SELECT e.edge_id, e.confidence FROM firstline.graph_edges e
    WHERE e.source_hash = seed.hash AND e.relation = ANY (%(relations)s::smallint[]) AND {READABLE}
    ORDER BY e.confidence DESC, e.edge_id LIMIT %(limit)s
) AS best
CROSS JOIN LATERAL (
    SELECT * FROM firstline.graph_edges e
    WHERE e.source_hash = seed.hash AND e.confidence = best.confidence AND e.edge_id = best.edge_id
    OFFSET 0
) AS e
WHERE {NOT_FORGOTTEN}"""  # noqa: S608  (put together from the constants above)

BACK: Final[LiteralString] = f"""SELECT {READ} FROM unnest(%(hashes)s::bigint[]) AS seed (hash)
CROSS JOIN LATERAL (
    SELECT e.edge_id, e.confidence FROM firstline.graph_edges e
    WHERE e.target_hash = seed.hash AND e.relation = ANY (%(relations)s::smallint[]) AND {READABLE}
    ORDER BY e.confidence DESC, e.edge_id LIMIT %(limit)s
) AS best
CROSS JOIN LATERAL (
    SELECT * FROM firstline.graph_edges e
    WHERE e.target_hash = seed.hash AND e.confidence = best.confidence AND e.edge_id = best.edge_id
    OFFSET 0
) AS e
WHERE {NOT_FORGOTTEN}"""  # noqa: S608  (put together from the constants above)

AROUND: Final[LiteralString] = f"{BURIED}{OUT} UNION ALL {BACK}"

NAMED: Final[LiteralString] = f"""{BURIED}SELECT {READ} FROM unnest(%(hashes)s::bigint[]) AS seed (hash)
CROSS JOIN LATERAL (
    SELECT e.edge_id, e.confidence FROM firstline.graph_edges e
    WHERE e.target_hash = seed.hash AND e.relation = 1 AND {READABLE}
    ORDER BY e.confidence DESC, e.edge_id LIMIT %(limit)s
) AS best
CROSS JOIN LATERAL (
    SELECT * FROM firstline.graph_edges e
    WHERE e.target_hash = seed.hash AND e.relation = 1
      AND e.confidence = best.confidence AND e.edge_id = best.edge_id
    OFFSET 0
) AS e
WHERE {NOT_FORGOTTEN}"""  # noqa: S608  (put together from the constants above)

KNOWN: Final[LiteralString] = f"""{BURIED}SELECT seed.place
FROM unnest(%(hashes)s::bigint[], %(kinds)s::smallint[], %(keys)s::text[])
    WITH ORDINALITY AS seed (hash, kind, key, place)
CROSS JOIN LATERAL (
    (SELECT FROM firstline.graph_edges e
     WHERE e.source_hash = seed.hash AND e.source_kind = seed.kind AND e.source_key = seed.key
       AND e.tenant = %(tenant)s AND e.kb = %(kb)s AND {READABLE} AND {NOT_FORGOTTEN} LIMIT 1)
    UNION ALL
    (SELECT FROM firstline.graph_edges e
     WHERE e.target_hash = seed.hash AND e.target_kind = seed.kind AND e.target_key = seed.key
       AND e.tenant = %(tenant)s AND e.kb = %(kb)s AND {READABLE} AND {NOT_FORGOTTEN} LIMIT 1)
) AS one"""  # noqa: S608  (put together from the constants above)

EDGES: Final[LiteralString] = f"""{BURIED}SELECT {READ} FROM firstline.graph_edges e
WHERE e.tenant = %(tenant)s AND e.kb = %(kb)s AND e.edge_id > %(after)s::uuid AND {READABLE} AND {NOT_FORGOTTEN}
ORDER BY e.edge_id LIMIT %(limit)s"""  # noqa: S608  (put together from the constants above)

EDGES_OF_CHUNKS: Final[LiteralString] = f"""{BURIED}SELECT {READ} FROM (
    SELECT * FROM firstline.graph_edges WHERE chunk_id = ANY (%(chunk_ids)s::uuid[]) OFFSET 0) e
WHERE e.tenant = %(tenant)s AND e.kb = %(kb)s AND e.edge_id > %(after)s::uuid AND {READABLE} AND {NOT_FORGOTTEN}
ORDER BY e.edge_id LIMIT %(limit)s"""  # noqa: S608  (put together from the constants above)
