-- name: LeaseTake :one
-- For a call that is no step: in how many milliseconds to ask again, 0 if it may begin.
SELECT llm_lease_take(sqlc.arg(turn_id), sqlc.arg(step)::int, sqlc.arg(most_global)::int, sqlc.arg(most_personal)::int, sqlc.arg(most_subagent)::int, sqlc.arg(lease)::interval)::int
FROM turns WHERE id = sqlc.arg(turn_id) AND state = 'running';

-- name: LeaseRenew :exec
UPDATE llm_leases SET held_until = clock_timestamp() + sqlc.arg(lease)::interval
WHERE turn_id = sqlc.arg(turn_id) AND step = sqlc.arg(step)::int AND held_until IS NOT NULL;

-- name: LeaseTenants :many
SELECT l.user_id, u.name, l.pool, count(*) FILTER (WHERE l.held_until > clock_timestamp())::int AS held,
       count(*) FILTER (WHERE l.held_until IS NULL AND l.asks_at > clock_timestamp() - interval '5 seconds')::int AS waiting
FROM llm_leases l JOIN users u ON u.id = l.user_id
GROUP BY l.user_id, u.name, l.pool
HAVING bool_or(l.held_until > clock_timestamp() OR l.held_until IS NULL)
ORDER BY u.name, l.pool;
