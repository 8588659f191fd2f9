-- Which turn opened a hand-over (its record names the latest that joined it), and changes in order at any size.

ALTER TABLE firstline.handoffs ADD COLUMN opened_turn integer;
UPDATE firstline.handoffs AS handed SET opened_turn = coalesce(
    (SELECT min(turn.number) FROM firstline.turns AS turn
    WHERE turn.session_id = handed.session_id
      AND turn.record -> 'outcome' -> 'handoff' ->> 'handoff_id' = handed.handoff_id),
    (handed.record ->> 'turn')::integer,
    0
);
ALTER TABLE firstline.handoffs ALTER COLUMN opened_turn SET NOT NULL;

DROP INDEX firstline.turns_recorded;
DROP INDEX firstline.feedback_stored;
DROP INDEX firstline.handoffs_closed;
CREATE INDEX turns_recorded ON firstline.turns (recorded_at, session_id, number);
CREATE INDEX feedback_stored ON firstline.feedback (stored_at, session_id, number);
CREATE INDEX handoffs_closed ON firstline.handoffs (closed_at, session_id) WHERE closed_at IS NOT NULL;

CREATE OR REPLACE VIEW firstline.turns_known AS
SELECT turn.session_id, turn.number, turn.recorded_at, turn.record AS turn, own.tenant, own.kb, own.user_id,
    own.created_at, rated.record AS rated, EXISTS (
        SELECT FROM firstline.handoffs AS handed
        WHERE handed.session_id = turn.session_id
          AND turn.number IN (handed.opened_turn, (handed.record ->> 'turn')::integer)
          AND handed.closed_at IS NOT NULL AND (handed.state = 'resolved' OR EXISTS (
            SELECT FROM firstline.handoff_events AS event
            WHERE event.handoff_id = handed.handoff_id AND event.act = 'reply'))
    ) AS person_answered
FROM firstline.turns AS turn JOIN firstline.sessions AS own USING (session_id)
LEFT JOIN firstline.feedback AS rated USING (session_id, number);
