-- Documents and chunks. A row belongs to snapshot S when since <= S < until; 2147483647 means "still current".

CREATE TABLE firstline.knowledge_bases (
    tenant      text NOT NULL,
    kb          text NOT NULL,
    published   integer NOT NULL DEFAULT 0 CHECK (published >= 0),
    embedder_id text NOT NULL,
    PRIMARY KEY (tenant, kb)
);

CREATE TABLE firstline.snapshots (
    tenant       text NOT NULL,
    kb           text NOT NULL,
    number       integer NOT NULL CHECK (number > 0),
    documents    integer NOT NULL,
    chunks       integer NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, kb, number),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

CREATE TABLE firstline.documents (
    tenant       text NOT NULL,
    kb           text NOT NULL,
    doc_id       text NOT NULL,
    since        integer NOT NULL,
    until        integer NOT NULL,
    kind         text NOT NULL,
    title        text NOT NULL,
    url          text,
    blob         text NOT NULL,
    size_bytes   bigint NOT NULL,
    content_hash text NOT NULL,
    acl          text[] NOT NULL,
    level        smallint NOT NULL,
    metadata     jsonb NOT NULL,
    -- How many chunks it has: publishing sums these instead of counting millions of rows.
    chunks       integer NOT NULL,
    PRIMARY KEY (tenant, kb, doc_id, since),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases,
    CHECK (since < until)
);

-- Partial, so that the planner cannot take it for looking up what is current, which is nearly everything.
CREATE INDEX documents_ending ON firstline.documents (tenant, kb, until) WHERE until < 2147483647;
CREATE INDEX documents_faq ON firstline.documents (tenant, kb, (metadata ->> 'question_key')) WHERE kind = 'faq';

CREATE TABLE firstline.chunks (
    chunk_id     uuid PRIMARY KEY,
    tenant       text NOT NULL,
    kb           text NOT NULL,
    doc_id       text NOT NULL,
    since        integer NOT NULL,
    until        integer NOT NULL,
    ordinal      integer NOT NULL,
    blob         text NOT NULL,
    span_start   bigint NOT NULL,
    span_end     bigint NOT NULL,
    lead_start   bigint,
    lead_end     bigint,
    kind         text NOT NULL,
    title        text NOT NULL,
    section_path text[] NOT NULL,
    url          text,
    acl          text[] NOT NULL,
    level        smallint NOT NULL,
    metadata     jsonb NOT NULL,
    FOREIGN KEY (tenant, kb, doc_id, since) REFERENCES firstline.documents ON DELETE CASCADE
) WITH (fillfactor = 90);

CREATE UNIQUE INDEX chunks_in_order ON firstline.chunks (tenant, kb, doc_id, since, ordinal);

-- The filter of every lookup, in one place. Simple enough for the planner to inline, so the indexes are used.

CREATE FUNCTION firstline.chunks_in_scope(
    of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.chunks LANGUAGE sql STABLE AS $$
    SELECT c.* FROM firstline.chunks c
    WHERE c.tenant = of_tenant AND c.kb = of_kb
      AND c.acl && acl_tags AND c.level <= level_max
      AND c.since <= of_snapshot AND c.until > of_snapshot
$$;

-- The same by id. OFFSET 0 keeps the planner on the primary key: fresh statistics are missing in the middle of a first
-- ingest, and then it would rather read the whole knowledge base.

CREATE FUNCTION firstline.chunks_by_id(
    ids uuid[], of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.chunks LANGUAGE sql STABLE AS $$
    SELECT c.* FROM (SELECT * FROM firstline.chunks WHERE chunk_id = ANY (ids) OFFSET 0) c
    WHERE c.tenant = of_tenant AND c.kb = of_kb
      AND c.acl && acl_tags AND c.level <= level_max
      AND c.since <= of_snapshot AND c.until > of_snapshot
$$;

CREATE FUNCTION firstline.documents_in_scope(
    of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.documents LANGUAGE sql STABLE AS $$
    SELECT d.* FROM firstline.documents d
    WHERE d.tenant = of_tenant AND d.kb = of_kb
      AND d.acl && acl_tags AND d.level <= level_max
      AND d.since <= of_snapshot AND d.until > of_snapshot
$$;

-- What a run is about to write, so that a run after a crash can clean up behind it.

CREATE TABLE firstline.planned_documents (
    tenant    text NOT NULL,
    kb        text NOT NULL,
    candidate integer NOT NULL,
    doc_id    text NOT NULL,
    PRIMARY KEY (tenant, kb, candidate, doc_id),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

-- One row per run: a list of {"item_id", "reason"}.

CREATE TABLE firstline.failures (
    tenant    text NOT NULL,
    kb        text NOT NULL,
    candidate integer NOT NULL,
    failures  jsonb NOT NULL,
    PRIMARY KEY (tenant, kb, candidate),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

-- Conversations. `record` is the whole turn or hand-over; the columns beside it are what is looked up.

CREATE TABLE firstline.sessions (
    session_id text PRIMARY KEY,
    tenant     text NOT NULL,
    kb         text NOT NULL,
    user_id    text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE firstline.turns (
    session_id text NOT NULL REFERENCES firstline.sessions,
    number     integer NOT NULL,
    record     jsonb NOT NULL,
    PRIMARY KEY (session_id, number)
);

CREATE TABLE firstline.handoffs (
    handoff_id text PRIMARY KEY,
    session_id text NOT NULL REFERENCES firstline.sessions,
    tenant     text NOT NULL,
    state      text NOT NULL,
    created_at timestamptz NOT NULL,
    arrival    bigint GENERATED ALWAYS AS IDENTITY,
    record     jsonb NOT NULL
);

CREATE INDEX handoffs_of_session ON firstline.handoffs (session_id, created_at DESC, arrival DESC);
CREATE INDEX handoffs_of_tenant ON firstline.handoffs (tenant, created_at DESC, arrival DESC);

CREATE TABLE firstline.api_keys (
    key_id        text PRIMARY KEY,
    secret_sha256 text NOT NULL,
    name          text NOT NULL,
    tenant        text NOT NULL,
    user_id       text NOT NULL,
    acl_tags      text[] NOT NULL,
    level         smallint NOT NULL,
    kb            text NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    revoked_at    timestamptz
);

CREATE INDEX api_keys_of_tenant ON firstline.api_keys (tenant, created_at, key_id);
