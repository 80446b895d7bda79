-- name: MediaUsageAdd :exec
INSERT INTO media_usage AS u (user_id, day, kind, model, session_key, calls, units, cost)
VALUES (sqlc.arg(user_id), (now() AT TIME ZONE 'UTC')::date, sqlc.arg(kind), sqlc.arg(model), sqlc.arg(session_key), 1, sqlc.arg(units), sqlc.narg(cost))
ON CONFLICT (user_id, day, kind, model, session_key) DO UPDATE SET
    calls = u.calls + 1,
    units = u.units + EXCLUDED.units,
    cost  = CASE WHEN EXCLUDED.cost IS NULL THEN u.cost ELSE coalesce(u.cost, 0) + EXCLUDED.cost END;

-- name: MediaUsageByDay :many
SELECT to_char(u.day, 'YYYY-MM-DD')::text AS day, u.kind, u.model, sum(u.calls)::bigint AS calls, sum(u.units)::bigint AS units, (count(u.cost) > 0)::boolean AS priced, coalesce(sum(u.cost), 0)::double precision AS cost
FROM media_usage u
WHERE u.user_id = sqlc.arg(user_id) AND u.day > (now() AT TIME ZONE 'UTC')::date - sqlc.arg(days)::int
GROUP BY u.day, u.kind, u.model
ORDER BY u.day DESC, u.kind, u.model;

-- name: MediaUsageOfSession :many
SELECT u.kind, u.model, sum(u.calls)::bigint AS calls, sum(u.units)::bigint AS units, (count(u.cost) > 0)::boolean AS priced, coalesce(sum(u.cost), 0)::double precision AS cost
FROM media_usage u
WHERE u.user_id = sqlc.arg(user_id) AND u.session_key = sqlc.arg(session_key)
GROUP BY u.kind, u.model
ORDER BY u.kind, u.model;

-- name: MediaUsageOfService :many
-- Media generated for the consumers of a service, by day (UTC) or by key.
SELECT (CASE WHEN sqlc.arg(by_key)::boolean THEN t.key_id ELSE to_char(t.day, 'YYYY-MM-DD') END)::text AS bucket, t.kind, t.model, sum(t.calls)::bigint AS calls, sum(t.units)::bigint AS units,
       (count(t.cost) > 0)::boolean AS priced, coalesce(sum(t.cost), 0)::double precision AS cost
FROM service_media t
WHERE t.service_id = sqlc.arg(service_id) AND t.day >= (sqlc.arg(since)::timestamptz AT TIME ZONE 'UTC')::date AND t.day < (sqlc.arg(until)::timestamptz AT TIME ZONE 'UTC')::date
GROUP BY 1, t.kind, t.model
ORDER BY 1, t.kind, t.model;
