-- The graph: what each chunk says of two entities. There may be ten times as many edges as chunks, so rows are compact: kinds and
-- relations are numbers (engines/postgres/graph_rows.py), entities are found by 64 bits of a hash of tenant, knowledge base and id,
-- and who may see an edge is one number.

-- Who may see something: an ACL and a level, of which a knowledge base has few. A look-up reads those that its scope may see, once,
-- and compares numbers from there on. `told` is a hash of both.

CREATE TABLE firstline.graph_access (
    access integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    kb     text NOT NULL,
    told   uuid NOT NULL,
    level  smallint NOT NULL,
    acl    text[] NOT NULL,
    UNIQUE (tenant, kb, told)
);

CREATE TABLE firstline.graph_edges (
    source_hash bigint NOT NULL,
    target_hash bigint NOT NULL,
    edge_id     uuid NOT NULL,
    chunk_id    uuid NOT NULL,
    confidence  double precision NOT NULL,
    access      integer NOT NULL,
    since       integer NOT NULL,
    until       integer NOT NULL,
    span_start  integer NOT NULL,
    span_end    integer NOT NULL,
    relation    smallint NOT NULL,
    source_kind smallint NOT NULL,
    target_kind smallint NOT NULL,
    tenant      text NOT NULL,
    kb          text NOT NULL,
    doc_id      text NOT NULL,
    source_key  text NOT NULL,
    source_name text NOT NULL,
    target_key  text NOT NULL,
    target_name text NOT NULL,
    extractor   text NOT NULL,
    PRIMARY KEY (tenant, kb, edge_id)
);

-- In the order in which edges are taken, so that the best few of a hub are read and its other hundred thousand are not; with all
-- that a filter asks, so that those that are filtered out cost no visit to the table.

CREATE INDEX graph_edges_source ON firstline.graph_edges (source_hash, confidence DESC, edge_id)
    INCLUDE (tenant, access, since, until, relation);
CREATE INDEX graph_edges_target ON firstline.graph_edges (target_hash, confidence DESC, edge_id)
    INCLUDE (tenant, access, since, until, relation);

-- Every word of a passage is asked whether it is the name of a document: most are not, and find nothing in a small index.

CREATE INDEX graph_edges_names ON firstline.graph_edges (target_hash, confidence DESC, edge_id)
    INCLUDE (tenant, access, since, until) WHERE relation = 1;

CREATE INDEX graph_edges_chunk ON firstline.graph_edges (chunk_id);
CREATE INDEX graph_edges_document ON firstline.graph_edges (tenant, kb, doc_id);
