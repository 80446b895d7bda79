-- name: RetentionEvents :execrows
-- Events that no client needs any more: they are old, and their turns have ended. Those of a turn that runs stay.
DELETE FROM feed_events WHERE ctid = ANY (ARRAY(
    SELECT f.ctid FROM feed_events f
    WHERE f.created_at < now() - sqlc.arg(older)::interval
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = f.session_key AND t.state = 'running' AND t.started_at <= f.created_at)
    LIMIT sqlc.arg(most)::int
));

-- name: RetentionTurns :execrows
-- Turns that ended long ago let go of what their models were sent: it cannot be shown any more, and the conversation needs it not.
WITH old AS (
    SELECT t.id FROM turns t
    WHERE t.state <> 'running' AND t.ended_at < now() - sqlc.arg(older)::interval
      AND (t.system_hash IS NOT NULL OR EXISTS (SELECT 1 FROM steps s WHERE s.turn_id = t.id AND s.prompt_hash IS NOT NULL))
    LIMIT sqlc.arg(most)::int
), steps_let_go AS (
    UPDATE steps SET prompt_hash = NULL, request_hash = NULL FROM old WHERE steps.turn_id = old.id
)
UPDATE turns SET system_hash = NULL FROM old WHERE turns.id = old.id;

-- name: RetentionPrompts :execrows
DELETE FROM prompts WHERE hash IN (
    SELECT p.hash FROM prompts p
    WHERE p.created_at < now() - sqlc.arg(older)::interval
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.system_hash = p.hash)
      AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.prompt_hash = p.hash)
    LIMIT sqlc.arg(most)::int
);
