-- name: WaitBegin :one
-- The turn waits for its provider from now on, or goes on waiting. No row: a program that waits for the response of a request began it and it has
-- done nothing yet, or it is closed. A message that came since the provider was asked shortens the pause to
-- the least.
UPDATE turns SET
    waits_since  = coalesce(turns.waits_since, now()),
    waits_until  = coalesce(turns.waits_until, now() + sqlc.arg(most)::interval),
    waits_reason = sqlc.arg(reason)::text,
    asks_from    = now() + sqlc.arg(least_pause)::interval,
    asks_at      = least(
        now() + CASE WHEN before.written THEN sqlc.arg(least_pause)::interval ELSE sqlc.arg(pause)::interval END,
        greatest(coalesce(turns.waits_until, now() + sqlc.arg(most)::interval), now())),
    asks_attempt = sqlc.arg(attempt)::int,
    hastened_by  = CASE WHEN turns.waits_since IS NULL THEN 0 ELSE turns.hastened_by END
FROM (
    SELECT t.id, t.waits_since, EXISTS (
        SELECT 1 FROM inbox i
        WHERE i.session_key = t.session_key AND i.kind = 'message' AND i.outcome IS NULL AND i.accepted_at >= t.asks_at) AS written
    FROM turns t WHERE t.id = sqlc.arg(turn_id) FOR NO KEY UPDATE OF t
) before
WHERE turns.id = before.id AND turns.state = 'running' AND (
    sqlc.arg(step)::int > 0 OR EXISTS (
        SELECT 1 FROM inbox i WHERE i.turn_id = turns.id AND (i.kind = 'background' OR i.channel <> 'api')))
RETURNING sqlc.embed(turns), (before.waits_since IS NULL)::boolean AS fresh, (turns.waits_until <= now())::boolean AS over,
    greatest(0, extract(epoch FROM turns.asks_at - now()) * 1000)::bigint AS pause_ms;

-- name: WaitDue :one
-- In how many milliseconds a turn that waits asks its provider again, and whether an attempt that knows of another message than the one that
-- brought the next attempt forward is to leave it alone. No row: it does not wait.
SELECT greatest(0, extract(epoch FROM turns.asks_at - now()) * 1000)::bigint AS pause_ms, (turns.hastened_by > sqlc.arg(hastened_by)::bigint)::boolean AS superseded
FROM turns
WHERE turns.id = sqlc.arg(turn_id) AND turns.state = 'running' AND turns.waits_since IS NOT NULL;

-- name: WaitHasten :one
-- Brings the next attempt forward for a message that came since the turn waits, where that gains more than a second; so nobody asks the
-- provider at this moment. Tells for which message that was done, now or before. No row: the turn does not wait.
WITH hastened AS (
    UPDATE turns SET asks_at = greatest(turns.asks_from, now()), hastened_by = newest.id
    FROM (
        SELECT t.id AS turn_id, max(i.id)::bigint AS id FROM turns t JOIN inbox i ON i.session_key = t.session_key
        WHERE t.id = sqlc.arg(turn_id) AND i.kind = 'message' AND i.outcome IS NULL AND i.accepted_at >= t.waits_since
        GROUP BY t.id
    ) newest
    WHERE turns.id = newest.turn_id AND turns.state = 'running' AND turns.waits_since IS NOT NULL AND newest.id > turns.hastened_by
      AND turns.asks_at > greatest(turns.asks_from, now()) + interval '1 s'
    RETURNING turns.id, turns.hastened_by
)
SELECT coalesce(h.hastened_by, t.hastened_by)::bigint AS hastened_by, t.asks_attempt
FROM turns t LEFT JOIN hastened h ON h.id = t.id
WHERE t.id = sqlc.arg(turn_id) AND t.state = 'running' AND t.waits_since IS NOT NULL;

-- name: WaitEnd :one
-- The turn goes on. No row: it did not wait.
UPDATE turns SET waits_since = NULL, waits_reason = '', waits_until = NULL, asks_at = NULL
WHERE id = $1 AND waits_since IS NOT NULL
RETURNING *;

-- name: WaitCount :one
SELECT count(*)::int FROM turns WHERE state = 'running' AND waits_since IS NOT NULL;

-- name: WaitTellAbove :one
-- Where a person is told that a subagent waits: the conversation above all, and its turn. No row: it is no subagent, its turn
-- has ended, or another one of the same request waits already.
SELECT s.root AS session_key, t.id AS turn_id
FROM subagent_tasks k JOIN subagents s ON s.session_key = k.session_key JOIN turns t ON t.id = k.tree
WHERE k.turn_id = sqlc.arg(turn_id) AND t.state = 'running' AND t.session_key = s.root AND NOT EXISTS (
    SELECT 1 FROM subagent_tasks o JOIN turns w ON w.id = o.turn_id
    WHERE o.tree = k.tree AND w.id <> k.turn_id AND w.state = 'running' AND w.waits_since IS NOT NULL)
LIMIT 1;
