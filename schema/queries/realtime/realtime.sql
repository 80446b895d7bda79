-- name: RealtimeUserLock :exec
SELECT pg_advisory_xact_lock(hashtextextended('realtime ' || sqlc.arg(user_id)::bigint::text, 0));

-- name: RealtimeUse :one
-- The open connections of a user in other conversations, and the seconds of all connections within a day.
SELECT count(*) FILTER (WHERE ended_at IS NULL AND session_key <> sqlc.arg(session_key) AND seen_at > now() - sqlc.arg(stale)::interval) AS others,
       coalesce(sum(extract(epoch FROM coalesce(ended_at, seen_at) - greatest(started_at, now() - interval '1 day'))) FILTER (WHERE coalesce(ended_at, seen_at) > now() - interval '1 day'), 0)::float8 AS seconds
FROM realtime_sessions WHERE user_id = sqlc.arg(user_id) AND coalesce(ended_at, seen_at) > now() - interval '1 day';

-- name: RealtimeSessionsEnd :exec
-- A session of a killed server ends at the time at which it was last renewed.
UPDATE realtime_sessions SET ended_at = least(now(), seen_at + sqlc.arg(stale)::interval) WHERE session_key = sqlc.arg(session_key) AND ended_at IS NULL;

-- name: RealtimeSessionInsert :exec
INSERT INTO realtime_sessions (id, session_key, user_id, model) VALUES ($1, $2, $3, $4);

-- name: RealtimeSessionRenew :execrows
UPDATE realtime_sessions SET seen_at = now() WHERE id = $1 AND ended_at IS NULL;

-- name: RealtimeSessionEnd :exec
UPDATE realtime_sessions SET seen_at = now(), ended_at = now() WHERE id = $1 AND ended_at IS NULL;

-- name: RealtimeExchangesDeleteOld :exec
-- Exchanges whose turns have ended long ago: the transcript of the conversation has their text.
DELETE FROM realtime_exchanges WHERE session_key = $1 AND created_at < now() - interval '1 day';

-- name: RealtimeExchangeInsert :exec
INSERT INTO realtime_exchanges (id, session_key, transcript) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING;

-- name: RealtimeExchangesRenew :exec
UPDATE realtime_exchanges SET seen_at = now() WHERE session_key = $1 AND ended_at IS NULL;

-- name: RealtimeExchangesOpen :many
-- Open exchanges of earlier connections, the oldest first.
SELECT id, transcript FROM realtime_exchanges WHERE session_key = sqlc.arg(session_key) AND ended_at IS NULL AND seen_at > now() - sqlc.arg(stale)::interval ORDER BY created_at;

-- name: RealtimeExchangeEnd :exec
UPDATE realtime_exchanges SET ended_at = now() WHERE id = $1 AND ended_at IS NULL;

-- name: RealtimeExchangeLock :one
SELECT (ended_at IS NOT NULL)::boolean AS ended, (seen_at < now() - sqlc.arg(stale)::interval)::boolean AS stale FROM realtime_exchanges WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: RealtimeResponseInsert :execrows
INSERT INTO realtime_responses (exchange_id, step, answer, heard_at) VALUES (sqlc.arg(exchange_id), sqlc.arg(step), sqlc.arg(answer), now() + sqlc.arg(heard_in)::interval) ON CONFLICT DO NOTHING;

-- name: RealtimeResponseGet :one
SELECT answer, greatest(extract(epoch FROM heard_at - now()), 0)::float8 AS heard_in FROM realtime_responses WHERE exchange_id = $1 AND step = $2;

-- name: RealtimeResponses :many
SELECT step, answer FROM realtime_responses WHERE exchange_id = $1 ORDER BY step;

-- name: RealtimeResponseCut :execrows
-- Cuts the text to the part that was heard, unless the conversation has the text already.
UPDATE realtime_responses SET answer = jsonb_set(answer, '{text}', to_jsonb(sqlc.arg(text)::text)), heard_at = now()
WHERE exchange_id = sqlc.arg(exchange_id) AND step = sqlc.arg(step) AND heard_at > now();

-- name: RealtimeCalls :many
-- The calls of a step of the turn that answers an exchange.
SELECT c.id, c.provider_id, c.name, c.state, c.result, c.is_error, (t.state = 'running')::boolean AS turn_runs, extract(epoch FROM now() - coalesce(c.started_at, now()))::float8 AS elapsed
FROM messages m
JOIN turns t ON t.id = m.turn_id
JOIN tool_calls c ON c.turn_id = t.id AND c.step = sqlc.arg(step)
WHERE m.session_key = sqlc.arg(session_key) AND m.role = 'user' AND m.client_message_id = sqlc.arg(exchange_id)
ORDER BY c.n;

-- name: RealtimeTurn :many
-- The state of the turn that answers an exchange; no row: the message waits.
SELECT t.state FROM messages m JOIN turns t ON t.id = m.turn_id
WHERE m.session_key = sqlc.arg(session_key) AND m.role = 'user' AND m.client_message_id = sqlc.arg(exchange_id);
