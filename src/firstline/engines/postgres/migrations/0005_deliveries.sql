-- Hand-overs on their way out: one row per hand-over's event and channel, written in the transaction of the turn. A claim
-- moves `due_at` ahead by its lease, so a row whose worker died is due again by itself.

CREATE TABLE firstline.deliveries (
    delivery_id text PRIMARY KEY,
    arrival     bigint GENERATED ALWAYS AS IDENTITY,
    handoff_id  text NOT NULL REFERENCES firstline.handoffs ON DELETE CASCADE,
    tenant      text NOT NULL,
    channel     text NOT NULL,
    message     jsonb NOT NULL,
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
    attempts    integer NOT NULL DEFAULT 0,
    lease       bigint NOT NULL DEFAULT 0,
    due_at      timestamptz NOT NULL DEFAULT now(),
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    problem     text NOT NULL DEFAULT ''
);

-- Partial: nearly everything is delivered, and what waits is asked for every second.
CREATE INDEX deliveries_due ON firstline.deliveries (channel, due_at, arrival) WHERE state = 'pending';
CREATE INDEX deliveries_in_order ON firstline.deliveries (handoff_id, channel, arrival) WHERE state = 'pending';
CREATE INDEX deliveries_open ON firstline.deliveries (tenant, channel) WHERE state <> 'delivered';
CREATE INDEX deliveries_of_tenant ON firstline.deliveries (tenant, arrival DESC);
CREATE INDEX deliveries_finished ON firstline.deliveries (finished_at) WHERE state <> 'pending';
