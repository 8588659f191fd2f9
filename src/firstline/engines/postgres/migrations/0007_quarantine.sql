-- Documents that are kept out until a person has looked at them. A decision is about one content (`fingerprint`), so it
-- outlives every further ingest of that content. `record` holds title and suspicions; the columns beside it are looked up.

CREATE TABLE firstline.quarantine (
    tenant      text NOT NULL,
    kb          text NOT NULL,
    doc_id      text NOT NULL,
    fingerprint text NOT NULL,
    state       text NOT NULL CHECK (state IN ('held', 'released', 'rejected')),
    found_at    timestamptz NOT NULL,
    decided_by  text NOT NULL DEFAULT '',
    decided_at  timestamptz,
    note        text NOT NULL DEFAULT '',
    record      jsonb NOT NULL,
    PRIMARY KEY (tenant, kb, doc_id, fingerprint),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

CREATE INDEX quarantine_of_state ON firstline.quarantine (tenant, state, found_at DESC);

-- Who asked for private data, when and where. Never what was written.

CREATE TABLE firstline.audit (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant     text NOT NULL,
    kb         text NOT NULL,
    user_id    text NOT NULL,
    session_id text NOT NULL,
    turn       integer NOT NULL,
    category   text NOT NULL,
    at         timestamptz NOT NULL
);

CREATE INDEX audit_of_tenant ON firstline.audit (tenant, number DESC);
