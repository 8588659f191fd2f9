-- Changes that sources announce, on their way to the index: the newest of each document, until a worker has taken it, and then
-- what is known of it. `seq` orders them (a clock may jump, a sequence does not); it is drawn from the sequence that tombstones
-- are marked by, so that of a deletion and a change the later one is known. `version` is the source's own order: a lower one
-- than the last is older news. `record` is redacted, and gone once the change is settled.

CREATE TABLE firstline.raw_documents (
    tenant        text NOT NULL,
    kb            text NOT NULL,
    doc_id        text NOT NULL,
    source        text NOT NULL,
    seq           bigint NOT NULL DEFAULT nextval('firstline.marks'),
    version       bigint,
    deleted       boolean NOT NULL,
    record        jsonb,
    state         text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead')),
    attempts      integer NOT NULL DEFAULT 0,
    problem       text NOT NULL DEFAULT '',
    accepted_at   timestamptz NOT NULL DEFAULT now(),
    waiting_since timestamptz NOT NULL DEFAULT now(),
    due_at        timestamptz NOT NULL DEFAULT now(),
    settled_at    timestamptz,
    answerable    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, kb, doc_id)
);

CREATE INDEX raw_documents_waiting ON firstline.raw_documents (tenant, kb, seq) WHERE state = 'waiting';
CREATE INDEX raw_documents_dead ON firstline.raw_documents (tenant, seq) WHERE state = 'dead';
CREATE INDEX raw_documents_settled ON firstline.raw_documents (settled_at) WHERE answerable;

-- Events that were taken once are not taken again.

CREATE TABLE firstline.hook_events (
    tenant   text NOT NULL,
    kb       text NOT NULL,
    source   text NOT NULL,
    event_id text NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, kb, source, event_id)
);

CREATE INDEX hook_events_at ON firstline.hook_events (at);

-- What is done once in a while by one of all processes, and when it was done last.

CREATE TABLE firstline.rounds (
    name text PRIMARY KEY,
    at   timestamptz NOT NULL
);

-- Why a job failed last. The jobs themselves lie in the schema firstline_jobs, which their library keeps.

CREATE TABLE firstline.job_problems (
    job_id  bigint PRIMARY KEY,
    problem text NOT NULL,
    at      timestamptz NOT NULL DEFAULT now()
);
