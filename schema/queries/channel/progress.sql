-- name: ProgressBegin :exec
-- Notes turns that have run for a while and answer somebody on a platform.
INSERT INTO progress_cards (turn_id, session_key, channel, account, place)
SELECT t.id, t.session_key, i.channel, i.account, i.place
FROM turns t JOIN inbox i ON i.id = (SELECT max(n.id) FROM inbox n WHERE n.turn_id = t.id)
WHERE t.state = 'running' AND t.deliver AND t.started_at < now() - sqlc.arg(older)::interval AND i.place IS NOT NULL AND i.kind <> 'background'
  AND EXISTS (SELECT 1 FROM channel_accounts a WHERE a.channel = i.channel AND a.account = i.account AND a.enabled)
  AND NOT EXISTS (SELECT 1 FROM progress_cards c WHERE c.turn_id = t.id)
ON CONFLICT (turn_id) DO NOTHING;

-- name: ProgressToWake :many
-- Sessions with a turn to follow, or with a card of one that has ended, of which nobody was told; the next wake is a minute
-- later. What was never shown of a turn that has ended is forgotten.
WITH over AS (
    UPDATE progress_cards SET state = 'none', ended_at = now()
    WHERE progress_cards.state = 'waiting' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = progress_cards.turn_id AND t.state = 'running')
    RETURNING progress_cards.turn_id
)
UPDATE progress_cards SET woken_at = now() + interval '1 minute'
WHERE progress_cards.turn_id IN (
    SELECT c.turn_id FROM progress_cards c
    WHERE c.state IN ('waiting', 'tried', 'shown') AND c.woken_at <= now() AND (c.retry_at IS NULL OR c.retry_at <= now())
      AND c.turn_id NOT IN (SELECT over.turn_id FROM over)
      AND NOT EXISTS (SELECT 1 FROM turns w WHERE w.id = c.turn_id AND w.waits_since = c.rests_for)
    ORDER BY c.woken_at LIMIT 100 FOR UPDATE SKIP LOCKED
)
RETURNING progress_cards.session_key, progress_cards.channel;

-- name: ProgressNext :one
-- What is followed next in a session: a card of a turn that has ended, else the running turn until its answer is written.
SELECT c.turn_id, c.channel FROM progress_cards c LEFT JOIN turns t ON t.id = c.turn_id
WHERE c.session_key = $1 AND (
    t.state = 'running' AND c.state IN ('waiting', 'tried', 'shown') AND (t.waits_since = c.rests_for) IS NOT TRUE AND NOT EXISTS (
        SELECT 1 FROM messages m JOIN outbound o ON o.message_id = m.id WHERE m.turn_id = c.turn_id AND m.role = 'assistant')
    OR t.state IS DISTINCT FROM 'running' AND c.state IN ('tried', 'shown') AND (c.retry_at IS NULL OR c.retry_at <= now()))
ORDER BY c.created_at
LIMIT 1;

-- name: ProgressGet :one
-- How a turn stands. retry is the newest event of the session if it says that the model is asked again.
SELECT sqlc.embed(c), coalesce(t.state, '')::text AS turn_state, t.started_at, t.ended_at AS turn_ended_at, t.waits_since, coalesce(t.waits_reason, '')::text AS waits_reason, t.waits_until,
       EXISTS (SELECT 1 FROM outbound o WHERE o.session_key = c.session_key AND o.state = 'waiting') AS waits,
       EXISTS (SELECT 1 FROM messages m JOIN outbound o ON o.message_id = m.id WHERE m.turn_id = c.turn_id AND m.role = 'assistant') AS answered,
       coalesce((SELECT CASE WHEN f.kind = 'retry' AND f.data ->> 'turn_id' = c.turn_id THEN f.data END
                 FROM feed_events f WHERE f.session_key = c.session_key ORDER BY f.seq DESC LIMIT 1), 'null')::jsonb AS retry
FROM progress_cards c LEFT JOIN turns t ON t.id = c.turn_id
WHERE c.turn_id = $1;

-- name: ProgressCalls :many
-- The calls of a turn without what they were given and gave.
SELECT id, name, summary, state, is_error, approval, asked_at, task, started_at, finished_at FROM tool_calls WHERE turn_id = $1 ORDER BY step, n;

-- name: ProgressKeep :exec
-- Somebody follows the turn.
UPDATE progress_cards SET woken_at = now() + interval '1 minute' WHERE turn_id = $1;

-- name: ProgressRest :exec
-- The card says that its turn waits for a provider: nobody follows it until it goes on.
UPDATE progress_cards SET rests_for = sqlc.arg(since), woken_at = now() WHERE turn_id = sqlc.arg(turn_id);

-- name: ProgressLine :execrows
UPDATE progress_cards SET lines = sqlc.arg(line) WHERE turn_id = sqlc.arg(turn_id) AND lines < sqlc.arg(line) AND state = 'waiting';

-- name: ProgressTry :execrows
UPDATE progress_cards SET state = 'tried', tried_at = coalesce(tried_at, now()) WHERE turn_id = $1 AND state IN ('waiting', 'tried');

-- name: ProgressUntry :exec
-- It is certain that nothing was sent.
UPDATE progress_cards SET state = 'waiting', tried_at = NULL WHERE turn_id = $1 AND state = 'tried';

-- name: ProgressShown :exec
UPDATE progress_cards SET state = 'shown', message_id = $2 WHERE turn_id = $1 AND state = 'tried';

-- name: ProgressEnd :exec
UPDATE progress_cards SET state = $2, ended_at = now() WHERE turn_id = $1 AND state IN ('waiting', 'tried', 'shown');

-- name: ProgressPutOff :exec
UPDATE progress_cards SET retry_at = now() + sqlc.arg(pause)::interval WHERE turn_id = sqlc.arg(turn_id);

-- name: ProgressOfAnswer :one
-- The card that an answer takes the place of.
SELECT c.* FROM outbound o
JOIN messages m ON m.id = o.message_id AND m.role = 'assistant'
JOIN progress_cards c ON c.turn_id = o.turn_id AND c.state IN ('tried', 'shown')
WHERE o.id = $1;
