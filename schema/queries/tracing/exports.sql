-- name: ExportClaim :many
-- Takes exports of a target that are due, the oldest first. They are due again after the lease.
UPDATE trace_exports SET due_at = now() + sqlc.arg(lease)::interval, attempts = attempts + 1
WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM trace_exports e WHERE e.target = sqlc.arg(target) AND e.due_at <= now()
    ORDER BY e.due_at LIMIT sqlc.arg(n) FOR UPDATE SKIP LOCKED))
RETURNING *;

-- name: ExportDone :exec
-- A rating that has changed since it was read is due again.
WITH sent AS (
    DELETE FROM trace_exports d
    WHERE d.target = sqlc.arg(target) AND d.kind = sqlc.arg(kind) AND d.turn_id = sqlc.arg(turn_id) AND d.message_id = sqlc.arg(message_id)
      AND d.user_id = sqlc.arg(user_id) AND d.generation = sqlc.arg(generation)
)
UPDATE trace_exports c SET due_at = now()
WHERE c.target = sqlc.arg(target) AND c.kind = sqlc.arg(kind) AND c.turn_id = sqlc.arg(turn_id) AND c.message_id = sqlc.arg(message_id)
  AND c.user_id = sqlc.arg(user_id) AND c.generation <> sqlc.arg(generation);

-- name: ExportPostpone :exec
-- Nothing is exported to a target for a while.
UPDATE trace_exports SET due_at = now() + sqlc.arg(pause)::interval, problem = sqlc.arg(problem) WHERE target = sqlc.arg(target);

-- name: ExportResume :exec
-- A target accepts exports again, or has another configuration: all that wait are due.
UPDATE trace_exports SET due_at = now(), problem = '' WHERE target = sqlc.arg(target) AND problem <> '';

-- name: ExportPrune :execrows
-- Deletes what is older than a time, and the oldest beyond a number.
DELETE FROM trace_exports x WHERE x.target = sqlc.arg(target) AND (
    x.created_at < now() - sqlc.arg(older)::interval
    OR x.ctid IN (SELECT e.ctid FROM trace_exports e WHERE e.target = sqlc.arg(target) ORDER BY e.created_at DESC OFFSET sqlc.arg(most)));

-- name: ExportWaiting :many
SELECT e.target, count(*)::bigint AS waiting, min(e.created_at)::timestamptz AS oldest,
       coalesce((array_agg(e.problem ORDER BY e.created_at DESC) FILTER (WHERE e.problem <> ''))[1], '')::text AS problem
FROM trace_exports e GROUP BY e.target;

-- name: ExportNext :one
-- In how many milliseconds the next export of a target is due; NULL: none waits.
SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::bigint AS ms FROM trace_exports WHERE target = $1 HAVING count(*) > 0;
