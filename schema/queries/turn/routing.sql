-- name: AliasGet :one
SELECT session_key FROM session_aliases WHERE alias = $1;

-- name: AliasSet :exec
INSERT INTO session_aliases (alias, session_key) VALUES ($1, $2)
ON CONFLICT (alias) DO UPDATE SET session_key = EXCLUDED.session_key, created_at = now()
WHERE session_aliases.session_key <> EXCLUDED.session_key;

-- name: AliasAdd :exec
-- The first alias is kept.
INSERT INTO session_aliases (alias, session_key) VALUES ($1, $2) ON CONFLICT (alias) DO NOTHING;

-- name: AliasAnswers :exec
-- Lets replies to what the bot has said lead back to a work session: to a conversation that others are told from by such names.
INSERT INTO session_aliases (alias, session_key)
SELECT unnest(sqlc.arg(aliases)::text[]), sqlc.arg(session_key)
WHERE EXISTS (SELECT 1 FROM session_aliases a WHERE a.session_key = sqlc.arg(session_key))
ON CONFLICT (alias) DO NOTHING;

-- name: AliasDelete :exec
DELETE FROM session_aliases WHERE alias = $1;

-- name: SessionSetOrigin :exec
UPDATE sessions SET origin = $2, scene = $3, runner = $4 WHERE key = $1 AND (origin <> $2 OR scene <> $3 OR runner <> $4);

-- name: SessionWorking :one
-- The newest work session of a chat in which a turn runs for a user and whose thread is not known yet.
SELECT s.key FROM turns t JOIN sessions s ON s.key = t.session_key
WHERE t.state = 'running' AND t.user_id = sqlc.arg(user_id)::bigint AND s.scene = 'work' AND s.channel = sqlc.arg(channel)
  AND NOT EXISTS (SELECT 1 FROM session_aliases a WHERE a.session_key = s.key AND strpos(a.alias, '|thread:') > 0)
  AND s.origin ->> 'to' = sqlc.arg(chat)::text AND coalesce(s.origin ->> 'account_id', '') = sqlc.arg(account)::text
ORDER BY t.started_at DESC LIMIT 1;

-- name: SessionMine :many
SELECT key, title FROM sessions WHERE user_id = $1 AND shelf = '' ORDER BY last_interaction_at DESC, key LIMIT $2;

-- name: SessionSetSend :exec
UPDATE sessions SET send = $2 WHERE key = $1;

-- name: SessionSetActivation :exec
UPDATE sessions SET activation = $2 WHERE key = $1;
