-- Hand-overs have an owner and a history, and become tickets. `record` is the payload; the columns beside it move on.

ALTER TABLE firstline.handoffs
    ADD COLUMN owner      text,
    ADD COLUMN resolution text NOT NULL DEFAULT '',
    ADD COLUMN closed_at  timestamptz;

-- When they were closed was not written down: what was closed before counts as long ago.
UPDATE firstline.handoffs SET closed_at = created_at WHERE state IN ('resolved', 'returned');

CREATE TABLE firstline.handoff_events (
    handoff_id text NOT NULL REFERENCES firstline.handoffs,
    number     integer NOT NULL,
    session_id text NOT NULL,
    act        text NOT NULL,
    arrival    bigint GENERATED ALWAYS AS IDENTITY,
    record     jsonb NOT NULL,
    PRIMARY KEY (handoff_id, number)
);

CREATE INDEX handoff_events_of_session ON firstline.handoff_events (session_id, arrival);

CREATE TABLE firstline.draft_tickets (
    draft_id   text PRIMARY KEY REFERENCES firstline.handoffs,
    tenant     text NOT NULL,
    state      text NOT NULL,
    created_at timestamptz NOT NULL,
    record     jsonb NOT NULL
);

CREATE INDEX draft_tickets_of_tenant ON firstline.draft_tickets (tenant, state, created_at DESC);
