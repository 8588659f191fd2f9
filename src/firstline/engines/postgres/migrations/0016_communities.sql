-- Communities: what several documents tell of the same things. A row is one, with every citation in `record`; `chunk_ids` and
-- `doc_ids` are those of its citations, `entities` the hashes of the entities by which it is found (as in graph_edges). `built` and
-- `dropped` are the builds that added it and let it end, so that a turn can be taken again with what it saw.

CREATE TABLE firstline.communities (
    tenant       text NOT NULL,
    kb           text NOT NULL,
    community_id uuid NOT NULL,
    since        integer NOT NULL,
    until        integer NOT NULL,
    built        integer NOT NULL,
    dropped      integer NOT NULL,
    level        smallint NOT NULL,
    acl          text[] NOT NULL,
    component    text NOT NULL,
    documents    integer NOT NULL,
    entities     bigint[] NOT NULL,
    chunk_ids    uuid[] NOT NULL,
    doc_ids      text[] NOT NULL,
    record       jsonb NOT NULL,
    PRIMARY KEY (tenant, kb, community_id, built)
);

CREATE INDEX communities_entities ON firstline.communities USING gin (entities);
CREATE INDEX communities_documents ON firstline.communities USING gin (doc_ids);

-- What they were made of last, and when that was tried.

CREATE TABLE firstline.community_builds (
    tenant    text NOT NULL,
    kb        text NOT NULL,
    build     integer NOT NULL DEFAULT 0,
    snapshot  integer NOT NULL DEFAULT 0,
    forgotten bigint NOT NULL DEFAULT 0,
    built_at  timestamptz,
    took_s    double precision NOT NULL DEFAULT 0,
    cut       boolean NOT NULL DEFAULT false,
    tried_at  timestamptz,
    PRIMARY KEY (tenant, kb),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);
