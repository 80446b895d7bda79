-- name: ServiceAdmit :one
SELECT service_admit(sqlc.arg(service_id), sqlc.arg(key_id), sqlc.arg(per_minute), sqlc.arg(send), sqlc.arg(consumer), sqlc.arg(most), sqlc.arg(budget))::bigint[] AS verdict;

-- name: ServiceSendDrop :exec
-- A request with a message that was admitted is over, and the message was not accepted by it.
UPDATE service_sends SET holders = holders - 1 WHERE id = sqlc.arg(id);

-- name: ServiceSendFree :exec
-- A message that no request holds any more, and that was not accepted, gives its place back.
DELETE FROM service_sends s WHERE s.id = sqlc.arg(id) AND s.holders <= 0
AND NOT EXISTS (SELECT FROM inbox i WHERE i.channel = 'svc' AND i.account = '' AND i.user_id = s.user_id AND i.platform_id = s.id);

-- name: ServiceRequestsAdd :exec
-- Those of services that were deleted meanwhile are left out.
INSERT INTO service_requests (service_id, key_id, conversation_id, endpoint, source, status, latency_ms, turn_id, at)
SELECT r.service_id, r.key_id, r.conversation_id, r.endpoint, r.source, r.status, r.latency_ms, r.turn_id, r.at
FROM (
    SELECT unnest(sqlc.arg(services)::text[]) AS service_id, unnest(sqlc.arg(keys)::text[]) AS key_id, unnest(sqlc.arg(conversations)::text[]) AS conversation_id,
           unnest(sqlc.arg(endpoints)::text[]) AS endpoint, unnest(sqlc.arg(sources)::text[]) AS source, unnest(sqlc.arg(statuses)::int[]) AS status,
           unnest(sqlc.arg(latencies)::bigint[]) AS latency_ms, unnest(sqlc.arg(turns)::text[]) AS turn_id, unnest(sqlc.arg(times)::timestamptz[]) AS at
) r
JOIN services s ON s.id = r.service_id;

-- name: ServiceRequestList :many
-- The newest requests of a service.
SELECT key_id, conversation_id, endpoint, source, status, latency_ms, turn_id, at FROM service_requests
WHERE service_id = sqlc.arg(service_id) ORDER BY at DESC, id DESC LIMIT sqlc.arg(n);

-- name: RetentionServiceRequests :execrows
DELETE FROM service_requests WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM service_requests r WHERE r.at < now() - sqlc.arg(older)::interval LIMIT sqlc.arg(most)::int
));

-- name: ServiceSendBind :exec
-- A message that was admitted before its conversation began is in it now.
UPDATE service_sends SET user_id = sqlc.arg(user_id) WHERE id = sqlc.arg(id);

-- name: ServiceRetryKeep :exec
-- The newest request of its form is the one that a retry means.
WITH old AS (
    DELETE FROM service_retries o WHERE o.key_id = sqlc.arg(key_id) AND o.identity <> sqlc.arg(identity) AND o.at < now() - interval '1 day'
)
INSERT INTO service_retries (key_id, identity, conversation_id, send_id) VALUES (sqlc.arg(key_id), sqlc.arg(identity), sqlc.arg(conversation_id), sqlc.arg(send_id))
ON CONFLICT (key_id, identity) DO UPDATE SET conversation_id = EXCLUDED.conversation_id, send_id = EXCLUDED.send_id, at = now();

-- name: ServiceRetryFind :one
SELECT conversation_id, send_id FROM service_retries WHERE key_id = $1 AND identity = $2;

-- name: ServiceRetryForget :exec
DELETE FROM service_retries WHERE key_id = $1 AND identity = $2 AND conversation_id = $3;
