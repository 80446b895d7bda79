-- name: WaitBegin :one
-- The turn waits for its provider from now on, or goes on waiting. No row: nobody who could wait sees it, since a person at the
-- keyboard began it and it has done nothing yet, or it is closed.
UPDATE turns SET
    waits_since  = coalesce(turns.waits_since, now()),
    waits_until  = coalesce(turns.waits_until, now() + sqlc.arg(most)::interval),
    waits_reason = sqlc.arg(reason)::text,
    asks_at      = least(now() + sqlc.arg(pause)::interval, greatest(coalesce(turns.waits_until, now() + sqlc.arg(most)::interval), now()))
FROM (SELECT t.id, t.waits_since FROM turns t WHERE t.id = sqlc.arg(turn_id) FOR NO KEY UPDATE) before
WHERE turns.id = before.id AND turns.state = 'running' AND (
    sqlc.arg(step)::int > 0 OR EXISTS (
        SELECT 1 FROM inbox i WHERE i.turn_id = turns.id AND (i.kind = 'background' OR i.channel NOT IN ('web', 'cli', 'api'))))
RETURNING sqlc.embed(turns), (before.waits_since IS NULL)::boolean AS fresh, (turns.waits_until <= now())::boolean AS over,
    greatest(0, extract(epoch FROM turns.asks_at - now()) * 1000)::bigint AS pause_ms;

-- name: WaitDue :one
-- In how many milliseconds a turn that waits asks its provider again. No row: it does not wait.
SELECT greatest(0, extract(epoch FROM turns.asks_at - now()) * 1000)::bigint AS pause_ms FROM turns
WHERE turns.id = $1 AND turns.state = 'running' AND turns.waits_since IS NOT NULL;

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
