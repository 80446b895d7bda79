-- name: RealtimeLockUser :exec
SELECT pg_advisory_xact_lock(hashtextextended('realtime ' || sqlc.arg(user_id)::bigint::text, 0));

-- name: RealtimeUse :one
-- How many connections of a user are open in other conversations, and how many seconds all took within a day.
SELECT count(*) FILTER (WHERE ended_at IS NULL AND session_key <> sqlc.arg(session_key) AND seen_at > now() - sqlc.arg(stale)::interval) AS others,
       coalesce(sum(extract(epoch FROM coalesce(ended_at, seen_at) - greatest(started_at, now() - interval '1 day'))) FILTER (WHERE coalesce(ended_at, seen_at) > now() - interval '1 day'), 0)::float8 AS seconds
FROM realtime_sessions WHERE user_id = sqlc.arg(user_id) AND coalesce(ended_at, seen_at) > now() - interval '1 day';

-- name: RealtimeSessionsEnd :exec
-- The end of a session that a killed server held is the time at which it was last seen.
UPDATE realtime_sessions SET ended_at = least(now(), seen_at + sqlc.arg(stale)::interval) WHERE session_key = sqlc.arg(session_key) AND ended_at IS NULL;

-- name: RealtimeSessionInsert :exec
INSERT INTO realtime_sessions (id, session_key, user_id, model) VALUES ($1, $2, $3, $4);

-- name: RealtimeSessionSeen :execrows
UPDATE realtime_sessions SET seen_at = now() WHERE id = $1 AND ended_at IS NULL;

-- name: RealtimeSessionEnd :exec
UPDATE realtime_sessions SET seen_at = now(), ended_at = now() WHERE id = $1 AND ended_at IS NULL;

-- name: RealtimeExchangesForget :exec
-- Exchanges whose turns have ended long ago: the transcript has what was said.
DELETE FROM realtime_exchanges WHERE session_key = $1 AND created_at < now() - interval '1 day';

-- name: RealtimeExchangeInsert :exec
INSERT INTO realtime_exchanges (id, session_key, said) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING;

-- name: RealtimeExchangesSeen :exec
UPDATE realtime_exchanges SET seen_at = now() WHERE session_key = $1 AND ended_at IS NULL;

-- name: RealtimeExchangesOpen :many
-- Those that a connection before this one did not finish, the oldest first.
SELECT id, said FROM realtime_exchanges WHERE session_key = sqlc.arg(session_key) AND ended_at IS NULL AND seen_at > now() - sqlc.arg(stale)::interval ORDER BY created_at;

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
-- The text is cut to what was heard, unless the transcript has it.
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
-- The state of the turn that answers an exchange; no row: it waits.
SELECT t.state FROM messages m JOIN turns t ON t.id = m.turn_id
WHERE m.session_key = sqlc.arg(session_key) AND m.role = 'user' AND m.client_message_id = sqlc.arg(exchange_id);
