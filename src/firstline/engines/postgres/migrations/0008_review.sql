-- What people think of turns, which turns wait for a review, and what reviewers found.

-- When a turn was recorded, by the database's clock: what came since a point in time can be looked at once.

ALTER TABLE firstline.turns ADD COLUMN recorded_at timestamptz;
UPDATE firstline.turns SET recorded_at = (record ->> 'asked_at')::timestamptz;
ALTER TABLE firstline.turns ALTER COLUMN recorded_at SET DEFAULT now(), ALTER COLUMN recorded_at SET NOT NULL;

CREATE INDEX turns_recorded ON firstline.turns (recorded_at);
CREATE INDEX handoffs_closed ON firstline.handoffs (closed_at) WHERE closed_at IS NOT NULL;

CREATE TABLE firstline.feedback (
    session_id text NOT NULL,
    number     integer NOT NULL,
    stored_at  timestamptz NOT NULL DEFAULT now(),
    record     jsonb NOT NULL,
    PRIMARY KEY (session_id, number),
    FOREIGN KEY (session_id, number) REFERENCES firstline.turns ON DELETE CASCADE
);

CREATE INDEX feedback_stored ON firstline.feedback (stored_at);

-- A lease moves `leased_until` ahead, so a turn whose reviewer went away is free again by itself.

CREATE TABLE firstline.review_queue (
    session_id   text NOT NULL,
    number       integer NOT NULL,
    tenant       text NOT NULL,
    kb           text NOT NULL,
    rank         double precision NOT NULL,
    asked_at     timestamptz NOT NULL,
    record       jsonb NOT NULL,
    leased_by    text NOT NULL DEFAULT '',
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    skipped_by   text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (session_id, number),
    FOREIGN KEY (session_id, number) REFERENCES firstline.turns ON DELETE CASCADE
);

CREATE INDEX review_queue_in_order ON firstline.review_queue (tenant, rank DESC, asked_at DESC);

CREATE TABLE firstline.judgements (
    session_id text NOT NULL,
    number     integer NOT NULL,
    tenant     text NOT NULL,
    kb         text NOT NULL,
    judged_at  timestamptz NOT NULL,
    record     jsonb NOT NULL,
    PRIMARY KEY (session_id, number),
    FOREIGN KEY (session_id, number) REFERENCES firstline.turns ON DELETE CASCADE
);

CREATE INDEX judgements_of_tenant ON firstline.judgements (tenant, kb, judged_at);

-- Up to when turns were looked at for the queue.

CREATE TABLE firstline.review_progress (
    tenant     text PRIMARY KEY,
    seen_until timestamptz NOT NULL
);

-- A turn with what is known of it now.

CREATE VIEW firstline.turns_known AS
SELECT turn.session_id, turn.number, turn.recorded_at, turn.record AS turn, own.tenant, own.kb, own.user_id,
    own.created_at, rated.record AS rated, EXISTS (
        SELECT FROM firstline.handoffs AS handed
        WHERE handed.session_id = turn.session_id AND (handed.record ->> 'turn')::integer = turn.number
          AND handed.closed_at IS NOT NULL AND (handed.state = 'resolved' OR EXISTS (
            SELECT FROM firstline.handoff_events AS event
            WHERE event.handoff_id = handed.handoff_id AND event.act = 'reply'))
    ) AS person_answered
FROM firstline.turns AS turn JOIN firstline.sessions AS own USING (session_id)
LEFT JOIN firstline.feedback AS rated USING (session_id, number);
