-- name: LeaseTake :one
-- For a call that is no step: in how many milliseconds to ask again, 0 if it may begin.
SELECT llm_lease_take(sqlc.arg(turn_id), sqlc.arg(step)::int, sqlc.arg(most_global)::int, sqlc.arg(most_personal)::int, sqlc.arg(most_subagent)::int, sqlc.arg(lease)::interval)::int
FROM turns WHERE id = sqlc.arg(turn_id) AND state = 'running';

-- name: LeaseRenew :execrows
UPDATE llm_leases SET held_until = clock_timestamp() + sqlc.arg(lease)::interval
WHERE turn_id = sqlc.arg(turn_id) AND step = sqlc.arg(step)::int AND held_until IS NOT NULL;

-- name: LeaseRetake :exec
-- Makes the lease of a call again that goes on and whose row a crash of Postgres has forgotten, see StepBegin.
INSERT INTO llm_leases (turn_id, step, user_id, pool, asked_at, asks_at, held_until)
SELECT t.id, sqlc.arg(step)::int, st.user_id, CASE WHEN st.subagent THEN 'subagent' WHEN st.own THEN 'personal' ELSE 'global' END,
       clock_timestamp(), clock_timestamp(), clock_timestamp() + sqlc.arg(lease)::interval
FROM turns t JOIN session_tenants st ON st.session_key = t.session_key
WHERE t.id = sqlc.arg(turn_id) AND t.state = 'running'
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.turn_id = t.id AND s.step = sqlc.arg(step)::int AND s.state = 'done')
ON CONFLICT (turn_id, step) DO NOTHING;

-- name: LeaseTenants :many
SELECT l.user_id, u.name, l.pool, count(*) FILTER (WHERE l.held_until > clock_timestamp())::int AS held,
       count(*) FILTER (WHERE l.held_until IS NULL AND l.asks_at > clock_timestamp() - interval '5 seconds')::int AS waiting
FROM llm_leases l JOIN users u ON u.id = l.user_id
GROUP BY l.user_id, u.name, l.pool
HAVING bool_or(l.held_until > clock_timestamp() OR l.held_until IS NULL)
ORDER BY u.name, l.pool;
