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
-- Those of services that were deleted meanwhile are left out, and those that are there.
INSERT INTO service_requests (id, service_id, key_id, conversation_id, endpoint, source, status, latency_ms, turn_id, at)
SELECT r.id, r.service_id, r.key_id, r.conversation_id, r.endpoint, r.source, r.status, r.latency_ms, r.turn_id, r.at
FROM (
    SELECT unnest(sqlc.arg(ids)::text[]) AS id, unnest(sqlc.arg(services)::text[]) AS service_id, unnest(sqlc.arg(keys)::text[]) AS key_id, unnest(sqlc.arg(conversations)::text[]) AS conversation_id,
           unnest(sqlc.arg(endpoints)::text[]) AS endpoint, unnest(sqlc.arg(sources)::text[]) AS source, unnest(sqlc.arg(statuses)::int[]) AS status,
           unnest(sqlc.arg(latencies)::bigint[]) AS latency_ms, unnest(sqlc.arg(turns)::text[]) AS turn_id, unnest(sqlc.arg(times)::timestamptz[]) AS at
) r
JOIN (SELECT v.id FROM services v WHERE v.id = ANY(sqlc.arg(services)::text[]) FOR KEY SHARE) s ON s.id = r.service_id
ON CONFLICT (id) DO NOTHING;

-- name: ServiceRequestList :many
-- The newest requests of a service.
SELECT id, key_id, conversation_id, endpoint, source, status, latency_ms, turn_id, at FROM service_requests
WHERE service_id = sqlc.arg(service_id) ORDER BY at DESC, id DESC LIMIT sqlc.arg(n);

-- name: ServiceSendBind :exec
-- A message that was admitted before its conversation began is in it now.
UPDATE service_sends SET user_id = sqlc.arg(user_id) WHERE id = sqlc.arg(id);

-- name: ServiceRetryNote :exec
-- A request came that is no retry. Another one of its form that came shortly before is not known from it, unless both name their conversation.
WITH old AS (
    DELETE FROM service_retries o WHERE o.ctid = ANY (ARRAY(
        SELECT r.ctid FROM service_retries r
        WHERE r.at < now() - interval '10 minutes' AND NOT (r.key_id = sqlc.arg(key_id) AND r.identity = sqlc.arg(identity))
        LIMIT 100 FOR UPDATE SKIP LOCKED
    ))
)
INSERT INTO service_retries AS r (key_id, identity) VALUES (sqlc.arg(key_id), sqlc.arg(identity))
ON CONFLICT (key_id, identity) DO UPDATE SET
    several = NOT sqlc.arg(named)::boolean AND r.at > now() - interval '10 minutes', conversation_id = NULL, send_id = NULL, at = now();

-- name: ServiceRetryKeep :exec
-- Which message a request is. Where the first one of its form did not come here, nobody knows how many there were.
INSERT INTO service_retries AS r (key_id, identity, conversation_id, send_id, several)
VALUES (sqlc.arg(key_id), sqlc.arg(identity), sqlc.arg(conversation_id)::text, sqlc.arg(send_id)::text, NOT sqlc.arg(named)::boolean)
ON CONFLICT (key_id, identity) DO UPDATE SET
    several = r.several OR EXCLUDED.several AND r.at < now() - interval '10 minutes',
    conversation_id = EXCLUDED.conversation_id, send_id = EXCLUDED.send_id, at = now();

-- name: ServiceRetryFind :one
-- The message that a retry means, where it is certain whose it is. One that names its conversation goes there in any case.
SELECT r.conversation_id::text AS conversation_id, r.send_id::text AS send_id FROM service_retries r
WHERE r.key_id = sqlc.arg(key_id) AND r.identity = sqlc.arg(identity) AND r.at > now() - interval '10 minutes'
AND r.conversation_id IS NOT NULL AND r.send_id IS NOT NULL
AND (sqlc.arg(named)::boolean OR NOT r.several AND NOT EXISTS (
    SELECT FROM service_rates l WHERE l.key_id = r.key_id AND l.unread_at > now() - interval '10 minutes'
));

-- name: ServiceRetryForget :exec
UPDATE service_retries SET conversation_id = NULL, send_id = NULL
WHERE key_id = sqlc.arg(key_id) AND identity = sqlc.arg(identity) AND conversation_id = sqlc.arg(conversation_id)::text;

-- name: ServiceRateUnread :exec
UPDATE service_rates SET unread_at = now() WHERE key_id = sqlc.arg(key_id) AND (unread_at IS NULL OR unread_at < now() - interval '1 second');
