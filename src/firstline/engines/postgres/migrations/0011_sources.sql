-- Sources that are synced again and again. `config` names secrets by reference (env:NAME, file:PATH) and holds none.
-- `cursor` is a place to go on from, true of documents up to snapshot `cursor_snapshot`, read in the way that `cursor_shape`
-- names. Who syncs counts `lease` up and holds the row until `leased_until`.

CREATE TABLE firstline.sources (
    tenant          text NOT NULL,
    kb              text NOT NULL,
    name            text NOT NULL,
    kind            text NOT NULL,
    config          jsonb NOT NULL,
    document_kind   text NOT NULL,
    acl             text[] NOT NULL,
    level           integer NOT NULL,
    schedule        text NOT NULL DEFAULT '',
    added_at        timestamptz NOT NULL,
    cursor          text,
    cursor_snapshot integer NOT NULL DEFAULT 0,
    cursor_shape    text NOT NULL DEFAULT '',
    state           text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'ok', 'partial', 'alert', 'failed')),
    documents       integer NOT NULL DEFAULT 0,
    began_at        timestamptz,
    finished_at     timestamptz,
    due_at          timestamptz,
    last_failure    text NOT NULL DEFAULT '',
    last_report     jsonb,
    lease           bigint NOT NULL DEFAULT 0,
    leased_until    timestamptz,
    PRIMARY KEY (tenant, kb, name)
);

CREATE INDEX sources_due ON firstline.sources (due_at) WHERE due_at IS NOT NULL;
