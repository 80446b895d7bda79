-- name: ServiceUsageRequests :many
-- Requests of the consumers of a service, by day (UTC) or by key, and all of them (all_of).
SELECT (grouping(r.bucket) = 1)::boolean AS all_of, coalesce(r.bucket, '')::text AS bucket, count(*)::bigint AS requests, count(*) FILTER (WHERE r.status >= 400)::bigint AS errors,
       coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY r.latency_ms), 0)::bigint AS p50, coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY r.latency_ms), 0)::bigint AS p95,
       coalesce(max(r.latency_ms), 0)::bigint AS slowest
FROM (
    SELECT CASE WHEN sqlc.arg(by_key)::boolean THEN q.key_id ELSE to_char(q.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS bucket, q.status, q.latency_ms
    FROM service_requests q
    WHERE q.service_id = sqlc.arg(service_id) AND q.at >= sqlc.arg(since)::timestamptz AND q.at < sqlc.arg(until)::timestamptz
) r
GROUP BY GROUPING SETS ((r.bucket), ())
ORDER BY 2;

-- name: ServiceUsageTokens :many
-- What models took for the consumers of a service, by day (UTC) or by key, and by model.
SELECT (CASE WHEN sqlc.arg(by_key)::boolean THEN t.key_id ELSE to_char(t.day, 'YYYY-MM-DD') END)::text AS bucket, t.model, sum(t.calls)::bigint AS calls,
       sum(t.prompt_tokens)::bigint AS prompt_tokens, sum(t.cached_tokens)::bigint AS cached_tokens, sum(t.completion_tokens)::bigint AS completion_tokens
FROM service_tokens t
WHERE t.service_id = sqlc.arg(service_id) AND t.day >= (sqlc.arg(since)::timestamptz AT TIME ZONE 'UTC')::date AND t.day < (sqlc.arg(until)::timestamptz AT TIME ZONE 'UTC')::date
GROUP BY 1, t.model
ORDER BY 1, t.model;

-- name: ServiceUsageTotals :many
-- What models took for the consumers of each service since it was made.
SELECT t.service_id, sum(t.prompt_tokens)::bigint AS prompt_tokens, sum(t.cached_tokens)::bigint AS cached_tokens, sum(t.completion_tokens)::bigint AS completion_tokens
FROM service_tokens t
GROUP BY t.service_id
ORDER BY t.service_id;
